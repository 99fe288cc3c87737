import { readFileSync } from 'node:fs';
import { type Document, LineCounter, type Node, parseDocument } from 'yaml';

/** A parsed YAML file with positions. */
export interface YamlFile {
  readonly contents: Document.Parsed['contents'];
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
  const lines = new LineCounter();
  const { contents, errors } = parseDocument(text, { lineCounter: lines });
  const lineOf = (offset: number): number => Math.max(1, lines.linePos(offset).line);
  if (errors.length > 0)
    return errors.map(
      ({ pos, message }) => `${shown}:${lineOf(pos[0])} ${message.split('\n', 1)[0]?.replace(/ at line.*$/, '')}`,
    );
  return { contents, at: (node: unknown) => `${shown}:${lineOf((node as Node | null | undefined)?.range?.[0] ?? 0)}` };
};
