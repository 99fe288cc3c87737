/**
 * The library: judge a deployment from a program of one's own. The command and the Playwright front-end are made of the same parts.
 *
 * ```ts
 * import {
 *   describeOptions, exitCodes, loadContract, readSettings, readTarget, runConformance, shippedContract, writeReports,
 * } from 'access-conformance';
 *
 * const settings = readSettings({ env: process.env, needs: ['BASE_URL'] });
 * const target = readTarget(settings);
 * const contract = await loadContract(shippedContract, { paths: target.paths, keys: Object.keys(target.keys) });
 * const record = await runConformance({ contract, target, options: describeOptions(settings) });
 * try {
 *   console.log(record.results.verdict);
 *   await writeReports(record, { dir: settings.values.REPORTS_DIR });
 *   process.exitCode = exitCodes[record.results.verdict];
 * } finally {
 *   await record.dispose();
 * }
 * ```
 *
 * @packageDocumentation
 */

import { asset } from './package.js';

/** Path of the access contract of the fitness data service, an OpenAPI 3.1 document in this package. */
export const shippedContract: string = asset('openapi', 'fitness-data-service.yaml');

export { ContractError } from './contract/errors.js';
export { type LoadOptions, loadContract } from './contract/load.js';
export type {
  Access,
  AppliedOverlay,
  Clause,
  Contract,
  ContractProblem,
  DocumentedResponse,
  Gap,
  MediaTypeSchema,
  Operation,
  SecurityScheme,
  SourcePosition,
  UnprobedOperation,
} from './contract/model.js';
export { type Deviation, DeviationsError, deviate, readDeviations } from './engine/deviations.js';
export { type Change, type JudgedAgain, judgeAgain, RecordingError } from './engine/judge-again.js';
export { exitCodes, type Outcome, type OutcomeEntry, outcomes, type Verdict } from './engine/outcomes.js';
export type {
  ClauseResult,
  Finding,
  GapResult,
  Observation,
  OperationResult,
  Recording,
  Results,
  RunRecord,
  StoredAttempt,
  StoredExchange,
} from './engine/results.js';
export { type OtherChecks, type ProgressEvent, type RunInput, runConformance } from './engine/run.js';
export { tool } from './package.js';
export {
  type CertificateKind,
  type Fault,
  faults,
  type Keys,
  type PageHandler,
  type ReferenceOptions,
  type ReferenceService,
  startReference,
  type Variant,
  variants,
} from './reference/index.js';
export { type Comparison, compareRuns } from './report/compare.js';
export { ReportError } from './report/errors.js';
export { readResults } from './report/results-file.js';
export { type ReportOptions, type ReportPaths, writeReports } from './report/write.js';
export { describeOptions, readTarget } from './settings/read-target.js';
export {
  readSettings,
  type SettingEntry,
  type SettingName,
  type SettingProblem,
  type Settings,
  SettingsError,
  type SettingsInput,
  type SettingValues,
  settingsTable,
} from './settings/settings.js';
export type { Target } from './settings/target.js';
export { type NamedTarget, readTargets, TargetsError } from './settings/targets-file.js';
export type { BodyFacts } from './wire/body-facts.js';
export type {
  Attempt,
  Exchange,
  HeaderPair,
  Probe,
  Response,
  Timing,
  TlsFacts,
  WireError,
  WireErrorCode,
} from './wire/types.js';
