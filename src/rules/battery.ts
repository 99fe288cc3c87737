import type { Exchange, Probe, Response } from '../wire/types.js';
import { follow, nextHop } from './follow.js';
import { inTime } from './in-time.js';
import { blocked, failed, inconclusive, listed, passed } from './judgements.js';
import { answerOf, isRedirect, isSuccess } from './oracle/answers.js';
import {
  type Controls,
  controlsOf,
  isHealthy,
  isOfOneForm,
  isUsable,
  type UsableControls,
  usable,
} from './oracle/controls.js';
import type { Background } from './oracle/evidence.js';
import { keyedOf } from './oracle/keyed.js';
import { type Reading, type ReadOptions, readExchange, readResponse } from './oracle/reading.js';
import { isSame, volatileIn } from './oracle/same.js';
import { again, formControl, isArmed, splitTarget } from './probes.js';
import type { Judgement, Look, OperationSubject } from './rule.js';

/** Reads one answer against the controls. */
export type ReadWith = (look: Look, exchange: Exchange, controls: UsableControls) => Reading;

/** One way to ask without the key. */
export interface Trick {
  /** What it is, as the start of "… opens it": `a key that shares only its first half`. */
  readonly words: string;
  readonly probe: Probe;
  /** Sent right before it, one after the other (a keyed read that leaves something behind). */
  readonly before?: Probe;
  /** The same request without the trick: answers equal to theirs are not the operation's. */
  readonly withoutTrick?: readonly Probe[];
  /** The trick played on a path that does not exist; asked only where the trick seems to open something. */
  readonly missing?: () => Probe;
  /** The answer may have another form (CSV, HTML, a byte range): what the key gets in that form is the keyed answer. */
  readonly changesForm?: true;
  /** Reads the answer in another way than by its body (HEAD has none). */
  readonly readWith?: ReadWith;
}

export interface Battery {
  readonly tricks: readonly Trick[];
  /** The read with the key after this battery. */
  readonly health: Probe;
  /** Whether a connection closed each time counts as a refusal. */
  readonly resetRefuses: boolean;
  /** Every trick right after what comes before it. */
  readonly inTurn?: boolean;
}

interface Attempted {
  readonly trick: Trick;
  readonly exchange: Exchange;
  readonly reading: Reading;
}

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
  const sent = battery.inTurn ? inTurn(look, battery.tricks) : together(look, battery.tricks);
  const health = look(battery.health);
  const attempted = battery.tricks.flatMap((trick, index): Attempted[] => {
    const attempt = (tried: Trick, exchange: Exchange | undefined): Attempted[] =>
      exchange ? [{ trick: tried, exchange, reading: readTrick(look, tried, exchange, good, battery) }] : [];
    const first = attempt(trick, sent[index]);
    return battery.inTurn ? inTime(first, (once) => attempt(once, inTurn(look, [once])[0])) : first;
  });
  return conclude({ look, subject, controls: good, battery, health }, attempted);
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

const readTrick = (
  look: Look,
  trick: Trick,
  exchange: Exchange,
  controls: UsableControls,
  { resetRefuses }: Pick<Battery, 'resetRefuses'>,
): Reading => {
  if (trick.readWith) return trick.readWith(look, exchange, controls);
  const baseline = look.all(trick.withoutTrick ?? []).flatMap((one) => answerOf(one) ?? []);
  return readWithEnd(look, exchange, controls, { resetRefuses, nothing: excusing(baseline, controls) });
};

/** Reads an answer; a redirect is followed without credentials and read by its end. */
export const readWithEnd = (
  look: Look,
  exchange: Exchange,
  controls: UsableControls,
  options: ReadOptions = {},
): Reading => {
  const answer = answerOf(exchange);
  const chain = answer && isRedirect(answer) ? follow(look, exchange) : [];
  return readExchange(exchange, controls.background, {
    ...options,
    followed: chain,
    endsPublic: chain.some((step) => isPublicPlace(look, step, controls)),
    endsInCircle: isCircle(exchange, chain),
    missing: answerOf(controls.missing),
  });
};

/** The last redirect leads to a place where the chain has been. */
const isCircle = (exchange: Exchange, chain: readonly Exchange[]): boolean => {
  const next = nextHop(chain.at(-1) ?? exchange);
  return (
    next !== undefined &&
    [exchange, ...chain].some(({ probe }) => probe.origin === next.origin && probe.target === next.target)
  );
};

/** That everybody may read a public resource, also who is sent there, opens nothing, however much it looks like what the key opens. */
const isPublicPlace = (look: Look, step: Exchange, { publics, anonymous }: UsableControls): boolean => {
  const place = ({ probe }: Exchange): string => `${probe.origin}${splitTarget(probe.target)[0]}`;
  const open = publics.flatMap((one) => [one, ...follow(look, one)]);
  return place(step) !== place(anonymous) && open.some((one) => place(one) === place(step));
};

/** A comparison that itself carries a record of the owner excuses nothing. */
const excusing = (answers: readonly Response[], { background }: UsableControls): readonly Response[] =>
  answers.filter((answer) => readResponse(answer, background).line !== 1);

interface Judging {
  readonly look: Look;
  readonly subject: OperationSubject;
  readonly controls: UsableControls;
  readonly battery: Battery;
  readonly health: Exchange;
}

/**
 * A second look at what was not refused: the bypass at a path that does not exist, everything that shows nothing read again,
 * and where the bypass changes the form of the answer, what the key gets in that form.
 */
const lookCloser = (judging: Judging, attempted: Attempted): Attempted => {
  const { look, subject, controls, battery } = judging;
  const { trick, exchange, reading } = attempted;
  if (trick.readWith || reading.verdict === 'refused') return attempted;
  const answer = answerOf(exchange);
  if (!answer) return attempted;
  const missing = trick.missing?.();
  const places = placesOf(judging, trick, answer);
  const first = look.all(places).map(answerOf);
  const second = look.all(places.map((probe) => again(probe))).map(answerOf);
  const nothing = excusing(
    [...first, ...second].filter((one) => one !== undefined),
    controls,
  );
  const volatile = new Set([
    ...controls.background.volatile,
    ...first.flatMap((one, index) => (one ? [...volatileIn(one, second[index])] : [])),
  ]);
  const nowhere = missing && answerOf(look(missing));
  const background: Background = {
    ...controls.background,
    volatile,
    missingDiffers: nowhere !== undefined && !isSame(nowhere, answer, volatile),
  };
  const closer: UsableControls = { ...controls, background };
  const options = { resetRefuses: battery.resetRefuses, nothing };
  const plain = readWithEnd(look, exchange, closer, options);
  if (!trick.changesForm || plain.verdict === 'refused' || !isSuccess(answer)) return { ...attempted, reading: plain };
  const inForm = formOf(look, subject, trick, closer, nowhere);
  return { ...attempted, reading: inForm ? readWithEnd(look, exchange, inForm, options) : plain };
};

/** The bypass with the key: what it gets is what the key opens in the form that the bypass asks for. */
const formOf = (
  look: Look,
  subject: OperationSubject,
  { probe }: Trick,
  controls: UsableControls,
  nowhere: Response | undefined,
): UsableControls | undefined => {
  const keyed = formControl(subject, probe);
  const [first, second] = look.all([keyed, again(keyed)]).map(answerOf);
  if (!first || !second || !isSuccess(first) || !isSuccess(second) || !isOfOneForm(first.facts, second.facts))
    return undefined;
  if (nowhere && isSame(first, nowhere)) return undefined;
  return { ...controls, background: { ...controls.background, keyed: keyedOf(first, second) } };
};

/** Where the bypass and the request without it are asked once more to see what shows nothing. */
const placesOf = ({ look, controls }: Judging, trick: Trick, { status }: Response): readonly Probe[] => [
  ...(trick.missing ? [trick.missing()] : []),
  ...[...(trick.withoutTrick ?? []), controls.missing.probe, controls.base.probe].filter(
    (probe) => answerOf(look(probe))?.status === status,
  ),
];

/** Asks together for what a closer look at all of these needs. */
const prefetch = (judging: Judging, doubtful: readonly Attempted[]): void => {
  const places = doubtful.flatMap(({ trick, exchange, reading }) => {
    const answer = answerOf(exchange);
    return answer && !trick.readWith && reading.verdict !== 'refused' ? placesOf(judging, trick, answer) : [];
  });
  judging.look.all(places.flatMap((probe) => [probe, again(probe)]));
};

const conclude = (judging: Judging, attempted: readonly Attempted[]): Judgement => {
  const { look, controls, battery, health } = judging;
  const comparedWith = [...controls.all, health];
  const doubtful = attempted.filter(({ reading }) => reading.verdict !== 'refused' || reading.again);
  prefetch(judging, doubtful);
  const closer = new Map(doubtful.map((one) => [one.trick, lookCloser(judging, one)]));
  const all = attempted.map((one) => closer.get(one.trick) ?? one);
  const suspects = all.filter(({ reading }) => reading.verdict === 'granted' || reading.again);
  look.all(battery.inTurn ? [] : suspects.map(({ trick }) => again(trick.probe)));
  const second = new Map(suspects.map((first) => [first.trick, secondTry(judging, first)]));
  const granted = [...suspects, ...second.values()].filter(({ reading }) => reading.verdict === 'granted');
  const data = { opened: granted.flatMap(({ exchange }) => [exchange, ...follow(look, exchange)]) };
  const firstGranted = suspects.filter(({ reading }) => reading.verdict === 'granted');
  const opened = firstGranted.filter(({ trick }) => second.get(trick)?.reading.verdict === 'granted');
  // Different bypasses that each gave the owner's records prove it together, where a broken backend answers now and then.
  const records = firstGranted.filter(({ reading }) => reading.line === 1);
  const proof = opened.length > 0 ? opened : records.length > 1 ? records : [];
  const baseline = proof.length > 0 ? opensAnyway(judging, proof) : undefined;
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
      { comparedWith, readings: readingsOf(unclear) },
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

/**
 * Where the request without the bypass opens as well, the bypass shows nothing: it opened from the beginning, or by now, after
 * reads with the key or after refusals.
 */
const opensAnyway = (
  { look, subject, controls, battery }: Judging,
  proof: readonly Attempted[],
): Judgement | undefined => {
  const plain = controls.anonymous.probe;
  if (proof.some(({ trick }) => trick.probe.target === plain.target && trick.probe.name === plain.name))
    return undefined;
  const first = controls.anonymous;
  const granted = (exchange: Exchange): Reading | undefined => {
    const reading = readWithEnd(look, exchange, controls);
    return reading.verdict === 'granted' ? reading : undefined;
  };
  const opened = proof.map(({ exchange }) => exchange);
  if (granted(first))
    return blocked('It opens without any key, so these requests show nothing more.', [first], {
      blockedBy: [`refuses-missing-key@${subject.operation.id}`],
      comparedWith: controls.all,
      opened: [first, ...opened],
    });
  // What is left behind is this check's own finding.
  if (battery.inTurn) return undefined;
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
