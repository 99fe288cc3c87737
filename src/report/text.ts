export { visible, visibleLines } from '../visible.js';

/** `1048576` → `1,048,576`; the same in every locale. */
export const count = (value: number): string => String(Math.round(value)).replace(/\B(?=(\d{3})+(?!\d))/g, ',');

/** `1 clause`, `2 clauses`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** Bytes for people: `812 bytes`, `64.0 KiB`, `1.0 MiB`. */
export const bytes = (value: number): string => {
  if (value < 1024) return counted(value, 'byte');
  if (value < 1024 * 1024) return `${(value / 1024).toFixed(1)} KiB`;
  return `${(value / 1024 / 1024).toFixed(1)} MiB`;
};

/** Milliseconds for people: `12 ms`, `3.4 s`, `2 min 5 s`. */
export const duration = (milliseconds: number): string => {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
};

/** At most `length` characters, and where something was left out, how much there was. */
export const clip = (text: string, length: number): string =>
  text.length <= length ? text : `${sliceWhole(text, length)}… (${count(text.length)} characters in all)`;

/** The first `length` code units, without half a surrogate pair at the end. */
const sliceWhole = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, '');

/** Upper case first letter, for a sentence made of parts. */
export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
