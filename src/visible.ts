/**
 * What a document or a server says is shown, never obeyed: whoever writes foreign text passes it
 * through here first.
 */

// C0, DEL and C1 controls, zero-width and bidirectional marks, line separators, the byte order
// mark, tags, lone surrogates.
const unseen =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

/** Nearly all text, and much quicker to see. */
const harmless = /^[\x20-\x7e]*$/;

const escapeOf = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
};

/**
 * One line: control, zero-width and bidirectional characters become visible escapes such as `\x1b`
 * or `\u202e`.
 */
export const visible = (text: string): string => (harmless.test(text) ? text : text.replace(unseen, escapeOf));

/** The same over several lines: line feeds and tabs stay, `\r\n` becomes `\n`. */
export const visibleLines = (text: string): string =>
  text
    .replace(/\r\n/g, '\n')
    .replace(unseen, (character) => (character === '\n' || character === '\t' ? character : escapeOf(character)));

const unit = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');

/**
 * JSON in which such characters are escapes of JSON: whoever parses it reads the same, and whoever
 * looks at it sees them.
 */
export const jsonText = (value: unknown, indent?: number): string => {
  const text = JSON.stringify(value, null, indent);
  return harmless.test(text)
    ? text
    : text.replace(unseen, (character) => (character === '\n' ? character : unit(character)));
};
