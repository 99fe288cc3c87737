import type { Exchange } from '../../wire/types.js';
import { answerOf, isSuccess } from '../oracle/answers.js';
import { isHealthy } from '../oracle/later-reads.js';
import type { Judgement } from '../rule.js';
import { because, inconclusive } from '../support/judgement.js';
import { shutOut, statusOf } from '../support/repeat.js';
import { splitTarget } from '../support/requests.js';
import type { Attempted, Judging } from './bypass.js';

/** The key no longer opens the operation, or the client is shut out: then refusals show nothing. */

type Common = Pick<Judgement, 'comparedWith' | 'opened'>;

/**
 * Whether the key still gets a success, if another one, and no request without it got anything to
 * read. Then it does not matter in which format the operation would have opened.
 */
export const opensInAnotherForm = (
  { controls, health }: Pick<Judging, 'controls' | 'health'>,
  all: readonly Pick<Attempted, 'exchange' | 'reading'>[],
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
  judging: Judging,
  all: readonly Attempted[],
  { comparedWith = [] }: Common,
): Judgement | undefined =>
  isHealthy(judging.health, judging.controls) || opensInAnotherForm(judging, all)
    ? undefined
    : inconclusive(
        because('key-no-longer-opens', answerOf(judging.health)?.status),
        `Judging had to stop: after these requests the key no longer opened the operation (${whyNot(judging.health)}), so their refusals say nothing.`,
        all.map(({ exchange }) => exchange),
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
  return !plan.inSeries && refusal && last.every(isOdd)
    ? shutOut(ask, [anonymous], refusal.exchange, common)
    : undefined;
};
