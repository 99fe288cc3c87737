import type { ErrorObject } from 'ajv';
import { child, isArray, type JsonObject, plainPathOf, pointerOf } from './json-values.js';
import {
  admits,
  conjunctionOf,
  itemSchemas,
  memberSchemas,
  type Registry,
  Satisfiable,
  typeOf,
} from './satisfiable.js';
import { isUnion, type ValidationMessage } from './validation-messages.js';

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
  const contradictionIn = (schemas: readonly unknown[], pointer: string): string | undefined => {
    const own = satisfiable.contradictionIn(schemas);
    if (own !== undefined || !errors.some((error) => error.instancePath === pointer && isUnion(error))) return own;
    const alternatives = conjunctionOf(schemas, registry).unions.flat();
    const [first] = alternatives.flatMap((each) => satisfiable.contradictionIn([...schemas, each]) ?? []);
    return first && `one of its alternatives, ${first}`;
  };
  for (const { instancePath } of errors) {
    let schemas: readonly unknown[] = [schema];
    let value = body;
    let pointer = '';
    for (const key of [...plainPathOf(instancePath), undefined]) {
      const reason = contradictionIn(schemas, pointer);
      if (reason !== undefined) return { pointer, message: `has a schema there that no value fits (${reason})` };
      if (key === undefined) break;
      const all = applicableSchemas(schemas, value, registry);
      schemas = isArray(value) ? itemSchemas(all, Number(key)) : memberSchemas(all, String(key));
      value = child(value, key);
      pointer += pointerOf([key]);
    }
  }
  return undefined;
};
