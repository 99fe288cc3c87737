import { judgingSettings, keyPageSettings, networkSettings, reportSettings } from './run-settings.js';
import type { SettingEntry } from './setting-entry.js';
import { contractSettings, fetchedKeySettings, targetSettings } from './target-settings.js';

export type { SettingEntry };

/** The table of settings. Parsing, flags, `.env.example` and help are made from it. */
export const settingsTable = [
  ...targetSettings,
  ...contractSettings,
  ...fetchedKeySettings,
  ...networkSettings,
  ...judgingSettings,
  ...reportSettings,
  ...keyPageSettings,
] as const;

/** An entry of the table, with its literal types. */
export type TableEntry = (typeof settingsTable)[number];

export type SettingName = TableEntry['name'];

/** The type of a setting's value. */
export type SettingValueOf<E extends TableEntry> = E extends { readonly kind: 'boolean' }
  ? boolean
  : E extends { readonly kind: 'integer'; readonly orWord: infer Word }
    ? number | Word
    : E extends { readonly kind: 'integer'; readonly default: number }
      ? number
      : E extends { readonly kind: 'integer' | 'rate' }
        ? number | undefined
        : E extends { readonly choices: readonly (infer Choice)[] }
          ? Choice
          : E extends { readonly kind: 'files' | 'list' }
            ? readonly string[]
            : E extends { readonly default: string }
              ? string
              : string | undefined;

/** Setting name → value. Secrets are not among them. */
export type SettingValues = {
  readonly [E in TableEntry as E extends { readonly secret: true } ? never : E['name']]: SettingValueOf<E>;
};

/** Settings that name a file of keys. */
export const keyFiles: readonly string[] = ['API_KEY_FILE', 'API_KEYS_FILE'];

/**
 * Settings of keys for security schemes, `API_KEY_<SCHEME>`. API_KEY_FILE and API_KEY_COMMAND say
 * where the key of API_KEY is.
 */
export const schemeKey = /^API_KEY_(?!(?:FILE|COMMAND)$)[A-Z0-9][A-Z0-9_]*$/;

/**
 * The setting of a scheme: `tokenAuth` → `API_KEY_TOKENAUTH`. Contracts ignore underscores in it,
 * and schemes with the name of another setting are numbered.
 */
export const settingOfScheme = (scheme: string): string => {
  const words = scheme.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_+|_+$/g, '');
  const setting = `API_KEY_${words.toUpperCase()}`;
  return words === '' || schemeKey.test(setting) ? setting : `${setting}_2`;
};

export const entryNamed = (name: string): SettingEntry | undefined =>
  settingsTable.find((entry: SettingEntry) => entry.name === name);

/** `BASE_URL` → `--base-url`. */
export const flagOf = (name: string): string => `--${name.toLowerCase().replaceAll('_', '-')}`;

/** Settings of those groups that are of the run, whatever the deployment. */
const ofTheRun: readonly string[] = ['BASELINE', 'FAIL_ON_DRIFT', 'CHROMIUM_PATH'];

/**
 * Settings of one deployment. Runs against the embedded service, and targets of a targets file,
 * ignore the user's own values.
 */
export const deploymentSettings: readonly string[] = [
  ...[...targetSettings, ...contractSettings, ...fetchedKeySettings, ...keyPageSettings]
    .map(({ name }): string => name)
    .filter((name) => !ofTheRun.includes(name)),
  ...['CA_FILE', 'INSECURE_TLS', 'CLIENT_CERT_FILE', 'CLIENT_KEY_FILE', 'RESOLVE', 'HTTPS_PROXY', 'https_proxy'],
];
