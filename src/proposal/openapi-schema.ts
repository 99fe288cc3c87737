import type { Json } from '../canonical-json.js';
import { isSchema } from '../rules/support/body-schema.js';

/**
 * Converts a schema that was seen to one for an OpenAPI document: only names, types, required members
 * and formats. A value that was always null becomes the empty schema.
 * @param version of the OpenAPI Specification; 3.0 knows no type null
 */
export const schemaFor = (seen: Json, version: string): Json => {
  if (!isSchema(seen)) return {};
  const types = Array.isArray(seen.type)
    ? (seen.type as readonly string[])
    : seen.type === undefined
      ? []
      : [String(seen.type)];
  const values = types.filter((type) => type !== 'null');
  const nullable = values.length < types.length;
  if (types.length > 0 && values.length === 0) return {};
  const { properties, items, additionalProperties: others } = seen;
  const [only] = values;
  const isOld = version === '3.0';
  // One keyword holds one type before 3.1.
  const type: Json | undefined =
    values.length === 0 || (isOld && values.length > 1)
      ? undefined
      : isOld || (!nullable && values.length === 1)
        ? (only as string)
        : [...values, ...(nullable ? ['null'] : [])];
  return {
    ...(type === undefined ? {} : { type }),
    ...(isOld && nullable && type !== undefined ? { nullable: true } : {}),
    ...(seen.format === undefined ? {} : { format: seen.format }),
    ...(isSchema(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, inner]) => [name, schemaFor(inner, version)]),
          ),
        }
      : {}),
    ...(seen.required === undefined ? {} : { required: seen.required }),
    ...(others === undefined ? {} : { additionalProperties: schemaFor(others, version) }),
    // OpenAPI 3.0 wants items beside every array.
    ...(items === undefined ? (type === 'array' ? { items: {} } : {}) : { items: schemaFor(items, version) }),
  };
};
