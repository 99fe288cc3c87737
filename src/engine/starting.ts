import type { Contract } from '../contract/model.js';
import { answerOf, isUnavailable } from '../rules/oracle/answers.js';
import type { Deployment } from '../rules/rule.js';
import { nonce, serviceRequest } from '../rules/support/requests.js';
import { exchangeId } from '../wire/exchange-id.js';
import type { Exchange, Probe } from '../wire/types.js';
import type { Sender } from './ask.js';
import type { RunInput } from './run-input.js';

/** Longest wait for a service to start, and the pause between two looks, in milliseconds. */
const mostMs = 10_000;
const pauseMs = 500;

/** The status with which a gateway answers for a service that is not there yet. */
const unavailableStatus = (exchange: Exchange | undefined): number | undefined => {
  const answer = exchange && answerOf(exchange);
  return answer && isUnavailable(answer) ? answer.status : undefined;
};

export interface Starting {
  readonly sender: Sender;
  /** Milliseconds that may be spent at most. */
  readonly budgetMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: RunInput['onProgress'];
}

/**
 * Waits while a service starts: until the base path or a missing path is answered otherwise than
 * with 502, 503 or 504. A service that answers one of them is up, whatever it says of the other.
 * @param first the answer to the first request of the run
 * @returns whether the answer to the first request has changed since
 */
export const waitForStart = async (
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
      return statuses[0] === undefined;
    }
    const forMs = performance.now() - since;
    if (forMs >= longest) return false;
    onProgress?.({ type: 'waiting', wait: { kind: 'starting', forMs, status: statuses[0] ?? 0, budgetMs: longest } });
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return false;
};
