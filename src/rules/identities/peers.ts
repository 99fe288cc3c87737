import type { KeyHolder, OperationSubject } from '../rule.js';
import type { Pair } from './applies-to.js';
import { ownItemOf, type View, viewOf } from './views.js';

/** Identities with the same rights and other accounts. */

const pairsBy = (
  subject: OperationSubject,
  viewFor: (subject: OperationSubject, identity: KeyHolder) => View | undefined,
): readonly Pair[] => {
  const { identities = [] } = subject.deployment;
  return identities.flatMap((one, index) =>
    identities.slice(index + 1).flatMap((other): Pair[] => {
      const [a, b] = one.peers.includes(other.name) ? [viewFor(subject, one), viewFor(subject, other)] : [];
      return a && b ? [[a, b]] : [];
    }),
  );
};

/** Peers that can both ask for an operation. */
export const peersOf = (subject: OperationSubject): readonly Pair[] => pairsBy(subject, viewOf);

/** The owner of something, and a peer that must not get it: both ways. */
export interface Trespass {
  readonly owner: View;
  readonly peer: KeyHolder;
}

/** Who has an id of its own for an operation, each with each of its peers. */
export const trespassesOf = (subject: OperationSubject): readonly Trespass[] =>
  (subject.deployment.identities ?? []).flatMap((identity) => {
    const owner = ownItemOf(subject, identity);
    const peers = (subject.deployment.identities ?? []).filter(
      (other) => identity.peers.includes(other.name) && viewOf(subject, other) !== undefined,
    );
    return owner ? peers.map((peer) => ({ owner, peer })) : [];
  });
