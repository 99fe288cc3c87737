import type { Exchange, Probe } from '../../wire/types.js';
import {
  answerOf,
  closesEachTime,
  isCertificateRefused,
  isSuccess,
  partialAnswerOf,
  saysNothing,
} from '../oracle/answers.js';
import { isHealthy } from '../oracle/later-reads.js';
import { type Read, readResponse } from '../oracle/reading.js';
import type { UsableControls } from '../oracle/usable-controls.js';
import type { Ask, Judgement } from '../rule.js';
import { shutOut, statusOf } from '../support/follow-up.js';
import { because, inconclusive } from '../support/judgement.js';
import { again, splitTarget } from '../support/requests.js';
import { type Attempted, attempt, isPlain, type Judging } from './bypass.js';

/** A service that is out for a moment, or one of whose servers is. */

/** How often the keyed read is repeated. */
const moreReads = [1, 2, 3] as const;

/**
 * The keyed read after these requests. One of several servers may fail it, so it is repeated,
 * unless one of these requests was refused alike: then it may be a ban.
 */
export const readStill = (ask: Ask, probe: Probe, controls: UsableControls, sent: readonly Exchange[]): Exchange => {
  const read = ask(probe);
  const answer = answerOf(read);
  const isNoRefusal = answer !== undefined && (isSuccess(answer) || answer.status >= 500);
  const mayBeBan = !isNoRefusal && sent.some((exchange) => statusOf(exchange) === statusOf(read));
  if (isHealthy(read, controls) || mayBeBan || isBadCertificate(read)) return read;
  // A balancer may choose the server by connection.
  const more = moreReads.map((count): Probe => ({ ...again(probe, probe.round + count), connection: 'fresh' }));
  return ask.all(more).find((one) => isHealthy(one, controls)) ?? read;
};

/** HTTPS-1 is broken there, which another try must not hide. */
const isBadCertificate = ({ attempts }: Exchange): boolean => attempts.some(isCertificateRefused);

/**
 * No answer of the API: a gateway without one, a failure, or a connection that is closed each time.
 */
const isSilent = ({ exchange, reading }: Attempted): boolean =>
  reading.line === 3 &&
  !isBadCertificate(exchange) &&
  answerOf(exchange)?.status !== 429 &&
  (reading.verdict === 'unclear' || closesEachTime(exchange));

/** What came of an answer that broke off may be data, which a later refusal does not take back. */
const holdsPart = (exchange: Exchange, { background }: UsableControls): boolean => {
  const part = partialAnswerOf(exchange);
  return part !== undefined && readResponse(part, background).verdict !== 'refused';
};

/** How many of the requests without an answer show whether the service was out. */
const samples = 3;

/**
 * Asks again what got no answer, now that the key opens the operation: the service may have been
 * out for a moment. A few are asked first. If they get no answer either, that is how it treats
 * them.
 */
export const askedLater = (judging: Judging, attempted: readonly Attempted[]): readonly Attempted[] => {
  const { ask, controls, plan, health } = judging;
  const silent = attempted.filter(
    (one) => isSilent(one) && !isPlain(controls)(one.bypass) && !holdsPart(one.exchange, controls),
  );
  if (silent.length === 0 || plan.inSeries || !isHealthy(health, controls)) return attempted;
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

/** The key no longer opens the operation, or the client is shut out: then refusals show nothing. */

type Common = Pick<Judgement, 'comparedWith' | 'opened'>;

/**
 * Whether the key still gets a success, if another one, and no request without it got anything to
 * read. Then it does not matter in which format the operation would have opened.
 */
const opensInAnotherForm = (
  { controls, health }: Pick<Judging, 'controls' | 'health'>,
  all: readonly Read[],
): boolean => {
  const answer = answerOf(health);
  return (
    answer !== undefined &&
    isSuccess(answer) &&
    controls.background.anonymousRefused &&
    all.every(({ exchange, reading }) => reading.verdict === 'refused' && (reading.line === 2 || isBare(exchange)))
  );
};

/** An error, no answer, or one that has no content. */
const isBare = (exchange: Exchange): boolean => {
  const answer = answerOf(exchange);
  if (!answer) return true;
  return answer.status >= 400 || (answer.shape.kind === 'empty' && exchange.probe.method !== 'HEAD');
};

export const keyLost = (
  judging: Pick<Judging, 'controls' | 'health'>,
  all: readonly Read[],
  { comparedWith = [] }: Common = {},
): Judgement | undefined =>
  isHealthy(judging.health, judging.controls) || opensInAnotherForm(judging, all)
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
  if (answer && isSuccess(answer)) return `${answer.status} with another body than before`;
  return `${answer?.status ?? 'no answer'}; a ban or an outage`;
};

const pathOf = ({ probe }: Exchange): string => splitTarget(probe.target)[0];

/** Number of last refusals that show that the client was shut out. */
const lastRequests = 3;

/**
 * The last refusals have another status than the controls, and the request without the bypass has
 * it too by now. At the operation's own path, only the read without a key is a control.
 */
export const clientRefused = (
  { ask, controls, plan }: Judging,
  all: readonly Attempted[],
  common: Common,
): Judgement | undefined => {
  const { anonymous, missing, base } = controls;
  const isOdd = ({ exchange }: Attempted): boolean => {
    const known = pathOf(exchange) === pathOf(anonymous) ? [anonymous] : [anonymous, missing, base];
    return known.every((control) => statusOf(control) !== statusOf(exchange));
  };
  const { method } = anonymous.probe;
  const last = all.filter(({ exchange }) => exchange.probe.method === method).slice(-lastRequests);
  const [refusal] = last;
  const before = answerOf(anonymous);
  // What a service answers after an outage is no ban.
  return before && !saysNothing(before) && !plan.inSeries && refusal && last.every(isOdd)
    ? shutOut(ask, [anonymous], refusal.exchange, common)
    : undefined;
};
