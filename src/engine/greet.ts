import type { Contract } from '../contract/model.js';
import type { Deployment } from '../rules/rule.js';
import type { Target } from '../settings/target.js';
import type { Probe } from '../wire/types.js';
import type { Sender } from './ask.js';
import { type PlanOptions, planOf } from './plan.js';
import { reach } from './reach.js';
import { firstTogether, openingOf } from './stages.js';
import { isExampled } from './values/sources.js';

interface Greeting {
  readonly choice: PlanOptions;
  readonly target: Pick<Target, 'maxRequests'>;
  readonly sender: Sender;
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
 * soon as the first one was written, since the server has then shown its certificate.
 */
export const greet = async (document: Contract, deployment: Deployment, greeting: Greeting): Promise<boolean> => {
  const { sender, underWay } = greeting;
  const hello = reach(document, deployment, sender);
  const beside = besideHello(document, deployment, greeting);
  const isUnderWay = await Promise.race([underWay.seen.then(() => true), hello.then(() => false)]);
  // Errors are ignored here: the check that needs the request reports them.
  if (isUnderWay) await sender.send(beside.map((probe) => [probe])).catch(() => undefined);
  return hello;
};
