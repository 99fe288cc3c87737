import { hash } from 'node:crypto';
import type { TestCase, TestResult } from '@playwright/test/reporter';
import type { Clause, Gap } from '../contract/model.js';
import type { JudgedSubject } from '../engine/build-results.js';
import type { PlannedOperation } from '../engine/coverage.js';
import type { Deviation } from '../engine/deviations.js';
import type { Baseline } from '../engine/facts.js';
import type { Finding, Observation, Recording } from '../engine/results.js';
import { contractName } from '../report/run-summary.js';
import type { Exchange } from '../wire/types.js';

/**
 * What a run leaves in Playwright's reports for `merge`: a head in the metadata of the
 * configuration, and evidence that each test attaches.
 */

/** The part of the results that does not depend on findings. */
export interface RunHead extends JudgedSubject {
  /** The deployment's project; `''` for the only one. */
  readonly project: string;
  readonly clauses: readonly Clause[];
  readonly gaps: readonly Gap[];
  readonly checks: readonly string[];
  readonly deviations: readonly Deviation[];
  readonly strict: boolean;
  readonly baseline?: Baseline | undefined;
  readonly history: boolean;
}

export interface RunHeads {
  readonly reportsDir: string;
  readonly heads: readonly RunHead[];
}

export const metadataName = 'accessConformance';

export const headsOf = async (): Promise<readonly RunHead[]> => {
  // Loaded where it is needed: a worker has to start quickly.
  const { openSessions } = await import('./session.js');
  const { subjectOf } = await import('../engine/build-results.js');
  const { sessions } = await openSessions();
  return sessions.map(({ contract, target, project, deviations, baseline, ...session }) => ({
    ...subjectOf(contract, target, session.options),
    project,
    clauses: contract.clauses,
    gaps: contract.gaps,
    checks: [...session.checks, ...session.keyPageChecks].map(({ id }) => id),
    deviations,
    strict: target.strict,
    baseline,
    history: session.settings.values.HISTORY,
  }));
};

export interface TestAttachment {
  /** The deployment's project; `''` for the only one. */
  readonly project: string;
  readonly finding: Finding;
  readonly observations: readonly Observation[];
  /** Exchanges of the check; with the first check of an operation, all that asked it. */
  readonly exchanges: readonly Exchange[];
  /** Of the whole run, or of its shard. */
  readonly requestsSent: number;
  readonly recording: Recording;
  /** The operation, where values were looked for. */
  readonly described?: PlannedOperation;
  readonly run: RunIdentity;
  readonly shard?: { readonly current: number; readonly total: number };
}

export const evidenceName = 'access-conformance';

export const evidenceIn = ({ attachments }: TestResult): readonly TestAttachment[] =>
  attachments.flatMap(({ name, body }) =>
    name === evidenceName && body ? [JSON.parse(body.toString('utf8')) as TestAttachment] : [],
  );

/** Name of a test's project; `''` for the only deployment. */
export const projectOf = (test: TestCase): string => test.parent.project()?.name ?? '';

/** What must be equal for findings to be merged. Each has it: merged configurations lose theirs. */
interface RunIdentity {
  readonly contract: string;
  readonly sha256: string;
  readonly target: string;
  /** Digest of the settings that change what is judged. */
  readonly options: string;
  readonly tool: string;
}

type Described = Pick<RunHead, 'contract' | 'target' | 'options'>;

export const identityOf = ({ contract, target, options }: Described, tool: string): RunIdentity => ({
  contract: contractName(contract),
  sha256: contract.sha256,
  target: target.baseUrl,
  options: hash('sha256', JSON.stringify(options)).slice(0, 16),
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
