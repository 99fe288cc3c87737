import { present } from '../collections.js';
import type { Contract } from '../contract/model.js';
import type { Target } from '../settings/target.js';
import { accessMatrixOf } from './access-matrix.js';
import { type CausesInput, causesOf } from './causes/causes.js';
import { coverageOf, type PlannedOperation, withCoverage } from './coverage.js';
import { type Baseline, driftOf, factsOf } from './facts.js';
import type { Observation, Results, RunRecord } from './results.js';
import { clausesOf, countsOf, gapsOf, verdictOf } from './verdict.js';

/** Puts the results of a run together from its findings. */

/** The contract, the target and the options of a run, as its results name them. */
export type JudgedSubject = Pick<Results, 'contract' | 'target' | 'options'> & {
  readonly operations: readonly PlannedOperation[];
};

/** The part of the results that does not depend on findings. */
export type ResultsBase = JudgedSubject & Pick<Results, 'schemaVersion' | 'tool' | 'recording' | 'startedAt'>;

export interface ResultsInput
  extends Pick<Results, 'checks' | 'complete' | 'durationMs' | 'requestsSent' | 'gates' | 'resumed'> {
  readonly observations: readonly Observation[];
  /** `STRICT`: a lenient check counts as a failed one. */
  readonly strict: boolean;
  /** The accepted facts of the deployment; absent where no `BASELINE` was given. */
  readonly baseline?: Baseline | undefined;
  readonly exchange: CausesInput['exchange'];
  readonly rules?: CausesInput['rules'];
}

/** Builds results.json: computes verdict, counts, clauses, causes and gaps from the findings. */
export const buildResults = (
  head: ResultsBase,
  contract: Pick<Contract, 'clauses' | 'gaps'>,
  {
    checks,
    observations,
    strict,
    complete,
    durationMs,
    requestsSent,
    baseline,
    exchange,
    rules,
    gates,
    resumed,
  }: ResultsInput,
): RunRecord['results'] => {
  const isPart = head.recording.part === true;
  const operations = withCoverage(head.operations, checks, isPart);
  const facts = factsOf(checks, observations, gates);
  const drift =
    baseline &&
    driftOf(baseline.facts, {
      facts,
      checks,
      whole: complete && !isPart,
      sameContract: baseline.contract.sha256 === head.contract.sha256,
    });
  return present({
    ...head,
    operations,
    coverage: coverageOf(operations, checks),
    durationMs,
    verdict: verdictOf(checks, {
      strict,
      complete,
      operations,
      drifted: baseline?.fails === true && (drift ?? []).length > 0,
    }),
    complete,
    resumed,
    counts: countsOf(checks),
    requestsSent,
    ...accessMatrixOf(operations, checks, head.recording.identities),
    clauses: clausesOf(contract, checks),
    gates,
    checks,
    causes: causesOf({ checks, operations, options: head.options, exchange, rules }),
    gaps: gapsOf(contract, observations),
    facts,
    drift,
  });
};

/** Describes what is judged, by which contract and with which options. */
export const subjectOf = (
  contract: Contract,
  target: Pick<Target, 'name' | 'origin' | 'basePath' | 'httpBaseUrl'>,
  options: Results['options'],
): JudgedSubject => ({
  contract: describeContract(contract),
  target: { name: target.name, baseUrl: `${target.origin}${target.basePath}`, httpBaseUrl: target.httpBaseUrl },
  options,
  operations: operationsOf(contract),
});

export const describeContract = ({ title, version, file, sha256, overlays }: Contract): Results['contract'] => ({
  title,
  version,
  file,
  sha256,
  ...(overlays.length > 0 ? { overlays } : {}),
});

/** Every operation of the document, probed or not. */
export const operationsOf = (contract: Contract): PlannedOperation[] => [
  ...contract.operations.map(({ id, method, path, access, position, requirements }) => ({
    id,
    method,
    path,
    access,
    probed: true,
    ...(requirements ? { requirements } : {}),
    position: `${position.file}:${position.line}`,
  })),
  ...contract.unprobed.map(({ owned: _owned, ...operation }) => ({ ...operation, probed: false })),
];
