import type { Contract } from '../contract/model.js';
import type { Deployment } from '../rules/rule.js';
import type { Target } from '../settings/target.js';
import { exchangeId } from '../wire/exchange-id.js';
import type { Probe } from '../wire/types.js';
import { type PlanOptions, planOf } from './plan.js';
import { reach } from './reach.js';
import { firstTogether, openingOf } from './stages.js';
import { type Starting, waitForStart } from './starting.js';
import { isExampled } from './values/sources.js';

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
 * The first requests without the key, where they are known before the service has answered: the
 * document has all parameter values, its operations are judged together, and no budget drops any.
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
 * Sends the first request, and returns whether it got through. Requests without a key are sent as
 * soon as the first one was written, since the server has then shown its certificate. Waits for a
 * service that starts.
 */
export const greet = async (document: Contract, deployment: Deployment, greeting: Greeting): Promise<boolean> => {
  const { sender, underWay, forget, target } = greeting;
  const hello = reach(document, deployment, sender);
  const beside = besideHello(document, deployment, greeting);
  const isUnderWay = await Promise.race([underWay.seen.then(() => true), hello.then(() => false)]);
  // Errors are ignored here: the check that needs the request reports them.
  if (isUnderWay) await sender.send(beside.map((probe) => [probe])).catch(() => undefined);
  const first = await hello;
  if (!first) return false;
  const budgetMs = target.rateLimitWaitS * 1000;
  const isUp = await waitForStart(first, document, deployment, { ...greeting, budgetMs });
  // What a service said before it had started shows nothing of it.
  if (isUp) for (const probe of [first.probe, ...beside]) forget(exchangeId(probe));
  return true;
};
