import type { Needle } from './automaton.js';
import { alteredPart, derive, isSigned, type KeyForm } from './key-variants.js';
import { cutLength, type ShortNeedle } from './redaction.js';
import { lenientReader } from './unit-reader.js';

/** A secret with the placeholder that stands for it, `<API_KEY>`. */
export interface Secret {
  readonly value: string;
  readonly placeholder: string;
}

const marked = (placeholder: string, mark: string): string =>
  mark === '' ? placeholder : placeholder.replace(/>$/, `:${mark}>`);

const unseeded = Buffer.alloc(0);

/** The secret itself (first, without a mark) or an altered copy of it. */
interface Copy {
  readonly text: string;
  readonly placeholder: string;
  readonly form: KeyForm | undefined;
}

/** Altered copies keep marks of their own in every encoding: an echo of a wrong key must not look like one of the right key. */
const forms = [
  'one-changed',
  'tail-changed',
  'signature-changed',
  'case-flipped',
  'lower',
  'upper',
  'first-half',
] as const;

const copiesOf = ({ value, placeholder }: Secret): Copy[] => {
  const copies = new Map<string, Copy>([[value, { text: value, placeholder, form: undefined }]]);
  for (const form of forms) {
    if (form === 'signature-changed' && !isSigned(value)) continue;
    const text = derive(value, form, unseeded, '');
    if (text !== '' && !copies.has(text)) copies.set(text, { text, placeholder: marked(placeholder, form), form });
  }
  return [...copies.values()];
};

/** The copies of a secret and, of `user:password`, those of the password alone. */
const allCopiesOf = (secret: Secret): Copy[][] => {
  const copies = copiesOf(secret);
  if (alteredPart(secret.value) === secret.value) return [copies];
  const placeholder = marked(secret.placeholder, 'password');
  const passwords = copies.map(({ text, form }) => ({
    text: alteredPart(text),
    placeholder: marked(placeholder, form ?? ''),
    form,
  }));
  return [copies, passwords.filter(({ text }) => text !== '')];
};

/** Base64 of `text` wherever it stands inside a longer text: without the characters that its neighbours share, which are its edges. */
const base64Inside = (text: string): { text: string; edges: { before: number; after: number } }[] => {
  const bytes = Buffer.from(text, 'utf8');
  return [0, 1, 2].map((offset) => {
    const whole = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const after = (offset + bytes.length) % 3 === 0 ? 0 : 1;
    return {
      text: whole.slice([0, 2, 3][offset], whole.length - after),
      edges: { before: offset === 0 ? 0 : 1, after },
    };
  });
};

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
const hex = (text: string): string => Buffer.from(text, 'utf8').toString('hex');

/** Every spelling under which a copy may come back, as needles to look for. */
const needlesOfCopy = ({ text, placeholder }: Copy, family: string): Needle[] => {
  const encoded = (mark: string, one: Pick<Needle, 'text' | 'edges'>, alignment = 0): Needle => ({
    ...one,
    placeholder: marked(placeholder, mark),
    partPlaceholder: marked(placeholder, `${mark}:part`),
    family: `${family} ${mark} ${alignment}`,
  });
  const bytesAsLatin1 = Buffer.from(text, 'utf8').toString('latin1');
  const plain = { placeholder, partPlaceholder: marked(placeholder, 'part') };
  return [
    { text, ...plain, family },
    ...(bytesAsLatin1 === text ? [] : [{ text: bytesAsLatin1, ...plain, family: `${family} latin1` }]),
    ...base64Inside(text).map((one, alignment) => encoded('base64', one, alignment)),
    ...base64Inside(base64(text)).map((one, alignment) => encoded('base64:base64', one, alignment)),
    encoded('hex', { text: hex(text) }),
    encoded('reversed', { text: [...text].toReversed().join('') }),
    // As .NET and PowerShell encode text.
    encoded('utf-16:base64', { text: Buffer.from(text, 'utf16le').toString('base64').replace(/=+$/, '').slice(0, -1) }),
    encoded('utf-16:hex', { text: Buffer.from(text, 'utf16le').toString('hex') }),
    // `[57 57 52]`, as some languages print bytes.
    { ...encoded('bytes', { text: [...Buffer.from(text, 'utf8')].join('') }), ungroupedOnly: true },
  ];
};

/** Needles for a secret, its altered copies, and the password in either. */
export const needlesOf = (secret: Secret): Needle[] =>
  allCopiesOf(secret).flatMap((copies) => copies.flatMap((copy) => needlesOfCopy(copy, copies[0]?.placeholder ?? '')));

/** Too few units for a pattern, in one of the two ways to read it. */
const isShort = (text: string): boolean =>
  Math.min(lenientReader.literalUnitsOf(text).length, lenientReader.unitsOf(text).length) < cutLength;

/**
 * Spellings that are looked for as they stand, before anything is read as an escape. Not the first half: more of the key
 * may stand behind it.
 */
export const exactSpellings = (secret: Secret): [spelling: string, placeholder: string][] => {
  const spellings = allCopiesOf(secret)
    .flat()
    .filter(({ text, form }) => form !== 'first-half' && !isShort(text))
    .map(({ text, placeholder }): [string, string] => [text, placeholder]);
  const urlencoded = derive(secret.value, 'urlencoded', unseeded, '');
  // Where nothing needs encoding it is the key itself.
  if (urlencoded !== secret.value) spellings.push([urlencoded, marked(secret.placeholder, 'urlencoded')]);
  return spellings;
};

/** Fewest characters of an altered copy that are looked for, and of anything in base64: fewer stand everywhere. */
const fewest = { copy: 3, firstHalf: 4, base64: 4, hex: 6 } as const;

/** Needles for what is too short for a pattern: the secret wherever it stands, altered copies of it as words of their own. */
export const shortNeedlesOf = (secret: Secret): ShortNeedle[] =>
  allCopiesOf(secret)
    .flat()
    .filter(({ text }) => isShort(text))
    .flatMap(({ text, placeholder, form }) => {
      const needles: ShortNeedle[] = [];
      const least = form === 'first-half' ? fewest.firstHalf : fewest.copy;
      if (form === undefined || text.length >= least) needles.push({ text, placeholder, alone: form !== undefined });
      if (form !== undefined && text.length < least) return needles;
      for (const one of base64Inside(text))
        if (one.text.length >= fewest.base64)
          needles.push({ ...one, placeholder: marked(placeholder, 'base64'), alone: false });
      for (const digits of [hex(text), hex(text).toUpperCase()])
        if (digits.length >= fewest.hex)
          needles.push({ text: digits, placeholder: marked(placeholder, 'hex'), alone: false });
      return needles;
    });
