import type { Exchange, Probe } from '../wire/types.js';
import { blocked, inconclusive, passed } from './judgements.js';
import { anonymousControls, keyedControls } from './oracle/controls.js';
import { type OwnWay, ownWay } from './own-way.js';
import { isArmed, otherWays, wayOf } from './probes.js';
import type { Judgement, Look, OperationSubject, Procedure, RuleWords } from './rule.js';

/** PATH-1 to PATH-3, AUTH-1 and AUTH-2: the documented request opens the operation. All judge from the same `ownWay`. */

const probes = (subject: OperationSubject): readonly Probe[] => [
  ...anonymousControls(subject),
  ...(isArmed(subject) ? keyedControls(subject) : []),
];

/** What the other ways that the document gives add to the judgement of the chosen one. */
type Besides = (judgement: Judgement, look: Look, subject: OperationSubject) => Judgement;

/** Judges what became of the documented request, where it neither opened the operation nor showed nothing. */
export const documentedRequest =
  (judge: (way: OwnWay, subject: OperationSubject) => Judgement, besides?: Besides) =>
  (rule: RuleWords): Procedure<OperationSubject> => ({
    probes,
    judge: (look, subject) => {
      const way = ownWay(look, subject);
      const judgement = common(way, subject, rule.id) ?? judge(way, subject);
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
  return inconclusive(way.reason, way.state === 'no-key' ? [] : way.controls.keyed, { comparedWith });
};

/** The rule that tells why the documented request did not open. */
export const teller = ({ state }: OwnWay): string =>
  state === 'refused' || state === 'no-key'
    ? 'takes-documented-format'
    : state === 'other-method'
      ? 'reads-with-get'
      : 'serves-documented-path';

export const rests = (way: OwnWay, { operation }: OperationSubject, on: string): Judgement =>
  blocked(`Rests on ${on}@${operation.id}, which did not pass.`, [], {
    blockedBy: [`${on}@${operation.id}`],
    comparedWith: controlsIn(way),
  });

export const armedWays = (subject: OperationSubject): readonly OperationSubject[] =>
  isArmed(subject) ? otherWays(subject).filter(isArmed) : [];

/** A document that gives several ways promises each of them: those whose keys were given are read too. */
export const eachWay =
  (judge: (way: OwnWay) => Judgement | undefined): Besides =>
  (judgement, look, subject) => {
    if (judgement.outcome !== 'passed') return judgement;
    const others = armedWays(subject).flatMap((each) => {
      const told = judge(ownWay(look, each));
      return told ? [{ ...told, reason: `As ${wayOf(each)}: ${told.reason}` }] : [];
    });
    return others.find(({ outcome }) => outcome === 'failed') ?? others[0] ?? judgement;
  };

/** What all of them send, for their explanations. */
export const sendsDocumentedRequest = [
  'Two GETs with the key in the documented place and format.',
  'To compare with: one without a key, one of a sibling path that does not exist (with the key and without), one of the base path.',
  'Where the key does not open it: other shapes of the key, the version sent beside the path, and neighbouring paths, each with the key and with a wrong one.',
];

/** When all of them pass, for their explanations. */
export const passesWhenOpened =
  'Passed: both reads with the key are answered with 2xx, agree with each other, and differ from the answers where nothing is.';
