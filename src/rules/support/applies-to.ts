import type { Applies, OperationSubject } from '../rule.js';

/** Operations that rules apply to. */

export const protectedOperations = ({ operation }: OperationSubject): boolean => operation.access === 'protected';

/** Protected operations, with PROBES=extended only. `what` names what is left out otherwise. */
export const protectedWhenExtended =
  (what: string) =>
  (subject: OperationSubject): Applies =>
    protectedOperations(subject) && (subject.deployment.probes === 'extended' || `PROBES=standard leaves out ${what}.`);
