/**
 * The library: judges a deployment from a program. The command and the Playwright front-end use the
 * same parts.
 *
 * ```ts
 * import { judge } from 'access-conformance';
 *
 * const run = await judge({ baseUrl: 'https://api.example.com', apiKey: process.env.API_KEY });
 * try {
 *   console.log(run.results.verdict);
 *   await run.writeReports();
 *   process.exitCode = run.exitCode;
 * } finally {
 *   await run.dispose();
 * }
 * ```
 *
 * @packageDocumentation
 */

import type { RunRecord } from './engine/results.js';
import { runWithParts } from './engine/run.js';
import type { RunInput } from './engine/run-input.js';
import { asset } from './package.js';

/**
 * Path of the access contract of the fitness data service, an OpenAPI 3.1 document in this package.
 */
export const shippedContract: string = asset('openapi', 'fitness-data-service.yaml');

/**
 * Judges a target by a contract. Resolves with a record whatever the target does; rejects only for
 * errors of the suite itself.
 */
export const runConformance: (input: RunInput) => Promise<RunRecord> = runWithParts;

export {
  type CamelCase,
  type JudgedDeployment,
  type JudgeInput,
  type JudgeSettings,
  judge,
} from './app/judge.js';
export type { Json } from './collections.js';
export { ContractError } from './contract/errors.js';
export { loadContract } from './contract/load.js';
export type { LoadOptions, Unstated } from './contract/load-options.js';
export type {
  Access,
  AppliedOverlay,
  Clause,
  Contract,
  ContractProblem,
  DocumentedResponse,
  DocumentLink,
  Fillable,
  FilledIn,
  Gap,
  Keyless,
  MediaTypeSchema,
  MissingParameter,
  Operation,
  RandomId,
  SecurityScheme,
  SourcePosition,
  StatedScheme,
  TokenUrls,
  UnprobedOperation,
  UnprobedReason,
} from './contract/model.js';
export { type Deviation, DeviationsError, deviate, type Planned, readDeviations } from './engine/deviations.js';
export type { Baseline, BaselineFacts } from './engine/facts.js';
export { type Change, type JudgedAgain, judgeAgain, RecordingError } from './engine/judge-again.js';
export { exitCodes, type Outcome, type OutcomeEntry, outcomes, type Verdict } from './engine/outcomes.js';
export type { Selectable, Selection } from './engine/plan.js';
export type {
  CauseResult,
  ClauseResult,
  Coverage,
  Drift,
  ExchangesFile,
  FactResult,
  Finding,
  GapResult,
  GateResult,
  IdentityResult,
  MatrixCell,
  Observation,
  OperationResult,
  Recording,
  Results,
  RunRecord,
} from './engine/results.js';
export type { ProgressEvent, RunInput } from './engine/run-input.js';
export type { RecordedValues } from './engine/values/recording.js';
export { ProblemsError, RulesError } from './errors.js';
export type { FetchedKey, KeySupply } from './keys/fetched-key.js';
export { tool } from './package.js';
export {
  type CertificateKind,
  type Fault,
  faults,
  type Keys,
  type PageHandler,
  type ReferenceOptions,
  type ReferenceService,
  type RolesOptions,
  type RolesService,
  rolesFaults,
  rolesVariants,
  startReference,
  startRoles,
  type Variant,
  variants,
} from './reference/index.js';
export {
  type ComparedDrift,
  type ComparedRow,
  type ComparedRun,
  type Comparison,
  type ComparisonKind,
  compareRuns,
  type Regression,
} from './report/compare.js';
export type { CauseSight, ComparedCause } from './report/compared-causes.js';
export type { Explain } from './report/describe-finding.js';
export { ReportError } from './report/reports-folder.js';
export { readResults } from './report/results-file.js';
export type { RunSummary } from './report/run-summary.js';
export { type ReportOptions, type ReportPaths, writeReports } from './report/write.js';
export { rules as shippedRules } from './rules/index.js';
export type {
  KeyPageAgain,
  KeyPageFound,
  KeyPageOpens,
  KeyPageRecord,
  KeyPageTexts,
  KeyPageWording,
} from './rules/key-page/record.js';
export { answerOf, header } from './rules/oracle/answers.js';
export {
  type Applies,
  type Ask,
  type AskedBy,
  type Battery,
  type Deployment,
  defineRule,
  type Explanation,
  type Judgement,
  type KeyHolder,
  type KeyPageRule,
  type KeyPageRuleDefinition,
  type KeyTraits,
  type OperationRule,
  type OperationRuleDefinition,
  type OperationSubject,
  type OwnValue,
  type Procedure,
  type Proves,
  type Rule,
  type RuleDefinition,
  type RuleWords,
  type SeenFact,
  type ServiceRule,
  type ServiceRuleDefinition,
  type Slice,
  type Stage,
  type Subject,
} from './rules/rule.js';
export { type AnswerRuleDefinition, answerRule } from './rules/support/answer-rule.js';
export { type Headline, type Severity, severities } from './rules/support/headlines.js';
export {
  type Blocker,
  because,
  blocked,
  type Cause,
  type CauseId,
  failed,
  inconclusive,
  type JudgementDetails,
  lenient,
  type OwnCauseId,
  observed,
  passed,
} from './rules/support/judgement.js';
export { nonce } from './rules/support/nonce.js';
export { again, type Credential, type RequestOptions, requestFor, serviceRequest } from './rules/support/requests.js';
export type { FetchedSource, ReadIdentities } from './settings/identities.js';
export type { Identity } from './settings/identities-file.js';
export type { CommandSource, FlowSource, KeySource, SecretSource } from './settings/key-source.js';
export type { Grant } from './settings/keys.js';
export {
  readSettings,
  type SettingEntry,
  type SettingInputOf,
  type SettingName,
  type SettingProblem,
  type Settings,
  SettingsError,
  type SettingsInput,
  type SettingValueOf,
  type SettingValues,
  type Source,
  settingsTable,
  type TableEntry,
} from './settings/settings.js';
export type { ProxySetting } from './settings/settings-reader.js';
export type { Target } from './settings/target.js';
export { describeOptions, readTarget } from './settings/target.js';
export { type NamedTarget, readTargets, TargetsError } from './settings/targets-file.js';
export type { BaseUrl, Pem, ResolveEntry } from './settings/value-parsers.js';
export type { BodyShape, FieldFacts, ScalarShape, Shape } from './wire/body-shape.js';
export type { ScalarFormat, SchemaFormat } from './wire/scalars.js';
export type {
  AddressFamily,
  Attempt,
  BodyInspection,
  Exchange,
  HeaderPair,
  Probe,
  Response,
  Timing,
  TlsFacts,
  Wait,
  WireError,
  WireErrorCode,
} from './wire/types.js';
