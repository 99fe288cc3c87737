import type { Applies, OperationSubject } from '../rule.js';
import type { View } from './views.js';

/** Operations that the rules about several identities apply to. */

const noIdentities = 'No identities were given (IDENTITIES), so nobody else could ask.';

/**
 * Protected operations that state scopes.
 * @param others the identities that the rule looks at
 * @param lacking the reason if there are none
 */
export const protectedWithScopes = (
  subject: OperationSubject,
  { others, lacking }: { readonly others: (subject: OperationSubject) => readonly View[]; readonly lacking: string },
): Applies => {
  const { operation, deployment } = subject;
  if (operation.access !== 'protected' || operation.requirements === undefined) return false;
  if (deployment.identities === undefined) return noIdentities;
  return others(subject).length > 0 || lacking;
};

/** Two peers, each with its view of the operation. */
export type Pair = readonly [View, View];

/** Operations with data of a single account. */
export const ownedWithPeers = (
  { operation, deployment }: OperationSubject,
  hasParameters: boolean,
  pairs: readonly Pair[],
): Applies => {
  if (operation.access !== 'protected' || !operation.owned || operation.path.includes('{') !== hasParameters)
    return false;
  if (deployment.identities === undefined) return noIdentities;
  return pairs.length > 0 || 'No two identities that can ask for it are peers (peers in IDENTITIES).';
};
