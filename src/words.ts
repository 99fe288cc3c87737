/** Formats numbers, lists, sizes and times as words. */

/** `1048576` → `1,048,576`, in every locale. */
export const count = (value: number): string => String(Math.round(value)).replace(/\B(?=(\d{3})+(?!\d))/g, ',');

/** `1 clause`, `2 clauses`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** All words, or the first `most` and the number of the others: `a, b and 3 more`. */
export const firstOf = (words: readonly string[], most: number): string =>
  words.length <= most ? words.join(', ') : `${words.slice(0, most).join(', ')} and ${count(words.length - most)} more`;

/** At most `length` characters, with the total length if something was left out. */
export const clip = (text: string, length: number): string =>
  text.length <= length ? text : `${sliceWhole(text, length)}… (${counted(text.length, 'character')} in all)`;

/** The first `length` code units, without half a surrogate pair at the end. */
const sliceWhole = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, '');

/** Wraps a text into lines of at most `width` characters; a longer word gets its own line. */
export const wrapped = (text: string, width: number): readonly string[] => {
  const [first = '', ...words] = text.split(' ');
  const lines = [first];
  for (const word of words) {
    const line = `${lines.at(-1)} ${word}`;
    if (line.length > width) lines.push(word);
    else lines[lines.length - 1] = line;
  }
  return lines;
};

/** Lower case, no diacritics, plain apostrophes, single spaces. */
export const plainWords = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .replace(/[’‘ʼ]/g, "'")
    .replace(/\s+/g, ' ')
    .trim()
    // Small letters that differ, such as a dotless i and an i, may have the same capital.
    .toUpperCase()
    .toLowerCase();

/** A size: `812 bytes`, `64.0 KiB`, `1.0 MiB`. */
export const bytes = (value: number): string => {
  if (value < 1024) return counted(value, 'byte');
  if (value < 1024 * 1024) return `${(value / 1024).toFixed(1)} KiB`;
  return `${(value / 1024 / 1024).toFixed(1)} MiB`;
};

/** A duration: `12 ms`, `3.4 s`, `2 min 5 s`. */
export const duration = (milliseconds: number): string => {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
};

/**
 * Makes the first letter upper case, unless the text begins with a name (`listWorkouts`, `/api/`).
 */
export const capitalised = (text: string): string =>
  /^[a-z][a-z’'-]*(?:[\s,.;]|$)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;

/** `2026-05-04T09:12:30Z` */
export const toTheSecond = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

/** Time that is left: `90 s`, `5 min`. */
export const timeLeft = (seconds: number): string =>
  seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;

/** `2026-05-04 09:12`, in UTC; with seconds where asked for. */
export const moment = (iso: string, seconds = false): string => iso.slice(0, seconds ? 19 : 16).replace('T', ' ');
