import { token } from '../names.js';
import { hasItsOwnQuery } from '../rules/support/targets.js';
import { visitorPlaceholder } from '../wire/cookies.js';
import { isLeftOut } from '../wire/header-fields.js';
import type { Exchange, Probe } from '../wire/types.js';
import { counted } from '../words.js';
import { carriesKey } from './live-keys/key-watch.js';
import type { Results } from './results.js';
import { type KeyPlaces, repeatedText, shellVariable, shellWord, shellWordWithKeys } from './shell-words.js';

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
  const sent = [probe.target, ...probe.headers.map(([, value]) => value)];
  for (const [name, source] of Object.entries(probe.values ?? {}))
    if (sent.some((text) => text.includes(name.slice(0, -1)))) notes.push(`$${name.slice(1, -1)} is ${source}`);
  if (probe.connection === 'keyed') notes.push('the suite sent it on the connection that had just carried the key');
  if (carriesKey(probe) && hasItsOwnQuery(probe.target))
    notes.push('the suite added the query, to keep the answer out of caches');
  if (notes.length === 0) return words.join(' ');
  return words.join(' ') + noteStart + shellWord([...new Set(notes)].join('; ').replace(/[^\x20-\x7e]/g, '?'));
};

/** For curl, `Name:` removes a field, and `Name;` sends it with an empty value. */
const headerWord = (name: string, value: string, notes: string[], places: KeyPlaces): string => {
  if (value.trim() === '') return shellWord(`${name};`);
  if (value.length <= maxLength) return shellWordWithKeys(`${name}: ${value}`, notes, places);
  const [, start = '', run = '', character = ''] = /^(.{0,200}?)(([0-9A-Za-z])\3{100,})$/s.exec(value) ?? [];
  if (run !== '')
    return `${shellWordWithKeys(`${name}: ${start}`, notes, places)}"${repeatedText(character, run.length)}"`;
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

/** File names come from variables, as the key does, so that reports contain no local paths. */
const tlsWords = ({ origin, family }: Probe, options: Results['options']): string[] => {
  const words: string[] = [];
  if (origin.startsWith('https:')) {
    if (options.CA_FILE === true) words.push(`--cacert "${shellVariable('CA_FILE')}"`);
    if (options.CLIENT_CERT_FILE === true)
      words.push(`--cert "${shellVariable('CLIENT_CERT_FILE')}" --key "${shellVariable('CLIENT_KEY_FILE')}"`);
    if (options.INSECURE_TLS === true) words.push('-k');
  }
  const entries = listIn(options.RESOLVE).filter((entry) => family === undefined || familyOf(entry) === family);
  for (const entry of [...entries, ...plainEntry(origin, entries)]) words.push('--resolve', shellWord(entry));
  return words;
};
