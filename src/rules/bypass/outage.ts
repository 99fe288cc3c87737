import type { Exchange, Probe } from '../../wire/types.js';
import { answerOf, closesEachTime, isCertificateRefused, isSuccess } from '../oracle/answers.js';
import { isHealthy } from '../oracle/later-reads.js';
import type { UsableControls } from '../oracle/usable-controls.js';
import type { Ask } from '../rule.js';
import { statusOf } from '../support/repeat.js';
import { again } from '../support/requests.js';
import { type Attempted, isPlain, type Judging, readBypass } from './bypass.js';

/** A service that is out for a moment, or one of whose servers is. */

/** How often the keyed read is repeated. */
const moreReads = [1, 2, 3] as const;

/**
 * The keyed read after these requests. One of several servers may fail it, so it is repeated, unless
 * one of these requests was refused alike: then it may be a ban.
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

/** No answer of the API: a gateway without one, a failure, or a connection that is closed each time. */
const isSilent = ({ exchange, reading }: Attempted): boolean =>
  reading.line === 3 &&
  !isBadCertificate(exchange) &&
  answerOf(exchange)?.status !== 429 &&
  (reading.verdict === 'unclear' || closesEachTime(exchange));

/** How many of the requests without an answer show whether the service was out. */
const samples = 3;

/**
 * Asks again what got no answer, now that the key opens the operation: the service may have been out
 * for a moment. A few are asked first. If they get no answer either, that is how it treats them.
 */
export const askedLater = (judging: Judging, attempted: readonly Attempted[]): readonly Attempted[] => {
  const { ask, controls, plan, health } = judging;
  const silent = attempted.filter((one) => isSilent(one) && !isPlain(controls)(one.bypass));
  if (silent.length === 0 || plan.inSeries || !isHealthy(health, controls)) return attempted;
  const later = (one: Attempted): Attempted => {
    const bypass = { ...one.bypass, probe: { ...one.bypass.probe, occasion: 'after it got no answer' } };
    const exchange = ask(bypass.probe);
    return { bypass, exchange, reading: readBypass(ask, bypass, exchange, controls) };
  };
  const step = Math.max(1, Math.ceil(silent.length / samples));
  const sampled = ask.each(
    silent.filter((_, index) => index % step === 0),
    later,
  );
  if (sampled.every(isSilent)) return attempted;
  const answered = new Map(ask.each(silent, (one) => [one, later(one)] as const));
  return attempted.map((one) => answered.get(one) ?? one);
};
