import type { Contract } from '../contract/model.js';
import type { KeySupply } from '../keys/fetched-key.js';
import type { Rule } from '../rules/rule.js';
import type { Target } from '../settings/target.js';
import type { Wait } from '../wire/types.js';
import type { Baseline } from './facts.js';
import type { Selection } from './plan.js';
import type { Finding, Results } from './results.js';

/** What a run is given, and what it reports on its way. */

export type ProgressEvent =
  | { readonly type: 'planned'; readonly checks: number }
  | { readonly type: 'checked'; readonly finding: Finding; readonly done: number; readonly checks: number }
  /** Requests are held up; repeated every second while that lasts. */
  | { readonly type: 'waiting'; readonly wait: Wait }
  | { readonly type: 'resumed' };

export interface RunInput {
  readonly contract: Contract;
  readonly target: Target;
  /** Every setting that changes what is judged; copied into the results. */
  readonly options: Results['options'];
  /** Selected checks; all when absent. */
  readonly only?: Selection | undefined;
  /** Whether `only` leaves checks out; when absent, true if `only` is a list of selectors. */
  readonly isPart?: boolean | undefined;
  /** The shipped rules when absent. */
  readonly rules?: readonly Rule[];
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((event: ProgressEvent) => void) | undefined;
  /** Secrets beside the keys that must not appear in any artefact. */
  readonly secrets?: readonly string[];
  /** Shared by processes that judge one run together; random when absent. */
  readonly seed?: string;
  /**
   * Secret salt of stored digests, shared like the seed. It allows guessing scalars from digests.
   */
  readonly salt?: string;
  /** Checks that send their whole battery, whatever the budget. */
  readonly isWhole?: (check: string) => boolean;
  /** Attaches known deviations to findings before the verdict. */
  readonly deviate?: (findings: readonly Finding[]) => readonly Finding[];
  /** The fetched keys of the target, and a function that fetches them again. */
  readonly supply?: KeySupply | undefined;
  /** Facts that the run is compared with. */
  readonly baseline?: Baseline | undefined;
}
