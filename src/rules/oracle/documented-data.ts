import { isArray, isObject } from '../../contract/tree.js';
import type { Response } from '../../wire/types.js';
import { contentFor } from '../described.js';
import type { OperationSubject } from '../rule.js';
import { header } from './compare.js';
import { inEnvelope, outlineOf } from './outline.js';

/**
 * Whether a body is the data that the document describes, where its own members cannot tell it from a refusal with status 200:
 * identifiers look random, and a title or a state is what an envelope has too. Pure functions of facts and of the document.
 */

const mostSteps = 8;

/** Paths of the members that a schema demands, those of demanded objects too. Of alternatives it demands none for certain. */
const demandedBy = (
  schema: unknown,
  schemas: Readonly<Record<string, unknown>>,
  path = '',
  steps = mostSteps,
): readonly string[] => {
  if (!isObject(schema) || steps === 0) return [];
  const { $ref, allOf, properties, required } = schema;
  const within = (part: unknown, at: string): readonly string[] => demandedBy(part, schemas, at, steps - 1);
  return [
    ...(typeof $ref === 'string' ? within(schemas[$ref], path) : []),
    ...(isArray(allOf) ? allOf.flatMap((part) => within(part, path)) : []),
    ...(isArray(required) ? required : []).flatMap((name) =>
      typeof name === 'string'
        ? [`${path}/${name}`, ...within(isObject(properties) ? properties[name] : undefined, `${path}/${name}`)]
        : [],
    ),
  ];
};

/**
 * Whether both keyed reads fit the schema that the document states for exactly that status, and most of what it demands are
 * members of no envelope, at least two, whose values stay from read to read and are nothing that `elsewhere` has as well: no
 * identifier of a request, no moment, nothing that the service says in every answer.
 */
export const isDocumentedData = (
  { operation, contract }: OperationSubject,
  first: Response,
  second: Response,
  elsewhere: readonly Response[],
): boolean => {
  const described = operation.responses.find(({ status }) => status === String(first.status));
  const content = described && contentFor(described, header(first, 'content-type') ?? '');
  if (!content || 'several' in content || !first.facts.shape || !second.facts.shape) return false;
  const fits = [first, second].map(({ documented }) => documented?.[operation.id]);
  if (!fits.every((fit) => fit?.verdict === 'fits' && fit.message === undefined)) return false;
  const [scalars, again] = [outlineOf(first.facts.shape).scalars, outlineOf(second.facts.shape).scalars];
  const known = new Set(
    elsewhere.flatMap(({ facts: { shape } }) =>
      shape ? [...outlineOf(shape).scalars.values()].map(({ digest }) => digest) : [],
    ),
  );
  const demanded = [...new Set(demandedBy(content.schema, contract.schemas))].filter((path) => scalars.has(path));
  const data = demanded.filter((path) => {
    const value = scalars.get(path);
    if (!value || inEnvelope(path) || (value.type !== 'string' && value.type !== 'number')) return false;
    return value.countLike !== true && value.digest === again.get(path)?.digest && !known.has(value.digest);
  });
  // What repeats the request is one value wherever it stands.
  const values = new Set(data.map((path) => scalars.get(path)?.digest));
  return values.size >= 2 && data.length * 2 > demanded.length;
};
