import { memoizePerObject } from '../../collections.js';
import type { BodyShape, Shape } from '../../wire/body-shape.js';
import type { Response } from '../../wire/types.js';
import {
  digestOfAll,
  isDataName,
  isMute,
  isScalar,
  type List,
  listAt,
  type Row,
  rowOf,
  scalarsIn,
  viewOf,
} from './view.js';

/** What stands anywhere in a body, in rows, markup and strings too. Pure functions of shapes. */

/** Every object and every array, the outer ones first. */
const partsIn = (shape: Shape): readonly Shape[] =>
  isScalar(shape)
    ? []
    : [shape, ...(shape.type === 'array' ? shape.items : shape.members.map(([, value]) => value)).flatMap(partsIn)];

const partsOfBody = memoizePerObject(({ shape, embedded = [] }: BodyShape): readonly Shape[] =>
  [...(shape ? [shape] : []), ...embedded].flatMap(partsIn),
);

export const objectsIn = memoizePerObject((body: BodyShape): readonly Row[] =>
  partsOfBody(body)
    .filter(({ type }) => type === 'object')
    .map(rowOf),
);

/** Rows without names: arrays of three scalars or more. */
export const tuplesIn = memoizePerObject((body: BodyShape): readonly (readonly string[])[] =>
  partsOfBody(body).flatMap((shape) =>
    shape.type === 'array' && shape.items.length >= 3 && shape.items.every(isScalar)
      ? [shape.items.filter(isScalar).map(({ digest }) => digest)]
      : [],
  ),
);

/** Lists of two scalars or more, and how many of these can word nothing. */
export const columnsIn = memoizePerObject(
  (body: BodyShape): readonly { readonly values: string; readonly mute: number }[] =>
    // Lines of a text are rows of its words.
    (body.kind === 'text' ? [] : partsOfBody(body)).flatMap((shape) => {
      if (shape.type !== 'array' || shape.items.length < 2 || !shape.items.every(isScalar)) return [];
      const items = shape.items.filter(isScalar);
      return [{ values: digestOfAll(items), mute: items.filter(isMute).length }];
    }),
);

/** Lists of rows at any depth. */
export const listsWithin = (shape: Shape): readonly List[] => partsIn(shape).flatMap((part) => listAt(part) ?? []);

/**
 * Rows by their lists: at any depth of the structure, in markup and in strings; what is embedded
 * side by side is a list too.
 */
export const rowsByList = memoizePerObject(({ shape, embedded = [] }: BodyShape): readonly (readonly Row[])[] => [
  ...[...(shape ? [shape] : []), ...embedded].flatMap(listsWithin).map(({ rows }) => rows),
  embedded.map(rowOf),
]);

/** Lines of a text as rows of their words. */
export const linesIn = (body: BodyShape): readonly Row[] =>
  body.kind === 'text' ? (body.embedded ?? []).filter(({ type }) => type === 'array').map(rowOf) : [];

/** Digests of member names that are data. */
const dataNamesIn = (body: BodyShape): readonly string[] =>
  partsOfBody(body).flatMap((shape) =>
    shape.type === 'object' ? shape.members.flatMap(([name]) => (isDataName(name) ? [name.slice(1)] : [])) : [],
  );

/** Digests of every scalar, of names that are data, and of what stands within sentences. */
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

/** What stands in header fields, as the text that they are. */
export const fieldsIn = memoizePerObject(({ fields }: Response): BodyShape | undefined =>
  fields === undefined
    ? undefined
    : {
        kind: 'text',
        mediaType: '',
        size: 0,
        truncated: false,
        digest: '',
        values: fields.flatMap(({ values }) => values),
        parts: fields.flatMap(({ parts = [] }) => parts),
        embedded: fields.flatMap(({ embedded = [] }) => embedded),
      },
);

/**
 * Digests of what stands in the text of a body: of markup and plain text, and of sentences in JSON.
 */
export const textIn = memoizePerObject(
  (body: BodyShape): ReadonlySet<string> =>
    new Set([...(body.kind === 'json' ? [] : [...(body.pieces ?? []), ...body.values]), ...(body.parts ?? [])]),
);
