import { type Exchange, type Probe, probeIdentity } from '../wire/types.js';
import { type Attempted, type Battery, type Judging, readTrick, readWithEnd, type Trick } from './bypass.js';
import { because, onCheck, onControl } from './causes.js';
import { isInAnotherForm, lookCloser, prefetch } from './closer-look.js';
import { follow } from './follow.js';
import { inTime } from './in-time.js';
import { blocked, failed, inconclusive, listed, passed } from './judgements.js';
import { answerOf, isSuccess } from './oracle/answers.js';
import {
  type Controls,
  controlsOf,
  isHealthy,
  isUsable,
  settledBy,
  type Unusable,
  type UsableControls,
  usable,
} from './oracle/controls.js';
import type { Reading } from './oracle/reading.js';
import { again, isArmed } from './probes.js';
import type { Ask, Judgement, OperationSubject } from './rule.js';

/** Without a read with the key there is nothing to compare with. */
export const unarmed = ({ operation }: OperationSubject): Judgement =>
  blocked(because('no-key'), 'Nothing to compare with: no key was given that may be sent.', [], {
    blockedBy: [onControl(operation.id)],
  });

/** Nor with controls that show nothing. */
export const uncontrolled = (
  { operation }: OperationSubject,
  { why, words, values = [] }: Unusable,
  { all }: Pick<Controls, 'all'>,
): Judgement =>
  blocked(because('control-unusable', why, ...values), `Nothing to compare with: ${words}.`, [], {
    blockedBy: [onControl(operation.id)],
    comparedWith: all,
  });

/** Sends every trick, reads the answers against the controls, and asks again whatever looks open. */
export const judgeBattery = (ask: Ask, subject: OperationSubject, battery: Battery): Judgement => {
  if (!isArmed(subject)) return unarmed(subject);
  const controls = controlsOf(ask, subject);
  const good = usable(controls);
  if (!isUsable(good)) return uncontrolled(subject, good, controls);
  if (battery.tricks.length === 0) return blocked(because('nothing-to-send'), 'There is nothing to send.', []);
  const opened = battery.tricks.some(isPlain(good)) ? undefined : opensWithoutBypass(ask, subject, good);
  if (opened) return opened;
  const sent = battery.inSeries ? inSeries(ask, battery.tricks) : together(ask, battery.tricks);
  const health = ask(battery.health);
  const settled = settledBy(health, good);
  const attempted = battery.tricks.flatMap((trick, index): Attempted[] => {
    const attempt = (tried: Trick, exchange: Exchange | undefined): Attempted[] =>
      exchange ? [{ trick: tried, exchange, reading: readTrick(ask, tried, exchange, settled, battery) }] : [];
    const first = attempt(trick, sent[index]);
    return battery.inSeries ? inTime(first, (once) => attempt(once, inSeries(ask, [once])[0])) : first;
  });
  return conclude({ ask, subject, controls: settled, battery, health }, attempted);
};

const together = (ask: Ask, tricks: readonly Trick[]): readonly Exchange[] => {
  const answers = ask.all(tricks.flatMap(({ probe, withoutTrick = [] }) => [probe, ...withoutTrick]));
  let next = 0;
  return tricks.flatMap(({ withoutTrick = [] }) => {
    const exchange = answers[next];
    next += 1 + withoutTrick.length;
    return exchange ? [exchange] : [];
  });
};

const inSeries = (ask: Ask, tricks: readonly Trick[]): readonly Exchange[] => {
  const answers = ask.inSeries(...tricks.map(({ before, probe }) => (before ? [before, probe] : [probe])));
  const byProbe = new Map(answers.map((exchange) => [exchange.id, exchange]));
  return tricks.map(({ probe }) => ask(probe)).map((exchange) => byProbe.get(exchange.id) ?? exchange);
};

const conclude = (judging: Judging, attempted: readonly Attempted[]): Judgement => {
  const { ask, controls, battery, health } = judging;
  const comparedWith = [...controls.all, health];
  const doubtful = attempted.filter(
    (one) => one.reading.verdict !== 'refused' || one.reading.again || isInAnotherForm(one, controls),
  );
  prefetch(judging, doubtful);
  const closer = new Map(doubtful.map((one) => [one.trick, lookCloser(judging, one)]));
  const all = attempted.map((one) => closer.get(one.trick) ?? one);
  const suspects = all.filter(({ reading }) => reading.verdict === 'granted' || reading.again);
  ask.all(battery.inSeries ? [] : suspects.map(({ trick }) => again(trick.probe)));
  const second = new Map(suspects.map((first) => [first.trick, secondTry(judging, first)]));
  // What may be data is kept as data, whatever comes of the check.
  const granted = [...all, ...second.values()].filter(({ reading }) => reading.verdict !== 'refused');
  const data = { opened: granted.flatMap(({ exchange }) => [exchange, ...follow(ask, exchange)]) };
  const firstGranted = suspects.filter(({ reading }) => reading.verdict === 'granted');
  const opened = firstGranted.filter(({ trick }) => second.get(trick)?.reading.verdict === 'granted');
  // Different bypasses that each gave the owner's records prove it together, where a broken backend answers now and then.
  const records = firstGranted.filter(({ reading }) => reading.line === 1);
  const proof = opened.length > 0 ? opened : records.length > 1 ? records : [];
  const baseline = proof.length > 0 ? opensByNow(judging, proof) : undefined;
  if (baseline) return baseline;
  const [decisive] = proof;
  if (decisive) {
    const { seen } = decisive.reading;
    const often = opened.length > 0 ? '' : ' Not on every try: it opens now and then.';
    return failed(
      because('opens-by-bypass', ...proof.map(({ trick }) => trick.words), ...readAs(decisive)),
      `${listed(proof.map(({ trick }) => trick.words))} ${proof.length === 1 ? 'opens' : 'open'} it (${seen}).${often}`,
      proof.map(({ exchange }) => exchange),
      { expected: 'anything but what the key opens', seen, comparedWith, readings: readingsOf(proof), ...data },
    );
  }
  const exchanges = all.map(({ exchange }) => exchange);
  const wavering = suspects.find(({ trick, reading }) => second.get(trick)?.reading.verdict !== reading.verdict);
  if (wavering)
    return inconclusive(
      because('changes-between-tries', wavering.trick.words, ...readAs(wavering)),
      `${wavering.trick.words} was answered with ${wavering.reading.seen}, and on a second try with ${second.get(wavering.trick)?.reading.seen ?? 'nothing'}.`,
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
  if (open)
    return inconclusive(
      answerOf(open.exchange)?.status === 429
        ? because('rate-limit', open.trick.words, unclear.length)
        : because('unclear-answer', open.trick.words, unclear.length, ...readAs(open)),
      `${open.trick.words} could not be judged: ${open.reading.seen}${unclear.length > 1 ? ` (and ${unclear.length - 1} more)` : ''}.${answerOf(open.exchange)?.status === 429 ? ` That is ${rateLimit}.` : ''}`,
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

/** What tells two readings apart: the line of the table, and the status or error that it was given for. */
const readAs = ({ exchange, reading }: Attempted): readonly string[] => [
  String(reading.line),
  String(answerOf(exchange)?.status ?? exchange.attempts.at(-1)?.error?.code ?? ''),
];

const readingsOf = (attempted: readonly Attempted[]): NonNullable<Judgement['readings']> =>
  attempted.map(({ exchange, reading }) => ({ exchange, line: reading.line, verdict: reading.verdict }));

const isPlain =
  ({ anonymous }: UsableControls) =>
  ({ probe }: Trick): boolean =>
    probeIdentity(probe) === probeIdentity(anonymous.probe);

/** Where the request without any key opens, no bypass is sent: it would show nothing more. */
const opensWithoutBypass = (ask: Ask, subject: OperationSubject, controls: UsableControls): Judgement | undefined => {
  const { anonymous, all } = controls;
  if (readWithEnd(ask, anonymous, controls).verdict !== 'granted') return undefined;
  const words = 'It opens without any key, so these requests would show nothing more.';
  return blocked(because('opens-without-key'), words, [anonymous], {
    blockedBy: [onCheck('refuses-missing-key', subject.operation.id)],
    comparedWith: all,
    opened: [anonymous],
  });
};

/**
 * Where the request without the bypass opens by now as well, after reads with the key or after refusals, the bypass shows
 * nothing. What a check of leftovers finds is its own finding.
 */
const opensByNow = ({ ask, controls, battery }: Judging, proof: readonly Attempted[]): Judgement | undefined => {
  if (battery.inSeries || battery.tricks.some(isPlain(controls))) return undefined;
  const plain = controls.anonymous.probe;
  const granted = (exchange: Exchange): Reading | undefined => {
    const reading = readWithEnd(ask, exchange, controls);
    return reading.verdict === 'granted' ? reading : undefined;
  };
  const opened = proof.map(({ exchange }) => exchange);
  const occasion = battery.health.occasion ?? 'later';
  const then = ask.inSeries([
    { ...plain, occasion },
    { ...plain, occasion, round: 2 },
  ]);
  const [one, other] = then.map(granted);
  if (!one || !other) return undefined;
  return failed(
    because('opens-by-now', other.line),
    `It was refused without a key at first, and opens without any by now, after the requests of this run (${other.seen}): the requests of this check show nothing more.`,
    [...then],
    {
      expected: 'anything but what the key opens',
      seen: other.seen,
      comparedWith: controls.all,
      opened: [...then, ...opened],
    },
  );
};

const rateLimit = 'a rate limit: wait longer with RATE_LIMIT_WAIT_S, or run again when it is over';

const whyNot = (health: Exchange): string => {
  const answer = answerOf(health);
  if (answer?.status === 429) return `429, ${rateLimit}`;
  if (answer && isSuccess(answer)) return `${answer.status} with another body than before`;
  return `${answer?.status ?? 'no answer'}; a ban or an outage`;
};

const secondTry = (judging: Judging, { trick }: Attempted): Attempted => {
  const { ask, controls, battery } = judging;
  const [before, probe] = battery.inSeries
    ? [trick.before && freshly(trick.before), freshly(trick.probe)]
    : [undefined, again(trick.probe)];
  const exchange = before ? (ask.inSeries([before, probe]).at(-1) ?? ask(probe)) : ask(probe);
  const first = { trick, exchange, reading: readTrick(ask, trick, exchange, controls, battery) };
  return lookCloser(judging, first);
};

/** A second try of a pair on a query of its own, so that it meets nothing that the first one left. */
const freshly = (probe: Probe): Probe => ({
  ...again(probe),
  target: probe.target.replace(/(nothing-[0-9a-f]{12})/, '$1-2'),
});

const remark = (attempted: readonly Attempted[]): { note?: string } => {
  const remarkable = attempted.filter(({ reading }) => reading.remarkable);
  if (remarkable.length === 0) return {};
  return {
    note: `Told in another way than by a client-error status: ${listed(remarkable.map(({ reading }) => reading.seen))}.`,
  };
};
