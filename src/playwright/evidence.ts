import type { TestCase, TestResult } from '@playwright/test/reporter';
import type { PlannedOperation } from '../engine/coverage.js';
import type { Finding, Observation, Recording } from '../engine/results.js';
import type { Exchange } from '../wire/types.js';
import type { RunIdentity } from './run-metadata.js';

/**
 * What a test attaches. The results of a run are assembled from it, across processes and shards.
 */
export interface Evidence {
  /** The deployment's project; `''` for the only one. */
  readonly project: string;
  readonly finding: Finding;
  readonly observations: readonly Observation[];
  readonly exchanges: readonly Exchange[];
  readonly requestsSent: number;
  readonly recording: Recording;
  /** The operation, where values were looked for. */
  readonly described?: PlannedOperation;
  readonly run: RunIdentity;
  readonly shard?: { readonly current: number; readonly total: number };
}

export const evidenceName = 'access-conformance';

/** The evidence that a test attached. */
export const evidenceIn = ({ attachments }: TestResult): readonly Evidence[] =>
  attachments.flatMap(({ name, body }) =>
    name === evidenceName && body ? [JSON.parse(body.toString('utf8')) as Evidence] : [],
  );

/** Name of a test's project; `''` for the only deployment. */
export const projectOf = (test: TestCase): string => test.parent.project()?.name ?? '';
