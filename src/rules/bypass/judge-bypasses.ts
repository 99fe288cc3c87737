import type { Probe } from '../../wire/types.js';
import { answerOf, isSuccess } from '../oracle/answers.js';
import { keyedControl } from '../oracle/control-requests.js';
import { type Controls, controlsOf } from '../oracle/controls.js';
import { mayRestOnFrame } from '../oracle/frames.js';
import { afterMoreReads, withMovingPathsOf } from '../oracle/later-reads.js';
import { differsInValuesAlone } from '../oracle/outside.js';
import { isUsable, type UsableControls, usable } from '../oracle/usable-controls.js';
import type { Ask, Judgement, OperationSubject } from '../rule.js';
import { differingBundles, withParts } from '../support/bundles.js';
import { because, blocked, blockedBy, onCheck, onControl } from '../support/judgement.js';
import { again } from '../support/requests.js';
import { canSendKey } from '../support/subjects.js';
import {
  type Attempted,
  attempt,
  type Bypass,
  type BypassPlan,
  isPlain,
  type Judging,
  readBypass,
  readWithEnd,
} from './bypass.js';
import { conclude } from './conclude.js';
import { inTime } from './late-pairs.js';
import { askedLater, readStill } from './lost-access.js';
import { opensByNow } from './opens-by-now.js';

/** Sends bypasses and judges their answers, beside the controls of the operation. */

/** The usable controls of an operation; blocked if there is nothing to compare with. */
export const usableOrBlocked = (ask: Ask, subject: OperationSubject): UsableControls | Judgement => {
  const on = onControl(subject.operation.id);
  if (!canSendKey(subject))
    return blockedBy(on, because('no-key'), 'Nothing to compare with: no key was given that may be sent.', []);
  const controls = controlsOf(ask, subject);
  const good = usable(controls);
  if (isUsable(good)) return good;
  const { why, words, values = [] } = good;
  return blockedBy(on, because('control-unusable', why, ...values), `Nothing to compare with: ${words}.`, [], {
    comparedWith: controls.all,
  });
};

/** Requests that any client can send, and the checks that find that they open. */
const openToAll = {
  anonymous: { rule: 'refuses-missing-key', how: 'without any key' },
  random: { rule: 'refuses-worthless-keys', how: 'with a random key' },
} as const;

/**
 * The judgement if the request without any key, or with a random one, opens: blocked by its check.
 * @param so what follows for the requests that are judged, as the end of a sentence
 */
export const blockedIfOpen = (
  ask: Ask,
  { operation }: OperationSubject,
  controls: UsableControls,
  { by, so }: { readonly by: keyof typeof openToAll; readonly so: string },
): Judgement | undefined => {
  const { [by]: exchange, all } = controls;
  if (readWithEnd(ask, exchange, controls).verdict !== 'granted') return undefined;
  const { rule, how } = openToAll[by];
  const on = onCheck(rule, operation.id);
  return blockedBy(on, because('opens-without-key'), `It opens ${how}, so ${so}.`, [exchange], {
    comparedWith: all,
    opened: [exchange],
  });
};

/** The controls to compare with, or a judgement if no bypass should be sent. */
export const controlsFor = (
  ask: Ask,
  subject: OperationSubject,
  bypasses: readonly Bypass[],
): UsableControls | Judgement => {
  const good = usableOrBlocked(ask, subject);
  if (isJudged(good)) return good;
  const opened = bypasses.some(isPlain(good))
    ? undefined
    : blockedIfOpen(ask, subject, good, { by: 'anonymous', so: 'these requests would show nothing more' });
  // An operation that opened only once does not make the bypasses pointless.
  return opened && judgeWithout(ask, subject, good).outcome === 'failed' ? opened : good;
};

export const isJudged = <T extends object>(made: T | Judgement): made is Judgement => 'outcome' in made;

/** Sends every bypass, reads the answers against the controls, and repeats what seems open. */
export const judgeBypasses = (ask: Ask, subject: OperationSubject, plan: BypassPlan): Judgement => {
  const good = controlsFor(ask, subject, plan.bypasses);
  if (isJudged(good)) return good;
  if (plan.bypasses.length === 0) return blocked(because('nothing-to-send'), 'There is nothing to send.', []);
  const bypasses = plan.inSeries ? plan.bypasses : beforeParts(ask, subject, plan, good);
  if (isJudged(bypasses)) return bypasses;
  if (plan.inSeries) inSeries(ask, bypasses);
  else ask.all(bypasses.flatMap(({ probe, baseline = [] }) => [probe, ...baseline]));
  const sent = bypasses.map(({ probe }) => ask(probe));
  const health = readStill(ask, plan.health, good, sent);
  const settled = withMovingPathsOf([health], good);
  const attemptInSeries = (bypass: Bypass): Attempted => {
    inSeries(ask, [bypass]);
    return attempt(ask, bypass, settled);
  };
  // Each redirect is followed separately: a log-in page gets the return path in its query.
  const attempted = plan.inSeries
    ? bypasses.map((bypass) => inTime(bypass, attemptInSeries))
    : ask.each(bypasses, (bypass) => attempt(ask, bypass, settled));
  const judging = { ask, subject, controls: settled, plan, health, plain: () => judgeWithout(ask, subject, settled) };
  return conclude(...steadied(judging, askedLater(judging, attempted)));
};

/**
 * The bypasses, and the parts of bundles that make a difference. If such a bundle or the first
 * bypass seems to open the operation, the plain request is sent again first: if it opens as well,
 * the parts show nothing more.
 */
const beforeParts = (
  ask: Ask,
  subject: OperationSubject,
  plan: BypassPlan,
  controls: UsableControls,
): readonly Bypass[] | Judgement => {
  const plainOf = ({ unchanged = controls.anonymous.probe }: Bypass): Probe => unchanged;
  const differing = differingBundles(ask, plan.bypasses, { plainOf });
  const proof = [...plan.bypasses.slice(0, 1), ...differing]
    .map((bypass) => attempt(ask, bypass, controls))
    .filter(({ reading }) => reading.verdict === 'granted');
  const byNow = proof.length > 0 ? opensByNow({ ask, subject, controls, plan }, proof) : undefined;
  if (byNow) return byNow;
  // A server that waits for the rest of a request would do so again, and each wait is long.
  const waits = ({ leavesHttp, probe }: Bypass): boolean =>
    leavesHttp === true && ask(probe).attempts.at(-1)?.error?.code === 'headers-timeout';
  const once = new Set([...proof.map(({ bypass }) => bypass), ...[...differing].filter(waits)]);
  const refused = [...differing].filter((bypass) => !once.has(bypass));
  return withParts(plan.bypasses, new Set([...once, ...steadilyDiffering(ask, plan, plainOf, refused)]));
};

/**
 * The bundles whose second try differs from the plain request too. A ban, an outage, a new version
 * or one of several servers may cause a single difference.
 */
const steadilyDiffering = (
  ask: Ask,
  { occasion = 'later' }: BypassPlan,
  plainOf: (bypass: Bypass) => Probe,
  differing: readonly Bypass[],
): readonly Bypass[] => {
  const plainLater = (bypass: Bypass): Probe => ({
    ...plainOf(bypass),
    occasion: `beside bundles, ${occasion}`,
  });
  const first = ({ probe }: Bypass): Probe => probe;
  const second = ({ probe }: Bypass): Probe => again(probe);
  const pairs = [
    { plainOf: plainLater, probeOf: first },
    { plainOf, probeOf: second },
    { plainOf: plainLater, probeOf: second },
  ];
  return pairs.reduce((left, pair) => [...differingBundles(ask, left, pair)], differing);
};

/**
 * Reads some answers again after more keyed reads, which show what changes by itself: those that
 * differ from the keyed answer in values only, and those granted by some of the keyed lists.
 */
const steadied = (judging: Judging, attempted: readonly Attempted[]): [Judging, readonly Attempted[]] => {
  const { ask, subject, controls } = judging;
  const isPerhapsMoving = ({ bypass, exchange, reading }: Attempted): boolean => {
    const answer = answerOf(exchange);
    if (bypass.readWith || !isSuccess(answer)) return false;
    if (reading.verdict === 'granted') return mayRestOnFrame(controls.background, answer.shape);
    return reading.line !== 2 && differsInValuesAlone(answer, controls.background);
  };
  const perhaps = new Set(attempted.filter(isPerhapsMoving));
  if (perhaps.size === 0) return [judging, attempted];
  const steady = afterMoreReads(ask, subject, controls);
  const readAgain = (one: Attempted): Attempted => ({
    ...one,
    reading: readBypass(ask, one.bypass, one.exchange, steady),
  });
  return [{ ...judging, controls: steady }, attempted.map((one) => (perhaps.has(one) ? readAgain(one) : one))];
};

/** Pairs sent at one moment come last, so that no other request of the check is under way. */
const inSeries = (ask: Ask, bypasses: readonly Bypass[]): void => {
  ask.inSeries(
    ...bypasses.flatMap(({ before, probe, together }) => (together ? [] : [before ? [before, probe] : [probe]])),
  );
  ask.all(bypasses.flatMap(({ together = [] }) => together));
};

const judgeWithout = (ask: Ask, subject: OperationSubject, { anonymous }: Controls): Judgement =>
  judgeBypasses(ask, subject, {
    bypasses: [{ words: 'a request without a key', probe: anonymous.probe }],
    health: keyedControl(subject, 2),
  });
