import type { ScalarShape, Shape } from '../../wire/body-shape.js';
import { isKnownBy, isScalar, type Row, rowOf } from './view.js';

/**
 * What of a row is its own: an object in it may be everybody's, as an exercise, a plan or a gym is.
 */
export interface Own {
  /** Paths of its scalars. */
  readonly paths: Set<string>;
  readonly scalars: ScalarShape[];
  /** Rows of its lists. */
  readonly rows: Row[];
}

/**
 * An object, or a row without names, that has two telling values of its own is known by them, and
 * what stands inside of it is something else. One that has fewer is what another one is wrapped in.
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
