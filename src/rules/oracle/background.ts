import type { Response } from '../../wire/types.js';
import type { Elsewhere } from './elsewhere.js';
import type { Keyed } from './keyed.js';

/** What everything is compared with. */
export interface Background {
  readonly keyed: Keyed;
  /**
   * Answers that show nothing: missing paths, the base path, the request without its bypass, the
   * bypass at a missing path.
   */
  readonly nothing: readonly Response[];
  /** What differs between two answers of one of these. */
  readonly volatile: ReadonlySet<string>;
  /** Members outside rows that differ between any two reads with the key. */
  readonly moving: ReadonlySet<string>;
  /** What everybody may read. */
  readonly publics: readonly Response[];
  /** Refusals of other protected operations. */
  readonly refusals: readonly Response[];
  /** The keyed request of this operation was refused by status without a key. */
  readonly anonymousRefused: boolean;
  /** At least three other operations refuse by status, and none in a body. */
  readonly refusesByStatus: Elsewhere['refusesByStatus'];
  /** The keyed answer is one of the rows that the key gets at the list above. */
  readonly isListed: () => boolean;
  /** The bypass at a missing path was asked, and its answer is another one. */
  readonly missingDiffers: boolean;
}
