import { upperSnake } from '../names.js';
import { asset } from '../package.js';
import { judgingSettings, keyPageSettings, networkSettings, reportSettings } from './run-settings.js';
import { type SettingEntry, settingsOf } from './setting-entry.js';

/** The deployment that is tested. */
const targetSettings = settingsOf('Target', {
  BASE_URL: {
    kind: 'url',
    allowed:
      'an https URL such as https://api.example.com or https://example.com/fitness, without user, query or fragment',
    doc: 'Base URL of the deployment: what stands in front of the documented paths, such as /api/v2/workout/. It has no default.',
    alsoCalled: ['URL', 'HOST', 'API_URL', 'TARGET_URL', 'SERVER_URL', 'API_BASE_URL', 'BASE_URI'],
    example: 'https://api.example.com',
  },
  API_KEY: {
    kind: 'text',
    secret: true,
    allowed: 'the key alone, in visible ASCII characters without a space',
    doc: 'Key of an account on the target, without the word Token in front. No flag gives it, since others can see a command line.',
    alsoCalled: ['API_TOKEN', 'TOKEN', 'KEY', 'AUTH_TOKEN', 'ACCESS_TOKEN', 'API_SECRET'],
  },
  API_KEY_FILE: {
    kind: 'file',
    allowed: 'a readable file that holds the key alone, instead of API_KEY',
    doc: 'File that holds the key, instead of API_KEY. One newline at its end is removed.',
    alsoCalled: ['API_TOKEN_FILE', 'TOKEN_FILE', 'KEY_FILE'],
    example: '/run/secrets/api-key',
  },
  API_KEYS_FILE: {
    kind: 'file',
    allowed: 'a readable YAML or JSON file, security scheme to key',
    doc: 'File that holds the keys of several security schemes, a line "scheme: key" each, instead of API_KEY_<SCHEME>.',
    alsoCalled: ['API_KEYS', 'KEYS_FILE'],
    example: '/run/secrets/api-keys.yaml',
  },
  IDENTITIES: {
    kind: 'file',
    judged: true,
    allowed: 'a YAML or JSON file that can be read',
    doc: 'File that names several holders of keys, with the scopes or roles of each, and who of them have separate accounts. It says where each key is, and holds no key.',
    alsoCalled: ['IDENTITY', 'USERS', 'ACCOUNTS'],
    example: 'identities.yaml',
  },
  HTTP_BASE_URL: {
    kind: 'url',
    judged: true,
    allowed: 'an http URL such as http://api.example.com:8080, or none for a deployment without a plain-HTTP port',
    doc: 'The plain-HTTP side of the target. For a base URL on port 443 the default is port 80 of the same host. For any other port there is no default.',
    alsoCalled: ['PLAIN_HTTP_URL', 'HTTP_URL'],
    example: 'none',
  },
  TARGET_NAME: {
    kind: 'text',
    doc: 'Name of the target in reports. The default is the host of BASE_URL.',
    example: 'staging',
  },
  EXERCISE_PATH: {
    kind: 'path',
    judged: true,
    doc: 'Path of the public exercise resource, appended to BASE_URL. The contract leaves it open, so a path like that of workout is assumed.',
    example: '/api/v2/exercise/',
  },
  INGREDIENT_PATH: {
    kind: 'path',
    judged: true,
    doc: 'Path of the public ingredient resource, appended to BASE_URL. A path like that of workout is assumed.',
    example: '/api/v2/ingredient/',
  },
});

/** The contract that it is tested against. */
const contractSettings = settingsOf('Contract', {
  CONTRACT: {
    kind: 'document',
    default: asset('openapi', 'fitness-data-service.yaml'),
    allowed: 'an OpenAPI document, YAML or JSON: a file that can be read, or an https URL',
    doc: 'OpenAPI document to test against. One at a URL is fetched without credentials, and kept beside the results. The shipped contract is that of the fitness data service.',
    alsoCalled: ['OPENAPI', 'SPEC', 'OPENAPI_FILE'],
    example: 'openapi.yaml',
  },
  OVERLAY: {
    kind: 'files',
    allowed: 'one OpenAPI Overlay file, or several with commas between them',
    doc: 'OpenAPI Overlay applied to the contract, to fill its gaps without editing it.',
    alsoCalled: ['OVERLAYS'],
    example: 'overlay.yaml',
  },
  REF_ROOT: {
    kind: 'folder',
    allowed: 'a folder that is there',
    doc: 'Folder that must hold every file to which the contract refers by $ref. The default is the folder of the contract.',
    alsoCalled: ['REFERENCE_ROOT', 'REFS_ROOT'],
    example: '.',
  },
  PARAMETERS: {
    kind: 'file',
    judged: true,
    allowed: 'a YAML or JSON file that can be read',
    doc: 'Values for path, query and header parameters that the contract gives no example for.',
    example: 'parameters.yaml',
  },
  BASELINE: {
    kind: 'file',
    judged: true,
    allowed: 'an access-baseline.json that can be read',
    doc: 'Accepted facts of the deployment, as access-conformance baseline writes them. Every run says what is new, gone or changed.',
    example: 'access-baseline.json',
  },
  FAIL_ON_DRIFT: {
    kind: 'boolean',
    judged: true,
    doc: 'A deployment that differs from BASELINE gets the verdict drifted, and exit code 1.',
  },
  DEVIATIONS: {
    kind: 'file',
    judged: true,
    allowed: 'a YAML file that can be read',
    doc: 'Known deviations, each with its reason. Their checks stay failed, and the verdict becomes deviating.',
    alsoCalled: ['DEVIATION'],
    example: 'deviations.yaml',
  },
});

/** Keys that a run fetches, and fetches again when they end. */
const fetchedKeySettings = settingsOf('Keys that are fetched', {
  API_KEY_COMMAND: {
    kind: 'text',
    secret: true,
    allowed: 'a JSON array of texts, the program first: ["./token.sh", "staging"]; in the environment alone',
    doc: 'Program that prints the key, or {"key": "…", "expiresAt": "2026-01-31T12:00:00Z"}, instead of API_KEY. It is run without a shell, for at most 10 seconds, and again when the key ends. It is never taken from .env, since a file that comes with a checkout must not run programs.',
    alsoCalled: ['API_TOKEN_COMMAND', 'TOKEN_COMMAND', 'KEY_COMMAND', 'API_KEY_CMD'],
  },
  OAUTH_CLIENT_ID: {
    kind: 'text',
    allowed: 'the id of a client of the authorization server',
    doc: 'Client that asks for the tokens of oauth2 and openIdConnect schemes that have no key of their own. It uses the client credentials flow, or the password flow if OAUTH_USERNAME is given.',
    alsoCalled: ['CLIENT_ID', 'OAUTH2_CLIENT_ID', 'OIDC_CLIENT_ID'],
    example: 'access-conformance',
  },
  OAUTH_CLIENT_SECRET: {
    kind: 'text',
    secret: true,
    allowed: 'the secret of that client',
    doc: 'Secret of the client. A public client of the password flow has none.',
    alsoCalled: ['CLIENT_SECRET', 'OAUTH2_CLIENT_SECRET', 'OIDC_CLIENT_SECRET'],
  },
  OAUTH_USERNAME: {
    kind: 'text',
    allowed: 'the name of an account of the authorization server',
    doc: 'Account of the password flow.',
    alsoCalled: ['OAUTH_USER', 'OAUTH2_USERNAME'],
    example: 'tester',
  },
  OAUTH_PASSWORD: {
    kind: 'text',
    secret: true,
    allowed: 'the password of that account',
    doc: 'Password of OAUTH_USERNAME.',
    alsoCalled: ['OAUTH2_PASSWORD'],
  },
  OAUTH_SCOPE: {
    kind: 'text',
    judged: true,
    allowed: 'scopes with spaces between them',
    doc: 'Scopes to ask for. The default is what the server gives by itself.',
    alsoCalled: ['OAUTH_SCOPES', 'OAUTH2_SCOPE'],
    example: 'read',
  },
  OAUTH_TOKEN_URL: {
    kind: 'url',
    allowed: 'an https URL such as https://login.example.com/oauth/token',
    doc: 'Token endpoint, instead of the tokenUrl of the document. A tokenUrl is used only on the origin of BASE_URL, since a document must not lead secrets elsewhere.',
    alsoCalled: ['TOKEN_URL', 'OAUTH2_TOKEN_URL'],
    example: 'https://login.example.com/oauth/token',
  },
});

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

export type TableEntry = (typeof settingsTable)[number];

export type SettingName = TableEntry['name'];

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

/** What a program gives for a setting: its value, but a rate as it is written. */
export type SettingInputOf<E extends TableEntry> = E extends { readonly kind: 'rate' }
  ? `${number}/${'s' | 'm' | 'h'}`
  : E extends { readonly secret: true }
    ? string
    : SettingValueOf<E>;

/** Setting name → value. Secrets are not among them. */
export type SettingValues = {
  readonly [E in TableEntry as E extends { readonly secret: true } ? never : E['name']]: SettingValueOf<E>;
};

export const keyFiles: readonly string[] = ['API_KEY_FILE', 'API_KEYS_FILE'];

/**
 * Settings of keys for security schemes, `API_KEY_<SCHEME>`. API_KEY_FILE and API_KEY_COMMAND say
 * where the key of API_KEY is.
 */
export const schemeKey = /^API_KEY_(?!(?:FILE|COMMAND)$)[A-Z0-9][A-Z0-9_]*$/;

/**
 * The setting of a scheme: `tokenAuth` → `API_KEY_TOKEN_AUTH`, as contracts call it. Schemes with
 * the name of another setting are numbered.
 */
export const settingOfScheme = (scheme: string): string => {
  const setting = `API_KEY_${upperSnake(scheme)}`;
  return setting === 'API_KEY_' || schemeKey.test(setting) ? setting : `${setting}_2`;
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
