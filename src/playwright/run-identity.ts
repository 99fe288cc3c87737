import { createHash } from 'node:crypto';
import { contractName } from '../report/run-summary.js';
import type { Head } from './run-metadata.js';

/**
 * What must be equal for findings to be merged. Each finding carries it, since merged
 * configurations overwrite each other.
 */
export interface RunIdentity {
  readonly contract: string;
  readonly sha256: string;
  readonly target: string;
  /** Digest of the settings that change what is judged. */
  readonly options: string;
  readonly tool: string;
}

type Described = Pick<Head, 'contract' | 'target' | 'options'>;

export const identityOf = ({ contract, target, options }: Described, tool: string): RunIdentity => ({
  contract: contractName(contract),
  sha256: contract.sha256,
  target: target.baseUrl,
  options: createHash('sha256').update(JSON.stringify(options)).digest('hex').slice(0, 16),
  tool,
});

/** The difference between two runs, in words; `undefined` if they can be merged. */
export const differenceOf = (a: RunIdentity, b: RunIdentity): string | undefined => {
  if (a.target !== b.target) return `different targets: ${a.target} and ${b.target}`;
  if (a.sha256 !== b.sha256)
    return `different contracts: ${a.contract} (${a.sha256.slice(0, 12)}) and ${b.contract} (${b.sha256.slice(0, 12)})`;
  if (a.tool !== b.tool) return `different versions of the suite: ${a.tool} and ${b.tool}`;
  return a.options === b.options ? undefined : 'different settings (strictness, probes, evidence…)';
};
