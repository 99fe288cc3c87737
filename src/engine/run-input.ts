import type { Contract } from '../contract/model.js';
import type { KeySupply } from '../keys/fetched-key.js';
import type { Deployment, KeyHolder, Rule } from '../rules/rule.js';
import type { Target } from '../settings/target.js';
import { keyEnds } from '../settings/value-parsers.js';
import { digestOf } from '../wire/body-shape.js';
import type { KeyRing } from '../wire/keyring.js';
import type { Wait } from '../wire/types.js';
import type { Baseline } from './facts.js';
import type { KeyPagePart } from './key-page.js';
import type { Selection } from './plan.js';
import type { Finding, Results } from './results.js';
import type { KeptEvidence } from './resume/kept-evidence.js';

/** What rules may know of a target. */

/** Facts about the given keys that rules may know; never the keys themselves. */
export const traitsOf = ({ keys }: Pick<Target, 'keys'>, ring: KeyRing): Deployment['keys'] =>
  Object.fromEntries(
    Object.entries(keys).map(([setting, key]) => {
      const { mixesCase, signed } = ring.traits(setting);
      const ends = keyEnds(key)?.getTime() ?? Number.POSITIVE_INFINITY;
      return [
        setting,
        { mixesCase, ...(signed ? { signed } : {}), ...(ends <= Date.now() ? { ended: true as const } : {}) },
      ];
    }),
  );

/**
 * Identities as rules may know them.
 * @param salt of the digests of bodies
 */
const holdersOf = (identities: NonNullable<Target['identities']>, salt: string): readonly KeyHolder[] =>
  identities.map(({ owns, ...identity }) => ({
    ...identity,
    ...(owns === undefined ? {} : { owns: digestOf(salt, owns) }),
  }));

/**
 * Facts about a target that rules may know.
 * @param options.at time at which certificates are judged, in milliseconds
 * @param options.salt salt of the digests of bodies, where bodies are read
 */
export const deploymentOf = (
  target: Omit<Deployment, 'keys' | 'identities' | 'seed' | 'at' | 'caFile' | 'probes'> &
    Pick<Target, 'probes' | 'identities'> & { readonly ca?: string | undefined },
  keys: Deployment['keys'],
  seed: string,
  { at, salt = '' }: { readonly at?: number; readonly salt?: string } = {},
): Deployment => ({
  origin: target.origin,
  basePath: target.basePath,
  httpBaseUrl: target.httpBaseUrl,
  keys,
  ...(target.identities ? { identities: holdersOf(target.identities, salt) } : {}),
  probes: target.probes === 'standard' ? 'standard' : 'extended',
  probeKeyInUrl: target.probeKeyInUrl,
  insecureTls: target.insecureTls,
  caFile: target.ca !== undefined,
  seed,
  ...(at === undefined ? {} : { at }),
});

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

/** Optional parts of a run. */
export interface RunParts {
  readonly keyPage?: KeyPagePart | undefined;
  /**
   * Stores the answers from which another run can resume, and provides those of the resumed run
   * with its seed and salt.
   */
  readonly evidence?: KeptEvidence | undefined;
}
