import type { AskedBy } from '../rules/rule.js';

/** An identity that sends requests, as results.json names it. */
export interface IdentityResult {
  /** `nobody`, `invalid key`, `the key`, or a name of the `IDENTITIES` file. */
  readonly name: string;
  /** Scopes or roles of the identity, where they are known. */
  readonly scopes?: readonly string[];
  /** Names of identities with the same rights and another account. */
  readonly peers?: readonly string[];
  /** Whether the identity's key opened any operation; absent for identities without a key. */
  readonly alive?: boolean;
}

/** Documented and observed access of an identity to an operation. */
export interface MatrixCell {
  /** Operation id. */
  readonly operation: string;
  readonly identity: string;
  readonly documented: 'opens' | 'refuses' | 'unstated';
  /** Decided by the oracle from whole answers, never from statuses alone. */
  readonly seen: AskedBy['seen'] | 'notAsked';
  /** Id of the check that observed it. */
  readonly check?: string;
}
