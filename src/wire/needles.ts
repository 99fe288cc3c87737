import { alteredPart, changedAt, derive, isSigned, signatureChangedAt } from './key-forms.js';
import type { Needle } from './redaction.js';

/** A secret with the placeholder that stands for it, `<API_KEY>`. */
export interface Secret {
  readonly value: string;
  readonly placeholder: string;
}

const marked = (placeholder: string, mark: string): string => placeholder.replace(/>$/, `:${mark}>`);

/** Base64 of `text` wherever it stands inside a longer text: without the characters that its neighbours share. */
const base64Inside = (text: string): string[] => {
  const bytes = Buffer.from(text, 'utf8');
  return [0, 1, 2].map((offset) => {
    const whole = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const shared = (offset + bytes.length) % 3 === 0 ? 0 : 1;
    return whole.slice([0, 2, 3][offset], whole.length - shared);
  });
};

const unseeded = Buffer.alloc(0);

/** The same secret in the other cases a server may put it into. */
const casings = (value: string): string[] => [
  ...new Set([value, value.toLowerCase(), value.toUpperCase(), derive(value, 'case-flipped', unseeded, '')]),
];

/** Every spelling under which a secret may come back, as needles to look for. */
export const needlesOf = ({ value, placeholder }: Secret): Needle[] => {
  const partPlaceholder = marked(placeholder, 'part');
  const at = changedAt(value);
  const changed = derive(value, 'one-changed', unseeded, '');
  const plain: Needle = {
    text: value,
    placeholder,
    partPlaceholder,
    alternative: { index: at, character: changed.charAt(at) },
  };
  const needle = (mark: string) => (text: string) => ({
    text,
    placeholder: marked(placeholder, mark),
    partPlaceholder: marked(placeholder, mark),
  });
  const bySignature = isSigned(value) ? signatureChangedAt(value) : at;
  const forged = derive(value, 'signature-changed', unseeded, '');
  const bytesAsLatin1 = Buffer.from(value, 'utf8').toString('latin1');
  const password = alteredPart(value);
  return [
    plain,
    ...(bySignature === at
      ? []
      : [{ ...plain, alternative: { index: bySignature, character: forged.charAt(bySignature) } }]),
    ...(bytesAsLatin1 === value ? [] : [{ text: bytesAsLatin1, placeholder, partPlaceholder }]),
    ...(password === value ? [] : needlesOf({ value: password, placeholder: marked(placeholder, 'password') })),
    needle('base64')(Buffer.from(value, 'utf8').toString('base64')),
    ...[...casings(value), changed].flatMap(base64Inside).map(needle('base64')),
    ...casings(value)
      .map((text) => Buffer.from(text, 'utf8').toString('hex'))
      .map(needle('hex')),
  ];
};

/** Spellings that are looked for letter by letter. Keys too short to be told from chance are found in no other way. */
export const exactSpellings = ({ value, placeholder }: Secret): [spelling: string, placeholder: string][] => {
  const password = alteredPart(value);
  const spellings: [string, string][] = [[value, placeholder]];
  if (password !== value) spellings.push([password, marked(placeholder, 'password')]);
  if (password.length >= 6) return spellings;
  for (const text of casings(password)) spellings.push([text, placeholder]);
  spellings.push([encodeURIComponent(value), placeholder]);
  spellings.push([Buffer.from(value, 'utf8').toString('base64'), marked(placeholder, 'base64')]);
  for (const text of base64Inside(value)) if (text.length >= 4) spellings.push([text, marked(placeholder, 'base64')]);
  return spellings;
};

/** Readable placeholders for the forms that the suite itself sends. */
export const formSpellings = ({ value, placeholder }: Secret): [spelling: string, placeholder: string][] =>
  (['first-half', 'one-changed', 'upper', 'lower', 'case-flipped', 'urlencoded'] as const)
    .map((form): [spelling: string, placeholder: string] => [
      derive(value, form, unseeded, ''),
      marked(placeholder, form),
    ])
    .filter(([spelling]) => spelling !== value);
