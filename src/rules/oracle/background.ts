import { memoizePerObject } from '../../collections.js';
import type { Response } from '../../wire/types.js';
import type { Keyed } from './keyed.js';
import type { OtherOperations } from './other-operations.js';

/** Two keyed reads, and what changes from one keyed read to another. */
export interface KeyedReads {
  readonly keyed: Keyed;
  /** Paths that change between keyed reads: outside rows, and of lists with other rows. */
  readonly moving: ReadonlySet<string>;
}

/** The answers that every other answer of an operation is compared with. */
export interface Background extends KeyedReads {
  /**
   * Answers that open nothing: of missing paths, of the base path, of the request without its
   * bypass, and of the bypass at a missing path.
   */
  readonly nothing: readonly Response[];
  /** Paths (or places of pieces) that differ between two equivalent requests of these. */
  readonly volatile: ReadonlySet<string>;
  /** Answers of public operations. */
  readonly publics: readonly Response[];
  /** Answers of other protected operations to a client without a key. */
  readonly refusals: readonly Response[];
  /** The operation answers a client without a key with an error status. */
  readonly anonymousRefused: boolean;
  /** At least three other operations refuse by status, and none refuses in a 2xx body. */
  readonly refusesByStatus: OtherOperations['refusesByStatus'];
  /** The keyed answer is a row of what the key gets at the list: `/things/1` in `/things`. */
  readonly isListed: () => boolean;
  /** The bypass gets another answer at a missing path, if it is sent there. Only line 0 asks. */
  readonly missingDiffers: () => boolean;
  /** Other keyed reads had another form than the two that are compared with. */
  readonly variesInForm: boolean;
}

/** The background for an answer that siblings, which refuse by status, say nothing about. */
export const withoutSiblings = memoizePerObject(
  (background: Background): Background => ({ ...background, refusesByStatus: () => false }),
);
