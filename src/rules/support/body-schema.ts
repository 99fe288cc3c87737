import { memoizePerObject } from '../../collections.js';
import { isSchema, mergeSchemas, type Schema } from '../../merge-schemas.js';
import type { Shape } from '../../wire/body-shape.js';
import { isPlainName } from '../../wire/shape-builder.js';
import type { Exchange } from '../../wire/types.js';
import { answerOf } from '../oracle/answers.js';
import { isMap, isScalar } from '../oracle/view.js';

/** Values nested deeper are not described. */
const deepest = 32;

const isData = (name: string): boolean => !isPlainName(name) || name.startsWith('#');

/** The schema with property names only, for arrays of which only some items were seen. */
const namesAlone = ({ properties, additionalProperties: others, items }: Schema): Schema => ({
  ...(isSchema(properties)
    ? {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, inner]) => [name, isSchema(inner) ? namesAlone(inner) : {}]),
        ),
      }
    : {}),
  ...(isSchema(others) ? { additionalProperties: namesAlone(others) } : {}),
  ...(isSchema(items) ? { items: namesAlone(items) } : {}),
});

const describe = (shape: Shape, depth = 0): Schema => {
  if (depth > deepest) return {};
  const inner = (value: Shape): Schema => describe(value, depth + 1);
  if (isScalar(shape)) {
    const { type, format } = shape;
    if (type === 'text') return {};
    if (format === 'integer') return { type: format };
    return { type, ...(format === undefined ? {} : { format }) };
  }
  if (shape.type === 'array') {
    const items = mergeSchemas(shape.items.map(inner));
    return {
      type: 'array',
      ...(items ? { items: shape.items.length < shape.length ? namesAlone(items) : items } : {}),
    };
  }
  const mapped = isMap(shape.members);
  const named = mapped ? [] : shape.members.filter(([name]) => !isData(name));
  const others = mergeSchemas(
    shape.members.filter(([name]) => mapped || isData(name)).map(([, value]) => inner(value)),
  );
  const sorted = named.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    type: 'object',
    ...(sorted.length > 0
      ? {
          properties: Object.fromEntries(sorted.map(([name, value]) => [name, inner(value)])),
          required: sorted.map(([name]) => name),
        }
      : {}),
    ...(others ? { additionalProperties: others } : {}),
  };
};

const described = memoizePerObject((shape: Shape): Schema => describe(shape));

/**
 * The JSON Schema of a JSON body: names, types and formats, but no values. Returns `undefined` if
 * the body is not JSON or is incomplete.
 *
 * It is built from the recorded shape, since exchanges keep no values that a library could infer a
 * schema from.
 */
export const bodySchema = (exchange: Exchange): Schema | undefined => {
  const body = answerOf(exchange)?.shape;
  return body?.kind === 'json' && !body.broken && !body.wrapped && body.shape ? described(body.shape) : undefined;
};
