import type { Identity } from './identities-file.js';
import { hideInLogs, keyNames, missingSetting, type Settings } from './settings.js';
import { type SettingEntry, settingsTable } from './table.js';
import { type Pem, parseResolveEntries, type ResolveEntry } from './value-parsers.js';

/**
 * A base URL for commands that need no deployment; it can never be reached (RFC 2606, section 2).
 */
export const nowhere = 'https://base-url.invalid';

/** The deployment under test. Only `src/wire/` uses `keys`. */
export interface Target extends Pem {
  readonly name: string;
  /** `https://host[:port]`, lower-case, no path. */
  readonly origin: string;
  /** Path of the base URL without a trailing slash: `''` or `/sub/path`. */
  readonly basePath: string;
  /**
   * Setting name (`API_KEY`, `API_KEY_<SCHEME>`, `API_KEY_OF_<IDENTITY>`) → key. Empty when none
   * was given.
   */
  readonly keys: Readonly<Record<string, string>>;
  /** Settings whose keys are fetched when a run begins. */
  readonly fetchedKeys?: readonly string[];
  /** The identities of IDENTITIES; absent where none were given. */
  readonly identities?: readonly Identity[] | undefined;
  /** Base URL of the plain-HTTP side without a trailing slash, `'none'`, or `null` when unknown. */
  readonly httpBaseUrl: string | null;
  readonly insecureTls: boolean;
  /** Milliseconds for connect, for headers and for the body, each. */
  readonly timeoutMs: number;
  readonly concurrency: number | 'auto';
  readonly rateLimitWaitS: number;
  /** Values of settings that replace an assumed path: `{ EXERCISE_PATH: '/api/v2/exercise/' }`. */
  readonly paths: Readonly<Record<string, string>>;
  readonly probes: 'auto' | 'spread' | 'standard' | 'extended';
  /** Requests that a run may send; no limit when absent. */
  readonly maxRequests?: number | undefined;
  /** Milliseconds from one request to the next, at least. */
  readonly intervalMs?: number | undefined;
  readonly probeKeyInUrl: boolean;
  readonly unsafeMethods: boolean;
  readonly strict: boolean;
  readonly evidence: 'shape' | 'full';
  /** HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment. */
  readonly proxy?: NonNullable<Settings['proxy']> | undefined;
  /** RESOLVE=host:port:address. */
  readonly resolve: readonly ResolveEntry[];
}

/** The plain-HTTP side of port 443 is port 80 of the same host; of other ports it is unknown. */
const derivedHttp = (origin: string, basePath: string): string | null => {
  const { port, host } = new URL(origin);
  return port === '' ? `http://${host}${basePath}` : null;
};

/**
 * Applies the address that RESOLVE names for the HTTPS port to the plain-HTTP port of the same
 * host, unless that has an entry. The host name alone may lead to another deployment.
 */
const withPlainPort = (
  entries: readonly ResolveEntry[],
  origin: string,
  httpBaseUrl: string | null,
): readonly ResolveEntry[] => {
  if (httpBaseUrl === null || httpBaseUrl === 'none') return entries;
  const [https, plain] = [new URL(origin), new URL(httpBaseUrl)];
  const port = Number(plain.port || 80);
  const at = (wanted: number) => (entry: ResolveEntry) => entry.host === https.hostname && entry.port === wanted;
  if (plain.hostname !== https.hostname || entries.some(at(port))) return entries;
  return [...entries, ...entries.filter(at(Number(https.port || 443))).map((found) => ({ ...found, port }))];
};

/**
 * The deployment under test.
 * @throws {SettingsError} when no base URL was given: no target has a default.
 */
export const readTarget = (settings: Settings): Target => {
  const { values, base, pem, proxy, identities } = settings;
  if (!base) throw missingSetting('BASE_URL', settings);
  const httpBaseUrl = values.HTTP_BASE_URL ?? derivedHttp(base.origin, base.basePath);
  const paths: Record<string, string> = {};
  if (values.EXERCISE_PATH) paths.EXERCISE_PATH = values.EXERCISE_PATH;
  if (values.INGREDIENT_PATH) paths.INGREDIENT_PATH = values.INGREDIENT_PATH;
  const target: Target = {
    name: values.TARGET_NAME ?? new URL(base.origin).host,
    origin: base.origin,
    basePath: base.basePath,
    keys: { ...settings.keys, ...identities.keys },
    ...(identities.identities.length > 0 ? { identities: identities.identities } : {}),
    httpBaseUrl,
    ...pem,
    insecureTls: values.INSECURE_TLS,
    timeoutMs: values.TIMEOUT_MS,
    concurrency: values.CONCURRENCY,
    rateLimitWaitS: values.RATE_LIMIT_WAIT_S,
    paths,
    probes: values.PROBES,
    maxRequests: values.MAX_REQUESTS,
    intervalMs: values.RATE,
    probeKeyInUrl: values.PROBE_KEY_IN_URL,
    unsafeMethods: values.UNSAFE_METHODS,
    strict: values.STRICT,
    evidence: values.EVIDENCE,
    proxy,
    resolve: withPlainPort(parseResolveEntries(values.RESOLVE), base.origin, httpBaseUrl),
  };
  return hideInLogs(target, 'keys', 'clientCert', 'proxy');
};

/** Entries of RESOLVE for a host or port that no setting uses. */
export const unusedInResolve = ({ values, base, proxy }: Settings, target: Target): readonly string[] => {
  const urls = [target.origin, target.httpBaseUrl, values.KEY_PAGE_URL, values.LOGIN_URL, proxy?.url, proxy?.httpUrl];
  const used = urls.flatMap((url) => {
    if (url === undefined || url === null || url === 'none') return [];
    const { protocol, hostname, port } = new URL(url);
    return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  });
  const own = base && new URL(base.origin).hostname;
  return (values.RESOLVE ?? []).filter((text) =>
    parseResolveEntries([text]).some(
      // A key page may redirect to a login on any host.
      ({ host, port }) => !used.includes(`${host}:${port}`) && (values.KEY_PAGE_URL === undefined || host === own),
    ),
  );
};

/**
 * The `options` record of `results.json`: every setting that affects judgements, and whether a key
 * was given. No secrets: of the keys of IDENTITIES it says where they are.
 */
export const describeOptions = (settings: Settings): Record<string, string | number | boolean | null> => {
  const options: Record<string, string | number | boolean | null> = {};
  for (const entry of settingsTable as readonly SettingEntry[]) {
    if (!entry.judged) continue;
    const value = (settings.values as Readonly<Record<string, unknown>>)[entry.name] ?? null;
    options[entry.name] =
      entry.kind === 'file'
        ? value !== null
        : typeof value === 'object' && value !== null
          ? JSON.stringify(value)
          : (value as string | number | boolean | null);
  }
  options.API_KEY = keyNames(settings).length > 0 || settings.grant !== undefined;
  Object.assign(options, settings.identities.places);
  return options;
};

/** Settings of the key page for `src/keypage/`; `undefined` when KEY_PAGE_URL is not set. */
export const readKeyPage = ({ values, webPassword, webPasswordWithoutKey, pem, proxy }: Settings) =>
  values.KEY_PAGE_URL === undefined
    ? undefined
    : {
        url: values.KEY_PAGE_URL,
        loginUrl: values.LOGIN_URL,
        username: values.WEB_USERNAME,
        password: webPassword,
        withoutKey: { username: values.WEB_USERNAME_WITHOUT_KEY, password: webPasswordWithoutKey },
        generate: values.KEY_PAGE_GENERATE,
        action: values.KEY_PAGE_ACTION,
        keySelector: values.KEY_PAGE_KEY_SELECTOR,
        emptyText: values.KEY_PAGE_EMPTY_TEXT,
        chromiumPath: values.CHROMIUM_PATH,
        ca: pem.ca,
        clientCert: pem.clientCert,
        insecureTls: values.INSECURE_TLS,
        proxy,
        resolve: parseResolveEntries(values.RESOLVE),
      };

export const revokedKeyWarning = (setting: string): string =>
  `The key in ${setting} no longer opens the API: pressing the key page's action ended its life. Put the key that the page shows now into ${setting} before the next run.`;
