import type { Exchange, Probe } from '../../wire/types.js';
import { answerOf, isSuccess } from '../oracle/answers.js';
import { keyedControl, laterReads } from '../oracle/control-requests.js';
import { type Controls, controlsOf } from '../oracle/controls.js';
import { isHealthy, withMovingPathsOf } from '../oracle/later-reads.js';
import { differsInValuesAlone } from '../oracle/outside.js';
import type { Reading } from '../oracle/table.js';
import { isUsable, type Unusable, type UsableControls, usable } from '../oracle/usable-controls.js';
import type { Ask, Judgement, OperationSubject } from '../rule.js';
import { withoutBundles, withParts } from '../support/bundles.js';
import { because, becauseOf, onCheck, onControl } from '../support/causes.js';
import { follow } from '../support/follow-redirects.js';
import { blocked, failed, inconclusive, listed, passed } from '../support/judgement.js';
import { again } from '../support/requests.js';
import { canSendKey } from '../support/subjects.js';
import {
  type Attempted,
  type Bypass,
  type BypassPlan,
  howOf,
  type Judging,
  readBypass,
  readWithEnd,
  trickOf,
} from './bypass.js';
import { isInAnotherForm, lookCloser } from './closer-look.js';
import { inTime, orTooLate } from './in-time.js';
import { isPlain, opensByNow, opensWithoutBypass } from './without-bypass.js';

/** Blocked: no key can be sent, so there are no keyed reads to compare with. */
export const blockedWithoutKey = ({ operation }: OperationSubject): Judgement =>
  blocked(because('no-key'), 'Nothing to compare with: no key was given that may be sent.', [], {
    blockedBy: [onControl(operation.id)],
  });

/** Blocked: the controls are unusable. */
export const blockedByControls = (
  { operation }: OperationSubject,
  { why, words, values = [] }: Unusable,
  { all }: Pick<Controls, 'all'>,
): Judgement =>
  blocked(because('control-unusable', why, ...values), `Nothing to compare with: ${words}.`, [], {
    blockedBy: [onControl(operation.id)],
    comparedWith: all,
  });

/** The controls to read bypasses against, or a judgement if none should be sent. */
export const controlsFor = (
  ask: Ask,
  subject: OperationSubject,
  bypasses: readonly Bypass[],
): UsableControls | Judgement => {
  if (!canSendKey(subject)) return blockedWithoutKey(subject);
  const controls = controlsOf(ask, subject);
  const good = usable(controls);
  if (!isUsable(good)) return blockedByControls(subject, good, controls);
  const opened = bypasses.some(isPlain(good)) ? undefined : opensWithoutBypass(ask, subject, good);
  // An operation that opened once and not again does not make the bypasses pointless.
  return opened && judgeWithout(ask, subject, good).outcome === 'failed' ? opened : good;
};

export const isJudged = (controls: UsableControls | Judgement): controls is Judgement => 'outcome' in controls;

/** Sends every bypass, reads the answers against the controls, and repeats what seems open. */
export const judgeBypasses = (ask: Ask, subject: OperationSubject, plan: BypassPlan): Judgement => {
  const good = controlsFor(ask, subject, plan.bypasses);
  if (isJudged(good)) return good;
  if (plan.bypasses.length === 0) return blocked(because('nothing-to-send'), 'There is nothing to send.', []);
  const plainOf = ({ unchanged = good.anonymous.probe }: Bypass): Probe => unchanged;
  const bypasses = plan.inSeries ? plan.bypasses : withParts(ask, plan.bypasses, { plainOf });
  const sent = plan.inSeries ? inSeries(ask, bypasses) : together(ask, bypasses);
  const health = ask(plan.health);
  const settled = withMovingPathsOf([health], good);
  const attempt = (tried: Bypass, exchange: Exchange | undefined): Attempted[] =>
    exchange ? [{ bypass: tried, exchange, reading: readBypass(ask, tried, exchange, settled) }] : [];
  // Each redirect is followed separately: a log-in page gets the return path in its query.
  const attempted = plan.inSeries
    ? bypasses.flatMap((bypass, index) =>
        inTime(attempt(bypass, sent[index]), (once) => attempt(once, inSeries(ask, [once])[0])),
      )
    : ask.each(bypasses, (bypass, index) => attempt(bypass, sent[index])).flat();
  return conclude(...steadied({ ask, subject, controls: settled, plan, health }, attempted));
};

/**
 * Reads again, after more keyed reads, the answers that differ from the keyed one in values only.
 * The additional reads show which values change by themselves.
 */
const steadied = (judging: Judging, attempted: readonly Attempted[]): [Judging, readonly Attempted[]] => {
  const { ask, subject, controls } = judging;
  const isPerhapsMoving = ({ bypass, exchange, reading }: Attempted): boolean => {
    const answer = answerOf(exchange);
    if (bypass.readWith || !answer || !isSuccess(answer)) return false;
    return reading.verdict !== 'granted' && reading.line !== 2 && differsInValuesAlone(answer, controls.background);
  };
  const perhaps = new Set(attempted.filter(isPerhapsMoving));
  if (perhaps.size === 0) return [judging, attempted];
  const steady = withMovingPathsOf(ask.all(laterReads(subject)), controls);
  const readAgain = (one: Attempted): Attempted => ({
    ...one,
    reading: readBypass(ask, one.bypass, one.exchange, steady),
  });
  return [{ ...judging, controls: steady }, attempted.map((one) => (perhaps.has(one) ? readAgain(one) : one))];
};

const together = (ask: Ask, bypasses: readonly Bypass[]): readonly Exchange[] => {
  const answers = ask.all(bypasses.flatMap(({ probe, baseline = [] }) => [probe, ...baseline]));
  let next = 0;
  return bypasses.flatMap(({ baseline = [] }) => {
    const exchange = answers[next];
    next += 1 + baseline.length;
    return exchange ? [exchange] : [];
  });
};

const inSeries = (ask: Ask, bypasses: readonly Bypass[]): readonly Exchange[] => {
  const answers = ask.inSeries(...bypasses.map(({ before, probe }) => (before ? [before, probe] : [probe])));
  const byProbe = new Map(answers.map((exchange) => [exchange.id, exchange]));
  return bypasses.map(({ probe }) => ask(probe)).map((exchange) => byProbe.get(exchange.id) ?? exchange);
};

const conclude = (judging: Judging, attempted: readonly Attempted[]): Judgement => {
  const { ask, subject, controls, plan, health } = judging;
  const comparedWith = [...controls.all, health];
  const doubtful = attempted.filter(
    (one) => one.reading.verdict !== 'refused' || one.reading.again || isInAnotherForm(one, controls),
  );
  const closer = new Map(ask.each(doubtful, (one) => [one.bypass, lookCloser(judging, one)] as const));
  const looked = attempted.map((one) => closer.get(one.bypass) ?? one);
  const all = plan.inSeries ? looked.map(orTooLate) : looked;
  const suspects = all.filter(({ reading }) => reading.verdict === 'granted' || reading.again);
  ask.all(plan.inSeries ? [] : suspects.map(({ bypass }) => again(bypass.probe)));
  const second = new Map(suspects.map((first) => [first.bypass, seenAgain(judging, first)]));
  // Answers that may be data are marked as such, whatever the outcome is.
  const granted = [...all, ...second.values()].filter(({ reading }) => reading.verdict !== 'refused');
  const data = {
    opened: granted.flatMap(({ exchange, reading }) => [
      exchange,
      ...(reading.line === 4 ? follow(ask, exchange) : []),
    ]),
  };
  const firstGranted = suspects.filter(({ reading }) => reading.verdict === 'granted');
  const opened = firstGranted.filter(({ bypass }) => second.get(bypass)?.reading.verdict === 'granted');
  // If a broken backend opens only now and then, no bypass may be granted twice. Two different
  // bypasses that each gave a record prove it too. One is enough if the plain request gave a
  // record.
  const records = firstGranted.filter(({ reading }) => reading.line === 1);
  const isOnceOpen = !plan.bypasses.some(isPlain(controls)) && isRecord(readWithEnd(ask, controls.anonymous, controls));
  const proven = opened.length > 0 ? opened : records.length > (isOnceOpen ? 0 : 1) ? records : [];
  const proof = withoutBundles(proven, ({ bypass }) => bypass);
  const baseline = proof.length > 0 ? opensByNow(judging, proof) : undefined;
  if (baseline) return baseline;
  const [decisive] = proof;
  if (decisive) {
    const { seen } = decisive.reading;
    const isSteady = opened.some(({ bypass }) => second.get(bypass)?.exchange.probe.round === 2);
    const often = isSteady ? '' : ' Not on every try: it opens now and then.';
    const words = proof.map(({ bypass }) => bypass.words);
    const ways = [...new Set(proof.map(({ bypass }) => howOf(bypass)))];
    return failed(
      isPlain(controls)(decisive.bypass)
        ? because('opens-without-key')
        : becauseOf(because('opens-by-bypass', ...words, ...readAs(decisive)), ways),
      `${listed(words)} ${proof.length === 1 ? 'opens' : 'open'} it (${seen}).${often}`,
      proof.map(({ exchange }) => exchange),
      {
        expected: 'anything but what the key opens',
        seen,
        comparedWith,
        readings: readingsOf(proof),
        openedBy: proof.map(({ bypass }) => trickOf(bypass)),
        ...(decisive.bypass.before ? { steps: [ask(decisive.bypass.before), decisive.exchange] } : {}),
        ...data,
      },
    );
  }
  const exchanges = all.map(({ exchange }) => exchange);
  const wavering = suspects.find(({ bypass, reading }) => second.get(bypass)?.reading.verdict !== reading.verdict);
  if (wavering)
    return inconclusive(
      because('changes-between-tries', wavering.bypass.words, ...readAs(wavering)),
      `${wavering.bypass.words} was answered with ${wavering.reading.seen}, and on a second try with ${second.get(wavering.bypass)?.reading.seen ?? 'nothing'}.`,
      [wavering.exchange],
      { comparedWith, ...data },
    );
  if (!isHealthy(health, controls))
    return inconclusive(
      because('key-no-longer-opens', answerOf(health)?.status),
      `Judging had to stop: after these requests the key no longer opened the operation (${whyNot(health)}), so their refusals say nothing.`,
      exchanges,
      { comparedWith },
    );
  const unclear = all.filter(({ reading }) => reading.verdict === 'unclear');
  const [open] = unclear;
  if (open && isUnclearWithout(judging, unclear))
    return blocked(
      because('unclear-answer', ...readAs(open)),
      `Whether it opens without any key could not be judged (${open.reading.seen}), and these requests are answered in the same way.`,
      unclear.map(({ exchange }) => exchange),
      { blockedBy: [onCheck('refuses-missing-key', subject.operation.id)], comparedWith, ...data },
    );
  if (open)
    return inconclusive(
      answerOf(open.exchange)?.status === 429
        ? because('rate-limit', open.bypass.words, unclear.length)
        : because('unclear-answer', open.bypass.words, unclear.length, ...readAs(open)),
      `${open.bypass.words} could not be judged: ${open.reading.seen}${unclear.length > 1 ? ` (and ${unclear.length - 1} more)` : ''}.${answerOf(open.exchange)?.status === 429 ? ` That is ${rateLimit}.` : ''}`,
      unclear.map(({ exchange }) => exchange),
      { comparedWith, readings: readingsOf(unclear), ...data },
    );
  return passed(
    all.length === 1
      ? `Refused: ${all[0]?.reading.seen}.`
      : `All ${all.length} were refused: ${listed(all.map(({ reading }) => reading.seen))}.`,
    exchanges,
    { comparedWith, readings: readingsOf(all), ...remark(all) },
  );
};

/** What distinguishes two readings: the table's line, and the status or error code. */
const readAs = ({ exchange, reading }: Attempted): readonly string[] => [
  String(reading.line),
  String(answerOf(exchange)?.status ?? exchange.attempts.at(-1)?.error?.code ?? ''),
];

const readingsOf = (attempted: readonly Attempted[]): NonNullable<Judgement['readings']> =>
  attempted.map(({ exchange, reading }) => ({ exchange, line: reading.line, verdict: reading.verdict }));

/**
 * Whether the request without the bypass is unclear for the same line and status. Then the finding
 * belongs to its check.
 */
const isUnclearWithout = ({ ask, subject, controls, plan }: Judging, unclear: readonly Attempted[]): boolean => {
  if (plan.bypasses.some(isPlain(controls))) return false;
  const { outcome, cause } = judgeWithout(ask, subject, controls);
  const [, , ...plain] = cause?.values ?? [];
  return (
    outcome === 'inconclusive' &&
    cause?.id === 'unclear-answer' &&
    unclear.every((one) => readAs(one).join() === plain.join())
  );
};

const judgeWithout = (ask: Ask, subject: OperationSubject, { anonymous }: Controls): Judgement =>
  judgeBypasses(ask, subject, {
    bypasses: [{ words: 'a request without a key', probe: anonymous.probe }],
    health: keyedControl(subject, 2),
  });

const rateLimit = 'a rate limit: wait longer with RATE_LIMIT_WAIT_S, or run again when it is over';

const whyNot = (health: Exchange): string => {
  const answer = answerOf(health);
  if (answer?.status === 429) return `429, ${rateLimit}`;
  if (answer && isSuccess(answer)) return `${answer.status} with another body than before`;
  return `${answer?.status ?? 'no answer'}; a ban or an outage`;
};

const isRecord = ({ verdict, line }: Reading): boolean => verdict === 'granted' && line === 1;

const mostTries = 6;

/**
 * The second try. If the first one gave a record, up to four more follow: a broken backend may open
 * only now and then.
 */
const seenAgain = (judging: Judging, first: Attempted): Attempted => {
  const mayComeAgain = isRecord(first.reading);
  let tried = tryAgain(judging, first, 2);
  for (let round = 3; mayComeAgain && tried.reading.verdict !== 'granted' && round <= mostTries; round += 1)
    tried = tryAgain(judging, first, round);
  return tried;
};

const tryAgain = (judging: Judging, { bypass }: Attempted, round: number): Attempted => {
  const { ask, controls, plan } = judging;
  const [before, probe] = plan.inSeries
    ? [bypass.before && freshly(bypass.before, round), freshly(bypass.probe, round)]
    : [undefined, again(bypass.probe, round)];
  const exchange = before ? (ask.inSeries([before, probe]).at(-1) ?? ask(probe)) : ask(probe);
  const first = { bypass, exchange, reading: readBypass(ask, bypass, exchange, controls) };
  return lookCloser(judging, first);
};

/**
 * Another try of a pair. A made-up query gets another name, so that it does not meet what the first
 * try left in a cache.
 */
const freshly = (probe: Probe, round: number): Probe => ({
  ...again(probe, round),
  target: probe.target.replace(/(nothing-[0-9a-f]{12})/, `$1-${round}`),
});

const remark = (attempted: readonly Attempted[]): { note?: string } => {
  const remarkable = attempted.filter(({ reading }) => reading.remarkable);
  if (remarkable.length === 0) return {};
  return {
    note: `Told in another way than by a client-error status: ${listed(remarkable.map(({ reading }) => reading.seen))}.`,
  };
};
