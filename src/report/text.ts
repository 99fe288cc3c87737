import { counted } from '../words.js';

export { visible, visibleLines } from '../visible.js';

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

/** `2026-05-04 09:12`, in UTC; with seconds where asked for. */
export const moment = (iso: string, seconds = false): string => iso.slice(0, seconds ? 19 : 16).replace('T', ' ');
