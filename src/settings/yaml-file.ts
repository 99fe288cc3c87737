import { readFileSync } from 'node:fs';
import { isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { codeOf, yamlHint } from '../errors.js';
import { nearestName } from '../names.js';

/**
 * Parses YAML, with positions: lines and columns count from 1. The messages of its errors may hold
 * a part of the text.
 */
export const parseYaml = (text: string) => {
  const lines = new LineCounter();
  const { contents, errors, warnings } = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const placeAt = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const placeOf = (node: unknown) => placeAt((node as Node | null | undefined)?.range?.[0] ?? 0);
  return { contents, errors, warnings, placeAt, placeOf };
};

/** How the nodes of a file are read. */
export interface YamlReading {
  /** `file:line` of a node. */
  readonly at: (node: unknown) => string;
  /** Receives one line for each problem; never contains a value that may be a key. */
  readonly problems: string[];
  /** Folder of the file, which paths are relative to and commands run in. */
  readonly base: string;
}

interface YamlFile extends Pick<YamlReading, 'at'>, Pick<ReturnType<typeof parseYaml>, 'contents'> {}

/** Notes what is wrong with a node. @returns nothing, for a reader that has to do without it */
export const refuse = ({ at, problems }: YamlReading, node: unknown, wrong: string): undefined => {
  problems.push(`${at(node)} ${wrong}`);
  return undefined;
};

/** Refuses a member that is not allowed. It may be a key, so one that is like none is not shown. */
export const checkMember = (reading: YamlReading, key: unknown, what: string, allowed: readonly string[]): void => {
  const name = isScalar(key) ? String(key.value) : '';
  if (allowed.includes(name)) return;
  const meant = nearestName(name, allowed);
  refuse(
    reading,
    key,
    meant
      ? `${what} has no member "${name}"; did you mean ${meant}?`
      : `${what} has a member that is not one of ${allowed.join(', ')}; a key stands in no file`,
  );
};

export const textIn = (node: unknown): string | undefined =>
  isScalar(node) && typeof node.value === 'string' && node.value !== '' ? node.value : undefined;

/** Texts of a list; `undefined` for anything else. */
export const textsIn = (node: unknown): readonly string[] | undefined => {
  const texts = isSeq(node) ? node.items.flatMap((item) => textIn(item) ?? []) : [];
  return isSeq(node) && texts.length === node.items.length ? texts : undefined;
};

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
    return [`${shown}:1 the ${what} file cannot be read (${codeOf(error)})`];
  }
  const { contents, errors, placeAt, placeOf } = parseYaml(text);
  // Errors after the first one are mostly consequences.
  const [error] = errors;
  if (error) return [`${shown}:${placeAt(error.pos[0]).line} is not YAML: ${error.message}. ${yamlHint}`];
  return { contents, at: (node: unknown) => `${shown}:${placeOf(node).line}` };
};
