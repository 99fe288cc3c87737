import { createHmac, hkdfSync, randomBytes } from 'node:crypto';

const lower = 'abcdefghijklmnopqrstuvwxyz';
const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const digits = '0123456789';

/**
 * Splits `user:password` (HTTP Basic), of which all variants but `random` alter only the password,
 * so that the server does not refuse the user name.
 */
const split = (key: string): readonly [kept: string, altered: string] => {
  const colon = key.indexOf(':');
  return colon > 0 && colon < key.length - 1 ? [key.slice(0, colon + 1), key.slice(colon + 1)] : ['', key];
};

/**
 * Whether the key has the form `header.payload.signature`. A server that does not verify the
 * signature accepts any.
 */
export const isSigned = (key: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(key);

/** The header of an unsigned token (RFC 7518, section 3.6). */
export const unsignedHeader = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');

const isHex = (text: string): boolean => /^[0-9a-f-]+$/.test(text) || /^[0-9A-F-]+$/.test(text);

/** The alphabet of a character: digits or letters of its case, limited to hex digits for hex. */
const alphabetOf = (character: string, hex: boolean): string => {
  if (digits.includes(character)) return digits;
  if (lower.includes(character)) return hex ? lower.slice(0, 6) : lower;
  if (upper.includes(character)) return hex ? upper.slice(0, 6) : upper;
  return character;
};

/** Pseudo-random numbers from a seed, the same in every process of a run. */
function* numbersFrom(seed: Buffer, label: string): Generator<number, never> {
  for (let block = 0; ; block += 1) {
    const bytes = createHmac('sha256', seed).update(`${label}/${block}`).digest();
    for (let index = 0; index + 4 <= bytes.length; index += 4) yield bytes.readUInt32BE(index);
  }
}

const randomLookalike = (secret: string, numbers: Generator<number, never>): string => {
  const hex = isHex(secret);
  for (let tries = 0; tries < 20; tries += 1) {
    const made = [...secret]
      .map((character) => {
        const alphabet = alphabetOf(character, hex);
        return alphabet.charAt(numbers.next().value % alphabet.length) || character;
      })
      .join('');
    if (made.toLowerCase() !== secret.toLowerCase()) return made;
  }
  // A key that has only punctuation has no lookalike.
  return [...secret].map(() => lower.charAt(numbers.next().value % 26)).join('');
};

/**
 * Index of the character that `one-changed` changes: the last letter or digit of the first half. So
 * it opens where only the second half is compared, as `tail-changed` does where only the first is.
 */
const changedAt = (key: string): number => changedIndex(...split(key));

/** The same for the signature of a signed key; its last base64url character may have aliases. */
const signatureChangedAt = (key: string): number => {
  const at = key.lastIndexOf('.') + 1;
  return changedIndex(key.slice(0, at), key.slice(at));
};

const changedIndex = (kept: string, altered: string): number => {
  const middle = Math.max(0, Math.floor(altered.length / 2) - 1);
  for (let distance = 0; distance <= altered.length; distance += 1) {
    for (const index of [middle - distance, middle + distance]) {
      // Another letter behind a backslash may be an escape (`\n`), and is read as one character.
      if (/[0-9A-Za-z]/.test(altered.charAt(index)) && altered.charAt(index - 1) !== '\\') return kept.length + index;
    }
  }
  return kept.length + Math.min(middle, altered.length - 1);
};

const oneChanged = (key: string, index: number, part: string): string => {
  const character = key.charAt(index);
  const alphabet = alphabetOf(character, isHex(part));
  const other =
    alphabet.length > 1
      ? alphabet.charAt((alphabet.indexOf(character) + Math.ceil(alphabet.length / 2)) % alphabet.length)
      : 'x';
  return key.slice(0, index) + (other === character ? 'y' : other) + key.slice(index + 1);
};

/**
 * Changes the last letters and digits: more than the aliases of the last base64url character, and
 * few enough to detect a comparison that is cut short.
 */
const tailChanged = (key: string, altered: string): string => {
  const start = key.length - altered.length;
  const count = Math.max(1, Math.min(isHex(altered) ? 1 : 2, Math.floor(altered.length / 2)));
  const places = Array.from(altered, (_, index) => start + index).filter((at) => /[0-9A-Za-z]/.test(key.charAt(at)));
  const tail = places.length > 0 ? places.slice(-count) : [key.length - 1];
  return tail.reduce((made, at) => oneChanged(made, at, altered), key);
};

/** The same characters in the reverse order; if that changes the case at most, one is changed. */
const reversed = ({ key, kept, altered }: Original): string => {
  const made = [...altered].reverse().join('');
  return made.toLowerCase() === altered.toLowerCase() ? oneChanged(key, changedAt(key), altered) : kept + made;
};

const flip = (text: string): string =>
  [...text].map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join('');

export const mixesCase = (text: string): boolean => /[a-z]/.test(text) && /[A-Z]/.test(text);

/** The part of a key that variants alter: the password of `user:password`, else the whole key. */
export const alteredPart = (key: string): string => split(key)[1];

/** The key that a variant is made of. */
interface Original {
  readonly key: string;
  /** The part that variants alter, and what stands before it. */
  readonly altered: string;
  readonly kept: string;
  /** Numbers that differ by label. */
  readonly numbers: (label: string) => Generator<number, never>;
  /** So many bytes, at most 8,160, that differ by label. */
  readonly bytes: (label: string, length: number) => Uint8Array;
}

/**
 * Puts a text in place of the altered part. If that would not change the key, its case is flipped;
 * if it has no letters, `x` is appended.
 */
const changing =
  (change: (altered: string) => string) =>
  ({ kept, altered }: Original): string => {
    const made = change(altered);
    if (made !== altered) return kept + made;
    const flipped = flip(altered);
    return kept + (flipped === altered ? `${altered}x` : flipped);
  };

const replacedBy = (word: string) => changing(() => word);

const long = ({ bytes }: Original): string => {
  const alphabet = lower + digits;
  return Array.from(bytes('long', 8000), (byte) => alphabet.charAt(byte % alphabet.length)).join('');
};

/**
 * Variants of a key that a template may name: `<API_KEY:first-half>`. They can be chained:
 * `<API_KEY:random:base64>`.
 */
const variants = {
  'first-half': ({ kept, altered }) => kept + altered.slice(0, Math.floor(altered.length / 2)),
  'one-changed': ({ key, altered }) => oneChanged(key, changedAt(key), altered),
  'tail-changed': ({ key, altered }) => tailChanged(key, altered),
  reversed,
  'signature-changed': ({ key }) => oneChanged(key, signatureChangedAt(key), key.slice(key.lastIndexOf('.') + 1)),
  'signature-emptied': changing((altered) => altered.slice(0, altered.lastIndexOf('.') + 1)),
  unsigned: changing(
    (altered) => `${unsignedHeader}${altered.slice(altered.indexOf('.'), altered.lastIndexOf('.') + 1)}`,
  ),
  'case-flipped': changing(flip),
  lower: changing((altered) => altered.toLowerCase()),
  upper: changing((altered) => altered.toUpperCase()),
  // Sent at each operation before any key, so that of `user:password` the user name is altered too:
  // a service may lock the account of a name that comes with wrong passwords.
  random: ({ key, numbers }) => randomLookalike(key, numbers('random')),
  'random-2': ({ kept, altered, numbers }) => kept + randomLookalike(altered, numbers('random-2')),
  appended: ({ key }) => `${key}x`,
  // Encodes only the necessary characters, since some servers compare the raw query.
  urlencoded: ({ key }) => encodeURIComponent(key),
  base64: ({ key }) => Buffer.from(key, 'utf8').toString('base64'),
  long,
  'all-star': changing((altered) => '*'.repeat(altered.length)),
  'all-underscore': changing((altered) => '_'.repeat(altered.length)),
  // Fixed words that replace the key, or the password of `user:password`.
  'as-empty': replacedBy(''),
  'as-null': replacedBy('null'),
  'as-0': replacedBy('0'),
  'as-star': replacedBy('*'),
  'as-percent': replacedBy('%'),
} satisfies Readonly<Record<string, (original: Original) => string>>;

export type KeyVariant = keyof typeof variants;

export const keyVariants = Object.keys(variants) as readonly KeyVariant[];

export const isKeyVariant = (name: string): name is KeyVariant => Object.hasOwn(variants, name);

/** Whether a variant can be made without a key. */
export const isRandomVariant = (form: KeyVariant): boolean =>
  form === 'random' || form === 'random-2' || form === 'long';

/**
 * Makes a variant of a key. The result always differs from the key, except for `urlencoded` where
 * nothing needs encoding.
 */
export const derive = (key: string, form: KeyVariant, seed: Buffer, label: string): string => {
  const [kept, altered] = split(key);
  const make: (original: Original) => string = variants[form];
  return make({
    key,
    kept,
    altered,
    numbers: (of) => numbersFrom(seed, `${label}:${of}`),
    // Of one call: as many numbers would be a thousand.
    bytes: (of, length) => new Uint8Array(hkdfSync('sha256', seed, '', `${label}:${of}`, length)),
  });
};

/** Forty hex digits, for a variant that needs no key when none was given. */
export const randomKey = (seed: Buffer, label: string): string =>
  createHmac('sha256', seed).update(`${label}/invented`).digest('hex').slice(0, 40);

/** 128 random bits, for seeds and salts. */
export const randomHex = (): string => randomBytes(16).toString('hex');
