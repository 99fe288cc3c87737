import { isObject } from '../../collections.js';
import { isArray } from '../../contract/json-values.js';
import type { Response } from '../../wire/types.js';
import { contentFor } from '../documented-response/response-description.js';
import type { OperationSubject } from '../rule.js';
import { header } from './answers.js';
import { isTellingFormat, viewIn } from './view.js';

/** Whether the documented schema shows that the keyed answer is data. */

const mostSteps = 8;

/**
 * Paths of required members, also those of required objects. `anyOf` and `oneOf` are skipped: none
 * of their branches is certain to apply.
 */
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

const hasMember = (answer: Response, path: string): boolean => {
  const view = viewIn(answer.shape);
  return (
    view !== undefined &&
    [...view.outside.keys(), ...view.lists.keys()].some((each) => each === path || each.startsWith(`${path}/`))
  );
};

/**
 * Returns a predicate: whether a path holds data in both reads. Data is an equal telling value with
 * a format (number, time, id, e-mail), or a list that is filled in both.
 */
const isSteadyData = (first: Response, second: Response): ((path: string) => boolean) => {
  const [one, other] = [viewIn(first.shape), viewIn(second.shape)];
  return (path) => {
    if ((one?.lists.get(path)?.length ?? 0) > 0) return (other?.lists.get(path)?.length ?? 0) > 0;
    const [a, b] = [one?.outside.get(path), other?.outside.get(path)];
    return a !== undefined && isTellingFormat(a) && a.digest === b?.digest;
  };
};

/**
 * Whether both keyed reads fit the schema documented for exactly their status. Each answer that
 * opens nothing has to lack a required member. One required path has to hold data in both reads.
 */
export const isDocumentedData = (
  { operation, contract }: OperationSubject,
  first: Response,
  second: Response,
  nothing: readonly Response[],
): boolean => {
  const described = operation.responses.find(({ status }) => status === String(first.status));
  const content = described && contentFor(described, header(first, 'content-type') ?? '');
  if (!content || 'several' in content) return false;
  if ([first, second].some(({ documented }) => documented?.[operation.id]?.verdict !== 'fits')) return false;
  const demanded = demandedBy(content.schema, contract.schemas);
  return (
    demanded.some(isSteadyData(first, second)) &&
    nothing.every((answer) => demanded.some((path) => !hasMember(answer, path)))
  );
};
