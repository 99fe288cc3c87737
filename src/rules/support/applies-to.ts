import type { Applies, OperationSubject } from '../rule.js';

/** Where rules apply. */

export const protectedOperations = ({ operation }: OperationSubject): boolean => operation.access === 'protected';

/** Protected operations, where PROBES=extended; `what` names what is left out otherwise. */
export const protectedWhenExtended =
  (what: string) =>
  (subject: OperationSubject): Applies =>
    protectedOperations(subject) && (subject.deployment.probes === 'extended' || `PROBES=standard leaves out ${what}.`);
