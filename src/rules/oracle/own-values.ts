import type { ScalarShape, Shape } from '../../wire/body-shape.js';
import { isKnownBy, isScalar, type Row, rowOf } from './view.js';

/**
 * The part of a row that is its own. A nested object may be public, such as an exercise, a plan or
 * a gym.
 */
export interface Own {
  readonly paths: Set<string>;
  readonly scalars: ScalarShape[];
  /** Objects in its lists. */
  readonly rows: Row[];
}

/**
 * Collects the own values of a row. An object or array with two or more telling values is
 * identified by them, so what is nested in it is left out. One with fewer is treated as a wrapper,
 * and searched.
 */
export const ownOf = (
  shape: Shape,
  isTelling: (scalar: ScalarShape) => boolean,
  path = '',
  own: Own = { paths: new Set(), scalars: [], rows: [] },
): Own => {
  if (isScalar(shape)) {
    own.paths.add(path);
    own.scalars.push(shape);
  } else {
    const parts = shape.type === 'array' ? shape.items.map((item) => ['*', item] as const) : shape.members;
    const isKnown = isKnownBy(parts.flatMap(([, value]) => (isScalar(value) && isTelling(value) ? [value] : [])));
    for (const [name, value] of parts) {
      if (isKnown && !isScalar(value)) continue;
      if (shape.type === 'array' && value.type === 'object') own.rows.push(rowOf(value));
      ownOf(value, isTelling, `${path}/${name}`, own);
    }
  }
  return own;
};
