import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { Contract, MediaTypeSchema, SourcePosition } from './model.js';
import { isArray, isObject } from './tree.js';

/** Where a body does not fit its schema. */
export interface BodyMismatch {
  /** JSON Pointer of the value in the body; empty for the body itself. */
  readonly pointer: string;
  readonly message: string;
  /** Where the document describes this media type. */
  readonly position: SourcePosition;
}

/** `null` when the body fits, and when the schema is none that can be used: a document's slip is no fault of the service. */
export type BodyValidator = (described: MediaTypeSchema, body: unknown) => BodyMismatch | null;

const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const data = new Set(['const', 'enum', 'default', 'example', 'examples']);

/** A schema with everything that its references lead to inside it, so that it can be compiled by itself. */
const bundle = (schema: unknown, registry: Readonly<Record<string, unknown>>): unknown => {
  const names = new Map<string, string>();
  const definitions: Record<string, unknown> = {};
  const waiting: string[] = [];
  const rewrite = (value: unknown): unknown => {
    if (isArray(value)) return value.map(rewrite);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([keyword, member]) => {
        // Identifiers would move the base of every reference below them, and references are made of registry names.
        if (keyword === '$id' || keyword === '$schema') return [];
        if (keyword === '$ref' && typeof member === 'string') return [[keyword, rename(member)]];
        if (data.has(keyword)) return [[keyword, member]];
        if (maps.has(keyword) && isObject(member))
          return [[keyword, Object.fromEntries(Object.entries(member).map(([name, each]) => [name, rewrite(each)]))]];
        return [[keyword, rewrite(member)]];
      }),
    );
  };
  const rename = (reference: string): string => {
    if (!Object.hasOwn(registry, reference)) return reference;
    let name = names.get(reference);
    if (name === undefined) {
      name = String(names.size);
      names.set(reference, name);
      waiting.push(reference);
    }
    return `#/$defs/referenced/${name}`;
  };
  const root = rewrite(schema);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    definitions[names.get(next) ?? ''] = rewrite(registry[next]);
  return { allOf: [root], $defs: { referenced: definitions } };
};

/** The error that tells most: the innermost one. */
const innermost = (errors: readonly ErrorObject[]): ErrorObject | undefined =>
  [...errors].sort((a, b) => b.instancePath.split('/').length - a.instancePath.split('/').length)[0];

const sentence = ({ keyword, message, params }: ErrorObject): string => {
  const allowed =
    keyword === 'enum' && isArray(params.allowedValues) ? `: ${JSON.stringify(params.allowedValues)}` : '';
  const name = keyword === 'additionalProperties' ? params.additionalProperty : params.unevaluatedProperty;
  return `${message ?? keyword}${allowed}${typeof name === 'string' ? ` ("${name}")` : ''}`;
};

/**
 * Makes the validator of documented bodies. Schemas are compiled when first needed. Messages name members and expected
 * values, never a value of the body, which may be somebody's data.
 */
export const createBodyValidator = (contract: Contract): BodyValidator => {
  const ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    allErrors: false,
    logger: false,
    unicodeRegExp: true,
  });
  // A CommonJS module, whose default export NodeNext sees one level further down.
  ajvFormats.default(ajv);
  const validators = new WeakMap<MediaTypeSchema, ValidateFunction | null>();
  /** By the text of the schema: operations share theirs by reference, and compiling a large one takes a tenth of a second. */
  const compiled = new Map<string, ValidateFunction | null>();

  const compile = (schema: unknown): ValidateFunction | null => {
    if (schema === undefined || schema === true) return null;
    const text = JSON.stringify(schema);
    const known = compiled.get(text);
    if (known !== undefined) return known;
    let validate: ValidateFunction | null = null;
    try {
      validate = ajv.compile(bundle(schema, contract.schemas) as object);
    } catch {
      // not a schema that can be compiled
    }
    compiled.set(text, validate);
    return validate;
  };

  const validatorOf = (described: MediaTypeSchema): ValidateFunction | null => {
    const known = validators.get(described);
    if (known !== undefined) return known;
    const validate = compile(described.schema);
    validators.set(described, validate);
    return validate;
  };

  return (described, body) => {
    const validate = validatorOf(described);
    if (!validate) return null;
    try {
      if (validate(body)) return null;
    } catch {
      return null;
    }
    const error = innermost(validate.errors ?? []);
    return {
      pointer: error?.instancePath ?? '',
      message: error ? sentence(error) : 'does not fit',
      position: described.position,
    };
  };
};
