import { readFileSync } from 'node:fs';
import { type Document, LineCounter, type Node, parseDocument, type YAMLParseError, type YAMLWarning } from 'yaml';

/** Parsed YAML text with positions; lines and columns count from 1. */
interface YamlText {
  readonly contents: Document.Parsed['contents'];
  readonly errors: readonly YAMLParseError[];
  readonly warnings: readonly YAMLWarning[];
  readonly placeOf: (node: unknown) => { readonly line: number; readonly column: number };
  readonly placeAt: (offset: number) => { readonly line: number; readonly column: number };
}

/** Parses YAML. The messages of its errors may hold a part of the text. */
export const parseYaml = (text: string): YamlText => {
  const lines = new LineCounter();
  const { contents, errors, warnings } = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const placeAt: YamlText['placeAt'] = (offset) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const placeOf: YamlText['placeOf'] = (node) => placeAt((node as Node | null | undefined)?.range?.[0] ?? 0);
  return { contents, errors, warnings, placeAt, placeOf };
};

/** A parsed YAML file with positions. */
interface YamlFile {
  readonly contents: YamlText['contents'];
  /** `file:line` of a node. */
  readonly at: (node: unknown) => string;
}

/**
 * Reads a small YAML file.
 * @param shown path for messages
 * @param what name for messages
 * @returns problems, one line each, when it cannot be read or parsed
 */
export const readYamlFile = (file: string, shown: string, what: string): YamlFile | readonly string[] => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return [`${shown}:1 the ${what} file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`];
  }
  const { contents, errors, placeAt, placeOf } = parseYaml(text);
  if (errors.length > 0) return errors.map(({ pos, message }) => `${shown}:${placeAt(pos[0]).line} ${message}`);
  return { contents, at: (node: unknown) => `${shown}:${placeOf(node).line}` };
};
