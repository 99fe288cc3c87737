import { protectedOperations } from './applies-to.js';
import { invalidKey, seenBy } from './asked-by.js';
import { judgedAsBypass, noneOpens, tricksIn } from './bypass/bypass-rule.js';
import { invalidKeys, randomKey } from './bypass/invalid-keys.js';
import { inTakenShapes, takenShapes } from './bypass/taken-shapes.js';
import { about } from './headlines.js';
import { refusesLeftovers } from './refuses-leftovers.js';
import { defineRule, type OperationSubject, type Procedure, type RuleWords, type Stage } from './rule.js';

/** The battery has the random key of the controls too. */
const noInvalidKeyOpens = (rule: RuleWords): Procedure<OperationSubject> => {
  const { probes, judge } = noneOpens({
    bypasses: invalidKeys,
    asAnswered: inTakenShapes,
    leftovers: refusesLeftovers,
  })(rule);
  return {
    probes,
    judge: (ask, subject, slice) => {
      const judgement = judge(ask, subject, slice);
      return judgement.outcome === 'blocked' || judgement.outcome === 'excluded'
        ? judgement
        : { ...judgement, asked: [{ identity: invalidKey, seen: seenBy(judgement, 'refuses', 'opens') }] };
    },
  };
};

/** AUTH-3: nothing that merely looks like a key opens a protected resource. */
export const refusesWorthlessKeys = defineRule({
  scope: 'operation',
  id: 'refuses-worthless-keys',
  clauses: ['AUTH-3'],
  title: 'refuses empty, wrong and half keys',
  headline: ({ id }) => (id === 'opens-by-bypass' ? about('bypassed', 'opens/open {way}') : undefined),
  stage: 'invalid-keys',
  appliesTo: protectedOperations,
  battery: {
    tricks: tricksIn(invalidKeys, [takenShapes]),
    everywhere: [randomKey],
    // It needs the answers to the right key in these shapes.
    groups: new Map([[takenShapes, 'placements' satisfies Stage]]),
  },
  procedure: noInvalidKeyOpens,
  explanation: {
    asks: 'Nothing that merely looks like a key opens a protected resource.',
    sends: [
      'In the documented place: an empty value, the scheme’s word alone, a random key of the same length and alphabet, the first half of the key, the key with one character changed in the middle, with its last characters changed, with its case flipped where the key mixes cases, a * or a _ for each of its characters, and words a lookup may stumble over (null, None, undefined, constructor, true, 0, *, %, .*, %20, %00, letters that are not ASCII, and with the extended probes one single quote).',
      'A wrong key under other schemes, twice, without a scheme, in X-API-Key, and one of 8,000 characters; apikey and access_token without a value, as field and in the query.',
      'Of user and password also the right user with an empty password and a few words; of a key in three parts (a JSON Web Token) also another signature and none.',
      'Where the right key opens it in another shape too (another scheme or field), a random key in that shape.',
      'The same by each other way that the document gives; where several keys travel together, each of them left out, and wrong beside the others.',
      'They are sent last, since a server may ban a client for them.',
    ],
    judged: judgedAsBypass,
    causes: [
      'Only the presence or the format of the field is checked, often where gateway and service each rely on the other for the rest.',
      'The lookup takes prefixes or patterns (LIKE, GLOB, startsWith), or the comparison is cut (bcrypt reads 72 bytes), or an empty key finds the first user without one.',
      'A key table in an object whose prototype has members: keys["constructor"] is found.',
      'An error while checking the key lets the request through.',
    ],
    fixes: [
      'Look the whole key up, by its hash, and compare in constant time.',
      'Refuse empty values before the lookup; use a Map or a table, not an object.',
      'Fail closed: an exception in authentication is a refusal.',
    ],
  },
});
