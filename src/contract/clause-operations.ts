import { isArray, isObject } from './json-values.js';
import type { Clause, Contract, Operation, SecurityScheme, UnprobedOperation } from './model.js';
import { childNode, itemNodes, type Node } from './node.js';
import type { Problems } from './problems.js';

/** The parts of a contract that clauses refer to. */
export type ClauseContext = Pick<Contract, 'operations' | 'unprobed' | 'schemes' | 'overlays'>;

/** One entry of `about`. It matches operations that fit all of its members. */
interface OperationFilter {
  readonly path?: string;
  readonly method?: string;
  /** A segment of the path. */
  readonly segment?: string;
  /** Header field of the key. */
  readonly header?: string;
  /** Prefix of the key, with its separator. */
  readonly prefix?: string;
}

const members: readonly (keyof OperationFilter)[] = ['path', 'method', 'segment', 'header', 'prefix'];

const read = (node: Node, problems: Problems): OperationFilter => {
  const found: Partial<Record<keyof OperationFilter, string>> = {};
  for (const [name, value] of Object.entries(isObject(node.value) ? node.value : {})) {
    const member = members.find((each) => each === name);
    if (member !== undefined && typeof value === 'string' && value !== '') found[member] = value;
    else problems.error(childNode(node, name), `"${name}" is not allowed in an entry of "about", or is no text`, hint);
  }
  if (Object.keys(found).length === 0) problems.error(node, 'this entry of "about" is empty', hint);
  return found;
};

const hint = `An entry of "about" has ${members.join(', ')}, each as text.`;

const carries = ({ in: place, field, prefix }: SecurityScheme, described: OperationFilter): boolean =>
  (described.header === undefined || (place === 'header' && field.toLowerCase() === described.header.toLowerCase())) &&
  (described.prefix === undefined || prefix === described.prefix);

/** The path in the document, before any setting replaced it. */
const pathOf = (operation: Operation | UnprobedOperation): string =>
  'documentedPath' in operation && operation.documentedPath !== undefined ? operation.documentedPath : operation.path;

const fits = (
  operation: Operation | UnprobedOperation,
  { path, method, segment, ...key }: OperationFilter,
  schemes: readonly SecurityScheme[],
): boolean => {
  const own = pathOf(operation);
  const ways = 'security' in operation ? [operation.security, ...(operation.alternatives ?? [])].flat() : schemes;
  return (
    (path === undefined || own === path) &&
    (method === undefined || operation.method === method.toUpperCase()) &&
    (segment === undefined || own.split('/').includes(segment)) &&
    ((key.header === undefined && key.prefix === undefined) || ways.some((scheme) => carries(scheme, key)))
  );
};

const inWords = ({ path, method, segment, header, prefix }: OperationFilter): string =>
  [
    ...(path === undefined ? [] : [method === undefined ? path : `${method.toUpperCase()} ${path}`]),
    ...(path === undefined && method !== undefined ? [`the method ${method.toUpperCase()}`] : []),
    ...(segment === undefined ? [] : [`paths with the segment ${segment}`]),
    ...(header === undefined ? [] : [`a key in the header field ${header}`]),
    ...(prefix === undefined ? [] : [`a key behind ${JSON.stringify(prefix)}`]),
  ].join(' and ');

/**
 * The operations that a clause's `about` matches. A clause about something that the document does
 * not have (an overlay removed it) is excluded.
 */
export const operationsOfClause = (
  about: Node,
  { operations, unprobed, schemes, overlays }: ClauseContext,
  problems: Problems,
): Pick<Clause, 'operations' | 'excluded'> => {
  if (about.value === undefined) return {};
  if (!isArray(about.value) || about.value.length === 0) {
    problems.error(about, '"about" must be a list of what the clause speaks of', hint);
    return {};
  }
  const described = itemNodes(about).map((entry) => read(entry, problems));
  const all = [...operations, ...unprobed];
  const missing = described.find((each) => !all.some((operation) => fits(operation, each, schemes)));
  const changed = overlays.map(({ file }) => file).join(', ');
  return {
    operations: all.filter((operation) => described.some((each) => fits(operation, each, schemes))).map(({ id }) => id),
    ...(missing
      ? {
          excluded: `The clause speaks of ${inWords(missing)}, which the document does not have${changed === '' ? '' : ` with ${changed} applied`}.`,
        }
      : {}),
  };
};
