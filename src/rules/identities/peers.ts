import type { Operation } from '../../contract/model.js';
import type { Applies, KeyHolder, OperationSubject } from '../rule.js';
import { splitTarget } from '../support/targets.js';
import { isAccountPlaceholder } from './account-claims.js';
import { type IdentityView, identityViewOf, ownItemOf } from './identity-views.js';

/** Peers: identities with equal rights and different accounts. */

/**
 * An operation with made-up values as it would be asked if values were known. `undefined` for one
 * that gets no key for another reason.
 */
export const asIfKnown = (subject: OperationSubject): OperationSubject | undefined => {
  const { keyless, ...operation } = subject.operation;
  if (keyless === undefined) return subject;
  return keyless.cause === 'no-value' ? { ...subject, operation } : undefined;
};

/** Pairs of peers that can both ask for an operation. */
export const peersOf = (subject: OperationSubject): readonly PeerPair[] => {
  const { identities = [] } = subject.deployment;
  return identities.flatMap((one, index) =>
    identities.slice(index + 1).flatMap((other): PeerPair[] => {
      const [a, b] = one.peers.includes(other.name)
        ? [identityViewOf(subject, one), identityViewOf(subject, other)]
        : [];
      return a && b ? [[a, b]] : [];
    }),
  );
};

/** An owner's view of an operation with its own id, and a peer that must not get the answer. */
export interface Trespass {
  readonly owner: IdentityView;
  readonly peer: KeyHolder;
}

/** Each identity with an own id for the operation, combined with each of its peers. */
export const trespassesOf = (subject: OperationSubject): readonly Trespass[] =>
  (subject.deployment.identities ?? []).flatMap((identity) => {
    const owner = ownItemOf(subject, identity);
    const peers = (subject.deployment.identities ?? []).filter(
      (other) => identity.peers.includes(other.name) && identityViewOf(subject, other) !== undefined,
    );
    return owner ? peers.map((peer) => ({ owner, peer })) : [];
  });

/** Operations that the rules about several identities apply to. */

const noIdentities = 'No identities were given (IDENTITIES), so nobody else could ask.';

/**
 * Protected operations that state scopes.
 * @param others the identities that the rule looks at
 * @param lacking the reason if there are none
 */
export const protectedWithScopes = (
  { operation, deployment }: OperationSubject,
  others: () => readonly IdentityView[],
  lacking: string,
): Applies => {
  if (operation.access !== 'protected' || operation.requirements === undefined) return false;
  if (deployment.identities === undefined) return noIdentities;
  return others().length > 0 || lacking;
};

/** Two peers, each with its view of the operation. */
export type PeerPair = readonly [IdentityView, IdentityView];

/** Whether nothing in the path of an operation but the account says what each identity asks for. */
export const asksForAccount = ({ path, target }: Operation): boolean => {
  const [filled = ''] = splitTarget(target);
  const parameters = path.match(/\{[^{}]*\}/g) ?? [];
  return parameters.length === (filled.match(/<[^<>]*>/g) ?? []).filter(isAccountPlaceholder).length;
};

/** Whether an operation is asked with values that may belong to one account. */
export const takesValues = ({ path, placeholders }: Operation): boolean =>
  path.includes('{') || placeholders !== undefined;

/** Operations with data of a single account. */
export const ownedWithPeers = (
  { operation, deployment }: OperationSubject,
  isJudgedHere: (operation: Operation) => boolean,
  pairs: readonly PeerPair[],
): Applies => {
  if (operation.access !== 'protected' || !operation.owned || !isJudgedHere(operation)) return false;
  if (deployment.identities === undefined) return noIdentities;
  return pairs.length > 0 || 'No two identities that can ask for it are peers (peers in IDENTITIES).';
};
