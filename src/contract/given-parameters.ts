import { nearestName } from '../did-you-mean.js';
import { ContractError } from './errors.js';
import { isObject } from './json-values.js';
import { childNode, exactValue, type Node, nodeAt } from './node.js';
import type { Problems } from './problems.js';
import { readSource } from './source.js';

/**
 * Values that a person gave in the PARAMETERS file: `name: value` for every operation that has a
 * parameter of that name, and `operationId: { name: value }` or `/path/{of}/it: { name: value }`
 * for one.
 */
export class GivenValues {
  readonly #file: Node | undefined;
  /** Names that each operation, by its id and by its path, has parameters of. */
  readonly #operations = new Map<string, Set<string>>();
  readonly #parameters = new Set<string>();

  constructor(file?: Node) {
    this.#file = file;
  }

  /** Whether the file gives no value: comments alone, as `init` writes it. */
  get isEmpty(): boolean {
    return this.#file === undefined;
  }

  /**
   * The values for one operation, by name of the parameter; its id goes before its path, and both
   * before the general value.
   */
  of(operationId: string, path: string, parameters: readonly string[]): (name: string) => unknown {
    const file = this.#file;
    if (file === undefined) return () => undefined;
    for (const key of [operationId, path]) {
      const names = this.#operations.get(key) ?? new Set();
      for (const name of parameters) names.add(name);
      this.#operations.set(key, names);
    }
    for (const name of parameters) this.#parameters.add(name);
    return (name) => {
      const at = (...keys: readonly string[]): unknown => exactValue(nodeAt(file, keys)) ?? undefined;
      const general = at(name);
      return at(operationId, name) ?? at(path, name) ?? (isObject(general) ? undefined : general);
    };
  }

  /**
   * Reports names in the file that the document does not have. Otherwise a misspelt value would be
   * ignored silently.
   */
  reportUnknownNames(problems: Problems): void {
    const file = this.#file;
    if (!file || !isObject(file.value)) return;
    for (const [name, value] of Object.entries(file.value)) {
      const own = this.#operations.get(name);
      if (own && isObject(value)) {
        for (const inner of Object.keys(value))
          if (!own.has(inner))
            problems.error(
              nodeAt(file, [name, inner]),
              `"${name}" has no parameter "${inner}"`,
              hintOf(inner, [...own]),
            );
      } else if (!this.#parameters.has(name)) {
        const known = [...this.#operations.keys(), ...this.#parameters];
        problems.error(
          childNode(file, name),
          `no operation, path or parameter is called "${name}"`,
          hintOf(name, known),
        );
      }
    }
  }
}

const hintOf = (name: string, known: readonly string[]): string => {
  const meant = nearestName(name, known);
  return meant === undefined ? `Known are ${known.slice(0, 8).join(', ')}.` : `Did you mean "${meant}"?`;
};

/**
 * Reads the PARAMETERS file: a YAML or JSON object.
 * @throws {ContractError} when it is not readable or no object
 */
export const readGivenParameters = (file: string | undefined): GivenValues => {
  if (file === undefined) return new GivenValues();
  const source = readSource(file);
  const node: Node = { source, path: [], value: source.value };
  if (isObject(source.value) && Object.keys(source.value).length > 0) return new GivenValues(node);
  if (source.value === null || isObject(source.value)) return new GivenValues();
  const hint = 'Write `name: value` for all operations, or the id or the path of an operation and its values below it.';
  throw new ContractError([{ ...source.positionOf([]), message: 'the parameters file must hold an object', hint }]);
};
