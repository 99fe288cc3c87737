import type { Exchange, Probe } from '../../wire/types.js';
import { answerOf, closesEachTime } from '../oracle/answers.js';
import { isSame } from '../oracle/same.js';
import type { Reading } from '../oracle/table.js';
import type { Judgement } from '../rule.js';
import { because, failed } from '../support/judgement.js';
import { again, nonce, targetOf, withQuery } from '../support/requests.js';
import { type Attempted, type Bypass, type Judging, readBypass, readWithEnd, showsOwners } from './bypass.js';
import { lookCloser } from './closer-look.js';

/** Sends again what seemed to open an operation. */

/** Whether a request followed the one before it soon enough to meet what that left behind. */

/** Short-lived caches in front of busy services keep answers for a second. */
const momentMs = 1_000;
/** How often a pair is sent if the second request comes too late. */
const mostPairs = 3;

/** A service that closes the connection each time had nothing left behind at the first attempt. */
const latenessOf = (exchange: Exchange): number =>
  exchange.attempts.at(closesEachTime(exchange) ? 0 : -1)?.timing.sinceBefore ?? 0;

const isLate = ({ exchange, reading }: Attempted): boolean =>
  reading.verdict !== 'granted' && latenessOf(exchange) > momentMs;

/**
 * The same request for another pair. A made-up query gets another name, so that pairs stay apart.
 */
const inPair = (probe: Probe, pair: number): Probe => ({
  ...probe,
  occasion: `${probe.occasion ?? 'pair'} ${pair}`,
  target: probe.target.replace(/(nothing-[0-9a-f]{12})/, `$1-pair-${pair}`),
});

/** Sends a pair again if its second request opened nothing and came too late. */
export const inTime = (first: readonly Attempted[], attempt: (bypass: Bypass) => readonly Attempted[]): Attempted[] =>
  first.map((one) => {
    const { before, probe } = one.bypass;
    let tried = one;
    for (let pair = 1; pair < mostPairs && isLate(tried); pair += 1) {
      const again = { probe: inPair(probe, pair), ...(before ? { before: inPair(before, pair) } : {}) };
      tried = attempt({ ...one.bypass, ...again })[0] ?? tried;
    }
    return tried;
  });

/** Reads a pair as unclear if its second request came too late each time. */
export const orTooLate = (one: Attempted): Attempted => {
  if (!isLate(one)) return one;
  const seconds = (latenessOf(one.exchange) / 1000).toFixed(1);
  const seen = `${one.reading.seen}, but sent ${seconds} s after the request before it, too late to show what that left behind`;
  return { ...one, reading: { verdict: 'unclear', line: 3, seen } };
};

/** A bypass that seems to open the operation is sent again. */

export const isRecord = ({ verdict, line }: Reading): boolean => verdict === 'granted' && line === 1;

const mostTries = 6;

/**
 * The second try. If the first one gave a record, up to four more follow: a broken backend may open
 * only now and then.
 */
export const seenAgain = (judging: Judging, first: Attempted): Attempted => {
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

/** An operation that opens now and then, whatever is sent: one of several servers lacks the check. */

/** With this many reads, one server in ten is met with a probability of 92 %. */
const reads = 24;

/** Whether a bypass opened the operation, and did not when it was sent again. */
export const opensUnsteadily = (suspects: readonly Attempted[], second: ReadonlyMap<Bypass, Attempted>): boolean =>
  suspects.some(({ bypass, reading }) => {
    const again = second.get(bypass);
    return showsOwners(reading) && !(again?.reading.verdict === 'granted' && again.exchange.probe.round === 2);
  });

type Repeating = Pick<Judging, 'ask' | 'subject' | 'controls'>;

/** Equal requests without a key. */
const equalRequests = ({ ask, subject, controls }: Repeating, inSeries = false): readonly Exchange[] => {
  const { probe } = controls.anonymous;
  const readOf = (_: unknown, index: number): Probe => ({
    ...probe,
    // A balancer may choose the server by connection. New ones take time, so not each gets one.
    connection: index % 3 === 0 ? 'fresh' : 'shared',
    occasion: 'to see how often it opens',
    round: index + 1,
    // In a series, a cache may hold what the key got at the URL of the operation.
    ...(inSeries
      ? { target: withQuery(targetOf(subject), [`nothing-${nonce(subject.deployment, `often ${index}`)}=1`]) }
      : {}),
  });
  return ask.all(Array.from({ length: reads }, readOf));
};

/**
 * Whether bypasses opened the operation only by empty answers, and equal requests without them get
 * these too. An empty answer counts because the request without the bypass is refused (line 0).
 */
export const isGivenWithout = (judging: Judging, proof: readonly Attempted[]): boolean => {
  if (!proof.every(({ reading }) => reading.line === 0)) return false;
  const { plan, controls } = judging;
  const plain = equalRequests(judging, plan.inSeries).flatMap((exchange) => answerOf(exchange) ?? []);
  return proof.every(({ exchange }) => {
    const answer = answerOf(exchange);
    return answer !== undefined && plain.some((each) => isSame(each, answer, controls.background.volatile));
  });
};

/**
 * The judgement if some equal requests without a key open the operation and others do not. Then the
 * bypasses made no difference. `undefined` if all or none of them do.
 */
export const opensNowAndThen = (
  { ask, subject, controls }: Repeating,
  { comparedWith = [], opened = [] }: Pick<Judgement, 'comparedWith' | 'opened'>,
  inSeries = false,
): Judgement | undefined => {
  const sent = equalRequests({ ask, subject, controls }, inSeries);
  const granted = ask
    .each(sent, (exchange) => ({ exchange, reading: readWithEnd(ask, exchange, controls) }))
    .filter(({ reading }) => showsOwners(reading));
  const [first] = granted;
  if (!first || granted.length === sent.length) return undefined;
  const { seen } = first.reading;
  return failed(
    because('opens-now-and-then'),
    `It opens without any key now and then: of ${sent.length} equal requests, ${granted.length} got ${seen}, and the others did not. One of several servers may not check the key.`,
    granted.map(({ exchange }) => exchange),
    {
      expected: 'anything but what the key opens',
      seen: `${seen}, at ${granted.length} of ${sent.length}`,
      readings: granted.map(({ exchange, reading }) => ({ exchange, line: reading.line, verdict: reading.verdict })),
      steps: [first.exchange],
      comparedWith,
      opened: [...granted.map(({ exchange }) => exchange), ...opened],
    },
  );
};
