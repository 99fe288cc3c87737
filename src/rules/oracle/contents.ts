import { memoizePerObject } from '../../collections.js';
import type { BodyShape, FieldFacts, ScalarShape, Shape } from '../../wire/body-shape.js';
import type { Response } from '../../wire/types.js';
import { digestOfAll, isDataName, isScalar, type List, listAt, type Row, rowOf, scalarsIn, viewOf } from './view.js';

/** What a body contains at any depth, also inside markup and strings. Pure functions of shapes. */

/** Every object and array of a structure, outer ones first. */
export const partsIn = (shape: Shape): readonly Shape[] =>
  isScalar(shape)
    ? []
    : [shape, ...(shape.type === 'array' ? shape.items : shape.members.map(([, value]) => value)).flatMap(partsIn)];

/** The structure of a body, and those inside its markup and strings. */
const structuresIn = ({ shape, embedded = [] }: BodyShape): readonly Shape[] =>
  shape ? [shape, ...embedded] : embedded;

const partsOfBody = memoizePerObject((body: BodyShape) => structuresIn(body).flatMap(partsIn));

export const objectsIn = memoizePerObject((body: BodyShape): readonly Row[] =>
  partsOfBody(body)
    .filter(({ type }) => type === 'object')
    .map(rowOf),
);

/** A list of two or more scalars: a column, or a row without names. */
interface ListOfScalars {
  readonly shape: Shape;
  readonly items: readonly ScalarShape[];
  /** Equal for lists of equal items in any order. */
  readonly digest: string;
}

export const listsOfScalarsIn = memoizePerObject((body: BodyShape): readonly ListOfScalars[] =>
  partsOfBody(body).flatMap((shape) => {
    if (shape.type !== 'array' || shape.items.length < 2 || !shape.items.every(isScalar)) return [];
    const items = shape.items.filter(isScalar);
    return [{ shape, items, digest: digestOfAll(items) }];
  }),
);

/** The lists of rows at any depth. */
export const listsWithin = (shape: Shape): readonly List[] => partsIn(shape).flatMap((part) => listAt(part) ?? []);

/**
 * The rows of each list at any depth, also in markup and in strings. Structures that are embedded
 * side by side count as one more list.
 */
export const rowsByList = memoizePerObject((body: BodyShape): readonly (readonly Row[])[] => [
  ...structuresIn(body).flatMap((shape) => listsWithin(shape).map(({ rows }) => rows)),
  (body.embedded ?? []).map(rowOf),
]);

/** The lines of a text, each as a row of its words. */
export const linesIn = (body: BodyShape): readonly Row[] =>
  body.kind === 'text' ? (body.embedded ?? []).filter(({ type }) => type === 'array').map(rowOf) : [];

/** Digests of member names that are data, such as dates. */
const dataNamesIn = (body: BodyShape): readonly string[] =>
  partsOfBody(body).flatMap((shape) =>
    shape.type === 'object' ? shape.members.flatMap(([name]) => (isDataName(name) ? [name.slice(1)] : [])) : [],
  );

/** Digests of every scalar, of member names that are data, and of words inside longer strings. */
export const digestsIn = memoizePerObject(
  (body: BodyShape): ReadonlySet<string> =>
    new Set([
      ...dataNamesIn(body),
      ...(body.shape ? viewOf(body.shape).digests : []),
      ...(body.embedded ?? []).flatMap((shape) => scalarsIn(shape).map(({ digest }) => digest)),
      ...(body.pieces ?? []),
      ...body.values,
      ...(body.parts ?? []),
    ]),
);

/** Described fields as one text body. */
export const bodyOfFields = (fields: readonly FieldFacts[]): BodyShape => ({
  kind: 'text',
  mediaType: '',
  size: 0,
  truncated: false,
  digest: '',
  values: fields.flatMap(({ values }) => values),
  embedded: fields.flatMap(({ embedded = [] }) => embedded),
});

/** What an answer says outside its body, as one text: its values may be split over fields. */
export const fieldsIn = memoizePerObject(({ fields }: Response): BodyShape | undefined =>
  fields === undefined ? undefined : bodyOfFields(fields),
);

/** The answer without what it says outside its body. */
export const withoutFields = ({ fields: _, ...others }: Response): Response => others;

/** Digests of the text of a body: of markup and plain text, and of sentences in JSON strings. */
export const textIn = memoizePerObject(
  (body: BodyShape): ReadonlySet<string> =>
    new Set([...(body.kind === 'json' ? [] : [...(body.pieces ?? []), ...body.values]), ...(body.parts ?? [])]),
);
