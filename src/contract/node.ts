import { type Path, valueAt } from './json-values.js';
import type { SourcePosition } from './model.js';
import type { Source } from './source.js';

/** A value and its position. */
export interface Node {
  readonly source: Source;
  readonly path: Path;
  readonly value: unknown;
}

export const positionOf = (node: Node): SourcePosition => node.source.positionOf(node.path);

export const childNode = (node: Node, ...path: Path): Node => ({
  source: node.source,
  path: [...node.path, ...path],
  value: valueAt(node.value, path),
});
