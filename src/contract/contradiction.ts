import type { ErrorObject } from 'ajv';
import { isArray, isObject, type JsonObject, plainPathOf } from './json-values.js';
import {
  admits,
  conjunctionOf,
  itemSchemas,
  memberSchemas,
  type Registry,
  Satisfiable,
  typeOf,
} from './satisfiable.js';
import { isUnmatchedUnion, type ValidationMessage } from './validation-messages.js';

/** A schema, and the registry of its references. */
export interface DocumentSchema {
  readonly schema: unknown;
  readonly registry: Registry;
}

const admitsType = (alternative: unknown, value: unknown, registry: Registry): boolean => {
  const { all, never } = conjunctionOf([alternative], registry);
  return !never && all.every((schema) => admits(schema, typeOf(value)));
};

/** All schemas that apply to `value`; of a union, the only alternative that allows its type. */
const applicableSchemas = (schemas: readonly unknown[], value: unknown, registry: Registry): readonly JsonObject[] => {
  const { all, unions } = conjunctionOf(schemas, registry);
  const only = unions.flatMap((union) => {
    const left = union.filter((alternative) => admitsType(alternative, value, registry));
    return left.length === 1 ? left : [];
  });
  return only.length === 0 ? all : [...all, ...conjunctionOf(only, registry).all];
};

const unsatisfiable = (reason: string): string => `has a schema there that no value fits (${reason})`;

/**
 * The first place on the path of an error where the schema allows no value, or where no alternative
 * fits and one of them allows no value. The document is at fault there.
 */
export const contradictionAt = (
  errors: readonly ErrorObject[],
  body: unknown,
  { schema, registry }: DocumentSchema,
): ValidationMessage | undefined => {
  const satisfiable = new Satisfiable(registry);
  const looked = new Set<string>();
  for (const { instancePath } of errors) {
    const path = plainPathOf(instancePath).map(String);
    let schemas: readonly unknown[] = [schema];
    let value = body;
    for (let depth = 0; depth <= path.length; depth += 1) {
      const pointer = instancePath
        .split('/')
        .slice(0, depth + 1)
        .join('/');
      if (!looked.has(pointer)) {
        looked.add(pointer);
        const reason =
          satisfiable.contradictionIn(schemas) ??
          contradictoryAlternative(schemas, pointer, errors, satisfiable, registry);
        if (reason !== undefined) return { pointer, message: unsatisfiable(reason) };
      }
      const key = path[depth];
      if (key === undefined) break;
      const all = applicableSchemas(schemas, value, registry);
      schemas = isArray(value) ? itemSchemas(all, Number(key)) : memberSchemas(all, key);
      value = isArray(value)
        ? value[Number(key)]
        : isObject(value) && Object.hasOwn(value, key)
          ? value[key]
          : undefined;
    }
  }
  return undefined;
};

const contradictoryAlternative = (
  schemas: readonly unknown[],
  pointer: string,
  errors: readonly ErrorObject[],
  satisfiable: Satisfiable,
  registry: Registry,
): string | undefined => {
  if (!errors.some((error) => error.instancePath === pointer && isUnmatchedUnion(error))) return undefined;
  for (const union of conjunctionOf(schemas, registry).unions)
    for (const alternative of union) {
      const reason = satisfiable.contradictionIn([...schemas, alternative]);
      if (reason !== undefined) return `one of its alternatives, ${reason}`;
    }
  return undefined;
};
