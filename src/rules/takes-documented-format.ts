import { protectedOperations } from './applies-to.js';
import {
  armedWays,
  documentedRequest,
  eachWay,
  passesWhenOpened,
  rests,
  sendsDocumentedRequest,
  teller,
} from './documented-request-rule.js';
import { failed, inconclusive, passed } from './judgements.js';
import { controlsOf, isUsable, usable } from './oracle/controls.js';
import { type OwnWay, ownWay } from './own-way.js';
import { isArmed, wayOf } from './probes.js';
import { defineRule, type Judgement, type Look, type OperationSubject } from './rule.js';

const inAnotherFormat = (way: OwnWay): Judgement | undefined => {
  if (way.state !== 'other-shape' || way.shape.clause !== 'AUTH-2') return undefined;
  const { prefix, encoding, doubt } = way.shape.scheme;
  const reason = `The documented format does not open it, but ${way.shape.words} does.`;
  const exchanges = [way.opened, ...way.controls.keyed];
  if (doubt !== undefined) return inconclusive(`${reason} ${doubt}`, exchanges, { comparedWith: way.controls.all });
  return failed(reason, exchanges, {
    expected: `${prefix}<${encoding === 'base64' ? 'user:password, as base64' : 'key'}>`,
    seen: way.shape.words,
    comparedWith: way.controls.all,
  });
};

/** Another way that does not open: its key may be wrong, whatever the first way's key opens. */
const another = (way: OwnWay): Judgement | undefined => {
  if (way.state === 'open' || way.state === 'no-key') return undefined;
  if (way.state === 'other-shape') return inAnotherFormat(way);
  const reason = 'reason' in way ? way.reason : 'The documented request does not open it.';
  return inconclusive(reason, way.controls.keyed, { comparedWith: way.controls.all });
};

/** Frameworks that need two keys at once are documented as if either were enough (FastAPI writes dependencies so). */
const together = (judgement: Judgement, look: Look, subject: OperationSubject): Judgement => {
  const others = armedWays(subject);
  const open = others.find((each) => ownWay(look, each).state === 'open');
  if (open)
    return {
      ...judgement,
      reason: `${judgement.reason} The key for ${wayOf(open)} opens it: with that one alone, the run is judged by it.`,
    };
  const ways = [subject, ...others];
  const security = ways
    .flatMap(({ operation }) => operation.security)
    .filter(
      ({ in: place, field }, index, all) =>
        all.findIndex((one) => one.in === place && one.field.toLowerCase() === field.toLowerCase()) === index,
    );
  if (security.length === subject.operation.security.length) return judgement;
  const { alternatives: _ways, ...operation } = subject.operation;
  const all: OperationSubject = { ...subject, operation: { ...operation, security } };
  const controls = controlsOf(look, all);
  if (!isUsable(usable(controls))) return judgement;
  return inconclusive(
    `No key opens it alone, and the keys for ${wayOf(all)} together do: the document gives them as ways of which one is enough, and the server asks for all. If it is right to, the document has to name them in one security requirement.`,
    controls.keyed,
    { comparedWith: controls.all },
  );
};

/** What the other ways add, and their keys together where none opens it alone. */
const otherWaysToo = (judgement: Judgement, look: Look, subject: OperationSubject): Judgement => {
  const told = eachWay(another)(judgement, look, subject);
  return judgement.outcome === 'inconclusive' && isArmed(subject) ? together(judgement, look, subject) : told;
};

/** AUTH-2: the key is taken in the documented format. */
export const takesDocumentedFormat = defineRule({
  scope: 'operation',
  id: 'takes-documented-format',
  clauses: ['AUTH-2'],
  title: 'takes the key in the documented format',
  stage: 'keyed',
  appliesTo: protectedOperations,
  explains: 'keyed read',
  unprobed: { access: 'protected', givesReason: false },
  procedure: documentedRequest((way, subject) => {
    const otherwise = inAnotherFormat(way);
    if (otherwise) return otherwise;
    if (way.state === 'other-shape') return rests(way, subject, 'takes-key-where-documented');
    if (way.state === 'other-version')
      return passed('The documented format opens it, though not by the documented request.', [way.opened]);
    if (way.state === 'refused')
      return inconclusive(way.reason, way.controls.keyed, { comparedWith: way.controls.all });
    return rests(way, subject, teller(way));
  }, otherWaysToo),
  explanation: {
    asks: 'The key is taken in the documented format: what its security scheme puts before the key (Token and one space in the fitness data service’s contract), and the key.',
    sends: sendsDocumentedRequest,
    judged: [
      passesWhenOpened,
      'Failed: the documented format is refused, and the same key in another one opens it (Bearer, bare, other case); the report names it.',
      'Inconclusive: no shape of the key opens anything. From outside nobody can tell a wrong or expired key from a server that takes none.',
    ],
    causes: [
      'The key in API_KEY is wrong, expired, revoked, or of another environment.',
      'The framework’s default scheme is Bearer.',
      'The scheme is compared with its case, or the whole value with a fixed prefix.',
    ],
    fixes: [
      'Try the curl line of the report by hand with a key that is known to be good.',
      'Set the keyword of the authentication class to the documented word.',
    ],
  },
});
