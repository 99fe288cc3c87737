import type { AskedBy } from '../rules/rule.js';

/** One who asks for the operations. */
export interface IdentityResult {
  /** `nobody`, `invalid key`, `the key`, or a name of the `IDENTITIES` file. */
  readonly name: string;
  /** Scopes or roles that it holds, where they are known. */
  readonly scopes?: readonly string[];
  /** Names of identities with the same rights and another account. */
  readonly peers?: readonly string[];
  /** Whether its key opened anything; absent for those without one. */
  readonly alive?: boolean;
}

/** Whether an operation opens to an identity: what the document says, and what was seen. */
export interface MatrixCell {
  /** Operation id. */
  readonly operation: string;
  readonly identity: string;
  readonly documented: 'opens' | 'refuses' | 'unstated';
  /** By the oracle's reading of the answers, never by their statuses alone. */
  readonly seen: AskedBy['seen'] | 'notAsked';
  /** The check that says so. */
  readonly check?: string;
}
