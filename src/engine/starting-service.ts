import { setTimeout as pause } from 'node:timers/promises';
import type { Contract } from '../contract/model.js';
import { answerOf, isUnavailable } from '../rules/oracle/answers.js';
import type { Deployment } from '../rules/rule.js';
import { firstAnswered } from '../rules/support/first-answer.js';
import { nonce } from '../rules/support/nonce.js';
import { serviceRequest } from '../rules/support/requests.js';
import type { Target } from '../settings/target.js';
import { type Exchange, exchangeId, type Probe } from '../wire/types.js';
import { judgeThrough, type Sender } from './ask.js';
import { type PlanOptions, planOf } from './plan.js';
import type { RunInput } from './run-input.js';
import { firstTogether, openingOf } from './stages.js';
import { isExampled } from './values/sources.js';

/** The first request of a run shows whether the service answers, or is only starting. */

/** The first exchange of the run. The service was not reached if it got no HTTP answer. */
export const firstExchange = (contract: Contract, deployment: Deployment, sender: Sender): Promise<Exchange> =>
  judgeThrough((ask) => firstAnswered(ask, { contract, deployment }), sender);

/** Longest wait for a service to start, and the pause between two looks, in milliseconds. */
const mostMs = 10_000;
const pauseMs = 500;

/** The status with which a gateway answers for a service that is not there yet. */
const unavailableStatus = (exchange: Exchange | undefined): number | undefined => {
  const answer = exchange && answerOf(exchange);
  return answer && isUnavailable(answer) ? answer.status : undefined;
};

interface Starting {
  readonly sender: Sender;
  /** Milliseconds that may be spent at most. */
  readonly budgetMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: RunInput['onProgress'];
}

/**
 * Waits while a service starts: until the base path or a missing path gets another answer than 502,
 * 503 or 504. One such answer shows that the service is up.
 * @param first the answer to the first request of the run
 * @returns whether the service answers by now, so that earlier answers may be of its start
 */
const waitForStart = async (
  first: Exchange,
  contract: Contract,
  deployment: Deployment,
  { sender, budgetMs, signal, onProgress }: Starting,
): Promise<boolean> => {
  if (unavailableStatus(first) === undefined) return false;
  const since = performance.now();
  const longest = Math.min(mostMs, budgetMs);
  const missing = `${deployment.basePath}/missing-${nonce(deployment, 'start')}`;
  const looksAt = (round: number): readonly Probe[] => {
    const { origin, target } = first.probe;
    const base = serviceRequest(
      { contract, deployment },
      { name: 'the base path, while the service starts', origin, target, round },
    );
    return [base, { ...base, name: 'a path that does not exist, while the service starts', target: missing }];
  };
  for (let round = 1; !signal?.aborted; round += 1) {
    const looks = looksAt(round);
    await sender.send(looks.map((probe) => [probe]));
    const statuses = looks.map((probe) => unavailableStatus(sender.get(exchangeId(probe))));
    if (statuses.includes(undefined)) {
      if (round > 1) onProgress?.({ type: 'resumed' });
      return true;
    }
    const forMs = performance.now() - since;
    if (forMs >= longest) return false;
    onProgress?.({ type: 'waiting', wait: { kind: 'starting', forMs, status: statuses[0] ?? 0, budgetMs: longest } });
    await pause(pauseMs);
  }
  return false;
};

interface Greeting extends Omit<Starting, 'budgetMs'> {
  readonly choice: PlanOptions;
  readonly target: Pick<Target, 'maxRequests' | 'rateLimitWaitS'>;
  /** Drops an exchange, so that its probe is sent again. */
  readonly forget: (id: string) => void;
  readonly underWay: FirstSent;
}

/** Resolves `seen` when the first request was written. */
export class FirstSent {
  note: () => void = () => undefined;
  readonly seen = new Promise<void>((resolve) => {
    this.note = resolve;
  });
}

/**
 * The requests without the key that can be sent before the service has answered: the document has
 * all parameter values, its operations are judged together, and no budget drops any.
 */
const besideHello = (
  document: Contract,
  deployment: Deployment,
  { choice, target }: Pick<Greeting, 'choice' | 'target'>,
): readonly Probe[] => {
  const { operations, unprobed } = document;
  if (operations.length > firstTogether || target.maxRequests !== undefined) return [];
  if (unprobed.some(({ fillable }) => fillable !== undefined) || operations.some(isExampled)) return [];
  return openingOf(planOf(document, deployment, choice).checks);
};

/**
 * Sends the first request, and returns its exchange. Requests without a key are sent as
 * soon as the first one was written, since the server has then shown its certificate. Waits for a
 * service that starts.
 */
export const greet = async (document: Contract, deployment: Deployment, greeting: Greeting): Promise<Exchange> => {
  const { sender, underWay, forget, target } = greeting;
  const hello = firstExchange(document, deployment, sender);
  const beside = besideHello(document, deployment, greeting);
  const isUnderWay = await Promise.race([underWay.seen.then(() => true), hello.then(() => false)]);
  // Errors are ignored here: the check that needs the request reports them.
  if (isUnderWay) await sender.send(beside.map((probe) => [probe])).catch(() => undefined);
  const first = await hello;
  if (!answerOf(first)) return first;
  const budgetMs = target.rateLimitWaitS * 1000;
  const isUp = await waitForStart(first, document, deployment, { ...greeting, budgetMs });
  // Answers from before the service had started show nothing about it.
  if (isUp) for (const probe of [first.probe, ...beside]) forget(exchangeId(probe));
  return first;
};
