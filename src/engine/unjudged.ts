import { rules } from '../rules/index.js';
import type { Judgement } from '../rules/rule.js';
import { because, onCheck } from '../rules/support/judgement.js';
import type { KeyRing } from '../wire/keyring.js';
import type { Exchange } from '../wire/types.js';
import type { PlannedCheck } from './plan.js';

/** The judgements of checks that were not judged. */

/** The judgement of a check that was not reached because the run was stopped. */
export const stopped: Judgement = {
  outcome: 'inconclusive',
  cause: because('run-stopped'),
  reason: 'The run was stopped before this was judged.',
  exchanges: [],
};

/** The judgement of such a check in a run that has sent `MAX_REQUESTS` requests. */
export const outOfRequests: Judgement = {
  ...stopped,
  cause: because('run-stopped', 'MAX_REQUESTS'),
  reason: 'MAX_REQUESTS was reached before this was judged.',
};

/** The judgement of such a check in a run whose target answers nothing any more. */
export const silenced = (message: string): Judgement => ({
  ...stopped,
  cause: because('service-silent'),
  reason: `The service stopped answering before this was judged: ${message}.`,
});

/** The judgement of a check that sent nothing: excluded, or not reached. */
export const unjudged = ({ excluded }: PlannedCheck): Judgement =>
  excluded === undefined ? stopped : { outcome: 'excluded', reason: excluded, exchanges: [] };

/**
 * Judgement for an error of the suite itself. It makes one check inconclusive, never ends the run,
 * and is never blamed on the server.
 */
export const suiteFault = (error: unknown, keys: Pick<KeyRing, 'redact'>): Judgement => ({
  outcome: 'inconclusive',
  cause: because('suite-fault'),
  reason: `The suite itself failed here (please report it): ${keys.redact(error instanceof Error ? `${error.name}: ${error.message}` : String(error))}.`,
  exchanges: [],
});

/** Ids of rules that show whether the deployment answers at all. */
export const connectionRules: readonly string[] = rules.flatMap(({ id, explains }) =>
  explains === 'connection' ? [id] : [],
);

/**
 * The judgement of every other check where no request got through. It says why: the check that it
 * depends on may not be selected.
 * @param first the first exchange of the run
 */
export const unreachable = (first: Exchange): Judgement => ({
  outcome: 'blocked',
  cause: because('rests-on-check', ...connectionRules),
  reason: `Depends on ${connectionRules.map((rule) => `${rule}@service`).join(', ')}, which did not pass: no request got through (${first.attempts.at(-1)?.error?.message ?? 'nothing came'}).`,
  blockedBy: connectionRules.map((rule) => onCheck(rule, 'service')),
  exchanges: [],
});
