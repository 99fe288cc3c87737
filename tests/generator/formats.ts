import type { Tree } from './data.js';

/** Writes a tree in the formats that services have. */

const formats = ['json', 'ndjson', 'xml', 'csv', 'html', 'text'] as const;
export type Format = (typeof formats)[number];

export const mediaTypes: Readonly<Record<Format | 'script', string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  xml: 'application/xml',
  csv: 'text/csv; charset=utf-8',
  html: 'text/html; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  script: 'application/javascript',
};

export const isObject = (tree: Tree): tree is Readonly<Record<string, Tree>> =>
  typeof tree === 'object' && tree !== null && !Array.isArray(tree);

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const tagOf = (name: string): string => {
  const tag = name.replace(/[^\p{L}\p{N}_-]/gu, '_');
  return /^[\p{L}_]/u.test(tag) ? tag : `_${tag}`;
};

const xmlOf = (tree: Tree, name: string): string => {
  if (Array.isArray(tree)) return `<${name}>${tree.map((item) => xmlOf(item, 'item')).join('')}</${name}>`;
  if (isObject(tree))
    return `<${name}>${Object.entries(tree)
      .map(([inner, value]) => xmlOf(value, tagOf(inner)))
      .join('')}</${name}>`;
  return tree === null ? `<${name}/>` : `<${name}>${escaped(String(tree))}</${name}>`;
};

const cellOf = (value: Tree): string =>
  value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);

const headsOf = (rows: readonly Tree[]): readonly string[] => {
  const [first] = rows;
  return isObject(first) ? Object.keys(first) : ['value'];
};

const cellsOf = (row: Tree, heads: readonly string[]): readonly string[] =>
  isObject(row) ? heads.map((head) => cellOf(row[head])) : [cellOf(row)];

const quoted = (cell: string): string => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

const csvOf = (rows: readonly Tree[], heads: readonly string[]): string => {
  return [heads, ...rows.map((row) => cellsOf(row, heads))].map((cells) => `${cells.map(quoted).join(',')}\n`).join('');
};

const tableOf = (rows: readonly Tree[], heads: readonly string[]): string => {
  const line = (cells: readonly string[], tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`;
  return `<table>${line(heads, 'th')}${rows.map((row) => line(cellsOf(row, heads), 'td')).join('')}</table>`;
};

export const pageOf = (title: string, body: string): string =>
  `<!DOCTYPE html><html><head><title>${escaped(title)}</title></head><body>${body}</body></html>`;

/** JSON as a call of a function that the client named. */
export const scriptOf = (json: string): string => `/**/done(${json});`;

/** How the state of an app stands in its page. */
export const stateForms = ['data', 'comment', 'string', 'percent', 'base64', 'literal', 'attribute'] as const;
export type StateForm = (typeof stateForms)[number];

const stateIn = (json: string, form: StateForm): string => {
  switch (form) {
    case 'data':
      return `<script id="state" type="application/json">${json}</script>`;
    case 'comment':
      return `<!-- ${json} -->`;
    case 'string':
      return `<script>self.flight.push([1,${JSON.stringify(`5:${json}\n`)}])</script>`;
    case 'percent':
      return `<script>window.state=JSON.parse(decodeURIComponent("${encodeURIComponent(json)}"))</script>`;
    case 'base64':
      return `<script>window.state=JSON.parse(atob("${Buffer.from(json).toString('base64')}"))</script>`;
    case 'literal':
      return `<script>var state=${json.replaceAll(/"([A-Za-z_]\w*)":/g, '$1:')};</script>`;
    case 'attribute':
      return `<div data-page="${escaped(json)}"></div>`;
  }
};

/** An app that carries its state as JSON. */
export const pageWithState = (title: string, state: Tree, form: StateForm = 'data'): string =>
  pageOf(title, `<div id="app"></div>${stateIn(JSON.stringify(state).replaceAll('<', '\\u003c'), form)}`);

const textOf = (rows: readonly Tree[]): string =>
  rows.map((row) => `${isObject(row) ? Object.values(row).map(cellOf).join(' ') : cellOf(row)}\n`).join('');

/** Formats of rows alone: what stands around them in a tree has no place there. */
export const isFlat = (format: Format): boolean => !['json', 'xml'].includes(format);

/** `tree`: of a flat format the rows. `empty`: the names of the columns, where there is no row. */
export const written = (tree: Tree, format: Format, empty: readonly string[] = []): string => {
  const rows: readonly Tree[] = Array.isArray(tree) ? tree : [tree];
  const heads = rows.length > 0 ? headsOf(rows) : empty;
  switch (format) {
    case 'json':
      return JSON.stringify(tree);
    case 'ndjson':
      return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    case 'xml':
      return `<?xml version="1.0" encoding="UTF-8"?>${xmlOf(tree, 'response')}`;
    case 'csv':
      return csvOf(rows, heads);
    case 'html':
      return pageOf('Workouts', `<h1>Workouts</h1>${tableOf(rows, heads)}`);
    case 'text':
      return textOf(rows);
  }
};
