/** Numbers, lists and lengths in words, for every folder; it knows of none. */

/** `1048576` → `1,048,576`; the same in every locale. */
export const count = (value: number): string => String(Math.round(value)).replace(/\B(?=(\d{3})+(?!\d))/g, ',');

/** `1 clause`, `2 clauses`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** All of the words, or the first `most` and how many more there are: `a, b and 3 more`. */
export const firstOf = (words: readonly string[], most: number): string =>
  words.length <= most ? words.join(', ') : `${words.slice(0, most).join(', ')} and ${count(words.length - most)} more`;

/** At most `length` characters, and where something was left out, how much there was. */
export const clip = (text: string, length: number): string =>
  text.length <= length ? text : `${sliceWhole(text, length)}… (${counted(text.length, 'character')} in all)`;

/** The first `length` code units, without half a surrogate pair at the end. */
const sliceWhole = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, '');

/** Lower case, no diacritics, plain apostrophes, single spaces. */
export const plainWords = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .replace(/ß/g, 'ss')
    .replace(/[’‘ʼ]/g, "'")
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
