import type { Exchange, Probe } from '../wire/types.js';
import { blocked, failed, inconclusive, passed } from './judgements.js';
import { header } from './oracle/compare.js';
import { anonymousControls, keyedControls } from './oracle/controls.js';
import { type OwnWay, ownWay, versionOf } from './own-way.js';
import { isArmed, placeOf } from './probes.js';
import type { Judgement, OperationRule, OperationSubject } from './rule.js';
import { withKey } from './without-key.js';

/** PATH-1 to PATH-3, AUTH-1 and AUTH-2: the documented request opens the operation. All judge from the same `ownWay`. */

const probes = (subject: OperationSubject): readonly Probe[] => [
  ...anonymousControls(subject),
  ...(isArmed(subject) ? keyedControls(subject) : []),
];

type Words = Pick<OperationRule, 'id' | 'title' | 'clauses'> & { readonly appliesTo?: OperationRule['appliesTo'] };

const rule = (words: Words, judge: (way: OwnWay, subject: OperationSubject) => Judgement): OperationRule => ({
  scope: 'operation',
  stage: 'keyed',
  appliesTo: withKey,
  ...words,
  probes,
  judge: (look, subject) => {
    const way = ownWay(look, subject);
    return common(way, subject, words.id) ?? judge(way, subject);
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
  return inconclusive(way.reason, way.state === 'no-key' ? [] : way.controls.keyed, { comparedWith });
};

/** The rule that tells why the documented request did not open. */
const teller = ({ state }: OwnWay): string =>
  state === 'refused' || state === 'no-key'
    ? 'takes-documented-format'
    : state === 'other-method'
      ? 'reads-with-get'
      : 'serves-documented-path';

const rests = (way: OwnWay, { operation }: OperationSubject, on: string): Judgement =>
  blocked(`Rests on ${on}@${operation.id}, which did not pass.`, [], {
    blockedBy: [`${on}@${operation.id}`],
    comparedWith: controlsIn(way),
  });

export const servesDocumentedPath = rule(
  { id: 'serves-documented-path', clauses: ['PATH-1'], title: 'is served at the documented path' },
  (way, subject) => {
    if (way.state === 'elsewhere')
      return failed(
        `The documented path does not open with the key, but ${way.words} does.`,
        [way.opened, ...way.controls.keyed],
        {
          expected: `an answer at ${subject.operation.target}`,
          seen: `an answer at ${way.words}`,
          comparedWith: way.controls.all,
        },
      );
    if (way.state === 'nothing-there')
      return failed(way.reason, way.controls.keyed, {
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

export const takesKeyWhereDocumented = rule(
  { id: 'takes-key-where-documented', clauses: ['AUTH-1'], title: 'takes the key in the documented place' },
  (way, subject) => {
    if (way.state === 'other-shape' && way.shape.clause === 'AUTH-1')
      return failed(
        `The documented place does not open it, but ${way.shape.words} does.`,
        [way.opened, ...way.controls.keyed],
        {
          expected: `the key in ${placeOf(way.shape.scheme)}`,
          seen: way.shape.words,
          comparedWith: way.controls.all,
        },
      );
    if (way.state === 'other-shape' || way.state === 'other-version')
      return passed('The key in the documented place opens it, though not by the documented request.', [way.opened]);
    return rests(way, subject, teller(way));
  },
);

export const takesDocumentedFormat = rule(
  { id: 'takes-documented-format', clauses: ['AUTH-2'], title: 'takes the key in the documented format' },
  (way, subject) => {
    if (way.state === 'other-shape' && way.shape.clause === 'AUTH-2')
      return failed(
        `The documented format does not open it, but ${way.shape.words} does.`,
        [way.opened, ...way.controls.keyed],
        {
          expected: `${way.shape.scheme.prefix}<${way.shape.scheme.encoding === 'base64' ? 'user:password, as base64' : 'key'}>`,
          seen: way.shape.words,
          comparedWith: way.controls.all,
        },
      );
    if (way.state === 'other-shape') return rests(way, subject, 'takes-key-where-documented');
    if (way.state === 'other-version')
      return passed('The documented format opens it, though not by the documented request.', [way.opened]);
    if (way.state === 'refused')
      return inconclusive(way.reason, way.controls.keyed, { comparedWith: way.controls.all });
    return rests(way, subject, teller(way));
  },
);
