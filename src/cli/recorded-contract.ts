import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { contractFolder } from '../app/contract-file.js';
import { loadContract } from '../contract/load.js';
import { mirroredIn } from '../contract/mirror-index.js';
import type { AppliedOverlay, Contract } from '../contract/model.js';
import { leaveOut } from '../engine/leave-out.js';
import type { RunRecord } from '../engine/results.js';
import { asset } from '../package.js';
import { contractName } from '../report/run-summary.js';
import { UsageError } from './command.js';

const shipped = asset('openapi', 'fitness-data-service.yaml');

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const unstatedIn = (value: unknown): 'public' | 'protected' | 'ask' =>
  value === 'public' || value === 'protected' ? value : 'ask';

const filesIn = (named: string, cwd: string): string =>
  named
    .split(',')
    .map((each) => resolve(cwd, each.trim()))
    .join(',');

/**
 * The overlays of the run, at the paths in its results. The contract's checksum shows whether they
 * are the same.
 */
const overlaysIn = (overlays: readonly AppliedOverlay[] = [], cwd: string): string | undefined => {
  const files = overlays.map(({ file }) => resolve(cwd, file));
  return files.length > 0 && files.every((file) => existsSync(file)) ? files.join(',') : undefined;
};

/** Operations that the run left out on purpose. */
const leftOutIn = ({
  operations,
}: RunRecord['results']): ((operation: { readonly id: string }) => string | undefined) => {
  const reasons = new Map(
    operations.flatMap(({ id, why, reason }) => (why === 'left-out' ? [[id, reason ?? '']] : [])),
  );
  return ({ id }) => reasons.get(id);
};

/**
 * The contract that a recorded run was judged by, found by its checksum: the file that the user
 * names, the path in the results, or the shipped contract.
 * @throws {UsageError} when none of them has the same bytes
 */
export const contractRecordedIn = async (
  { results }: RunRecord,
  given: {
    readonly cwd: string;
    /** Folder of the results file: a contract that was fetched is kept below it. */
    readonly beside: string;
    readonly contract?: string | undefined;
    readonly overlay?: string | undefined;
    readonly refRoot?: string | undefined;
    readonly parameters?: string | undefined;
  },
): Promise<Contract> => {
  const { options, contract: recorded, recording } = results;
  if (options.PARAMETERS === true && given.parameters === undefined)
    throw new UsageError(
      'the run took values for parameters from a file, which the results do not hold.',
      'name it with --parameters FILE',
    );
  const paths = Object.fromEntries(
    ['EXERCISE_PATH', 'INGREDIENT_PATH'].flatMap((name) => {
      const path = text(options[name]);
      return path === undefined ? [] : [[name, path]];
    }),
  );
  const ofIdentities = new Set((recording.identities ?? []).flatMap(({ keys = {} }) => Object.values(keys)));
  const overlay =
    given.overlay === undefined ? overlaysIn(recorded.overlays, given.cwd) : filesIn(given.overlay, given.cwd);
  const fetched = mirroredIn(join(given.beside, contractFolder));
  const files =
    given.contract === undefined
      ? [...(fetched === undefined ? [] : [fetched]), resolve(given.cwd, recorded.file), shipped]
      : [resolve(given.cwd, given.contract)];
  for (const file of files) {
    if (given.contract === undefined && !existsSync(file)) continue;
    const contract = await loadContract(file, {
      overlay,
      refRoot: given.refRoot === undefined ? undefined : resolve(given.cwd, given.refRoot),
      paths,
      parameters: given.parameters === undefined ? undefined : resolve(given.cwd, given.parameters),
      unsafeMethods: options.UNSAFE_METHODS === true,
      unstated: unstatedIn(options.UNSTATED),
      keys: Object.keys(recording.keys).filter((setting) => !ofIdentities.has(setting)),
      identities: recording.identities !== undefined,
    });
    if (contract.sha256 === recorded.sha256) {
      // As recorded: the run replaced keys in them.
      const { title, version } = recorded;
      return leaveOut({ ...contract, title, version }, leftOutIn(results));
    }
    if (given.contract !== undefined)
      throw new UsageError(
        `${given.contract} is not the contract that the run was judged by: its checksum is ${contract.sha256.slice(0, 12)}…, and the results say ${recorded.sha256.slice(0, 12)}….`,
        'take the document as it was at the time of the run, with its overlays (--overlay FILE,…)',
      );
  }
  throw new UsageError(
    `the contract of the run (${contractName(recorded)}: ${recorded.file}, checksum ${recorded.sha256.slice(0, 12)}…) was not found.`,
    'name it with --contract FILE, and its overlays with --overlay FILE,…',
  );
};
