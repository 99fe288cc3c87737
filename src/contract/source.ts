import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { LineCounter } from 'yaml';
import { lazy } from '../collections.js';
import { codeOf, messageOf } from '../errors.js';
import { packageRoot, tool } from '../package.js';
import { ContractError } from './errors.js';
import { JsonPositions } from './json-positions.js';
import { tooDeepIn, type ValuePath } from './json-values.js';
import { mirroredUrl } from './kept-document.js';
import type { SourcePosition } from './model.js';
import { maxDepth, parseYaml, tooDeepMessage } from './yaml-parser.js';

export interface ParsedFile {
  /** Path as shown in messages: relative to the working folder where possible. */
  readonly file: string;
  readonly absolute: string;
  readonly bytes: Buffer;
  readonly value: unknown;
  /** Position of the member or item at `path`, or of its nearest ancestor that exists. */
  positionOf(path: ValuePath): SourcePosition;
  /** Frees the data for positions; it is computed again on demand. */
  release(): void;
}

/** Maximum bytes of one file of a contract; the largest public documents have some 70 MB. */
const maxBytes = 128 * 1024 * 1024;
const chunkSize = 64 * 1024;

const fileTypeOf = (stats: ReturnType<typeof fstatSync>): string => {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
};

const readAll = (descriptor: number): Buffer | { readonly wrong: string } => {
  const pieces: Buffer[] = [];
  for (let size = 0; ; ) {
    const bytes = Buffer.allocUnsafe(chunkSize);
    const read = readSync(descriptor, bytes, 0, chunkSize, null);
    if (read === 0) return Buffer.concat(pieces, size);
    size += read;
    if (size > maxBytes)
      return { wrong: `the file is larger than ${maxBytes / 1024 / 1024} MiB, and no larger one is read` };
    pieces.push(bytes.subarray(0, read));
  }
};

/**
 * Reads a file of bounded size. One that a document names must be a regular file, since a device or
 * pipe may never end. One that a person names may be a pipe (`CONTRACT=<(make-it)`).
 */
const readBounded = (path: string, namedBy: 'person' | 'document'): ReturnType<typeof readAll> => {
  let descriptor: number | undefined;
  try {
    // Without O_NONBLOCK, opening a pipe without a writer blocks.
    descriptor = openSync(path, constants.O_RDONLY | (namedBy === 'document' ? (constants.O_NONBLOCK ?? 0) : 0));
    const stats = fstatSync(descriptor);
    if (!stats.isFile() && (namedBy === 'document' || !(stats.isFIFO() || stats.isSocket())))
      return { wrong: `it is ${fileTypeOf(stats)}, and only a regular file is read` };
    return readAll(descriptor);
  } catch (error) {
    const code = codeOf(error) ?? 'unreadable';
    return { wrong: code === 'ENOENT' ? 'there is no such file' : `the file cannot be read (${code})` };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
};

/** A byte-order mark is no column. */
const lineCounterOf = (text: string): LineCounter => {
  const lines = new LineCounter();
  lines.addNewLine(text.charCodeAt(0) === 0xfeff ? 1 : 0);
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1);
  return lines;
};

const positions = (file: string, text: string): ((offset: number) => SourcePosition) => {
  const lines = lazy(() => lineCounterOf(text));
  return (offset) => {
    const { line, col } = lines().linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col) };
  };
};

/** Whether V8's message says that the JSON text ends too early. */
const endsEarly = (reason: string, end: number): boolean =>
  /end of JSON input|Unterminated|Bad Unicode escape/.test(reason) ||
  Number(/position (\d+)/.exec(reason)?.[1] ?? -1) >= end;

/**
 * Offset of the first invalid character. Older Node versions do not name it, so it is found by
 * binary search for the longest valid beginning.
 */
const offsetOfSyntaxError = (text: string): number => {
  const viable = (end: number): boolean => {
    try {
      JSON.parse(text.slice(0, end));
      return true;
    } catch (error) {
      return endsEarly(messageOf(error), end);
    }
  };
  let good = 0;
  let bad = text.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    if (viable(middle)) good = middle;
    else bad = middle;
  }
  return good;
};

const decode = (file: string, bytes: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    const problem = { file, line: 1, column: 1, message: 'the file is not UTF-8 text', hint: 'Save it as UTF-8.' };
    throw new ContractError([problem], { cause });
  }
};

interface Positions {
  offsetOf(path: ValuePath): number;
}

/** @param find computes the positions again */
const sourceOf = (
  parsed: Pick<ParsedFile, 'file' | 'absolute' | 'bytes' | 'value'>,
  at: (offset: number) => SourcePosition,
  first: Positions,
  find: () => Positions,
): ParsedFile => {
  let found: Positions | undefined = first;
  return {
    ...parsed,
    positionOf: (path) => {
      found ??= find();
      return at(found.offsetOf(path));
    },
    release: () => {
      found = undefined;
    },
  };
};

const readJson = (file: string, absolute: string, bytes: Buffer, text: string): ParsedFile => {
  const at = positions(file, text);
  let value: unknown;
  try {
    value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new ContractError([{ ...at(offsetOfSyntaxError(text)), message: `not JSON: ${reason}` }], { cause });
  }
  const found = new JsonPositions(text);
  const deep = tooDeepIn(value, maxDepth);
  if (deep) throw new ContractError([{ ...at(found.offsetOf(deep)), message: tooDeepMessage }]);
  const twice = found.repeatedIn(value).map(({ name, offset }) => ({
    ...at(offset),
    message: `the member "${name}" is here twice`,
  }));
  if (twice.length > 0) throw new ContractError(twice);
  return sourceOf({ file, absolute, bytes, value }, at, found, () => new JsonPositions(text));
};

const readYaml = (file: string, absolute: string, bytes: Buffer, text: string): ParsedFile => {
  const at = positions(file, text);
  const yaml = parseYaml(text);
  if (yaml.problems.length > 0)
    throw new ContractError(yaml.problems.map(({ offset, ...problem }) => ({ ...at(offset), ...problem })));
  return sourceOf({ file, absolute, bytes, value: yaml.value }, at, yaml, () => parseYaml(text));
};

/**
 * A file as reports call it: fetched by its URL, below the working folder from there, of the
 * installed package by its name, never by where that lies.
 */
const displayPath = (named: string, absolute: string): string => {
  const url = mirroredUrl(absolute);
  if (url !== undefined) return url;
  const below = relative(process.cwd(), absolute);
  const own = relative(packageRoot, absolute);
  const ofPackage = !own.startsWith('..') && !isAbsolute(own);
  if (ofPackage && (below.startsWith('..') || /(^|[\\/])node_modules[\\/]/.test(below)))
    return [tool.name, ...own.split(sep)].join('/');
  return isAbsolute(named) && !below.startsWith('..') && !isAbsolute(below) ? below : named;
};

export type ReadSource = (named: string, namedBy?: 'person' | 'document') => ParsedFile;

/**
 * Reads a YAML or JSON file; its first character decides which.
 * @throws {ContractError} when the file does not exist, is invalid, or repeats a member
 */
export const readSource: ReadSource = (named, namedBy = 'person') => {
  const absolute = resolve(named);
  const file = displayPath(named, absolute);
  const bytes = readBounded(absolute, namedBy);
  if ('wrong' in bytes) throw new ContractError([{ file, line: 1, column: 1, message: bytes.wrong }]);
  const text = decode(file, bytes);
  return /^\uFEFF?\s*[{[]/.test(text)
    ? readJsonOrYaml(file, absolute, bytes, text)
    : readYaml(file, absolute, bytes, text);
};

/** A flow mapping of YAML also starts with `{`; a file named .yaml is parsed again as YAML. */
const readJsonOrYaml = (file: string, absolute: string, bytes: Buffer, text: string): ParsedFile => {
  try {
    return readJson(file, absolute, bytes, text);
  } catch (error) {
    if (/\.ya?ml$/i.test(file)) return readYaml(file, absolute, bytes, text);
    throw error;
  }
};

/** Reads each file once. */
export const createSourceCache = (): ReadSource => {
  const known = new Map<string, ParsedFile>();
  return (named, namedBy) => {
    const before = known.get(resolve(named));
    if (before) return before;
    const source = readSource(named, namedBy);
    known.set(source.absolute, source);
    return source;
  };
};
