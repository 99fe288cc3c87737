import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonical, isObject, type Json } from '../collections.js';
import type { Contract } from '../contract/model.js';
import { deploymentOf } from '../engine/deployment.js';
import { type Deviation, type Planned, readDeviations } from '../engine/deviations.js';
import { type Baseline, isComparable } from '../engine/facts.js';
import { keyPageChecks } from '../engine/key-page.js';
import { type Check, type PlannedCheck, planOf } from '../engine/plan.js';
import type { Results } from '../engine/results.js';
import { plannedContract } from '../engine/values/recording.js';
import { messageOf, RulesError } from '../errors.js';
import { fetchedKeyNames, type KeyOrigin, keyOriginsOf } from '../keys/key-origins.js';
import { shortPath } from '../package.js';
import { prepareReports } from '../report/reports-folder.js';
import { rules as shippedRules } from '../rules/index.js';
import type { Rule } from '../rules/rule.js';
import { isWebAddress } from '../settings/setting-parser.js';
import type { Settings } from '../settings/settings.js';
import { SettingsError } from '../settings/settings-error.js';
import { describeOptions, readTarget, type Target, unusedInResolve } from '../settings/target.js';
import { jsonText, visible } from '../visible.js';
import { firstOf } from '../words.js';
import { contractFolder, type Fetched } from './contract-file.js';
import { refuseEncodedKeys, refuseKeysInPaths } from './keys-in-contract.js';
import { loadContractOf, type Warn } from './load-contract.js';

/** One deployment and the contract that it is judged by, checked without sending anything. */
export interface PreparedRun {
  readonly settings: Settings;
  /** Without the keys that are fetched when the run begins. */
  readonly target: Target;
  readonly contract: Contract;
  /** How the fetched keys are obtained, by setting. */
  readonly origins: ReadonlyMap<string, KeyOrigin>;
  readonly options: Results['options'];
  readonly rules: readonly Rule[];
  readonly deviations: readonly Deviation[];
  readonly baseline: Baseline | undefined;
  /** Ids of every check that deviations may name; empty without deviations. */
  readonly plannedIds: readonly string[];
}

/** Every check of a contract that sends requests, with the traits of a usual key. */
export const planWithoutKeys = (
  contract: Contract,
  target: Target,
  rules: readonly Rule[] = shippedRules,
): readonly Check[] => {
  const names = [...Object.keys(target.keys), ...(target.fetchedKeys ?? [])];
  const keys = Object.fromEntries(names.map((name) => [name, { mixesCase: false }]));
  return planOf(foreseenContract(contract, target), deploymentOf(target, keys, 'plan'), { rules }).checks;
};

/** The contract as a run would judge it, before anything is read. */
export const foreseenContract = (contract: Contract, { identities }: Pick<Target, 'identities'>): Contract =>
  plannedContract(contract, { identities, seed: 'plan' });

/** All checks, those of the key page included. */
export const everyCheck = (
  contract: Contract,
  target: Target,
  rules: readonly Rule[] = shippedRules,
): readonly PlannedCheck[] => [...planWithoutKeys(contract, target, rules), ...keyPageChecks(contract, rules)];

/** The plan of a run as if all keys were set. */
interface ForeseenRun {
  /** Every check; `requestingChecks` chooses those that send something. */
  readonly checks: readonly Check[];
  readonly contract: Contract;
}

/** The plan of a run, as if every key that is not set yet, or is fetched later, were there. */
export const foreseenRun = (settings: Settings, contract: Contract, given: Target): ForeseenRun => {
  const fetchedKeys = fetchedKeyNames(settings, contract);
  const names = ['API_KEY', ...contract.schemes.map(({ setting }) => setting)];
  const target =
    Object.keys(given.keys).length === 0
      ? { ...given, keys: Object.fromEntries(names.map((name) => [name, 'key'])) }
      : { ...given, ...(fetchedKeys.length === 0 ? {} : { fetchedKeys }) };
  return { checks: planWithoutKeys(contract, target), contract: foreseenContract(contract, target) };
};

interface PreparingOptions {
  readonly cwd: string;
  readonly warn: Warn;
  /** Path of the contract if it was fetched already. */
  readonly contractPath?: string;
  /** Documents from the web that were fetched for other targets. */
  readonly fetched?: Fetched | undefined;
  /** The shipped rules when absent. */
  readonly rules?: readonly Rule[] | undefined;
}

/**
 * Reads the target, the contract and the deviations that the settings name. Sends nothing.
 * @throws {SettingsError | ContractError | DeviationsError | RulesError | ReportError}
 */
export const prepareRun = async (
  settings: Settings,
  { cwd, warn, contractPath, fetched, rules = shippedRules }: PreparingOptions,
): Promise<PreparedRun> => {
  const given = readTarget(settings);
  for (const entry of unusedInResolve(settings, given))
    warn(`RESOLVE: ${visible(entry)} is for no host and port that BASE_URL or HTTP_BASE_URL names`);
  const reports = join(settings.values.REPORTS_DIR, 'conformance');
  // A fetched contract is kept beside the results.
  if (contractPath === undefined && isWebAddress(settings.values.CONTRACT)) prepareReports(reports);
  const keepIn = join(reports, contractFolder);
  const contract = await loadContractOf(settings, given, { warn, path: contractPath, keepIn, fetched });
  checkOwnRules(rules, contract);
  refuseKeysInPaths(contract, given);
  refuseEncodedKeys(contract, given);
  const origins = keyOriginsOf(settings, contract, given);
  const target = origins.size === 0 ? given : { ...given, fetchedKeys: [...origins.keys()] };
  const baseline = baselineIn(settings);
  if (baseline && baseline.contract.sha256 !== contract.sha256)
    warn(
      'BASELINE is of another contract (overlays count), so only facts that both runs have are compared; access-conformance baseline writes it anew',
    );
  const deviations = deviationsIn(settings, { contract, target, rules, cwd });
  // The values of PARAMETERS are left out: it matters only whether there are any.
  const options = { ...describeOptions(settings), PARAMETERS: contract.hasGivenValues === true };
  return { settings, target, contract, origins, options, rules, ...deviations, baseline };
};

const deviationsIn = (
  { values: { DEVIATIONS: file } }: Settings,
  { contract, target, rules, cwd }: Pick<PreparedRun, 'contract' | 'target' | 'rules'> & { readonly cwd: string },
): Pick<PreparedRun, 'deviations' | 'plannedIds'> => {
  if (file === undefined) return { deviations: [], plannedIds: [] };
  const planned: Planned = everyCheck(contract, target, rules).map(({ id, rule }) => ({ id, clauses: rule.clauses }));
  const deviations = readDeviations(file, { planned, shown: shortPath(file, cwd) });
  return { deviations, plannedIds: planned.map(({ id }) => id) };
};

const problemsOf = (rule: Rule, contract: Contract): readonly string[] => {
  const named = [...rule.clauses, ...(rule.gaps ?? [])];
  const known = [...contract.clauses, ...contract.gaps].map(({ id }) => id);
  if (named.some((id) => known.includes(id))) return [];
  return [
    `${rule.id}: the contract has no ${named.join(' or ')}; it has ${firstOf(known, known.length)}, and a document adds clauses by x-access-clauses`,
  ];
};

/**
 * Checks rules that are not shipped against the contract: the run would pass without those that it
 * never applies.
 * @throws {RulesError} for an id that is there twice, and a rule without a clause or gap here
 */
const checkOwnRules = (rules: readonly Rule[], contract: Contract): void => {
  const seen = new Set<string>();
  const problems = rules.flatMap((rule) => {
    const twice = seen.has(rule.id) ? [`${rule.id}: two rules have this id`] : [];
    seen.add(rule.id);
    return [...twice, ...(shippedRules.includes(rule) ? [] : problemsOf(rule, contract))];
  });
  if (problems.length > 0) throw new RulesError(problems);
};

const wrong = (message: string): never => {
  throw new SettingsError([
    {
      setting: 'BASELINE',
      message,
      allowed: 'an access-baseline.json of schemaVersion 1',
      hint: 'access-conformance baseline writes one from the results of a run',
    },
  ]);
};

/**
 * The facts that the settings name.
 * @throws {SettingsError} where the file cannot be read or is no baseline
 */
const baselineIn = ({ values }: Settings): Baseline | undefined => {
  const { BASELINE: file, FAIL_ON_DRIFT: fails } = values;
  if (file === undefined)
    return fails ? wrong('it is not set, and FAIL_ON_DRIFT=true has nothing to compare with') : undefined;
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return wrong(`it is no JSON file that can be read (${messageOf(error).split('\n', 1)})`);
  }
  if (!isObject(document) || document.schemaVersion !== 1 || !isObject(document.facts) || !isObject(document.contract))
    return wrong('it is no baseline: it needs schemaVersion 1, contract and facts');
  const facts = document.facts as Readonly<Record<string, Json>>;
  return { facts, contract: { sha256: String(document.contract.sha256) }, fails };
};

/** `access-baseline.json` of a run, without facts that change by themselves. */
export const baselineText = ({ contract, facts: all }: Pick<Results, 'contract' | 'facts'>): string => {
  const { title, version, sha256 } = contract;
  const facts = Object.fromEntries(all.filter(isComparable).map(({ id, value }) => [id, canonical(value)]));
  return `${jsonText({ schemaVersion: 1, contract: { title, version, sha256 }, facts }, 2)}\n`;
};
