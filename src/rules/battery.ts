import { type Exchange, type Probe, probeIdentity } from '../wire/types.js';
import { type Attempted, type Battery, type Judging, readTrick, readWithEnd, type Trick } from './bypass.js';
import { isInAnotherForm, lookCloser, prefetch } from './closer-look.js';
import { follow } from './follow.js';
import { inTime, orTooLate } from './in-time.js';
import { blocked, failed, inconclusive, listed, passed } from './judgements.js';
import { answerOf, isSuccess } from './oracle/answers.js';
import {
  type Controls,
  controlsOf,
  isHealthy,
  isUsable,
  laterReads,
  settledBy,
  type UsableControls,
  usable,
} from './oracle/controls.js';
import { differsInValuesAlone } from './oracle/evidence.js';
import type { Reading } from './oracle/reading.js';
import { again, isArmed } from './probes.js';
import type { Judgement, Look, OperationSubject } from './rule.js';

/** Without a read with the key there is nothing to compare with. */
export const unarmed = ({ operation }: OperationSubject): Judgement =>
  blocked('Nothing to compare with: no key was given that may be sent.', [], {
    blockedBy: [`keyed control of ${operation.id}`],
  });

/** Nor with controls that show nothing; `why` says what is wrong with them. */
export const uncontrolled = ({ operation }: OperationSubject, why: string, { all }: Pick<Controls, 'all'>): Judgement =>
  blocked(`Nothing to compare with: ${why}.`, [], {
    blockedBy: [`keyed control of ${operation.id}`],
    comparedWith: all,
  });

/** Sends every trick, reads the answers against the controls, and asks again whatever looks open. */
export const judgeBattery = (look: Look, subject: OperationSubject, battery: Battery): Judgement => {
  if (!isArmed(subject)) return unarmed(subject);
  const controls = controlsOf(look, subject);
  const good = usable(controls);
  if (!isUsable(good)) return uncontrolled(subject, good.words, controls);
  if (battery.tricks.length === 0) return blocked('There is nothing to send.', []);
  const opened = battery.tricks.some(isPlain(good)) ? undefined : opensWithoutBypass(look, subject, good);
  if (opened) return opened;
  const sent = battery.inTurn ? inTurn(look, battery.tricks) : together(look, battery.tricks);
  const health = look(battery.health);
  const settled = settledBy([health], good);
  const attempted = battery.tricks.flatMap((trick, index): Attempted[] => {
    const attempt = (tried: Trick, exchange: Exchange | undefined): Attempted[] =>
      exchange ? [{ trick: tried, exchange, reading: readTrick(look, tried, exchange, settled, battery) }] : [];
    const first = attempt(trick, sent[index]);
    return battery.inTurn ? inTime(first, (once) => attempt(once, inTurn(look, [once])[0])) : first;
  });
  return conclude(...steadied({ look, subject, controls: settled, battery, health }, attempted));
};

/** Where an answer differs from the keyed one in values alone, more reads with the key show which of these change by themselves. */
const steadied = (judging: Judging, attempted: readonly Attempted[]): [Judging, readonly Attempted[]] => {
  const { look, subject, controls, battery } = judging;
  const isPerhapsMoving = ({ trick, exchange, reading }: Attempted): boolean => {
    const answer = answerOf(exchange);
    if (trick.readWith || !answer || !isSuccess(answer)) return false;
    return reading.verdict !== 'granted' && reading.line !== 2 && differsInValuesAlone(answer, controls.background);
  };
  const perhaps = new Set(attempted.filter(isPerhapsMoving));
  if (perhaps.size === 0) return [judging, attempted];
  const steady = settledBy(look.all(laterReads(subject)), controls);
  const again = (one: Attempted): Attempted => ({
    ...one,
    reading: readTrick(look, one.trick, one.exchange, steady, battery),
  });
  return [{ ...judging, controls: steady }, attempted.map((one) => (perhaps.has(one) ? again(one) : one))];
};

const together = (look: Look, tricks: readonly Trick[]): readonly Exchange[] => {
  const answers = look.all(tricks.flatMap(({ probe, withoutTrick = [] }) => [probe, ...withoutTrick]));
  let next = 0;
  return tricks.flatMap(({ withoutTrick = [] }) => {
    const exchange = answers[next];
    next += 1 + withoutTrick.length;
    return exchange ? [exchange] : [];
  });
};

const inTurn = (look: Look, tricks: readonly Trick[]): readonly Exchange[] => {
  const answers = look.inTurn(...tricks.map(({ before, probe }) => (before ? [before, probe] : [probe])));
  const byProbe = new Map(answers.map((exchange) => [exchange.id, exchange]));
  return tricks.map(({ probe }) => look(probe)).map((exchange) => byProbe.get(exchange.id) ?? exchange);
};

const conclude = (judging: Judging, attempted: readonly Attempted[]): Judgement => {
  const { look, controls, battery, health } = judging;
  const comparedWith = [...controls.all, health];
  const doubtful = attempted.filter(
    (one) => one.reading.verdict !== 'refused' || one.reading.again || isInAnotherForm(one, controls),
  );
  prefetch(judging, doubtful);
  const closer = new Map(doubtful.map((one) => [one.trick, lookCloser(judging, one)]));
  const looked = attempted.map((one) => closer.get(one.trick) ?? one);
  const all = battery.inTurn ? looked.map(orTooLate) : looked;
  const suspects = all.filter(({ reading }) => reading.verdict === 'granted' || reading.again);
  look.all(battery.inTurn ? [] : suspects.map(({ trick }) => again(trick.probe)));
  const second = new Map(suspects.map((first) => [first.trick, secondTry(judging, first)]));
  // What may be data is kept as data, whatever comes of the check.
  const granted = [...all, ...second.values()].filter(({ reading }) => reading.verdict !== 'refused');
  const data = { opened: granted.flatMap(({ exchange }) => [exchange, ...follow(look, exchange)]) };
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
      `${listed(proof.map(({ trick }) => trick.words))} ${proof.length === 1 ? 'opens' : 'open'} it (${seen}).${often}`,
      proof.map(({ exchange }) => exchange),
      { expected: 'anything but what the key opens', seen, comparedWith, readings: readingsOf(proof), ...data },
    );
  }
  const exchanges = all.map(({ exchange }) => exchange);
  const wavering = suspects.find(({ trick, reading }) => second.get(trick)?.reading.verdict !== reading.verdict);
  if (wavering)
    return inconclusive(
      `${wavering.trick.words} was answered with ${wavering.reading.seen}, and on a second try with ${second.get(wavering.trick)?.reading.seen ?? 'nothing'}.`,
      [wavering.exchange],
      { comparedWith, ...data },
    );
  if (!isHealthy(health, controls))
    return inconclusive(
      `Judging had to stop: after these requests the key no longer opened the operation (${whyNot(health)}), so their refusals say nothing.`,
      exchanges,
      { comparedWith },
    );
  const unclear = all.filter(({ reading }) => reading.verdict === 'unclear');
  const [open] = unclear;
  if (open)
    return inconclusive(
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

const readingsOf = (attempted: readonly Attempted[]): NonNullable<Judgement['readings']> =>
  attempted.map(({ exchange, reading }) => ({ exchange, line: reading.line, verdict: reading.verdict }));

const isPlain =
  ({ anonymous }: UsableControls) =>
  ({ probe }: Trick): boolean =>
    probeIdentity(probe) === probeIdentity(anonymous.probe);

/** Where the request without any key opens, no bypass is sent: it would show nothing more. */
const opensWithoutBypass = (look: Look, subject: OperationSubject, controls: UsableControls): Judgement | undefined => {
  const { anonymous, all } = controls;
  if (readWithEnd(look, anonymous, controls).verdict !== 'granted') return undefined;
  return blocked('It opens without any key, so these requests would show nothing more.', [anonymous], {
    blockedBy: [`refuses-missing-key@${subject.operation.id}`],
    comparedWith: all,
    opened: [anonymous],
  });
};

/**
 * Where the request without the bypass opens by now as well, after reads with the key or after refusals, the bypass shows
 * nothing. What a check of leftovers finds is its own finding.
 */
const opensByNow = ({ look, controls, battery }: Judging, proof: readonly Attempted[]): Judgement | undefined => {
  if (battery.inTurn || battery.tricks.some(isPlain(controls))) return undefined;
  const plain = controls.anonymous.probe;
  const granted = (exchange: Exchange): Reading | undefined => {
    const reading = readWithEnd(look, exchange, controls);
    return reading.verdict === 'granted' ? reading : undefined;
  };
  const opened = proof.map(({ exchange }) => exchange);
  const occasion = battery.health.occasion ?? 'later';
  const then = look.inTurn([
    { ...plain, occasion },
    { ...plain, occasion, round: 2 },
  ]);
  const [one, other] = then.map(granted);
  if (!one || !other) return undefined;
  return failed(
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
  const { look, controls, battery } = judging;
  const [before, probe] = battery.inTurn
    ? [trick.before && freshly(trick.before), freshly(trick.probe)]
    : [undefined, again(trick.probe)];
  const exchange = before ? (look.inTurn([before, probe]).at(-1) ?? look(probe)) : look(probe);
  const first = { trick, exchange, reading: readTrick(look, trick, exchange, controls, battery) };
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
