import { settingsOf } from './setting-entry.js';

/** Connections to the target. */
export const networkSettings = settingsOf('Network', {
  CA_FILE: {
    kind: 'file',
    judged: true,
    allowed: 'a PEM file with at least one certificate',
    doc: 'Certificates of your own authority, trusted in addition to the usual ones.',
    alsoCalled: ['CA', 'CA_CERT', 'CACERT', 'CA_CERT_FILE', 'CA_BUNDLE'],
    example: 'ca.pem',
  },
  INSECURE_TLS: {
    kind: 'boolean',
    judged: true,
    doc: 'Go on although the certificate is not accepted. HTTPS-1 is inconclusive then.',
    alsoCalled: ['INSECURE'],
  },
  CLIENT_CERT_FILE: {
    kind: 'file',
    judged: true,
    allowed: 'a PEM file with the client certificate, together with CLIENT_KEY_FILE',
    doc: 'Client certificate, for a target that asks for one.',
    example: 'client.pem',
  },
  CLIENT_KEY_FILE: {
    kind: 'file',
    allowed: 'a PEM file with the private key of the client certificate, together with CLIENT_CERT_FILE',
    doc: 'Private key of the client certificate.',
    example: 'client-key.pem',
  },
  RESOLVE: {
    kind: 'list',
    judged: true,
    allowed: 'host:port:address, several with commas between them, for example api.example.com:443:10.0.0.7',
    doc: 'Address to connect to for a host and port, such as that of a preview that has no name yet. An IPv4 and an IPv6 address may be given.',
    example: 'api.example.com:443:10.0.0.7',
  },
  HTTPS_PROXY: {
    kind: 'url',
    secret: true,
    flag: false,
    allowed: 'an http or https URL of a proxy that takes CONNECT, for example http://proxy.example:3128',
    doc: 'Proxy to reach the target through. The lower-case name works too.',
  },
  HTTP_PROXY: {
    kind: 'url',
    secret: true,
    flag: false,
    allowed: 'an http or https URL of a proxy, for example http://proxy.example:3128',
    doc: 'Proxy for the plain-HTTP side, where the target is reached through HTTPS_PROXY. The lower-case name works too.',
  },
  NO_PROXY: {
    kind: 'text',
    flag: false,
    allowed: 'host names with commas between them',
    doc: 'Hosts that are reached without the proxy.',
  },
  CONCURRENCY: {
    kind: 'integer',
    default: 'auto',
    orWord: 'auto',
    minimum: 1,
    maximum: 256,
    allowed: 'auto, or a whole number from 1 to 256',
    doc: 'Maximum number of requests in flight. auto starts at 8, goes up to 32 while answers do not become slower, and halves when they do or the server answers 429 or 503. If the server closes its connections, auto opens at most 16 new ones a second.',
    alsoCalled: ['WORKERS', 'PARALLEL'],
  },
  RATE: {
    kind: 'rate',
    allowed: 'requests per second, minute or hour: 20/s, 600/m or 5000/h',
    doc: 'Maximum number of requests per second, minute or hour, evenly spaced.',
    alsoCalled: ['RATE_LIMIT', 'REQUESTS_PER_SECOND'],
    example: '20/s',
  },
  TIMEOUT_MS: {
    kind: 'integer',
    default: 10_000,
    minimum: 100,
    maximum: 600_000,
    judged: true,
    allowed: 'milliseconds, a whole number from 100 to 600000',
    doc: 'Time limit for a connection, for the headers and for the body, each. Answers to earlier requests extend it.',
    alsoCalled: ['TIMEOUT'],
  },
  RATE_LIMIT_WAIT_S: {
    kind: 'integer',
    default: 90,
    minimum: 0,
    maximum: 3_600,
    judged: true,
    allowed: 'seconds, a whole number from 0 to 3600',
    doc: 'Time to wait in all while the target answers 429. What is still refused then is inconclusive. A target that answers everything with 502, 503 or 504 at first is given the same time to start, at most 10 s.',
  },
});

export const judgingSettings = settingsOf('What is judged', {
  PROBES: {
    kind: 'choice',
    default: 'auto',
    choices: ['auto', 'spread', 'standard', 'extended'],
    judged: true,
    doc: 'extended sends every request to every operation. spread sends each to at least three of the operations that are refused alike, and to all of them if it opens one. auto is extended up to 2,000 planned requests, else spread. standard leaves out path spellings, proxy fields and method overrides.',
  },
  MAX_REQUESTS: {
    kind: 'integer',
    minimum: 1,
    judged: true,
    allowed: 'a whole number from 1',
    doc: 'Maximum number of requests of a run. The essential ones of every operation come first, then those that find most. The report says what is left out. The shards of a Playwright run share them.',
    example: '5000',
  },
  PROBE_KEY_IN_URL: {
    kind: 'boolean',
    judged: true,
    doc: 'Also try the real key in the query. It may then stand in the access log of the target.',
  },
  UNSTATED: {
    kind: 'choice',
    default: 'ask',
    choices: ['ask', 'public', 'protected'],
    judged: true,
    doc: 'Access of operations for which the document states no security. ask: they are not judged, and a read among them makes the verdict incomplete.',
  },
  UNSAFE_METHODS: {
    kind: 'boolean',
    judged: true,
    doc: 'Also send POST, PUT, PATCH and DELETE of protected operations, without a key and without a body, at random ids, to see them refused; and reads that are named like a change, such as logout, without a key.',
  },
  STRICT: {
    kind: 'boolean',
    judged: true,
    doc: 'A server that accepts more than the contract describes (lenient) is not conformant then.',
  },
});

export const reportSettings = settingsOf('Reports', {
  EVIDENCE: {
    kind: 'choice',
    default: 'shape',
    choices: ['shape', 'full'],
    judged: true,
    doc: "full stores the bodies that the key opens, which are somebody's data. shape stores their structure and digests.",
  },
  REPORTS_DIR: {
    kind: 'folder',
    default: 'reports',
    allowed: 'a folder, made when it is not there',
    doc: 'Folder that reports are written to.',
    alsoCalled: ['REPORT_DIR', 'OUTPUT_DIR'],
  },
  HISTORY: {
    kind: 'boolean',
    doc: 'Add a line for each whole run to history.jsonl in REPORTS_DIR, and show the last 30 runs on the page. Keep that file between runs, in a cache of the CI system for instance.',
  },
});

export const keyPageSettings = settingsOf('Key page', {
  KEY_PAGE_URL: {
    kind: 'url',
    judged: true,
    doc: 'Page of the web interface where a key is made. PAGE-1 to PAGE-3 are judged only when it is given.',
    example: 'https://example.com/user/api-key',
  },
  LOGIN_URL: {
    kind: 'url',
    judged: true,
    doc: 'Page to log in at, if the key page does not lead to it, or if its form is not known to log in.',
    example: 'https://example.com/login',
  },
  WEB_USERNAME: {
    kind: 'text',
    doc: 'Account of the web interface.',
    alsoCalled: ['WEB_USER', 'USERNAME_WEB'],
  },
  WEB_PASSWORD: { kind: 'text', secret: true, doc: 'Password of WEB_USERNAME. No flag gives it.' },
  WEB_USERNAME_WITHOUT_KEY: {
    kind: 'text',
    doc: 'Another account, which has no key. PAGE-3 is judged by its page, where no key is ever made.',
  },
  WEB_PASSWORD_WITHOUT_KEY: {
    kind: 'text',
    secret: true,
    doc: 'Password of WEB_USERNAME_WITHOUT_KEY. No flag gives it.',
  },
  KEY_PAGE_GENERATE: {
    kind: 'boolean',
    judged: true,
    doc: 'Press the action that makes a key: once a run, and once more if nothing came of it. It may revoke the current key.',
  },
  KEY_PAGE_ACTION: {
    kind: 'text',
    judged: true,
    allowed: 'the visible name of a button or link, or a CSS selector',
    doc: 'The action that makes a key, if it is not found by its name.',
    example: 'Generate API key',
  },
  KEY_PAGE_KEY_SELECTOR: {
    kind: 'text',
    judged: true,
    allowed: 'a CSS selector',
    doc: 'Where the page shows the current key, if it is not found by itself.',
    example: '#api-key',
  },
  KEY_PAGE_EMPTY_TEXT: {
    kind: 'text',
    judged: true,
    doc: 'The message that no key exists yet, if it is not found by itself.',
    example: 'You have no API key yet',
  },
  CHROMIUM_PATH: {
    kind: 'file',
    allowed: 'the program file of Chromium or Chrome',
    doc: 'Browser for the key page. The default is an installed Chromium or Chrome.',
    alsoCalled: ['CHROME_PATH', 'CHROME_BIN'],
    example: '/usr/bin/chromium',
  },
});
