import { type Bypass, readWithEnd } from './bypass/bypass.js';
import { judgedAsBypass, noneOpens, tricksIn } from './bypass/bypass-rule.js';
import { invalidKeys } from './bypass/invalid-keys.js';
import { otherPlacements } from './documented-request/key-placements.js';
import { randomKeyAs } from './documented-request/other-placements.js';
import { controlsOf } from './oracle/controls.js';
import { isUsable, usable } from './oracle/usable-controls.js';
import { refusesLeftovers } from './refuses-leftovers.js';
import { type Ask, defineRule, type OperationSubject, type Procedure, type RuleWords, type Stage } from './rule.js';
import { protectedOperations } from './support/applies-to.js';
import { invalidKey, seenBy } from './support/asked-by.js';
import { about } from './support/headlines.js';
import { randomKey } from './support/requests.js';
import { missingOf } from './support/targets.js';

/** The name in the battery of random keys in other placements. */
export const takenShapes = 'a random key in a shape that the right one opens in';

/**
 * A random key in each placement in which the right key opens the operation. Separate code may
 * check keys there.
 */
const inTakenShapes = (
  ask: Ask,
  subject: OperationSubject,
  isChosen: (trick: string) => boolean,
): readonly Bypass[] => {
  if (!isChosen(takenShapes) || subject.operation.method === 'HEAD') return [];
  const controls = usable(controlsOf(ask, subject));
  if (!isUsable(controls)) return [];
  const placements = otherPlacements(subject).filter(({ isDocumented }) => isDocumented !== true);
  const answers = ask.all(placements.map(({ probe }) => probe('valid')));
  return placements.flatMap((placement, index): readonly Bypass[] => {
    const exchange = answers[index];
    if (!exchange || readWithEnd(ask, exchange, controls).verdict !== 'granted') return [];
    const { words } = placement;
    const random = randomKeyAs(placement);
    return [
      {
        words: `a random key as ${words}`,
        how: `with a random key as ${words}`,
        trick: takenShapes,
        probe: random,
        missing: () => missingOf(subject, placement.probe('random')),
      },
    ];
  });
};

/** Reports how an invalid key is answered, too: the battery includes a random key. */
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

/** AUTH-3: an invalid key does not open a protected resource. */
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
    // It needs the answers to the right key in these placements.
    groups: new Map([[takenShapes, 'placements' satisfies Stage]]),
  },
  procedure: noInvalidKeyOpens,
  explanation: {
    asks: 'Nothing that merely looks like a key opens a protected resource.',
    sends: [
      'In the documented place: an empty value, the scheme’s word alone and as key, a random key of the same length and alphabet, the first half of the key, the key with one character changed in the middle, with its last characters changed, with its case flipped where the key mixes cases, a * or a _ for each of its characters, and words a lookup may stumble over (null, None, undefined, (null), two quotes, constructor, true, false, 0, 1, *, %, .*, %20, %00, letters that are not ASCII, and with the extended probes one single quote).',
      'An unsigned JSON Web Token; Bearer alone, and with null. A wrong key under other schemes (under Bearer an unsigned JSON Web Token), twice, two in one field, without a scheme, in X-API-Key and other fields, and one of 8,000 characters; the fields X-API-Key, X-Auth-Token, apikey and access_token without a value in one request, and api_key, apikey, access_token, token, key and auth in one query.',
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
