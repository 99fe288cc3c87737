import { exitCodeWith } from '../engine/outcomes.js';
import type { RunRecord } from '../engine/results.js';
import type { ProgressEvent } from '../engine/run-input.js';
import { camelCase } from '../names.js';
import { type ReportPaths, writeReports } from '../report/write.js';
import { explanationsOf } from '../rules/index.js';
import type { Rule } from '../rules/rule.js';
import { suggestSetting } from '../settings/env-file.js';
import { readSettings, SettingsError } from '../settings/settings.js';
import { entryNamed, type SettingInputOf, type TableEntry } from '../settings/table.js';
import { idleSelector } from './idle-selector.js';
import { everyCheck, prepareRun } from './prepare.js';
import { judgePrepared } from './run.js';

/** `BASE_URL` → `baseUrl` */
export type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;

/** Every setting of `.env.example` by its name in camel case, for example `caFile` for CA_FILE. */
export type JudgeSettings = {
  readonly [E in TableEntry as CamelCase<E['name']>]?: SettingInputOf<E> | undefined;
};

export interface JudgeInput extends JudgeSettings {
  /** The deployment: what stands in front of `/api/v2/workout/`. */
  readonly baseUrl: string;
  /** Keys of several security schemes by setting name: `{ API_KEY_OAUTH: '…' }`. */
  readonly keys?: Readonly<Record<string, string>>;
  /** The shipped rules when absent: `[...shippedRules, mine]` adds one. */
  readonly rules?: readonly Rule[];
  /** Selectors of checks, as `--only` takes them; everything when absent. */
  readonly only?: readonly string[];
  /** Ends the run; what was judged until then has a verdict. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (event: ProgressEvent) => void;
  /** Is given each warning about the contract or the settings, as one printable text. */
  readonly onWarning?: (warning: string) => void;
}

/** A judged deployment. Its exchanges stay in a temporary folder until `dispose()`. */
export interface JudgedDeployment extends RunRecord {
  /** As of `access-conformance run`: 1 non-conformant, 2 incomplete, 3 stale deviations, else 0. */
  readonly exitCode: number;
  /**
   * Writes results.json, index.html, junit.xml, results.sarif, summary.md and badge.json; and a
   * line of `history.jsonl`, with `history: true`.
   * @param dir `reportsDir` when absent; the files go to its folder `conformance`
   * @throws {ReportError} if the folder cannot be written
   */
  writeReports(dir?: string): Promise<ReportPaths>;
}

const settingName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/**
 * Settings as `readSettings` takes them: a list is a text with commas.
 * @throws {SettingsError} for a name that is no setting, which programs without types may pass
 */
const settingsIn = (settings: JudgeSettings): Record<string, string> => {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  const unknown = given.flatMap(([name]) => (entryNamed(settingName(name)) ? [] : [name]));
  if (unknown.length > 0)
    throw new SettingsError(
      unknown.map((setting) => {
        const meant = suggestSetting(setting);
        return {
          setting,
          message: 'there is no setting of this name.',
          ...(meant === undefined ? {} : { hint: `did you mean ${camelCase(meant)}?` }),
        };
      }),
    );
  return Object.fromEntries(given.map(([name, value]) => [settingName(name), String(value)]));
};

/**
 * Judges a deployment. Nothing is taken from the environment or from `.env`. Resolves whatever the
 * deployment does; its verdict is in the results.
 * @throws {SettingsError | ContractError | DeviationsError | RulesError | ReportError} for wrong
 * input
 */
export const judge = async (input: JudgeInput): Promise<JudgedDeployment> => {
  const { keys = {}, rules, only, signal, onProgress, onWarning = () => {}, ...given } = input;
  const cwd = process.cwd();
  const settings = readSettings({ fixed: settingsIn(given), env: keys, cwd, envFile: false });
  const prepared = await prepareRun(settings, { cwd, warn: onWarning, rules });
  const idle = only && idleSelector(only, everyCheck(prepared.contract, prepared.target, prepared.rules));
  if (idle)
    throw new SettingsError([
      { setting: 'only', value: idle.selector, message: 'it selects no check.', hint: idle.hint },
    ]);
  const { record, stale } = await judgePrepared(prepared, {
    only,
    keyPage: {
      isAsked: settings.values.KEY_PAGE_URL !== undefined,
      notAsked: 'The key page was not asked for; keyPageUrl names it.',
    },
    signal,
    onProgress,
  });
  const explanations = explanationsOf(prepared.rules);
  return {
    ...record,
    exitCode: exitCodeWith(record.results, stale),
    writeReports: (dir = settings.values.REPORTS_DIR) =>
      writeReports(record, {
        dir,
        explain: (id) => explanations.get(id),
        environment: {},
        stale,
        history: settings.values.HISTORY,
      }),
  };
};
