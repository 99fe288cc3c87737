import type { Json } from '../canonical-json.js';

/** An observation that can be compared with those of other runs. */
export interface FactResult {
  /** Stable: `refusal-without-key@listWorkouts`. */
  readonly id: string;
  /** Id of the check that observed it. */
  readonly check: string;
  readonly gap: string;
  /** Absent of the whole service. */
  readonly operation?: string;
  /** Canonical JSON without times, ids of requests, data or keys; `null`: not known. */
  readonly value: Json;
  readonly words: string;
  /** Number of reads that showed it. */
  readonly reads: number;
  /** Two reads of the run differ in it, so it is not compared. */
  readonly volatile?: boolean;
  readonly exchanges: readonly string[];
}

/** A fact that is not as the baseline says. */
export interface Drift {
  /** Id of the fact. */
  readonly id: string;
  /** Absent: it is new, or gone. */
  readonly was?: Json;
  readonly is?: Json;
  readonly words?: string;
  /** Number of reads that showed what is. */
  readonly reads: number;
  readonly exchanges: readonly string[];
}
