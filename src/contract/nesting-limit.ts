import { Lexer } from 'yaml';
import { skipString } from './json-positions.js';

/** Maximum nesting of a document: it is processed recursively. */
export const maxDepth = 500;

export const tooDeepMessage = `it is nested more than ${maxDepth} levels deep here, and no deeper document is read`;

const quote = 34;

/** Offset of the bracket that exceeds the limit in a JSON text. */
export const tooDeepInJson = (text: string): number | undefined => {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = skipString(text, at) - 1;
    else if (code === 123 || code === 91) {
      depth += 1;
      if (depth > maxDepth) return at;
    } else if (code === 125 || code === 93) depth -= 1;
  }
  return undefined;
};

/** Start of a compact block collection, such as `- - a`. */
const starts = /[-?:](?:[ \t]+)/y;

/** Checks block collections by indentation: each column may open a mapping and a list. */
export const tooDeepInBlocks = (text: string): number | undefined => {
  const columns: number[] = [];
  for (let line = 0; line < text.length; ) {
    let at = line;
    while (text[at] === ' ') at += 1;
    const next = text.indexOf('\n', at);
    const end = next === -1 ? text.length : next;
    if (at < end && text[at] !== '#' && text[at] !== '\r') {
      while ((columns.at(-1) ?? -1) >= at - line) columns.pop();
      for (;;) {
        columns.push(at - line);
        if (columns.length > maxDepth) return at;
        starts.lastIndex = at;
        if (!starts.test(text) || starts.lastIndex >= end) break;
        at = starts.lastIndex;
      }
    }
    line = end + 1;
  }
  return undefined;
};

/** Checks flow collections by their brackets. A text with few brackets is not lexed. */
const tooDeepInFlow = (text: string): number | undefined => {
  let openings = 0;
  for (let at = 0; at < text.length && openings <= maxDepth; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 123 || code === 91) openings += 1;
  }
  if (openings <= maxDepth) return undefined;
  let depth = 0;
  let offset = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === '{' || token === '[') {
      depth += 1;
      if (depth > maxDepth) return offset;
    } else if (token === '}' || token === ']') depth -= 1;
    // These marks of the lexer stand for no character.
    if (!marks.has(token)) offset += token.length;
  }
  return undefined;
};

/** Marks that the lexer of `yaml` inserts: document start, scalar, and flow error. */
const marks: ReadonlySet<string> = new Set(['\u0002', '\u0018', '\u001f']);

/**
 * Offset where a YAML text exceeds the limit. Checked before parsing: a stack overflow in the
 * parser may end the process.
 */
export const tooDeepInYaml = (text: string): number | undefined => tooDeepInBlocks(text) ?? tooDeepInFlow(text);

/** Whether a value of objects and lists has more levels than `most`. */
export const nestsDeeperThan = (most: number, value: unknown): boolean => {
  const waiting: { readonly value: unknown; readonly level: number }[] = [{ value, level: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    if (next.level >= most) return true;
    for (const member of Object.values(next.value))
      if (typeof member === 'object' && member !== null) waiting.push({ value: member, level: next.level + 1 });
  }
  return false;
};
