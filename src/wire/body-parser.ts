import { parse as parseCsv } from 'csv-parse/sync';
import { Parser } from 'htmlparser2';
import { orUndefined } from '../collections.js';
import { behindJson, jsonPrefix, jsonWithin, maybeJson, parsed } from './partial-json.js';

/** Parses a body of any text format into one structure, so that different formats compare. */

/** Objects, arrays and scalars, as `JSON.parse` gives them. */
export type Tree = unknown;

export interface ParsedBody {
  readonly kind: 'json' | 'xml' | 'html' | 'csv' | 'text';
  /** The whole body as one structure, for HTML its tables; absent where it has none. */
  readonly tree?: Tree;
  /** Scalars have no types: `5` may be a number or text. */
  readonly untyped?: true;
  /**
   * The JSON has a prefix, is wrapped in a callback, or consists of several texts, so that no JSON
   * parser accepts it as it is.
   */
  readonly wrapped?: true;
  /** The body is incomplete; `tree` contains what arrived. */
  readonly broken?: true;
  /** JSON found inside markup or strings. */
  readonly embedded: readonly Tree[];
}

const maxRows = 2_000;
const maxEmbedded = 20;

/** Removes prefixes against JSON hijacking, and JSONP callbacks. */
const withoutGuards = (text: string): string => {
  const trimmed = text.trim();
  const [callback] = /^(?:\/\*\*\/)?\s*[\w$.[\]]{1,100}\(/.exec(trimmed) ?? [];
  if (callback) return trimmed.slice(callback.length).replace(/\)\s*;?\s*$/, '');
  return trimmed.replace(/^(?:\)\]\}'?,?|while\s*\(1\)\s*;|for\s*\(;;\)\s*;|\{\}\s*&&|throw 1;)\s*/, '');
};

const isStructured = (value: Tree): boolean => typeof value === 'object' && value !== null;

/** Parses a sequence of JSON texts (RFC 7464, NDJSON). The last one may be incomplete. */
const readLines = (text: string): { readonly items: readonly Tree[]; readonly broken: boolean } | undefined => {
  const lines = text.split(/[\n\r\u001e]+/).filter((line) => line.trim() !== '');
  const items: Tree[] = [];
  for (const [index, line] of lines.entries()) {
    const whole = parsed(line);
    if (whole !== undefined) items.push(whole);
    else if (index > 0 && index === lines.length - 1) {
      const part = jsonPrefix(line);
      return part === undefined ? undefined : { items: [...items, part], broken: true };
    } else return undefined;
    if (!isStructured(items.at(-1))) return undefined;
  }
  return items.length > 0 ? { items, broken: false } : undefined;
};

/** Whether an empty body of this media type is an empty list. */
export const isRowFormat = (mediaType: string): boolean => isJsonSequence(mediaType) || isCsvType(mediaType);

const isCsvType = (mediaType: string): boolean =>
  /(?:csv|tab-separated-values|comma-separated-values)$/.test(mediaType);

const isJsonSequence = (mediaType: string): boolean => /(?:ndjson|jsonl|json-?lines|json-seq)$/.test(mediaType);

/**
 * Parses the events of a stream (HTML, section 9.2) whose data is JSON, as a list. Comments, names
 * and numbers of events are left out, and data of another kind, such as a mark of the end.
 */
const readEvents = (text: string, mediaType: string): ParsedBody | undefined => {
  if (mediaType !== 'text/event-stream') return undefined;
  const events = text.replace(/\r\n?/g, '\n').split(/\n{2,}/);
  const data = events.map((event) => [...event.matchAll(/^data: ?(.*)$/gm)].map(([, line]) => line).join(' '));
  const last = data.findLast((one) => one !== '') ?? '';
  const part = parsed(last) === undefined ? jsonPrefix(last) : undefined;
  const tree = [...data.map(parsed), part].filter(isStructured);
  return tree.length === 0 ? undefined : jsonBody(tree, { wrapped: true, broken: isStructured(part) });
};

const jsonBody = (
  tree: Tree,
  { wrapped, broken }: { readonly wrapped: boolean; readonly broken: boolean },
): ParsedBody => ({
  kind: 'json',
  tree,
  ...(wrapped ? { wrapped } : {}),
  ...(broken ? { broken } : {}),
  embedded: embeddedIn(tree),
});

const readJson = (text: string, mediaType: string): ParsedBody | undefined => {
  const plain = withoutGuards(text);
  if (plain === '' && isJsonSequence(mediaType)) return { kind: 'json', tree: [], embedded: [] };
  if (!/^[[{"\d\-tfn]/.test(plain)) return undefined;
  const whole = isJsonSequence(mediaType) ? undefined : parsed(plain);
  if (whole !== undefined) return jsonBody(whole, { wrapped: plain !== text.trim(), broken: false });
  const lines = /^[[{]/.test(plain) ? readLines(plain) : undefined;
  if (lines && (lines.items.length > 1 || isJsonSequence(mediaType)))
    return jsonBody(lines.items, { wrapped: true, broken: lines.broken });
  const part = /^[[{]/.test(plain) ? jsonPrefix(plain) : undefined;
  if (!isStructured(part)) return undefined;
  // A program that goes on after a refusal writes its page behind it.
  const { tree, embedded } = readOther(behindJson(plain), mediaType);
  const behind = isStructured(tree) ? [tree, ...embedded] : embedded;
  return {
    kind: 'json',
    tree: part,
    ...(behind.length > 0 ? { untyped: true as const } : {}),
    broken: true,
    embedded: [...embeddedIn(part), ...jsonWithin(plain, maxEmbedded), ...behind],
  };
};

/** JSON inside JSON strings. */
const embeddedIn = (tree: Tree, found: Tree[] = [], depth = 0): readonly Tree[] => {
  if (depth > 16 || found.length >= maxEmbedded) return found;
  if (typeof tree === 'string') {
    if (maybeJson.test(tree)) found.push(...jsonWithin(tree, maxEmbedded - found.length));
  } else if (tree !== null && typeof tree === 'object')
    for (const inner of Object.values(tree).slice(0, 500)) embeddedIn(inner, found, depth + 1);
  return found;
};

interface Element {
  readonly name: string;
  readonly members: Map<string, Tree[]>;
  text: string;
}

/** An element without attributes and children becomes its text; repeated children become a list. */
const treeOf = ({ members, text }: Element): Tree => {
  const words = text.trim();
  if (members.size === 0) return words === '' ? null : words;
  const entries = [...members].map(([name, all]): [string, Tree] => [name, all.length === 1 ? all[0] : all]);
  return Object.fromEntries(words === '' ? entries : [...entries, ['#text', words]]);
};

const addTo = ({ members }: Element, name: string, value: Tree): void => {
  const all = members.get(name);
  if (all) all.push(value);
  else members.set(name, [value]);
};

/**
 * @param isDeclared whether the text or its media type says XML; otherwise an unclosed tag does not
 * mean that the text is incomplete
 */
const readXml = (text: string, isDeclared: boolean): ParsedBody => {
  const root: Element = { name: '', members: new Map(), text: '' };
  const open: Element[] = [root];
  let nodes = 0;
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        nodes += 1;
        const element: Element = { name, members: new Map(), text: '' };
        for (const [attribute, value] of Object.entries(attributes)) addTo(element, `@${attribute}`, value);
        if (open.length < 64) open.push(element);
      },
      ontext: (words) => {
        const element = open.at(-1);
        if (element) element.text += words;
      },
      onclosetag: (name) => {
        if (open.length < 2 || open.at(-1)?.name !== name) return;
        const element = open.pop();
        const parent = open.at(-1);
        if (element && parent && nodes < maxRows * 20) addTo(parent, name, treeOf(element));
      },
    },
    { xmlMode: true },
  );
  parser.write(text);
  // Checked before `end`, which closes open elements.
  const broken = isDeclared && open.length > 1;
  parser.end();
  const tree = treeOf(root);
  return { kind: 'xml', tree, untyped: true, ...(broken ? { broken: true as const } : {}), embedded: embeddedIn(tree) };
};

/** The rows of a table, as objects if it has header cells. */
const tableRows = (lines: readonly { readonly cells: readonly string[]; readonly heads: boolean }[]): Tree[] => {
  const [first, ...others] = lines;
  if (!first) return [];
  const named = first.heads && new Set(first.cells).size === first.cells.length;
  return (named ? others : lines).map(({ cells }) => {
    const values = cells.map((cell) => (cell === '' ? null : cell));
    return named && cells.length === first.cells.length
      ? Object.fromEntries(first.cells.map((name, index) => [name, values[index]]))
      : values;
  });
};

const readHtml = (text: string): ParsedBody => {
  const tables: Tree[][] = [];
  const embedded: Tree[] = [];
  let lines: { cells: string[]; heads: boolean }[] | undefined;
  let cell: string | undefined;
  let script: string | undefined;
  let words = '';
  const keep = (json: string): void => {
    if (embedded.length < maxEmbedded && (/[[{]/.test(json) || maybeJson.test(json)))
      embedded.push(...jsonWithin(json, maxEmbedded - embedded.length));
  };
  const parser = new Parser({
    onopentag: (name, attributes) => {
      if (name === 'table') lines = [];
      else if (name === 'tr') lines?.push({ cells: [], heads: true });
      else if (name === 'td' || name === 'th') {
        cell = '';
        const line = lines?.at(-1);
        if (line && name === 'td') line.heads = false;
      } else if (name === 'script' || name === 'pre') script = '';
      for (const value of Object.values(attributes)) if (maybeJson.test(value)) keep(value);
    },
    oncomment: keep,
    ontext: (text) => {
      if (cell !== undefined) cell += text;
      if (script !== undefined) script += text;
      else words += text;
    },
    onclosetag: (name) => {
      if ((name === 'td' || name === 'th') && cell !== undefined) {
        lines?.at(-1)?.cells.push(cell.trim());
        cell = undefined;
      } else if (name === 'table' && lines) {
        tables.push(tableRows(lines.filter(({ cells }) => cells.length > 0).slice(0, maxRows)));
        lines = undefined;
      } else if ((name === 'script' || name === 'pre') && script !== undefined) {
        keep(script);
        script = undefined;
      }
    },
  });
  parser.write(text);
  parser.end();
  keep(words);
  const filled = tables.filter((rows) => rows.length > 0);
  const [first] = filled;
  if (!first) return { kind: 'html', untyped: true, embedded };
  const tree = filled.length === 1 ? first : Object.fromEntries(filled.map((rows, index) => [`table ${index}`, rows]));
  return { kind: 'html', tree, untyped: true, embedded };
};

const delimiters = [',', ';', '\t', '|'] as const;

/** Parses CSV whose lines have the same number of fields, at least two. */
const readCsv = (text: string, mediaType: string): ParsedBody | undefined => {
  const [head = '', second] = text.split(/\r?\n/, 2);
  const isDeclared = isCsvType(mediaType);
  if (!isDeclared && (second === undefined || second.trim() === '')) return undefined;
  const [delimiter] = delimiters
    .map((each) => ({ each, count: head.split(each).length - 1 }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
  if (!delimiter && !isDeclared) return undefined;
  const options = { skip_empty_lines: true, to: maxRows, trim: true, relax_quotes: true };
  const lines = orUndefined((): string[][] => parseCsv(text, { ...options, delimiter: delimiter?.each ?? ',' }));
  if (!lines) return undefined;
  const tree = tableRows(lines.map((cells, index) => ({ cells, heads: index === 0 })));
  return { kind: 'csv', tree, untyped: true, embedded: embeddedIn(tree) };
};

const maxLines = 200;
const maxWords = 30;

/** Lines with at least two words, which may be rows. */
const linesOf = (text: string): readonly Tree[] =>
  text
    .split(/[\n\r]+/, maxLines)
    .map((line) => line.trim().split(/\s+|(?<=^[A-Za-z-]{1,40})[:=]/, maxWords))
    .filter((words) => words.length > 1);

/** The fields of a form (application/x-www-form-urlencoded) as one record. */
const formsIn = (text: string): readonly Tree[] =>
  /^[^\s=&]+=[^\s&]*(?:&[^\s=&]+=[^\s&]*)+$/.test(text.trim())
    ? [Object.fromEntries([...new URLSearchParams(text.trim())].slice(0, maxRows))]
    : [];

const isHtml = (start: string, mediaType: string): boolean =>
  start.startsWith('<!doctype html') || start.startsWith('<html') || mediaType.includes('html');

const readOther = (text: string, mediaType: string): ParsedBody => {
  const start = text.trimStart().slice(0, 200).toLowerCase();
  if (isHtml(start, mediaType)) return readHtml(text);
  if (start.startsWith('<')) return readXml(text, start.startsWith('<?xml') || /xml$/.test(mediaType));
  return (
    readCsv(text, mediaType) ?? {
      kind: 'text',
      untyped: true,
      embedded: [...jsonWithin(text, maxEmbedded), ...formsIn(text), ...linesOf(text)],
    }
  );
};

/** Parses a body in linear time. The media type is only a hint. Never throws. */
export const parseBody = (text: string, mediaType: string): ParsedBody =>
  readEvents(text, mediaType) ?? readJson(text, mediaType) ?? readOther(text, mediaType);
