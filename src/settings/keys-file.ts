import { readFileSync } from 'node:fs';
import { isMap, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
import { settingOfScheme } from './table.js';
import { parseKey } from './value-parsers.js';

/** A key of the file, or a problem, which never contains a key. */
export type KeyFileEntry =
  | { readonly scheme: string; readonly setting: string; readonly line: number; readonly key: string }
  | { readonly wrong: string; readonly hint?: string };

/** The source text of a scalar: a key of digits stays text. */
const textOf = (value: unknown): string | undefined => {
  if (!isScalar(value) || value.value === null) return undefined;
  return typeof value.value === 'string' ? value.value : (value.source ?? String(value.value));
};

/**
 * Reads the file of API_KEYS_FILE: a YAML or JSON object, security scheme → key.
 * @param path absolute path of a readable file
 */
export const readKeysFile = (path: string): readonly KeyFileEntry[] => {
  const lines = new LineCounter();
  const hint = 'write a line "scheme: key" for each security scheme; a key with special characters in single quotes';
  const document = parseDocument(readFileSync(path, 'utf8'), { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset = 0): number => lines.linePos(offset).line;
  // The parser's messages may contain a key.
  const [error] = [...document.errors, ...document.warnings];
  if (error) return [{ wrong: `line ${lineAt(error.pos[0])} cannot be read as YAML or JSON.`, hint }];
  if (!isMap(document.contents)) return [{ wrong: 'the file must hold an object, security scheme to key.', hint }];
  return document.contents.items.map(({ key, value }): KeyFileEntry => {
    const line = lineAt((key as Node | null)?.range?.[0]);
    const scheme = textOf(key) ?? '';
    const setting = settingOfScheme(scheme);
    const about = (wrong: string, advice?: string): KeyFileEntry => ({
      wrong: `line ${line}: ${wrong}`,
      ...(advice === undefined ? {} : { hint: advice }),
    });
    if (setting === 'API_KEY_') return about('no security scheme stands in front of the colon.', hint);
    const text = textOf(value);
    if (text === undefined || text === '') return about(`the scheme "${scheme}" has no key.`, hint);
    const form = parseKey(text);
    return form.wrong === undefined
      ? { scheme, setting, line, key: form.value }
      : about(`the key of "${scheme}" cannot be used: ${form.wrong}`, form.hint);
  });
};
