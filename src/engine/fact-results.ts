import type { Json } from '../canonical-json.js';

/** An observation that can be compared across runs. */
export interface FactResult {
  /** Stable: `refusal-without-key@listWorkouts`. */
  readonly id: string;
  /** Id of the check that observed it. */
  readonly check: string;
  readonly gap: string;
  /** Absent for the whole service. */
  readonly operation?: string;
  /** Canonical JSON without times, request ids, data or keys; `null` when unknown. */
  readonly value: Json;
  readonly words: string;
  /** Number of reads that showed it. */
  readonly reads: number;
  /** Two reads of the run disagree, so it is not compared. */
  readonly volatile?: boolean;
  readonly exchanges: readonly string[];
}

/** A fact that differs from the baseline. */
export interface Drift {
  /** Id of the fact. */
  readonly id: string;
  /** Value in the baseline, absent for a new fact; `is` is absent for a missing one. */
  readonly was?: Json;
  readonly is?: Json;
  readonly words?: string;
  /** Number of reads that showed the current value. */
  readonly reads: number;
  readonly exchanges: readonly string[];
}
