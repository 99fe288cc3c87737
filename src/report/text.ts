import { counted } from '../words.js';

export { visible, visibleLines } from '../visible.js';

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

/** Upper case first letter, for a sentence made of parts. One that begins with a name (`listWorkouts`, `/api/`) stays as it is. */
export const capitalised = (text: string): string =>
  /^[a-z][a-z’'-]*(?:[\s,.;]|$)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
