import { relative, resolve } from 'node:path';
import { isWebAddress, parseSetting, printableSettings, readPem } from './setting-parser.js';
import {
  type collectSecrets,
  type FindValue,
  maskSecrets,
  problemOf,
  type RawValue,
  type SettingProblem,
  SettingsError,
  type Source,
  settingsWithSecrets,
} from './settings-error.js';
import { entryNamed } from './table.js';
import { type Pem, parseProxyUrl } from './value-parsers.js';

/** HTTPS_PROXY with, where it is given, HTTP_PROXY. */
export interface ProxySetting {
  readonly url: string;
  readonly httpUrl?: string;
  readonly noProxy: string;
}

/** Reports show the path relative to the working folder. */
export const relativeToCwd = (path: unknown): unknown => {
  if (typeof path !== 'string' || isWebAddress(path)) return path;
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near;
};

/** Settings while they are read, with the problems found so far. */
export class SettingsReader {
  readonly #cwd: string;
  readonly #find: FindValue;
  readonly problems: SettingProblem[];
  readonly sources: Record<string, Source> = {};
  /** Values as they were given. */
  readonly given = new Map<string, RawValue>();
  readonly values: Record<string, unknown> = {};

  constructor(cwd: string, find: FindValue, problems: readonly SettingProblem[]) {
    this.#cwd = cwd;
    this.#find = find;
    this.problems = [...problems];
  }

  /** Reads the settings that hold no secret. */
  readPrintable(): void {
    for (const entry of printableSettings) {
      const given = this.#find(entry.name);
      if (given) {
        this.given.set(entry.name, given);
        this.sources[entry.name] = given.source;
        const form = parseSetting(entry, given.text, this.#cwd);
        if (form.wrong === undefined) this.values[entry.name] = form.value;
        else this.problems.push(problemOf(entry.name, given, form));
      } else if (entry.default !== undefined)
        this.values[entry.name] = entry.kind === 'folder' ? resolve(this.#cwd, String(entry.default)) : entry.default;
    }
    this.values.CONTRACT = relativeToCwd(this.values.CONTRACT);
  }

  noteSourcesOfKeys(keys: Readonly<Record<string, string>>): void {
    const find = this.#find;
    for (const name of Object.keys(keys))
      this.sources[name] =
        (find(name) ?? find(name === 'API_KEY' ? 'API_KEY_FILE' : 'API_KEYS_FILE'))?.source ?? 'default';
  }

  readProxy(): ProxySetting | undefined {
    const url = this.#proxyIn('HTTPS_PROXY');
    // Where HTTPS connects directly, plain HTTP does too.
    if (url === undefined) return undefined;
    const httpUrl = this.#proxyIn('HTTP_PROXY');
    const noProxy = (this.#find('NO_PROXY') ?? this.#find('no_proxy'))?.text ?? '';
    return { url, ...(httpUrl === undefined ? {} : { httpUrl }), noProxy };
  }

  #proxyIn(name: 'HTTPS_PROXY' | 'HTTP_PROXY'): string | undefined {
    const given = this.#find(name) ?? this.#find(name.toLowerCase());
    if (!given) return undefined;
    this.sources[name] = given.source;
    const form = parseProxyUrl(given.text);
    if (form.wrong !== undefined) this.problems.push(problemOf(name, given, form));
    return form.value;
  }

  readPem(): Pem {
    return readPem(this.values, (setting, wrong) => {
      const given = this.given.get(setting);
      if (given) this.problems.push(problemOf(setting, given, wrong));
    });
  }

  /**
   * @param named variables that the IDENTITIES file names: they are no settings of their own
   * @throws {SettingsError}
   */
  throwProblems(secrets: ReturnType<typeof collectSecrets>, named: ReadonlySet<string>): void {
    const exposed = settingsWithSecrets(this.given, secrets);
    const exposedSettings = new Set(exposed.map(({ setting }) => setting));
    const others = this.problems.filter(
      ({ setting }) => !exposedSettings.has(setting) && (entryNamed(setting) || !named.has(setting)),
    );
    const all = [...others, ...exposed];
    if (all.length > 0) throw new SettingsError(all.map((problem) => maskSecrets(problem, secrets)));
  }
}
