import { answerOf, isRedirect, isSuccess } from '../oracle/answers.js';
import { isSame } from '../oracle/same.js';
import type { Judgement } from '../rule.js';
import { nameOfPart, withoutBundles } from '../support/bundles.js';
import { follow, statusOf } from '../support/follow-up.js';
import {
  because,
  becauseOf,
  blockedBy,
  type Cause,
  failed,
  inconclusive,
  listed,
  onCheck,
  passed,
} from '../support/judgement.js';
import { again } from '../support/requests.js';
import {
  type Attempted,
  type Bypass,
  howOf,
  isPlain,
  type Judging,
  readingsOf,
  readWithEnd,
  showsOwners,
} from './bypass.js';
import { confirmReading, isInAnotherForm } from './confirm-reading.js';
import { orTooLate } from './late-pairs.js';
import { clientRefused, keyLost, rateLimit } from './lost-access.js';
import { apartFromLeftovers, leftOpenByReads, opensByNow } from './opens-by-now.js';
import { isGivenWithout, opensNowAndThen, opensUnsteadily } from './opens-now-and-then.js';
import { bySimpler, isRecord, seenAgain, triedOften } from './second-try.js';

/** Makes a judgement of the answers to bypasses. */

/** All attempts, read again where needed, and the second tries of those that seem open. */
interface Examined {
  readonly all: readonly Attempted[];
  /** The attempts that seem to open the operation, or that have to be seen twice. */
  readonly suspects: readonly Attempted[];
  readonly second: ReadonlyMap<Bypass, Attempted>;
  /** The parts that all judgements about them share. */
  readonly common: Pick<Judgement, 'comparedWith' | 'opened'>;
}

export const conclude = (judging: Judging, attempted: readonly Attempted[]): Judgement => {
  const examined = examine(judging, attempted);
  const { common } = examined;
  const { plan } = judging;
  const sometimes = isPerhapsChance(judging, examined)
    ? (leftOpenByReads(judging, examined.suspects) ?? opensNowAndThen(judging, common, plan.inSeries))
    : undefined;
  if (sometimes) return sometimes;
  const { proof, tries } = proofIn(judging, examined);
  if (proof.length > 0) {
    const known = opensByNow(judging, proof) ?? byChance(judging, examined, proof);
    if (known) return known;
    const own = apartFromLeftovers(judging, proof);
    return (own.length === 0 ? leftOpenByReads(judging, proof) : undefined) ?? opened(judging, examined, own, tries);
  }
  return (
    changing(examined) ??
    keyLost(judging, examined.all, common) ??
    unclear(judging, examined) ??
    clientRefused(judging, examined.all, common) ??
    allRefused(examined)
  );
};

/**
 * Whether equal requests without the bypass have to be sent, to rule out chance. They do if the
 * bypass did not open the operation each time, or is sent in a series, since nothing else
 * distinguishes the request before it from chance.
 */
const isPerhapsChance = (judging: Judging, { suspects, second }: Examined): boolean =>
  judging.plan.inSeries ? suspects.some(({ reading }) => showsOwners(reading)) : opensUnsteadily(suspects, second);

/**
 * Whether an answer has to be seen twice. A server error need not be if the request without the
 * bypass gets it twice, since the service refuses by it.
 */
const isToBeSeenTwice = ({ ask, controls }: Judging, { bypass, exchange, reading }: Attempted): boolean => {
  if (!reading.again) return false;
  const answer = answerOf(exchange);
  if (!answer || isPlain(controls)(bypass)) return true;
  return ![controls.anonymous, ask(again(controls.anonymous.probe))].every((plain) =>
    isSame(answerOf(plain), answer, controls.background.volatile),
  );
};

const examine = (judging: Judging, attempted: readonly Attempted[]): Examined => {
  const { ask, controls, plan, health } = judging;
  const doubtful = attempted.filter((one) => one.reading.verdict !== 'refused' || isInAnotherForm(one, controls));
  const closer = new Map(ask.each(doubtful, (one) => [one.bypass, confirmReading(judging, one)] as const));
  const examined = attempted.map((one) => closer.get(one.bypass) ?? one);
  const all = plan.inSeries ? examined.map(orTooLate) : examined;
  const suspects = all.filter((one) => one.reading.verdict === 'granted' || isToBeSeenTwice(judging, one));
  ask.all(plan.inSeries ? [] : suspects.map(({ bypass }) => again(bypass.probe)));
  const often = triedOften(suspects);
  const tryAgain = (first: Attempted) => [first.bypass, seenAgain(judging, first, often.has(first))] as const;
  const second = new Map(plan.inSeries ? suspects.map(tryAgain) : ask.each(suspects, tryAgain));
  // Answers that may be data are recorded as opened, whatever the outcome is.
  const granted = [...all, ...second.values()].filter(({ reading }) => reading.verdict !== 'refused');
  const mayBeData = granted.flatMap(({ exchange, reading }) => [
    exchange,
    ...(reading.line === 4 ? follow(ask, exchange) : []),
  ]);
  return { all, suspects, second, common: { comparedWith: [...controls.all, health], opened: mayBeData } };
};

/** Which tries of a bypass opened the operation: both, a later one too, or only one. */
type Tries = 'both' | 'some' | 'one';

/**
 * The bypasses that are proven to open the operation. If a broken backend opens only now and then,
 * no bypass may be granted twice. Two different bypasses that each gave a record prove it too. One
 * is enough if the plain request gave a record.
 */
const proofIn = (
  { ask, controls, plan }: Judging,
  { suspects, second }: Examined,
): { readonly proof: readonly Attempted[]; readonly tries: Tries } => {
  const granted = suspects.filter(({ reading }) => reading.verdict === 'granted');
  const twice = granted.filter(({ bypass }) => second.get(bypass)?.reading.verdict === 'granted');
  const records = granted.filter(({ reading }) => isRecord(reading));
  const isOnceOpen = !plan.bypasses.some(isPlain(controls)) && isRecord(readWithEnd(ask, controls.anonymous, controls));
  const proven = twice.length > 0 ? twice : records.length > (isOnceOpen ? 0 : 1) ? records : [];
  const isSteady = twice.some(({ bypass }) => second.get(bypass)?.exchange.probe.round === 2);
  return {
    proof: withoutBundles(proven, ({ bypass }) => bypass),
    tries: isSteady ? 'both' : twice.length > 0 ? 'some' : 'one',
  };
};

const opened = (judging: Judging, { common }: Examined, own: readonly Attempted[], tries: Tries): Judgement => {
  const { ask, controls } = judging;
  const proof = bySimpler(judging, own);
  const [decisive] = proof;
  if (!decisive) throw new TypeError('a proof has an attempt');
  const { bypass, reading } = decisive;
  const words = [...new Set(proof.map((one) => one.bypass.words))];
  const ways = [...new Set(proof.map((one) => howOf(one.bypass)))];
  const often = tries === 'both' ? '' : ' Not on every try: it opens now and then.';
  const isAlone = isPlain(controls)(bypass);
  const answers = proof.flatMap(({ exchange }) => answerOf(exchange) ?? []);
  const isLeak = answers.length > 0 && !answers.some((answer) => isSuccess(answer) || isRedirect(answer));
  const causeOf = (): Cause => {
    if (tries === 'one' || (tries === 'some' && isAlone)) return because('opens-now-and-then');
    if (!isAlone) return becauseOf(because('opens-by-bypass', ...words, ...readAs(decisive)), ways);
    return isLeak ? because('leaks-in-refusal', statusOf(decisive.exchange)) : because('opens-without-key');
  };
  const [one, several] = isLeak
    ? ['is refused, and the refusal gives data', 'are refused, and the refusal gives data']
    : ['opens it', 'open it'];
  return failed(
    causeOf(),
    `${listed(words)} ${words.length === 1 ? one : several} (${reading.seen}).${often}`,
    proof.map(({ exchange }) => exchange),
    {
      expected: 'anything but what the key opens',
      seen: reading.seen,
      readings: readingsOf(proof),
      openedBy: own.map((one) => nameOfPart(one.bypass)),
      ...(bypass.before ? { steps: [ask(bypass.before), decisive.exchange] } : {}),
      ...(bypass.together ? { steps: ask.all(bypass.together) } : {}),
      ...common,
    },
  );
};

/** The judgement if a second try was read differently from the first. */
const changing = ({ suspects, second, common }: Examined): Judgement | undefined => {
  const one = suspects.find(({ bypass, reading }) => second.get(bypass)?.reading.verdict !== reading.verdict);
  return (
    one &&
    inconclusive(
      because('changes-between-tries', one.bypass.words, ...readAs(one)),
      `${one.bypass.words} was answered with ${one.reading.seen}, and on a second try with ${second.get(one.bypass)?.reading.seen ?? 'nothing'}.`,
      [one.exchange],
      common,
    )
  );
};

/** The judgement if requests without the bypass sometimes get the same answer. */
const byChance = (judging: Judging, { common }: Examined, proof: readonly Attempted[]): Judgement | undefined => {
  const [first] = proof;
  return first && isGivenWithout(judging, proof)
    ? inconclusive(
        because('changes-between-tries', first.bypass.words, ...readAs(first)),
        `${first.bypass.words} was answered with ${first.reading.seen}, and so were some of several equal requests without it; others were refused.`,
        [first.exchange],
        common,
      )
    : undefined;
};

const unclear = (judging: Judging, { all, common }: Examined): Judgement | undefined => {
  const open = all.filter(({ reading }) => reading.verdict === 'unclear');
  const [first] = open;
  if (!first) return undefined;
  const exchanges = open.map(({ exchange }) => exchange);
  if (isUnclearWithout(judging, open))
    return blockedBy(
      onCheck('refuses-missing-key', judging.subject.operation.id),
      because('unclear-answer', ...readAs(first)),
      `Whether it opens without any key could not be judged (${first.reading.seen}), and these requests show no more: they get that status too.`,
      exchanges,
      common,
    );
  const isLimited = answerOf(first.exchange)?.status === 429;
  return inconclusive(
    isLimited
      ? because('rate-limit', first.bypass.words, open.length)
      : because('unclear-answer', first.bypass.words, open.length, ...readAs(first)),
    `${first.bypass.words} could not be judged: ${first.reading.seen}${open.length > 1 ? ` (and ${open.length - 1} more)` : ''}.${isLimited ? ` That is ${rateLimit}.` : ''}`,
    exchanges,
    { readings: readingsOf(open), ...common },
  );
};

const allRefused = ({ all, common: { comparedWith = [] } }: Examined): Judgement =>
  passed(
    all.length === 1
      ? `Refused: ${all[0]?.reading.seen}.`
      : `All ${all.length} were refused: ${listed(all.map(({ reading }) => reading.seen))}.`,
    all.map(({ exchange }) => exchange),
    { comparedWith, readings: readingsOf(all), ...remark(all) },
  );

/** Identifies a reading: line of the table, and status or error code. */
const readAs = ({ exchange, reading }: Attempted): readonly string[] => [String(reading.line), statusOf(exchange)];

/**
 * Whether the request without the bypass gets that status too, and is as unclear. Its check then
 * has the finding. Another format of such an answer may be read by another line of the table.
 */
const isUnclearWithout = ({ controls, plan, plain }: Judging, unclear: readonly Attempted[]): boolean => {
  if (plan.bypasses.some(isPlain(controls))) return false;
  const { outcome, cause } = plain();
  const status = cause?.values?.at(-1);
  return (
    outcome === 'inconclusive' &&
    cause?.id === 'unclear-answer' &&
    unclear.every(({ exchange }) => statusOf(exchange) === status)
  );
};

const remark = (attempted: readonly Attempted[]): { note?: string } => {
  const remarkable = attempted.filter(({ reading }) => reading.remarkable);
  if (remarkable.length === 0) return {};
  return {
    note: `Told in another way than by a client-error status: ${listed(remarkable.map(({ reading }) => reading.seen))}.`,
  };
};
