import { isObject } from '../collections.js';
import { counted } from '../words.js';
import { ContractError } from './errors.js';
import { child, isArray, type ValuePath, valueAt } from './json-values.js';
import type { ContractProblem, SourcePosition } from './model.js';
import type { ParsedFile } from './source.js';

/** A value and its position. */
export interface Node {
  readonly source: ParsedFile;
  readonly path: ValuePath;
  readonly value: unknown;
}

export const positionOf = (node: Node): SourcePosition => node.source.positionOf(node.path);

/** A member or an item. Its path is put together where it is asked for: most never are. */
class ChildNode implements Node {
  readonly source: ParsedFile;
  readonly value: unknown;
  readonly #parent: Node;
  readonly #key: string | number;

  constructor(parent: Node, key: string | number) {
    this.source = parent.source;
    this.value = child(parent.value, key);
    this.#parent = parent;
    this.#key = key;
  }

  get path(): ValuePath {
    return [...this.#parent.path, this.#key];
  }
}

export const childNode = (parent: Node, key: string | number): Node => new ChildNode(parent, key);

export const nodeAt = ({ source, path, value }: Node, below: ValuePath): Node => ({
  source,
  path: [...path, ...below],
  value: valueAt(value, below),
});

/** The items of a list; none of anything else. */
export const itemNodes = (list: Node): readonly Node[] =>
  isArray(list.value) ? [...list.value.keys()].map((index) => childNode(list, index)) : [];

/** The members of an object by name; none of anything else. */
export const memberNodes = (object: Node): readonly (readonly [name: string, node: Node])[] =>
  isObject(object.value) ? Object.keys(object.value).map((name) => [name, childNode(object, name)]) : [];

/**
 * The value of a node, where it is a whole number as its source writes it: past 2^53 the parsed
 * number is another one (`9007199254740993` becomes `9007199254740992`), and ids of 64 bits are
 * sent as they stand.
 */
export const exactValue = (node: Node): unknown => {
  const { value, source } = node;
  if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  const { line, column } = positionOf(node);
  const written =
    source.bytes
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .split('\n')
      [line - 1]?.slice(column - 1) ?? '';
  const digits = /^(?:[^:]*:\s*)?(-?\d+)/.exec(written)?.[1];
  return digits !== undefined && Number(digits) === value ? digits : value;
};

/** Collects problems, so that a person can mend all in one go. At most 50 are kept. */
export class Problems {
  readonly #errors = new Map<string, ContractProblem>();
  readonly #warnings = new Map<string, ContractProblem>();
  #more = 0;
  #moreWarnings = 0;

  error(at: Node, message: string, hint?: string): void {
    if (this.#errors.size >= 50) this.#more += 1;
    else add(this.#errors, at, message, hint);
  }

  warn(at: Node, message: string, hint?: string): void {
    if (this.#warnings.size >= 50) this.#moreWarnings += 1;
    else add(this.#warnings, at, message, hint);
  }

  get warnings(): readonly ContractProblem[] {
    const warnings = [...this.#warnings.values()];
    const last = warnings.at(-1);
    return this.#moreWarnings === 0 || !last
      ? warnings
      : [...warnings, { ...last, message: `and ${counted(this.#moreWarnings, 'more warning')}`, hint: '' }];
  }

  /** @throws {ContractError} when there is an error */
  throwErrors(): void {
    const errors = [...this.#errors.values()];
    const [first] = errors;
    if (!first) return;
    errors.sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column);
    if (this.#more > 0)
      errors.push({ ...first, message: `and ${counted(this.#more, 'more problem')}`, hint: 'Mend these first.' });
    throw new ContractError(errors, { warnings: this.warnings });
  }
}

const add = (to: Map<string, ContractProblem>, at: Node, message: string, hint: string | undefined): void => {
  const problem = { ...positionOf(at), message, ...(hint === undefined ? {} : { hint }) };
  to.set(`${problem.file}:${problem.line}:${problem.column}:${message}`, problem);
};
