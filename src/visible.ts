/**
 * Makes invisible and control characters visible. Text from documents and servers must pass through
 * here before it is printed.
 */

// C0, DEL and C1 controls, zero-width and bidirectional marks, line separators, the byte order
// mark, tags, lone surrogates.
const unseen =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

/** Matches most texts, and is much faster. */
const harmless = /^[\x20-\x7e]*$/;

const escapeOf = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
};

/**
 * Escapes a text for one line: control, zero-width and bidirectional characters become visible,
 * such as `\x1b` or `\u202e`.
 */
export const visible = (text: string): string => (harmless.test(text) ? text : text.replace(unseen, escapeOf));

/**
 * The same for several lines: line feeds and tabs stay, `\r
 * ` becomes `
 * `.
 */
export const visibleLines = (text: string): string =>
  text
    .replace(/\r\n/g, '\n')
    .replace(unseen, (character) => (character === '\n' || character === '\t' ? character : escapeOf(character)));

const unit = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');

/** JSON in which such characters are JSON escapes, so that it parses to the same value. */
export const jsonText = (value: unknown, indent?: number): string => {
  const text = JSON.stringify(value, null, indent);
  return harmless.test(text)
    ? text
    : text.replace(unseen, (character) => (character === '\n' ? character : unit(character)));
};
