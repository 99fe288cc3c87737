/** Parses incomplete JSON, and JSON inside other text. */

const maxLength = 1_048_576;

interface Scan {
  /** Index after the value; `undefined` where the text ends first. */
  readonly end: number | undefined;
  /** The longest prefix that ends after a value, with closing brackets. */
  readonly prefix: string;
}

/** Scans the object or array at `from`. */
const scan = (text: string, from: number): Scan => {
  const closers: string[] = [];
  let inString = false;
  let cut = from;
  let closing = '';
  for (let at = from; at < text.length && at - from < maxLength; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
      continue;
    }
    if (character === '"') inString = true;
    else if (character === '{' || character === '[') closers.push(character === '{' ? '}' : ']');
    else if (character === ',') {
      cut = at;
      closing = [...closers].reverse().join('');
    } else if (character === '}' || character === ']') {
      if (closers.pop() !== character) break;
      if (closers.length === 0) return { end: at + 1, prefix: text.slice(from, at + 1) };
      cut = at + 1;
      closing = [...closers].reverse().join('');
    }
    if (closers.length > 200) break;
  }
  return { end: undefined, prefix: text.slice(from, cut) + closing };
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** The value of an incomplete JSON text; `undefined` where there is none. */
export const jsonPrefix = (text: string): unknown => parsed(scan(text, 0).prefix);

/** The outermost objects and arrays in a text, at most `most`. */
export const jsonWithin = (text: string, most: number): unknown[] => {
  const found: unknown[] = [];
  const start = /[[{]\s*["{[]/g;
  let tries = 0;
  for (let match = start.exec(text); match && found.length < most && tries < most * 5; match = start.exec(text)) {
    tries += 1;
    const { end, prefix } = scan(text, match.index);
    const value = parsed(prefix);
    if (typeof value !== 'object' || value === null) continue;
    found.push(value);
    if (end === undefined) break;
    start.lastIndex = end;
  }
  return found;
};
