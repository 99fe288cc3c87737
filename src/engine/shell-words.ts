import { unsignedHeader } from '../wire/key-variants.js';

/** Words of a shell: any text in quotes, and placeholders of keys as variables and filters. */

/** A text that the shell repeats. */
export const repeatedText = (character: string, times: number): string => `$(printf '${character}%.0s' {1..${times}})`;

/** A variable of the shell. Where it is not set, the shell says so and sends nothing. */
export const shellVariable = (name: string): string => `\${${name}:?}`;

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
const placeholder =
  /<(API_KEY(?:_[A-Z0-9_]+)?|ID_(?:\d+(?:_\d+)?(?:_OF_[A-Z0-9_]+)?|OF_[A-Z0-9_]+))((?::[a-z0-9-]+)*)>/g;

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
  reversed: 'awk \'{for (i = length($0); i > 0; i -= 1) printf "%s", substr($0, i, 1)}\'',
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
export type KeyPlaces = Readonly<Record<string, unknown>>;

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
  const whole = 'file' in source ? `$(cat ${source.file})` : shellVariable(source.variable);
  if (forms.length === 0) return whole;
  // Any long text can replace the long key.
  if (forms.length === 1 && forms[0] === 'long') return repeatedText('x', 8_000);
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
export const shellWordWithKeys = (text: string, notes: string[], places: KeyPlaces = {}): string => {
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
