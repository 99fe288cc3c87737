import { isObject } from '../collections.js';
import { isArray, setMember, type ValuePath, valueAt } from './json-values.js';
import type { Node } from './node.js';
import type { ParsedFile } from './source.js';

/** A document that overlays modify. */

/** The place in a source file that a value came from. */
type Origin = Pick<Node, 'source' | 'path'>;

type WritableMembers = Record<string | number, unknown>;

const originBelow = ({ source, path }: Origin, key: string | number): Origin => ({ source, path: [...path, key] });

const isContainer = (value: unknown): value is WritableMembers => typeof value === 'object' && value !== null;

/** The value of an overlay cannot be merged into its target. */
export class IncompatibleOverlayError extends Error {}

export const kindOf = (value: unknown): string =>
  isArray(value) ? 'an array' : isObject(value) ? 'an object' : 'a primitive value';

/**
 * A copy of a document that overlays modify. It remembers the origin of each value, so that
 * findings point to the file where it was written.
 */
export class EditableDocument {
  root: unknown;
  readonly #base: ParsedFile;
  readonly #origins = new WeakMap<object, Origin>();
  /** Origins of primitive members that were set apart from their object. */
  readonly #members = new WeakMap<object, Map<string, Origin>>();

  constructor(base: ParsedFile) {
    this.#base = base;
    this.root = this.#copy(base.value, { source: base, path: [] });
  }

  /**
   * Merges `update` into the value at `path` (Overlay 1.1, section 4.4.3.1).
   * @throws {IncompatibleOverlayError} when the types do not match
   */
  update(path: ValuePath, update: unknown, origin: Origin): void {
    const target = valueAt(this.root, path);
    if (isArray(target)) this.#append(target, update, origin);
    else if (isContainer(target)) this.#merge(target, update, origin);
    else if (isContainer(update))
      throw new IncompatibleOverlayError(`${kindOf(update)} cannot replace ${kindOf(target)}`);
    else this.#set(path, update, origin);
  }

  /** Removes the value at `path` from the object or array around it. */
  remove(path: ValuePath): void {
    const parent = valueAt(this.root, path.slice(0, -1));
    const key = path.at(-1);
    if (key === undefined) throw new IncompatibleOverlayError('the root of the document cannot be removed');
    if (Array.isArray(parent)) parent.splice(Number(key), 1);
    else if (isContainer(parent)) delete parent[key];
  }

  /** The merged document. Its positions lead to the original files. */
  source(release: () => void): ParsedFile {
    const { file, absolute } = this.#base;
    const bytes = Buffer.from(JSON.stringify(this.root));
    return { file, absolute, bytes, value: this.root, positionOf: (path) => this.#positionOf(path), release };
  }

  #positionOf(path: ValuePath): ReturnType<ParsedFile['positionOf']> {
    let value: unknown = this.root;
    let origin: Origin = this.#origins.get(Object(value)) ?? { source: this.#base, path: [] };
    for (const key of path) {
      if (!isContainer(value) || !Object.hasOwn(value, key)) break;
      const next: unknown = value[key];
      origin = this.#originOf(value, next, key, origin);
      value = next;
    }
    return origin.source.positionOf(origin.path);
  }

  #originOf(parent: object, value: unknown, key: string | number, around: Origin): Origin {
    if (isContainer(value)) return this.#origins.get(value) ?? originBelow(around, key);
    return this.#members.get(parent)?.get(String(key)) ?? originBelow(around, key);
  }

  #set(path: ValuePath, value: unknown, origin: Origin): void {
    const parent = valueAt(this.root, path.slice(0, -1));
    const key = path.at(-1);
    if (key !== undefined && isContainer(parent)) this.#place(parent, key, value, origin);
    else throw new IncompatibleOverlayError('the root of the document cannot be replaced');
  }

  #place(parent: WritableMembers, key: string | number, value: unknown, origin: Origin): void {
    const copy = this.#copy(value, origin);
    setMember(parent, key, copy);
    if (isContainer(copy)) return;
    const members = this.#members.get(parent) ?? new Map<string, Origin>();
    members.set(String(key), origin);
    this.#members.set(parent, members);
  }

  #append(target: readonly unknown[], update: unknown, origin: Origin): void {
    const items = isArray(update)
      ? update.map((item, index) => [item, originBelow(origin, index)] as const)
      : [[update, origin] as const];
    for (const [item, from] of items) this.#place(target as unknown as WritableMembers, target.length, item, from);
  }

  #merge(target: WritableMembers, update: unknown, origin: Origin): void {
    if (!isObject(update)) throw new IncompatibleOverlayError(`${kindOf(update)} cannot be merged into an object`);
    for (const [name, value] of Object.entries(update)) {
      const present = Object.hasOwn(target, name) ? target[name] : undefined;
      const from = originBelow(origin, name);
      if (!Object.hasOwn(target, name) || !(isContainer(present) || isContainer(value)))
        this.#place(target, name, value, from);
      else if (isArray(present) && isArray(value)) this.#append(present, value, from);
      else if (isContainer(present) && isObject(value) && !isArray(present)) this.#merge(present, value, from);
      // The example of Overlay 1.1 (section 4.4.3.2) writes null for "nothing to change".
      else if (value !== null)
        throw new IncompatibleOverlayError(
          `"${name}" is ${kindOf(present)} in the document and ${kindOf(value)} in the overlay`,
        );
    }
  }

  #copy(value: unknown, origin: Origin): unknown {
    if (!isContainer(value)) return value;
    const copy: WritableMembers = isArray(value) ? ([] as unknown as WritableMembers) : {};
    this.#origins.set(copy, origin);
    if (isArray(value))
      for (const [index, item] of value.entries()) copy[index] = this.#copy(item, originBelow(origin, index));
    else
      for (const [name, member] of Object.entries(value))
        setMember(copy, name, this.#copy(member, originBelow(origin, name)));
    return copy;
  }
}
