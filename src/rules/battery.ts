import type { Exchange, Probe, Response } from '../wire/types.js';
import { follow } from './follow.js';
import { inTime } from './in-time.js';
import { blocked, failed, inconclusive, listed, passed } from './judgements.js';
import { header, isRedirect, isSuccess, sameAnswer } from './oracle/compare.js';
import {
  agree,
  answerOf,
  type Controls,
  controlsOf,
  keyedControl,
  type UsableControls,
  usable,
} from './oracle/controls.js';
import { type Reading, read as readAnswer } from './oracle/granted.js';
import { sameButVolatile } from './oracle/volatile.js';
import { again, isArmed, splitTarget } from './probes.js';
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
  /** Reads the answer in another way than by its body (HEAD has none). */
  readonly readWith?: ReadWith;
}

export interface Battery {
  readonly tricks: readonly Trick[];
  /** Distinguishes the health read after this battery from those after others. */
  readonly healthRound: number;
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
  if (typeof good === 'string') return uncontrolled(subject, good, controls);
  if (battery.tricks.length === 0) return blocked('There is nothing to send.', []);
  const sent = battery.inTurn ? inTurn(look, battery.tricks) : together(look, battery.tricks);
  const health = look(keyedControl(subject, battery.healthRound));
  const attempted = battery.tricks.flatMap((trick, index): Attempted[] => {
    const attempt = (tried: Trick, exchange: Exchange | undefined): Attempted[] =>
      exchange ? [{ trick: tried, exchange, reading: readTrick(look, tried, exchange, good, battery) }] : [];
    const first = attempt(trick, sent[index]);
    return battery.inTurn ? inTime(first, (once) => attempt(once, inTurn(look, [once])[0])) : first;
  });
  return conclude(look, attempted, good, battery, health);
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
  { resetRefuses }: Battery,
): Reading => {
  if (trick.readWith) return trick.readWith(look, exchange, controls);
  const known = isRedirectedAlike(look, controls.anonymous, exchange);
  return readAnswer(exchange, controls, {
    followed: followedElsewhere(look, known ? controls.anonymous : exchange, controls),
    resetRefuses,
    withoutTrick: look.all(trick.withoutTrick ?? []),
  });
};

/**
 * Whether a redirect leads where the anonymous one does. In its query it may name the path that was asked for, or hold
 * something that is another one each time; any other difference there may lead elsewhere.
 */
const isRedirectedAlike = (look: Look, anonymous: Exchange, exchange: Exchange): boolean => {
  const [first, answer] = [answerOf(anonymous), answerOf(exchange)];
  if (!first || !answer || !sameAnswer(answer, first)) return false;
  if (locationOf(anonymous) === locationOf(exchange)) return true;
  return locationOf(look(again(anonymous.probe))) !== locationOf(anonymous);
};

/** Where a redirect leads, without the path that was asked for. */
const locationOf = (exchange: Exchange): string => {
  const answer = answerOf(exchange);
  const [path] = splitTarget(exchange.probe.target);
  const location = (answer && header(answer, 'location')) ?? '';
  const at = location.search(/[?#]/);
  if (at < 0) return location;
  return `${location.slice(0, at)}${location.slice(at).replaceAll(encodeURIComponent(path), '').replaceAll(path, '')}`;
};

/**
 * What a redirect chain comes to, but for public operations: that everybody may read those, also who is sent there, opens
 * nothing, however much they look like what the key opens.
 */
export const followedElsewhere = (
  look: Look,
  exchange: Exchange,
  { publics, anonymous }: UsableControls,
): readonly Exchange[] => {
  const chain = follow(look, exchange);
  if (chain.length === 0) return chain;
  const place = ({ probe }: Exchange): string => `${probe.origin}${splitTarget(probe.target)[0]}`;
  const open = new Set(publics.map(place).filter((one) => one !== place(anonymous)));
  return chain.filter((step) => !open.has(place(step)));
};

const conclude = (
  look: Look,
  attempted: readonly Attempted[],
  controls: UsableControls,
  battery: Battery,
  health: Exchange,
): Judgement => {
  const comparedWith = [...controls.all, health];
  const doubtful = attempted.filter(({ reading }) => reading.verdict === 'granted' || reading.again);
  look.all(
    doubtful.flatMap(({ trick }) => [
      ...(battery.inTurn ? [] : [again(trick.probe)]),
      ...(trick.missing ? [trick.missing()] : []),
    ]),
  );
  const suspects = doubtful.filter((first) => !sameOnMissingPath(look, first) && !isOpenAnswer(look, first, controls));
  const second = new Map(suspects.map((first) => [first.trick, secondTry(look, first, controls, battery)]));
  const opened = suspects.filter(
    ({ trick, reading }) => reading.verdict === 'granted' && second.get(trick)?.reading.verdict === 'granted',
  );
  const granted = [...suspects, ...second.values()].filter(({ reading }) => reading.verdict === 'granted');
  const data = { opened: granted.flatMap(({ exchange }) => [exchange, ...follow(look, exchange)]) };
  const [decisive] = opened;
  if (decisive) {
    return failed(
      `${listed(opened.map(({ trick }) => trick.words))} ${opened.length === 1 ? 'opens' : 'open'} it (${decisive.reading.seen}).`,
      opened.map(({ exchange }) => exchange),
      {
        expected: 'anything but what the key opens',
        seen: decisive.reading.seen,
        comparedWith,
        ...data,
      },
    );
  }
  const exchanges = attempted.map(({ exchange }) => exchange);
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
  const unclear = attempted.filter(
    (one) => one.reading.verdict === 'unclear' && !(one.trick.withoutTrick && isOpenAnswer(look, one, controls)),
  );
  const [open] = unclear;
  if (open)
    return inconclusive(
      `${open.trick.words} could not be judged: ${open.reading.seen}${unclear.length > 1 ? ` (and ${unclear.length - 1} more)` : ''}.${answerOf(open.exchange)?.status === 429 ? ` That is ${rateLimit}.` : ''}`,
      unclear.map(({ exchange }) => exchange),
      { comparedWith },
    );
  return passed(
    attempted.length === 1
      ? `Refused: ${attempted[0]?.reading.seen}.`
      : `All ${attempted.length} were refused: ${listed(attempted.map(({ reading }) => reading.seen))}.`,
    exchanges,
    { comparedWith, ...remark(attempted) },
  );
};

const rateLimit = 'a rate limit: wait longer with RATE_LIMIT_WAIT_S, or run again when it is over';

const whyNot = (health: Exchange): string => {
  const answer = answerOf(health);
  if (answer?.status === 429) return `429, ${rateLimit}`;
  if (answer && isSuccess(answer)) return `${answer.status} with another body than before`;
  return `${answer?.status ?? 'no answer'}; a ban or an outage`;
};

/** A trick that gets the same answer where nothing is opens nothing. */
const sameOnMissingPath = (look: Look, { trick, exchange }: Attempted): boolean => {
  const missing = trick.missing && answerOf(look(trick.missing()));
  const answer = answerOf(exchange);
  return (
    missing !== undefined && answer !== undefined && sameAnswer(missing, answer) && !leadsElsewhere(missing, answer)
  );
};

/** Redirects that differ in what `sameAnswer` leaves aside: where one leads to nothing, the other may lead to the data. */
const leadsElsewhere = (a: Response, b: Response): boolean =>
  isRedirect(a) && header(a, 'location') !== header(b, 'location');

/**
 * What anybody gets (the same request without the trick, the base path, a path that is not there), but for what differs when
 * that is read again. Nothing of the owner's is in it, and what the key gets is something else. A public resource is no such
 * answer unless the trick points there: empty lists look alike wherever they come from.
 */
const isOpenAnswer = (look: Look, { trick, exchange, reading }: Attempted, controls: UsableControls): boolean => {
  const answer = answerOf(exchange);
  if (
    !answer ||
    reading.verdict === 'refused' ||
    answer.facts.values.some((value) => controls.protectedValues.has(value))
  )
    return false;
  const missing = trick.missing?.();
  const open = [
    ...(trick.withoutTrick ?? []),
    ...[controls.missing, controls.base].map(({ probe }) => probe),
    ...(missing ? [missing] : []),
  ].filter((probe) => answerOf(look(probe))?.status === answer.status);
  return look.all(open.map((probe) => again(probe))).some((second, index) => {
    const [probe, later] = [open[index], answerOf(second)];
    const first = probe && answerOf(look(probe));
    if (!first || !later || leadsElsewhere(first, answer)) return false;
    // The trick itself, played where nothing is: what it gets there is nothing, also where the key opens an empty list.
    if (probe === missing) return sameButVolatile(first, later, answer, true);
    return sameButVolatile(first, later, answer) && !sameButVolatile(first, later, controls.first);
  });
};

const secondTry = (look: Look, { trick }: Attempted, controls: UsableControls, battery: Battery): Attempted => {
  const [before, probe] = battery.inTurn
    ? [trick.before && freshly(trick.before), freshly(trick.probe)]
    : [undefined, again(trick.probe)];
  const exchange = before ? (look.inTurn([before, probe]).at(-1) ?? look(probe)) : look(probe);
  return { trick, exchange, reading: readTrick(look, trick, exchange, controls, battery) };
};

/** A second try of a pair on a query of its own, so that it meets nothing that the first one left. */
const freshly = (probe: Probe): Probe => ({
  ...again(probe),
  target: probe.target.replace(/(nothing-[0-9a-f]{12})/, '$1-2'),
});

/** The key still opens what it opened before. */
export const isHealthy = (health: Exchange, { first, second, protectedValues }: UsableControls): boolean => {
  const answer = answerOf(health);
  if (answer === undefined || answer.status !== first.status) return false;
  if (agree(first, answer) || agree(second, answer)) return true;
  return (
    answer.facts.mediaType === first.facts.mediaType && answer.facts.values.some((value) => protectedValues.has(value))
  );
};

const remark = (attempted: readonly Attempted[]): { note?: string } => {
  const remarkable = attempted.filter(({ reading }) => reading.remarkable);
  if (remarkable.length === 0) return {};
  return {
    note: `Told in another way than by a client-error status: ${listed(remarkable.map(({ reading }) => reading.seen))}.`,
  };
};
