import type { Exchange, Probe } from '../../wire/types.js';
import {
  answerOf,
  closesEachTime,
  isCertificateRefused,
  isSuccess,
  partialAnswerOf,
  saysNothing,
} from '../oracle/answers.js';
import { keyStillOpens } from '../oracle/later-reads.js';
import { type ReadExchange, readResponse } from '../oracle/reading.js';
import { isSame } from '../oracle/same.js';
import type { UsableControls } from '../oracle/usable-controls.js';
import type { Ask, Judgement } from '../rule.js';
import { shutOut, statusOf } from '../support/follow-up.js';
import { because, inconclusive } from '../support/judgement.js';
import { again } from '../support/requests.js';
import { splitTarget } from '../support/targets.js';
import { type Attempted, attempt, isPlain, type Judging, readWithEnd } from './bypass.js';
import { opensByNow } from './opens-by-now.js';

/** The key stopped opening the operation: an outage, a ban, or one of several servers. */

/** How often the keyed read is repeated. */
const moreReads = [1, 2, 3] as const;

/**
 * The keyed read after these requests. It is repeated, since one of several servers may fail it. It
 * is not repeated if one of these requests was refused alike, which may be a ban.
 */
export const readStill = (ask: Ask, probe: Probe, controls: UsableControls, sent: readonly Exchange[]): Exchange => {
  const read = ask(probe);
  const answer = answerOf(read);
  const isNoRefusal = answer !== undefined && (isSuccess(answer) || answer.status >= 500);
  const mayBeBan = !isNoRefusal && sent.some((exchange) => statusOf(exchange) === statusOf(read));
  if (keyStillOpens(read, controls) || mayBeBan || isBadCertificate(read)) return read;
  // A balancer may choose the server by connection.
  const more = moreReads.map((count): Probe => ({ ...again(probe, probe.round + count), connection: 'fresh' }));
  return ask.all(more).find((one) => keyStillOpens(one, controls)) ?? read;
};

/** The certificate was refused. Another try must not hide that. */
const isBadCertificate = ({ attempts }: Exchange): boolean => attempts.some(isCertificateRefused);

/** The API gave no answer: a gateway error, a failure, or a connection that is closed each time. */
const isSilent = ({ exchange, reading }: Attempted): boolean =>
  reading.line === 3 &&
  !isBadCertificate(exchange) &&
  answerOf(exchange)?.status !== 429 &&
  (reading.verdict === 'unclear' || closesEachTime(exchange));

/** The part of a broken answer that arrived may be data, whatever a later answer is. */
const holdsPart = (exchange: Exchange, { background }: UsableControls): boolean => {
  const part = partialAnswerOf(exchange);
  return part !== undefined && readResponse(part, background).verdict !== 'refused';
};

/** Number of unanswered requests that show whether the service was out. */
const samples = 3;

/**
 * Sends unanswered requests again once the key opens the operation, since the service may have been
 * out. A few are sent first. If they get no answer either, the service treats such requests that
 * way.
 */
export const askedLater = (judging: Judging, attempted: readonly Attempted[]): readonly Attempted[] => {
  const { ask, controls, plan, health } = judging;
  const silent = attempted.filter(
    (one) => isSilent(one) && !isPlain(controls)(one.bypass) && !holdsPart(one.exchange, controls),
  );
  if (silent.length === 0 || plan.inSeries || !keyStillOpens(health, controls)) return attempted;
  const later = ({ bypass }: Attempted): Attempted =>
    attempt(ask, { ...bypass, probe: { ...bypass.probe, occasion: 'after it got no answer' } }, controls);
  const step = Math.max(1, Math.ceil(silent.length / samples));
  const sampled = ask.each(
    silent.filter((_, index) => index % step === 0),
    later,
  );
  if (sampled.every(isSilent)) return attempted;
  const answered = new Map(ask.each(silent, (one) => [one, later(one)] as const));
  return attempted.map((one) => answered.get(one) ?? one);
};

/**
 * Parts of the judgements that the key no longer opens the operation, or that the client is shut
 * out. Refusals show nothing then.
 */

type Common = Pick<Judgement, 'comparedWith' | 'opened'>;

/**
 * Whether the key still gets a success in another format, and no request without it got that, or
 * anything to read. Then the format of an opening does not matter.
 */
const opensInAnotherForm = (
  { controls, health }: Pick<Judging, 'controls' | 'health'>,
  all: readonly ReadExchange[],
): boolean => {
  const answer = answerOf(health);
  return (
    answer !== undefined &&
    isSuccess(answer) &&
    controls.background.anonymousRefused &&
    all.every(
      ({ exchange, reading }) =>
        reading.verdict === 'refused' &&
        (reading.line === 2 || isBare(exchange)) &&
        // A ban may give everybody the same success, also to the key.
        !isSame(answerOf(exchange), answer),
    )
  );
};

/** An error, no answer, or an answer without content. */
const isBare = (exchange: Exchange): boolean => {
  const answer = answerOf(exchange);
  if (!answer) return true;
  return answer.status >= 400 || (answer.shape.kind === 'empty' && exchange.probe.method !== 'HEAD');
};

export const keyLost = (
  judging: Pick<Judging, 'controls' | 'health'>,
  all: readonly ReadExchange[],
  { comparedWith = [] }: Common = {},
): Judgement | undefined =>
  keyStillOpens(judging.health, judging.controls) || opensInAnotherForm(judging, all)
    ? undefined
    : inconclusive(
        because('key-no-longer-opens', answerOf(judging.health)?.status),
        `Judging had to stop: after these requests the key no longer opened the operation (${whyNot(judging.health)}), so their refusals say nothing.`,
        [judging.health, ...all.map(({ exchange }) => exchange)],
        { comparedWith },
      );

export const rateLimit = 'a rate limit: wait longer with RATE_LIMIT_WAIT_S, or run again when it is over';

const whyNot = (health: Exchange): string => {
  const answer = answerOf(health);
  if (answer?.status === 429) return `429, ${rateLimit}`;
  if (isSuccess(answer)) return `${answer.status} with another body than before`;
  return `${answer?.status ?? 'no answer'}; a ban or an outage`;
};

const requestedPath = ({ probe }: Exchange): string => splitTarget(probe.target)[0];

/** Number of final refusals that show that the client was shut out. */
const lastRequests = 3;

/**
 * The judgement if the client was shut out: the last refusals have another status than the
 * controls, and so does the plain request when it is sent again. At the operation's own path, only
 * the read without a key is a control.
 */
export const clientRefused = (judging: Judging, all: readonly Attempted[], common: Common): Judgement | undefined => {
  const { ask, controls, plan } = judging;
  const { anonymous, missing, base, random } = controls;
  const isOdd = ({ exchange }: Attempted): boolean => {
    const known = requestedPath(exchange) === requestedPath(anonymous) ? [anonymous] : [anonymous, missing, base];
    return known.every((control) => statusOf(control) !== statusOf(exchange));
  };
  const { method } = anonymous.probe;
  const last = all.filter(({ exchange }) => exchange.probe.method === method).slice(-lastRequests);
  const [refusal] = last;
  const before = answerOf(anonymous);
  // An answer after an outage is no ban, nor is one that a random key got at first, if the read
  // without a key met a server error.
  const isOutage =
    before &&
    (saysNothing(before) || (before.status >= 500 && refusal && statusOf(random) === statusOf(refusal.exchange)));
  if (!before || isOutage || plan.inSeries || !refusal || !last.every(isOdd)) return undefined;
  const found = shutOut(ask, [anonymous], refusal.exchange, common);
  return found && (opensInstead(judging, found, common) ?? found);
};

/** The judgement if that status is by now no refusal of the plain request, but opens it. */
const opensInstead = (judging: Judging, { exchanges }: Judgement, common: Common): Judgement | undefined => {
  const { ask, controls } = judging;
  const later = exchanges.at(-1);
  if (!later) return undefined;
  const reading = readWithEnd(ask, later, controls);
  if (reading.verdict !== 'granted') return undefined;
  return (
    opensByNow(judging, []) ??
    inconclusive(
      because('changes-between-tries', String(reading.line)),
      `The request without a key was refused at first, and answered with ${reading.seen} later, but not each time.`,
      [controls.anonymous, later],
      { ...common, opened: [...(common.opened ?? []), later] },
    )
  );
};
