import { schemaMaps } from './composition.js';
import { isArray, isObject, type JsonObject, type Path } from './json-values.js';

/** Members that map names to objects: the names are no keywords. */
const mapsOfNames = new Set([
  ...schemaMaps,
  'paths',
  'webhooks',
  'responses',
  'schemas',
  'parameters',
  'headers',
  'requestBodies',
  'securitySchemes',
  'links',
  'callbacks',
  'pathItems',
  'content',
  'mediaTypes',
  'encoding',
  'variables',
]);

/** Members that hold data: a `$ref` inside is no reference. */
const dataMembers = new Set([
  'example',
  'examples',
  'default',
  'enum',
  'const',
  'value',
  'dataValue',
  'mapping',
  'security',
]);

/** Visits every object of OpenAPI or JSON Schema once: no data, and no maps of names. */
export const forEachObject = (root: unknown, visit: (value: JsonObject, path: Path) => void): void => {
  const seen = new Set<object>();
  const walk = (value: unknown, path: Path, names: boolean): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    if (isArray(value)) {
      for (const [index, item] of value.entries()) if (typeof item === 'object') walk(item, [...path, index], false);
      return;
    }
    if (!isObject(value)) return;
    if (!names) visit(value, path);
    for (const name in value) {
      if (!Object.hasOwn(value, name)) continue;
      const member = value[name];
      if (typeof member !== 'object' || member === null) continue;
      if (!names && (dataMembers.has(name) || name.startsWith('x-'))) continue;
      walk(member, [...path, name], !names && mapsOfNames.has(name));
    }
  };
  walk(root, [], false);
};
