import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSync, visitorKeys } from 'oxc-parser';
import { buildModules } from './module-build.js';

/**
 * A copy of the built package in which every sentence is another one, so that whatever reads a
 * sentence goes wrong.
 */

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

const isRegex = (value: unknown): value is { readonly pattern: string } =>
  typeof value === 'object' && value !== null && 'pattern' in value;

/**
 * Two words with a space between them, or a word beside what a template puts in; `Basic Og==` and
 * media types are none.
 */
const isProse = (text: string): boolean =>
  !/^\w+\/[\w.+-]+;/.test(text) &&
  /[A-Za-z]{2,}[,.;:’']? +[a-z“‘(]|^[,.;:]? *[a-z]{2,} |^[A-Z][a-z]+[,:] | [a-z]{2,}[,.;:]? ?$/.test(text);

/** The same for the same sentence, and no part of one is a part of another. */
export const opaque = (text: string): string => `‹${createHash('sha256').update(text).digest('hex').slice(0, 12)}›`;

/**
 * Functions whose arguments name what is drawn at random or asked for on an occasion, which are
 * labels that are written like words, or are lists of names, or are sent as a field.
 */
const labelled: ReadonlySet<string> = new Set([
  'nonce',
  'onItsOwnQuery',
  'keyedControl',
  'inPair',
  'change',
  'atStaticFile',
  'wordsIn',
]);
const labels: ReadonlySet<string> = new Set(['occasion', 'after', 'agents']);

/** What a node stands in that is no sentence: sent as it is, or part of a request's identity. */
const isData = (path: readonly Node[]): boolean =>
  path.some((node, index) => {
    const child = path[index + 1];
    const named = (member: unknown): string => (isNode(member) ? String(member.name ?? member.value ?? '') : '');
    if (node.type === 'ImportDeclaration' || node.type.startsWith('Export')) return child === node.source;
    if (node.type === 'CallExpression') return labelled.has(named(node.callee));
    if (node.type === 'Property') return child === node.key || labels.has(named(node.key));
    return node.type === 'VariableDeclarator' && labels.has(named(node.id));
  });

const searches: ReadonlySet<string> = new Set([
  'startsWith',
  'endsWith',
  'includes',
  'indexOf',
  'replace',
  'replaceAll',
  'split',
]);

/** Whether a text is compared with this sentence, or searched for it. */
const isSought = (node: Node, parent: Node | undefined): boolean => {
  if (parent?.type === 'BinaryExpression') return /^[!=]==?$/.test(String(parent.operator));
  if (parent?.type === 'SwitchCase') return true;
  if (parent?.type !== 'CallExpression' || (parent.arguments as readonly Node[])[0] !== node) return false;
  const method = isNode(parent.callee) && isNode(parent.callee.property) ? parent.callee.property.name : undefined;
  return typeof method === 'string' && searches.has(method);
};

interface Rewording {
  readonly code: string;
  /** Where a text is compared with a sentence: `engine/run.js: the sentence`. */
  readonly comparisons: readonly string[];
}

const reword = (file: string, code: string): Rewording => {
  const cuts: { readonly start: number; readonly end: number; readonly text: string }[] = [];
  const comparisons: string[] = [];
  const visit = (node: Node, path: readonly Node[]): void => {
    if (node.type === 'Literal' && typeof node.value === 'string' && isProse(node.value) && !isData([...path, node])) {
      if (isSought(node, path.at(-1))) comparisons.push(`${file}: ${node.value}`);
      cuts.push({ start: node.start, end: node.end, text: JSON.stringify(opaque(node.value)) });
    }
    const { pattern } = isRegex(node.regex) ? node.regex : { pattern: '' };
    if (isProse(pattern)) comparisons.push(`${file}: /${pattern}/`);
    if (node.type === 'TemplateElement' && !isData(path)) {
      const { cooked } = node.value as { readonly cooked: string };
      if (isProse(cooked)) cuts.push({ start: node.start, end: node.end, text: opaque(cooked) });
    }
    for (const key of visitorKeys[node.type as keyof typeof visitorKeys] ?? []) {
      const children = Array.isArray(node[key]) ? node[key] : [node[key]];
      for (const child of children) if (isNode(child)) visit(child, [...path, node]);
    }
  };
  visit(parseSync(file, code).program as unknown as Node, []);
  let reworded = code;
  for (const { start, end, text } of cuts.sort((a, b) => b.start - a.start))
    reworded = reworded.slice(0, start) + text + reworded.slice(end);
  return { code: reworded, comparisons };
};

export interface RewordedBuild {
  /** Imports a module of the copy: `engine/judge-again.js`. */
  readonly load: <Module>(file: string) => Promise<Module>;
  readonly comparisons: readonly string[];
  readonly remove: () => void;
}

/**
 * Builds the modules and rewords those below some of its folders.
 * @param folders below `src`: `rules`, `engine`
 */
export const rewordBuild = (folders: readonly string[]): RewordedBuild => {
  const { folder: copy, url, remove } = buildModules('reworded');
  const comparisons: string[] = [];
  for (const entry of readdirSync(copy, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(copy, path);
    if (!entry.isFile() || !name.endsWith('.js') || !folders.some((folder) => dirname(name).split('/')[0] === folder))
      continue;
    const reworded = reword(name, readFileSync(path, 'utf8'));
    writeFileSync(path, reworded.code);
    comparisons.push(...reworded.comparisons);
  }
  return {
    load: async <Module>(file: string) => (await import(url(file))) as Module,
    comparisons,
    remove,
  };
};
