import type { Contract } from '../contract/model.js';
import type { KeySupply } from '../keys/fetched-key.js';
import type { Rule } from '../rules/rule.js';
import type { Target } from '../settings/target.js';
import type { Baseline } from './facts.js';
import type { Journal } from './journal.js';
import type { KeyPagePart } from './key-page.js';
import type { Finding, Results } from './results.js';
import type { KeptEvidence } from './resume/kept-evidence.js';
import type { Selection } from './selection.js';

export type ProgressEvent =
  | { readonly type: 'planned'; readonly checks: number }
  | { readonly type: 'checked'; readonly finding: Finding; readonly done: number; readonly checks: number };

export interface RunInput {
  readonly contract: Contract;
  readonly target: Target;
  /** Every setting that changes what is judged; copied into the results. */
  readonly options: Results['options'];
  /** Which checks; everything when absent. */
  readonly only?: Selection;
  /** Whether `only` leaves checks out; where absent, it does if it names checks. */
  readonly isPart?: boolean | undefined;
  /** The shipped rules when absent. */
  readonly rules?: readonly Rule[];
  readonly signal?: AbortSignal;
  readonly onProgress?: (event: ProgressEvent) => void;
  /** Secrets beside the keys that must not get into any artefact. */
  readonly secrets?: readonly string[];
  /** Shared by processes that judge one run together; random when absent. */
  readonly seed?: string;
  /**
   * Salt of stored digests, shared like the seed, and a secret: with it a digest can be searched
   * for its scalar.
   */
  readonly salt?: string;
  /** Checks that send their whole battery, whatever the budget. */
  readonly isWhole?: (check: string) => boolean;
  /** Attaches known deviations to findings before the verdict. */
  readonly deviate?: (findings: readonly Finding[]) => readonly Finding[];
  /** The keys of the target that were fetched, and how they are fetched again. */
  readonly supply?: KeySupply | undefined;
  /** Facts that the run is compared with. */
  readonly baseline?: Baseline | undefined;
}

/** Parts of the suite that take part in a run. */
export interface RunParts {
  readonly keyPage?: KeyPagePart | undefined;
  /** Receives each finding at once, so that a run that hangs leaves results. */
  readonly journal?: Journal | undefined;
  /**
   * Keeps what another run needs to go on, and has what this one goes on with. It gives seed and
   * salt.
   */
  readonly evidence?: KeptEvidence | undefined;
}
