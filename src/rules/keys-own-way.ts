import type { Exchange, Probe } from '../wire/types.js';
import { because, type Cause, onCheck } from './causes.js';
import { blocked, failed, inconclusive, passed } from './judgements.js';
import { header } from './oracle/answers.js';
import { anonymousControls, controlsOf, isUsable, keyedControls, usable } from './oracle/controls.js';
import { type OwnWay, ownWay } from './own-way.js';
import { isArmed, otherWays, placeOf, wayOf } from './probes.js';
import type { Judgement, Look, OperationRule, OperationSubject } from './rule.js';
import { versionOf } from './versions.js';
import { withKey } from './without-key.js';

/** PATH-1 to PATH-3, AUTH-1 and AUTH-2: the documented request opens the operation. All judge from the same `ownWay`. */

const probes = (subject: OperationSubject): readonly Probe[] => [
  ...anonymousControls(subject),
  ...(isArmed(subject) ? keyedControls(subject) : []),
];

type Words = Pick<OperationRule, 'id' | 'title' | 'clauses'> & {
  readonly appliesTo?: OperationRule['appliesTo'];
  /** What the other ways that the document gives add to the judgement of the chosen one. */
  readonly besides?: (judgement: Judgement, look: Look, subject: OperationSubject) => Judgement;
};

const rule = (
  { besides, ...words }: Words,
  judge: (way: OwnWay, subject: OperationSubject) => Judgement,
): OperationRule => ({
  scope: 'operation',
  stage: 'keyed',
  appliesTo: withKey,
  ...words,
  probes,
  judge: (look, subject) => {
    const way = ownWay(look, subject);
    const judgement = common(way, subject, words.id) ?? judge(way, subject);
    return besides ? besides(judgement, look, subject) : judgement;
  },
});

const controlsIn = (way: OwnWay): readonly Exchange[] => ('all' in way.controls ? way.controls.all : way.controls);

/** What every rule says where the documented request opened the operation, or nothing can be said. */
const common = (way: OwnWay, subject: OperationSubject, id: string): Judgement | undefined => {
  const comparedWith = controlsIn(way);
  if (way.state === 'open')
    return passed(
      `The documented request was answered with ${way.controls.first.status}, twice alike, and unlike a path that does not exist.`,
      way.controls.keyed,
      { comparedWith: [way.controls.missing, way.controls.base] },
    );
  if (way.state !== 'no-key' && way.state !== 'unjudgeable') return undefined;
  if (id !== teller(way)) return rests(way, subject, teller(way));
  return inconclusive(way.cause, way.reason, way.state === 'no-key' ? [] : way.controls.keyed, { comparedWith });
};

/** The rule that tells why the documented request did not open. */
const teller = ({ state }: OwnWay): string =>
  state === 'refused' || state === 'no-key'
    ? 'takes-documented-format'
    : state === 'other-method'
      ? 'reads-with-get'
      : 'serves-documented-path';

const rests = (way: OwnWay, { operation }: OperationSubject, on: string): Judgement =>
  blocked(because('rests-on-check', on), `Rests on ${on}@${operation.id}, which did not pass.`, [], {
    blockedBy: [onCheck(on, operation.id)],
    comparedWith: controlsIn(way),
  });

const armedWays = (subject: OperationSubject): readonly OperationSubject[] =>
  isArmed(subject) ? otherWays(subject).filter(isArmed) : [];

const asWay = ({ cause }: Judgement, way: OperationSubject): Cause =>
  because(cause?.id ?? 'key-opens-nothing', wayOf(way), ...(cause?.values ?? []));

/** A document that gives several ways promises each of them: those whose keys were given are read too. */
const eachWay =
  (judge: (way: OwnWay) => Judgement | undefined): NonNullable<Words['besides']> =>
  (judgement, look, subject) => {
    if (judgement.outcome !== 'passed') return judgement;
    const others = armedWays(subject).flatMap((each) => {
      const told = judge(ownWay(look, each));
      return told ? [{ ...told, reason: `As ${wayOf(each)}: ${told.reason}`, cause: asWay(told, each) }] : [];
    });
    return others.find(({ outcome }) => outcome === 'failed') ?? others[0] ?? judgement;
  };

export const servesDocumentedPath = rule(
  { id: 'serves-documented-path', clauses: ['PATH-1'], title: 'is served at the documented path' },
  (way, subject) => {
    if (way.state === 'elsewhere')
      return failed(
        because('answers-elsewhere', way.words),
        `The documented path does not open with the key, but ${way.words} does.`,
        [way.opened, ...way.controls.keyed],
        {
          expected: `an answer at ${subject.operation.target}`,
          seen: `an answer at ${way.words}`,
          comparedWith: way.controls.all,
        },
      );
    if (way.state === 'nothing-there')
      return failed(way.cause, way.reason, way.controls.keyed, {
        expected: `an answer at ${subject.operation.target}`,
        seen: 'no such path',
        comparedWith: way.controls.all,
      });
    if (way.state === 'other-shape' || way.state === 'other-version')
      return passed('It answers at the documented path, though not to the documented request.', [way.opened]);
    return rests(way, subject, teller(way));
  },
);

export const needsNoOtherVersion = rule(
  {
    id: 'needs-no-other-version',
    clauses: ['PATH-2'],
    title: 'needs nothing but the path to choose the version',
    appliesTo: (subject) => withKey(subject) && versionOf(subject) !== undefined,
  },
  (way, subject) => {
    if (way.state === 'other-version')
      return failed(
        because('needs-other-version', way.words),
        `It opens only when the version is sent beside the path too: ${way.words}.`,
        [way.opened, ...way.controls.keyed],
        {
          expected: 'the version segment of the path is enough',
          seen: `opened by ${way.words}`,
          comparedWith: way.controls.all,
        },
      );
    if (way.state === 'other-shape') return passed('No version had to be sent beside the path.', [way.opened]);
    return rests(way, subject, teller(way));
  },
);

export const readsWithGet = rule(
  { id: 'reads-with-get', clauses: ['PATH-3'], title: 'is read with the documented method and no body' },
  (way, subject) => {
    if (way.state === 'other-method')
      return failed(
        because('needs-other-method', subject.operation.method, header(way.keyed, 'allow')),
        `${subject.operation.method} is not allowed there (405; Allow: ${header(way.keyed, 'allow') ?? ''}).`,
        way.controls.keyed,
        {
          expected: subject.operation.method,
          seen: header(way.keyed, 'allow') ?? '405',
          comparedWith: way.controls.all,
        },
      );
    if (way.state === 'other-shape' || way.state === 'other-version')
      return passed('It is read with the documented method and no body, though not by the documented request.', [
        way.opened,
      ]);
    return rests(way, subject, teller(way));
  },
);

const inAnotherPlace = (way: OwnWay): Judgement | undefined =>
  way.state === 'other-shape' && way.shape.clause === 'AUTH-1'
    ? failed(
        because('needs-other-place', way.shape.words),
        `The documented place does not open it, but ${way.shape.words} does.`,
        [way.opened, ...way.controls.keyed],
        {
          expected: `the key in ${placeOf(way.shape.scheme)}`,
          seen: way.shape.words,
          comparedWith: way.controls.all,
        },
      )
    : undefined;

export const takesKeyWhereDocumented = rule(
  {
    id: 'takes-key-where-documented',
    clauses: ['AUTH-1'],
    title: 'takes the key in the documented place',
    besides: eachWay(inAnotherPlace),
  },
  (way, subject) => {
    const elsewhere = inAnotherPlace(way);
    if (elsewhere) return elsewhere;
    if (way.state === 'other-shape' || way.state === 'other-version')
      return passed('The key in the documented place opens it, though not by the documented request.', [way.opened]);
    return rests(way, subject, teller(way));
  },
);

const inAnotherFormat = (way: OwnWay): Judgement | undefined => {
  if (way.state !== 'other-shape' || way.shape.clause !== 'AUTH-2') return undefined;
  const { prefix, encoding, doubt } = way.shape.scheme;
  const reason = `The documented format does not open it, but ${way.shape.words} does.`;
  const exchanges = [way.opened, ...way.controls.keyed];
  const cause = because('needs-other-format', way.shape.words);
  if (doubt !== undefined)
    return inconclusive(cause, `${reason} ${doubt}`, exchanges, { comparedWith: way.controls.all });
  return failed(cause, reason, exchanges, {
    expected: `${prefix}<${encoding === 'base64' ? 'user:password, as base64' : 'key'}>`,
    seen: way.shape.words,
    comparedWith: way.controls.all,
  });
};

/** Another way that does not open: its key may be wrong, whatever the first way's key opens. */
const another = (way: OwnWay): Judgement | undefined => {
  if (way.state === 'open' || way.state === 'no-key') return undefined;
  if (way.state === 'other-shape') return inAnotherFormat(way);
  const { cause, reason } =
    'reason' in way
      ? way
      : { cause: because('key-opens-nothing', way.state), reason: 'The documented request does not open it.' };
  return inconclusive(cause, reason, way.controls.keyed, { comparedWith: way.controls.all });
};

/** Frameworks that need two keys at once are documented as if either were enough (FastAPI writes dependencies so). */
const together = (judgement: Judgement, look: Look, subject: OperationSubject): Judgement => {
  const others = armedWays(subject);
  const open = others.find((each) => ownWay(look, each).state === 'open');
  if (open)
    return {
      ...judgement,
      reason: `${judgement.reason} The key for ${wayOf(open)} opens it: with that one alone, the run is judged by it.`,
      cause: asWay(judgement, open),
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
    because('needs-several-keys', wayOf(all)),
    `No key opens it alone, and the keys for ${wayOf(all)} together do: the document gives them as ways of which one is enough, and the server asks for all. If it is right to, the document has to name them in one security requirement.`,
    controls.keyed,
    { comparedWith: controls.all },
  );
};

export const takesDocumentedFormat = rule(
  {
    id: 'takes-documented-format',
    clauses: ['AUTH-2'],
    title: 'takes the key in the documented format',
    besides: (judgement, look, subject) => {
      const told = eachWay(another)(judgement, look, subject);
      return judgement.outcome === 'inconclusive' && isArmed(subject) ? together(judgement, look, subject) : told;
    },
  },
  (way, subject) => {
    const otherwise = inAnotherFormat(way);
    if (otherwise) return otherwise;
    if (way.state === 'other-shape') return rests(way, subject, 'takes-key-where-documented');
    if (way.state === 'other-version')
      return passed('The documented format opens it, though not by the documented request.', [way.opened]);
    if (way.state === 'refused')
      return inconclusive(way.cause, way.reason, way.controls.keyed, { comparedWith: way.controls.all });
    return rests(way, subject, teller(way));
  },
);
