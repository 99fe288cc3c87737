import { token } from '../names.js';
import { visitorPlaceholder } from '../wire/cookies.js';
import { isLeftOut } from '../wire/header-fields.js';
import { unsignedHeader } from '../wire/key-variants.js';
import type { Exchange, Probe } from '../wire/types.js';
import { counted } from '../words.js';
import type { Results } from './results.js';

/** Requests as curl commands that a person can run. */

/** Fields that curl sends by itself, or that make no difference in a command. */
const leftOut = new Set(['host', 'user-agent', 'accept-encoding', 'connection', 'content-length', 'transfer-encoding']);

/** Makes curl send the cookies that answers of the same command have set. */
export const cookieEngine = "-b ''";

/**
 * Starts the note of a command, which is an argument of the shell's no-op. To an interactive zsh,
 * `#` starts no comment: curl would take each word for a host, and send it the key.
 */
export const noteStart = '; : ';

/** Longer field values are cut, since shells limit the length of a command. */
const maxLength = 2_000;

/**
 * The request as a curl command for bash or zsh: exact path and header bytes, HTTP version, and
 * `${API_KEY:?}` for the key. A note after `; :` states what curl cannot reproduce.
 * @param options options of the run: CA file, unverified TLS, fixed addresses, and where the keys
 * of identities are
 */
export const curlLine = (exchange: Pick<Exchange, 'probe' | 'request'>, options: Results['options'] = {}): string => {
  const { probe, request } = exchange;
  const notes: string[] = [];
  const words = ['curl', probe.method === 'HEAD' ? '-sSI' : '-isS'];
  const isTls = probe.origin.startsWith('https:');
  if (probe.protocol === 'h2') words.push(isTls ? '--http2' : '--http2-prior-knowledge');
  // curl would offer HTTP/1.0 by ALPN, which servers abort, and it always names the host.
  else if (probe.protocol === 'http/1.0') {
    words.push('--http1.0', '--no-alpn');
    if (isTls) notes.push('the suite sent no server name in the TLS handshake');
  } else if (isTls) words.push('--http1.1');
  if (probe.method !== 'GET' && probe.method !== 'HEAD') words.push('-X', shellWord(probe.method));
  if (probe.family !== undefined) words.push(`-${probe.family}`);
  words.push(...tlsWords(probe, options));

  const named = new Set(probe.headers.map(([name]) => name.toLowerCase()));
  for (const [name] of probe.headers.filter(isLeftOut)) words.push('-H', shellWord(`${name}:`));
  for (const [name, value] of request.headers.filter((field) => !isLeftOut(field))) {
    if (leftOut.has(name.toLowerCase()) && !named.has(name.toLowerCase())) continue;
    if (!token.test(name)) continue;
    if (value === visitorPlaceholder) {
      words.push(cookieEngine);
      notes.push('with the cookies that an answer before it set');
      continue;
    }
    words.push('-H', headerWord(name, value, notes, options));
  }
  words.push(...targetWords(probe.origin, probe.target, notes, options));

  // Before the closing bracket stands a variant: `<ID_1:upper>`.
  for (const [name, source] of Object.entries(probe.values ?? {}))
    if (probe.target.includes(name.slice(0, -1))) notes.push(`$${name.slice(1, -1)} is ${source}`);
  if (probe.connection === 'keyed') notes.push('the suite sent it on the connection that had just carried the key');
  if (notes.length === 0) return words.join(' ');
  return words.join(' ') + noteStart + shellWord([...new Set(notes)].join('; ').replace(/[^\x20-\x7e]/g, '?'));
};

/** A text that the shell repeats. */
const repeated = (character: string, times: number): string => `$(printf '${character}%.0s' {1..${times}})`;

/** For curl, `Name:` removes a field, and `Name;` sends it with an empty value. */
const headerWord = (name: string, value: string, notes: string[], places: KeyPlaces): string => {
  if (value.trim() === '') return shellWord(`${name};`);
  if (value.length <= maxLength) return shellWordWithKeys(`${name}: ${value}`, notes, places);
  const [, start = '', run = '', character = ''] = /^(.{0,200}?)(([0-9A-Za-z])\3{100,})$/s.exec(value) ?? [];
  if (run !== '') return `${shellWordWithKeys(`${name}: ${start}`, notes, places)}"${repeated(character, run.length)}"`;
  notes.push(`the value of ${name} is shortened, it had ${counted(value.length, 'character')}`);
  return shellWordWithKeys(`${name}: ${value.slice(0, 60)}`, notes, places);
};

const plainTarget = /^\/[A-Za-z0-9\-._~%!$&'()*+,;=:@/?<>]*$/;

const targetWords = (origin: string, target: string, notes: string[], places: KeyPlaces): string[] => {
  const shown = target.length <= maxLength ? target : target.slice(0, 200);
  if (shown !== target) notes.push(`the request target is shortened, it had ${counted(target.length, 'character')}`);
  // curl would change or refuse these in a URL: the absolute form, `*`, spaces, braces, fragments.
  if (!plainTarget.test(shown))
    return ['--request-target', shellWordWithKeys(shown, notes, places), shellWord(`${origin}/`)];
  const dots = /(?:\/|%2f)(?:\.|%2e)/i.test(shown) ? ['--path-as-is'] : [];
  return [...dots, shellWordWithKeys(`${origin}${shown}`, notes, places)];
};

/** Reads a list setting, which `options` holds as JSON text. */
const listIn = (value: Results['options'][string] | undefined): readonly string[] => {
  const list: unknown = typeof value === 'string' && value.startsWith('[') ? JSON.parse(value) : [];
  return Array.isArray(list) ? list.filter((entry) => typeof entry === 'string') : [];
};

/** `RESOLVE` names the address of the HTTPS port, which plain HTTP to the same host uses too. */
const plainEntry = (origin: string, entries: readonly string[]): readonly string[] => {
  const { protocol, hostname, port } = new URL(origin);
  const named = entries.filter((entry) => entry.toLowerCase().startsWith(`${hostname}:`));
  const at = `${hostname}:${port || '80'}:`;
  if (protocol !== 'http:' || named.some((entry) => entry.toLowerCase().startsWith(at))) return [];
  return named.slice(0, 1).map((entry) => at + entry.slice(hostname.length + 1).replace(/^\d+:/, ''));
};

const familyOf = (entry: string): number => (/^(?:\[[^\]]*\]|[^:]*):\d+:[^:]*$/.test(entry) ? 4 : 6);

/** A variable of the shell. Where it is not set, the shell says so and sends nothing. */
const needed = (name: string): string => `\${${name}:?}`;

/** File names come from variables, as the key does, so that reports contain no local paths. */
const tlsWords = ({ origin, family }: Probe, options: Results['options']): string[] => {
  const words: string[] = [];
  if (origin.startsWith('https:')) {
    if (options.CA_FILE === true) words.push(`--cacert "${needed('CA_FILE')}"`);
    if (options.CLIENT_CERT_FILE === true)
      words.push(`--cert "${needed('CLIENT_CERT_FILE')}" --key "${needed('CLIENT_KEY_FILE')}"`);
    if (options.INSECURE_TLS === true) words.push('-k');
  }
  const entries = listIn(options.RESOLVE).filter((entry) => family === undefined || familyOf(entry) === family);
  for (const entry of [...entries, ...plainEntry(origin, entries)]) words.push('--resolve', shellWord(entry));
  return words;
};

/**
 * Quotes any text as one word for bash and zsh. Printable ASCII goes into single quotes. Anything
 * else (control characters act on a terminal even inside quotes) goes into `$'…'` as `\xHH` bytes.
 */
export const shellWord = (text: string): string => {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(text)) return text;
  if (/^[\x20-\x7e]*$/.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  return `$'${text.replace(/[^\x20-\x7e]|['\\]/gu, escapeInAnsi)}'`;
};

const escapeInAnsi = (character: string): string => {
  if (character === "'" || character === '\\') return `\\${character}`;
  return [...Buffer.from(character, 'utf8')].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
};

/**
 * Placeholders of keys and of values that were read: `<ID_1>`, `<ID_1_OF_MEMBER>`, `<API_KEY>`,
 * `<API_KEY_ADMIN>`, `<API_KEY:first-half>`, `<API_KEY:random:base64>`.
 */
const placeholder = /<(API_KEY(?:_[A-Z0-9_]+)?|ID_\d+(?:_\d+)?(?:_OF_[A-Z0-9_]+)?)((?::[a-z0-9-]+)*)>/g;

/**
 * Changes the last character of the first half of `text` in awk, or the first letter or digit after
 * it that is no 0, and no other character.
 */
const changeMiddle = (text: string): string =>
  `h = int(length(${text})/2)-1; if (h < 0) h = 0; r = substr(${text}, h+1); sub(/[1-9A-Za-z]/, "0", r); ${text} = substr(${text}, 1, h) r`;

/** Permutes the digits, the hex letters and the other letters, each among themselves. */
const rotated = 'tr 0-9A-FG-Za-fg-z';

/**
 * Shell filters that produce a form of the key. Any other key of the same length and alphabet can
 * replace a random or an altered one.
 */
const filters: Readonly<Record<string, string>> = {
  'case-flipped': 'tr A-Za-z a-zA-Z',
  upper: 'tr a-z A-Z',
  lower: 'tr A-Z a-z',
  base64: "base64 | tr -d '\\n'",
  // Every byte is encoded: servers read an encoded letter as the letter.
  urlencoded: "od -An -v -tx1 | tr -d ' \\n' | sed 's/../%&/g'",
  random: `${rotated} 5-90-4D-FA-CQ-ZG-Pd-fa-cq-zg-p`,
  'random-2': `${rotated} 3-90-2B-FAH-ZGb-fah-zg`,
  'first-half': "awk '{print substr($0, 1, int(length($0)/2))}'",
  appended: "sed 's/$/x/'",
  'one-changed': `awk '{${changeMiddle('$0')}; print}'`,
  'tail-changed': String.raw`sed -E 's/0([^0-9A-Za-z]*)$/~\1/; s/[1-9A-Za-z]([^0-9A-Za-z~]*)$/0\1/; s/~([^~]*)$/1\1/'`,
  'signature-changed': `awk -F. -v OFS=. '{${changeMiddle('$3')}; print}'`,
  'signature-emptied': "sed 's/[^.]*$//'",
  unsigned: `sed 's/^[^.]*/${unsignedHeader}/; s/[^.]*$//'`,
  'all-star': "sed 's/./*/g'",
  'all-underscore': "sed 's/./_/g'",
  'as-empty': "sed 's/.*//'",
  'as-null': "sed 's/.*/null/'",
  'as-0': "sed 's/.*/0/'",
  'as-star': "sed 's/.*/*/'",
  'as-percent': "sed 's/.*/%/'",
};

/** Where the keys of settings are, as `options` of results.json gives it. */
type KeyPlaces = Readonly<Record<string, unknown>>;

/** Descriptions of keys that are in neither a plain variable nor a file of the working folder. */
const otherPlaces: ReadonlyMap<string, string> = new Map([
  ['program', 'what the program prints that stands at'],
  ['token', 'the access token that is described at'],
  ['elsewhere', 'the key that is named at'],
]);

/**
 * The shell source of a setting's key: the variable or file that `IDENTITIES` names, else a
 * variable of the setting's name, which `notes` then explain.
 */
const sourceOf = (setting: string, places: KeyPlaces, notes: string[]): { variable: string } | { file: string } => {
  const place = places[setting];
  const [, kind = '', where = ''] = (typeof place === 'string' && /^([a-z]+) ([\w@%+=:,./-]+)$/.exec(place)) || [];
  if (kind === 'variable' && /^[A-Za-z_]\w*$/.test(where)) return { variable: where };
  if (kind === 'file' && !/^[-/]/.test(where)) return { file: where };
  const words = otherPlaces.get(kind);
  if (words !== undefined) notes.push(`$${setting} is ${words} ${where}`);
  return { variable: setting };
};

/** Shell text that produces the key in the given forms; `undefined` if there is no short way. */
const expansionOf = (source: ReturnType<typeof sourceOf>, forms: readonly string[]): string | undefined => {
  const whole = 'file' in source ? `$(cat ${source.file})` : needed(source.variable);
  if (forms.length === 0) return whole;
  // Any long text can replace the long key.
  if (forms.length === 1 && forms[0] === 'long') return repeated('x', 8_000);
  const pipe = forms.map((form) => filters[form]);
  if (pipe.includes(undefined)) return undefined;
  const [altered, ...encoded] = pipe;
  if (encoded.length === 0 || 'file' in source) return `$(printf %s "${whole}" | ${pipe.join(' | ')})`;
  // Of user and password, the password alone is altered. Without a colon, the prefix is empty.
  const rest = `\${${source.variable}#*:}`;
  return `$(printf %s "\${${source.variable}%"${rest}"}$(printf %s "${rest}" | ${altered})" | ${encoded.join(' | ')})`;
};

/**
 * A shell word in which key placeholders become variables: `Authorization: Token <API_KEY>` →
 * `"Authorization: Token ${API_KEY:?}"`. A form that the shell cannot produce stays as it is, with
 * an entry in `notes`.
 * @param places where keys are that are not in a variable of their setting's name
 */
const shellWordWithKeys = (text: string, notes: string[], places: KeyPlaces = {}): string => {
  const pieces: { readonly literal: boolean; readonly text: string }[] = [];
  let from = 0;
  for (const match of text.matchAll(placeholder)) {
    const [whole, name = '', suffix = ''] = match;
    const forms = suffix.split(':').slice(1);
    const replacement = expansionOf(sourceOf(name, places, notes), forms);
    if (replacement === undefined) {
      notes.push(`in place of ${whole} goes the key, ${forms.join(', ').replaceAll('-', ' ')}`);
      continue;
    }
    pieces.push({ literal: true, text: text.slice(from, match.index) }, { literal: false, text: replacement });
    from = match.index + whole.length;
  }
  if (pieces.length === 0) return shellWord(text);
  pieces.push({ literal: true, text: text.slice(from) });
  const plain = pieces.every(
    (piece) => !piece.literal || (/^[\x20-\x7e]*$/.test(piece.text) && !/["\\`$!]/.test(piece.text)),
  );
  if (plain) return `"${pieces.map((piece) => piece.text).join('')}"`;
  // Adjacent quoted pieces are one word.
  return pieces
    .map((piece) => (piece.literal ? (piece.text === '' ? '' : shellWord(piece.text)) : `"${piece.text}"`))
    .join('');
};
