import { asset } from '../package.js';

/** One setting: its flag is the name in lower case with dashes (`BASE_URL` → `--base-url`). */
export interface SettingEntry {
  readonly name: string;
  readonly kind:
    | 'text'
    | 'boolean'
    | 'integer'
    | 'choice'
    | 'file'
    | 'document'
    | 'files'
    | 'folder'
    | 'url'
    | 'path'
    | 'list';
  /** Value when nothing is given; a setting without one is unset. */
  readonly default?: string | number | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly choices?: readonly string[];
  /** What a value may be, as error messages and `.env.example` say it. */
  readonly allowed: string;
  readonly doc: string;
  /** Never accepted as a flag, never printed. */
  readonly secret?: true;
  /** Taken from the environment and `.env` alone. */
  readonly flag?: false;
  /** Changes what is judged, so `results.json` records it. */
  readonly judged?: true;
  /** Other names that people give it: named in "did you mean". */
  readonly alsoCalled?: readonly string[];
  /** Heading in `.env.example`. */
  readonly group: 'Target' | 'Contract' | 'Network' | 'What is judged' | 'Key page' | 'Reports';
  /** What `.env.example` shows behind the `=`, where the default says too little. */
  readonly example?: string;
}

const yesOrNo = 'true, false, 1, 0, yes or no';

/**
 * The one table of settings: reading, validation, flags, `.env.example` and help are made from it.
 */
export const settingsTable = [
  {
    name: 'BASE_URL',
    kind: 'url',
    group: 'Target',
    allowed:
      'an https URL such as https://api.example.com or https://example.com/fitness, without user, query or fragment',
    doc: 'Where the deployment under test is: what stands in front of /api/v2/workout/. No target has a default.',
    alsoCalled: ['URL', 'HOST', 'API_URL', 'TARGET_URL', 'SERVER_URL', 'API_BASE_URL', 'BASE_URI'],
    example: 'https://api.example.com',
  },
  {
    name: 'API_KEY',
    kind: 'text',
    group: 'Target',
    secret: true,
    allowed: 'the key alone, in visible ASCII characters without a space',
    doc: 'The key of an account on the target, without the word Token in front. Never given as a flag: a command line is seen by others.',
    alsoCalled: ['API_TOKEN', 'TOKEN', 'KEY', 'AUTH_TOKEN', 'ACCESS_TOKEN', 'API_SECRET'],
  },
  {
    name: 'API_KEY_FILE',
    kind: 'file',
    group: 'Target',
    allowed: 'a readable file that holds the key alone, instead of API_KEY',
    doc: 'File that holds the key, instead of API_KEY. One newline at its end is taken off.',
    alsoCalled: ['API_TOKEN_FILE', 'TOKEN_FILE', 'KEY_FILE'],
    example: '/run/secrets/api-key',
  },
  {
    name: 'API_KEYS_FILE',
    kind: 'file',
    group: 'Target',
    allowed: 'a readable YAML or JSON file, security scheme to key',
    doc: 'File that holds the keys of several security schemes, a line "scheme: key" each, instead of API_KEY_<SCHEME>.',
    alsoCalled: ['API_KEYS', 'KEYS_FILE'],
    example: '/run/secrets/api-keys.yaml',
  },
  {
    name: 'HTTP_BASE_URL',
    kind: 'url',
    group: 'Target',
    judged: true,
    allowed: 'an http URL such as http://api.example.com:8080, or none for a deployment without a plain-HTTP port',
    doc: 'The plain-HTTP side of the target. Known by itself for a base URL on port 443 (it is port 80 of the same host); else say it, or none.',
    alsoCalled: ['PLAIN_HTTP_URL', 'HTTP_URL'],
    example: 'none',
  },
  {
    name: 'TARGET_NAME',
    kind: 'text',
    group: 'Target',
    allowed: 'any text on one line',
    doc: 'Name of the target in reports; the host of BASE_URL when not given.',
    example: 'staging',
  },
  {
    name: 'EXERCISE_PATH',
    kind: 'path',
    group: 'Target',
    judged: true,
    allowed: 'a path that starts with a slash, without query, fragment or whitespace',
    doc: 'Path of the public exercise resource, appended to BASE_URL. The contract leaves it open, so the shape of workout is assumed.',
    example: '/api/v2/exercise/',
  },
  {
    name: 'INGREDIENT_PATH',
    kind: 'path',
    group: 'Target',
    judged: true,
    allowed: 'a path that starts with a slash, without query, fragment or whitespace',
    doc: 'Path of the public ingredient resource, appended to BASE_URL; assumed in the same way.',
    example: '/api/v2/ingredient/',
  },
  {
    name: 'CONTRACT',
    kind: 'document',
    group: 'Contract',
    default: asset('openapi', 'fitness-data-service.yaml'),
    allowed: 'an OpenAPI document, YAML or JSON: a file that can be read, or an https URL',
    doc: 'OpenAPI document to test against, a file or an https URL (fetched without credentials, and kept beside the results); the shipped contract of the fitness data service when not given.',
    alsoCalled: ['OPENAPI', 'SPEC', 'OPENAPI_FILE'],
    example: 'openapi.yaml',
  },
  {
    name: 'OVERLAY',
    kind: 'files',
    group: 'Contract',
    allowed: 'one OpenAPI Overlay file, or several with commas between them',
    doc: 'OpenAPI Overlay applied to the contract, to fill its gaps without editing it.',
    alsoCalled: ['OVERLAYS'],
    example: 'overlay.yaml',
  },
  {
    name: 'REF_ROOT',
    kind: 'folder',
    group: 'Contract',
    allowed: 'a folder that is there',
    doc: 'Folder that every file which the contract refers to by $ref must be in; the folder of the contract when not given.',
    alsoCalled: ['REFERENCE_ROOT', 'REFS_ROOT'],
    example: '.',
  },
  {
    name: 'PARAMETERS',
    kind: 'file',
    group: 'Contract',
    judged: true,
    allowed: 'a YAML or JSON file that can be read',
    doc: 'Values for path, query and header parameters that the contract gives no example for.',
    example: 'parameters.yaml',
  },
  {
    name: 'DEVIATIONS',
    kind: 'file',
    group: 'Contract',
    judged: true,
    allowed: 'a YAML file that can be read',
    doc: 'Known deviations, each with its reason: the check stays failed, and the verdict becomes deviating.',
    alsoCalled: ['DEVIATION'],
    example: 'deviations.yaml',
  },
  {
    name: 'CA_FILE',
    kind: 'file',
    group: 'Network',
    judged: true,
    allowed: 'a PEM file with at least one certificate',
    doc: 'Certificates of your own authority, trusted in addition to the usual ones.',
    alsoCalled: ['CA', 'CA_CERT', 'CACERT', 'CA_CERT_FILE', 'CA_BUNDLE'],
    example: 'ca.pem',
  },
  {
    name: 'INSECURE_TLS',
    kind: 'boolean',
    group: 'Network',
    default: false,
    judged: true,
    allowed: yesOrNo,
    doc: 'Go on although the certificate is not accepted; HTTPS-1 is then inconclusive.',
    alsoCalled: ['INSECURE'],
  },
  {
    name: 'CLIENT_CERT_FILE',
    kind: 'file',
    group: 'Network',
    judged: true,
    allowed: 'a PEM file with the client certificate, together with CLIENT_KEY_FILE',
    doc: 'Client certificate, for a target that asks for one.',
    example: 'client.pem',
  },
  {
    name: 'CLIENT_KEY_FILE',
    kind: 'file',
    group: 'Network',
    allowed: 'a PEM file with the private key of the client certificate, together with CLIENT_CERT_FILE',
    doc: 'Private key of the client certificate.',
    example: 'client-key.pem',
  },
  {
    name: 'RESOLVE',
    kind: 'list',
    group: 'Network',
    judged: true,
    allowed: 'host:port:address, several with commas between them, for example api.example.com:443:10.0.0.7',
    doc: 'Connect to this address for this host and port, for a preview behind a name. An IPv4 and an IPv6 address may be named.',
    example: 'api.example.com:443:10.0.0.7',
  },
  {
    name: 'HTTPS_PROXY',
    kind: 'url',
    group: 'Network',
    secret: true,
    flag: false,
    allowed: 'an http or https URL of a proxy that takes CONNECT, for example http://proxy.example:3128',
    doc: 'Proxy to reach the target through. The lower-case name works too.',
  },
  {
    name: 'HTTP_PROXY',
    kind: 'url',
    group: 'Network',
    secret: true,
    flag: false,
    allowed: 'an http or https URL of a proxy, for example http://proxy.example:3128',
    doc: 'Proxy for the plain-HTTP side, where the target is reached through HTTPS_PROXY. The lower-case name works too.',
  },
  {
    name: 'NO_PROXY',
    kind: 'text',
    group: 'Network',
    flag: false,
    allowed: 'host names with commas between them',
    doc: 'Hosts that are reached without the proxy.',
  },
  {
    name: 'CONCURRENCY',
    kind: 'integer',
    group: 'Network',
    default: 8,
    minimum: 1,
    maximum: 256,
    allowed: 'a whole number from 1 to 256',
    doc: 'Requests in flight at one time, at most.',
    alsoCalled: ['WORKERS', 'PARALLEL'],
  },
  {
    name: 'TIMEOUT_MS',
    kind: 'integer',
    group: 'Network',
    default: 10_000,
    minimum: 100,
    maximum: 600_000,
    judged: true,
    allowed: 'milliseconds, a whole number from 100 to 600000',
    doc: 'How long to wait for a connection, for headers and for a body, each.',
    alsoCalled: ['TIMEOUT'],
  },
  {
    name: 'RATE_LIMIT_WAIT_S',
    kind: 'integer',
    group: 'Network',
    default: 90,
    minimum: 0,
    maximum: 3_600,
    judged: true,
    allowed: 'seconds, a whole number from 0 to 3600',
    doc: 'How long to wait in all when the target says 429; what is still refused then is inconclusive.',
  },
  {
    name: 'PROBES',
    kind: 'choice',
    group: 'What is judged',
    default: 'extended',
    choices: ['standard', 'extended'],
    judged: true,
    allowed: 'standard or extended',
    doc: 'standard leaves out path spellings, proxy headers and method overrides.',
  },
  {
    name: 'PROBE_KEY_IN_URL',
    kind: 'boolean',
    group: 'What is judged',
    default: false,
    judged: true,
    allowed: yesOrNo,
    doc: 'Also try the real key in the query. It may then stand in the access log of the target.',
  },
  {
    name: 'UNSAFE_METHODS',
    kind: 'boolean',
    group: 'What is judged',
    default: false,
    judged: true,
    allowed: yesOrNo,
    doc: 'Also send POST, PUT, PATCH and DELETE of protected operations, without a key and without a body, to see them refused.',
  },
  {
    name: 'STRICT',
    kind: 'boolean',
    group: 'What is judged',
    default: false,
    judged: true,
    allowed: yesOrNo,
    doc: 'A server that takes more than the contract describes (lenient) is then not conformant.',
  },
  {
    name: 'EVIDENCE',
    kind: 'choice',
    group: 'Reports',
    default: 'shape',
    choices: ['shape', 'full'],
    judged: true,
    allowed: 'shape or full',
    doc: "full stores the bodies that the key opens, which are somebody's data; shape stores their structure and digests.",
  },
  {
    name: 'REPORTS_DIR',
    kind: 'folder',
    group: 'Reports',
    default: 'reports',
    allowed: 'a folder, made when it is not there',
    doc: 'Folder that reports are written to.',
    alsoCalled: ['REPORT_DIR', 'OUTPUT_DIR'],
  },
  {
    name: 'KEY_PAGE_URL',
    kind: 'url',
    group: 'Key page',
    judged: true,
    allowed: 'an http or https URL',
    doc: 'Page of the web interface where a key is made. PAGE-1 to PAGE-3 are judged only when it is given.',
    example: 'https://example.com/user/api-key',
  },
  {
    name: 'LOGIN_URL',
    kind: 'url',
    group: 'Key page',
    judged: true,
    allowed: 'an http or https URL',
    doc: 'Page to log in at, when the key page does not lead to it.',
    example: 'https://example.com/login',
  },
  {
    name: 'WEB_USERNAME',
    kind: 'text',
    group: 'Key page',
    allowed: 'any text on one line',
    doc: 'Account of the web interface.',
    alsoCalled: ['WEB_USER', 'USERNAME_WEB'],
  },
  {
    name: 'WEB_PASSWORD',
    kind: 'text',
    group: 'Key page',
    secret: true,
    allowed: 'any text on one line',
    doc: 'Password of that account. Never given as a flag.',
  },
  {
    name: 'WEB_USERNAME_WITHOUT_KEY',
    kind: 'text',
    group: 'Key page',
    allowed: 'any text on one line',
    doc: 'Another account, which has no key: PAGE-3 is judged by its page, where nothing is ever pressed that makes a key.',
  },
  {
    name: 'WEB_PASSWORD_WITHOUT_KEY',
    kind: 'text',
    group: 'Key page',
    secret: true,
    allowed: 'any text on one line',
    doc: 'Password of that account. Never given as a flag.',
  },
  {
    name: 'KEY_PAGE_GENERATE',
    kind: 'boolean',
    group: 'Key page',
    default: false,
    judged: true,
    allowed: yesOrNo,
    doc: 'Press the action that makes a key, once a run. It may revoke the current key.',
  },
  {
    name: 'KEY_PAGE_ACTION',
    kind: 'text',
    group: 'Key page',
    judged: true,
    allowed: 'the visible name of a button or link, or a CSS selector',
    doc: 'The action that makes a key, where it is not found by its name.',
    example: 'Generate API key',
  },
  {
    name: 'KEY_PAGE_KEY_SELECTOR',
    kind: 'text',
    group: 'Key page',
    judged: true,
    allowed: 'a CSS selector',
    doc: 'Where the page shows the current key, where it is not found by itself.',
    example: '#api-key',
  },
  {
    name: 'KEY_PAGE_EMPTY_TEXT',
    kind: 'text',
    group: 'Key page',
    judged: true,
    allowed: 'any text on one line',
    doc: 'The message that no key exists yet, where it is not found by itself.',
    example: 'You have no API key yet',
  },
  {
    name: 'CHROMIUM_PATH',
    kind: 'file',
    group: 'Key page',
    allowed: 'the program file of Chromium or Chrome',
    doc: 'Browser for the key page; an installed Chromium or Chrome when not given.',
    alsoCalled: ['CHROME_PATH', 'CHROME_BIN'],
    example: '/usr/bin/chromium',
  },
] as const satisfies readonly SettingEntry[];

type Entry = (typeof settingsTable)[number];

export type SettingName = Entry['name'];

type ValueOf<E extends Entry> = E extends { readonly kind: 'boolean' }
  ? boolean
  : E extends { readonly kind: 'integer' }
    ? number
    : E extends { readonly choices: readonly (infer Choice)[] }
      ? Choice
      : E extends { readonly kind: 'files' | 'list' }
        ? readonly string[]
        : E extends { readonly default: string }
          ? string
          : string | undefined;

/** Setting name → value. Secrets are not among them. */
export type SettingValues = {
  readonly [E in Entry as E extends { readonly secret: true } ? never : E['name']]: ValueOf<E>;
};

/** Settings that name a file with keys in it. */
export const keyFiles: readonly string[] = ['API_KEY_FILE', 'API_KEYS_FILE'];

/** Names of the keys of further security schemes, `API_KEY_<SCHEME>`. */
export const schemeKey = /^API_KEY_[A-Z0-9][A-Z0-9_]*$/;

export const entryNamed = (name: string): SettingEntry | undefined =>
  settingsTable.find((entry: SettingEntry) => entry.name === name);

/** `BASE_URL` → `--base-url`. */
export const flagOf = (name: string): string => `--${name.toLowerCase().replaceAll('_', '-')}`;
