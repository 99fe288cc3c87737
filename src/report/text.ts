import { counted } from '../words.js';

/** What a server sent is shown, never obeyed: every report passes foreign text through here first. */

// C0, DEL and C1 controls, zero-width and bidirectional marks, line separators, the byte order mark, tags, lone surrogates.
const unseen =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

/** Nearly all text, and much quicker to see. */
const harmless = /^[\x20-\x7e]*$/;

const escapeOf = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
};

/** One line: control, zero-width and bidirectional characters become visible escapes such as `\x1b` or `\u202e`. */
export const visible = (text: string): string => (harmless.test(text) ? text : text.replace(unseen, escapeOf));

/** The same over several lines: line feeds and tabs stay, `\r\n` becomes `\n`. */
export const visibleLines = (text: string): string =>
  text
    .replace(/\r\n/g, '\n')
    .replace(unseen, (character) => (character === '\n' || character === '\t' ? character : escapeOf(character)));

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
