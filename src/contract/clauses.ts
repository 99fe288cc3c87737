import { isObject } from '../collections.js';
import { isArray, type JsonObject, textOf } from './json-values.js';
import type { Clause, Contract, Gap, Operation, SecurityScheme, UnprobedOperation } from './model.js';
import { childNode, itemNodes, type Node, type Problems, positionOf } from './node.js';

/** The parts of a contract that clauses refer to. */
interface ClauseContext extends Pick<Contract, 'operations' | 'unprobed' | 'schemes' | 'overlays'> {
  /** The unprobed operations for which a run may find values. */
  readonly fillable: readonly Operation[];
}

const entriesOf = (root: Node, name: string): readonly (readonly [Node, JsonObject])[] =>
  itemNodes(childNode(root, name)).flatMap((node) => (isObject(node.value) ? [[node, node.value] as const] : []));

/** Whether the path has a version segment, for example `v2` or `v1.1`. */
const hasVersionSegment = ({ path }: Operation): boolean => /\/v\d+([._]\d+)*(\/|$)/i.test(path);

/** A clause of the suite: its short name, the part of a document that implies it, and its text. */
type ClauseWords = readonly [short: string, source?: string, text?: string];

const clauseWords: Readonly<Record<string, ClauseWords>> = {
  'HTTPS-1': [
    'valid TLS certificate',
    'servers',
    'The API is served over HTTPS, with a certificate that is valid and made out to that host.',
  ],
  'HTTPS-2': ['HTTPS only', 'servers', 'The API can be reached over HTTPS only; plain HTTP does not lead to it.'],
  'PATH-1': ['at documented path', 'paths', 'Each operation is at its documented path below the base URL.'],
  'PATH-2': ['version in path', 'paths', 'The version is chosen by its segment in the path, and by nothing else.'],
  'PATH-3': ['documented method', 'paths', 'Each operation answers to its documented method, without a request body.'],
  'AUTH-1': ['place of key', 'security', 'The key travels in the place that the security scheme names.'],
  'AUTH-2': ['format of key', 'security', 'The key is written in the format of its security scheme.'],
  'AUTH-3': ['closed without key', 'security', 'A protected operation does not open without the key.'],
  'AUTH-4': [
    'public without key',
    'security',
    'A public operation opens to a client that sends no credentials at all.',
  ],
  'AUTH-5': [
    'stated scopes',
    'security',
    'An operation opens to an identity that holds one of the stated sets of scopes or roles, and to no other.',
  ],
  'AUTH-6': [
    'accounts kept apart',
    'x-access-owned',
    'What belongs to one account does not open to the key of another.',
  ],
  'DOC-1': ['documented status', 'responses', 'An operation answers with one of its documented statuses.'],
  'DOC-2': ['documented body', 'responses', 'The body of an answer has a documented media type and fits its schema.'],
  'DOC-3': ['documented refusal', 'responses', 'A request without a key is refused with the documented response.'],
  'PAGE-1': ['page makes key'],
  'PAGE-2': ['page shows key'],
  'PAGE-3': ['says no key'],
};

/** The text of a clause that holds for any document. */
export const genericText = (id: string): string => clauseWords[id]?.[2] ?? '';

const shortOf = (id: string): Pick<Clause, 'short'> => {
  const [short] = Object.hasOwn(clauseWords, id) ? (clauseWords[id] ?? []) : [];
  return short === undefined ? {} : { short };
};

/** The clauses that any OpenAPI document implies. */
const genericClauses = ({ operations, fillable, unprobed }: ClauseContext, identities: boolean): readonly Clause[] => {
  const asked = [...operations, ...fillable];
  const any = (of: (operation: Operation) => boolean): boolean => asked.some(of);
  const all = [...operations, ...unprobed].filter(({ method }) => method !== 'OPTIONS');
  // A clause about the key exists whether or not a run can check it.
  const locked = all.some(({ access }) => access === 'protected');
  const applies: Readonly<Record<string, boolean>> = {
    'PATH-2': any(hasVersionSegment),
    'AUTH-1': locked,
    'AUTH-2': locked,
    'AUTH-3': locked,
    'AUTH-4': [...asked, ...(operations.length > 0 ? [] : all)].some(({ access }) => access === 'public'),
    'AUTH-5': identities && all.some(({ requirements }) => requirements !== undefined),
    'AUTH-6': identities && all.some(({ owned }) => owned === true),
    'DOC-1': any(({ responses }) => responses.length > 0),
    'DOC-2': any(({ responses }) => responses.some(({ content }) => content.length > 0)),
    'DOC-3': any(({ access, responses }) => access === 'protected' && responses.some(({ refusal }) => refusal)),
  };
  return Object.entries(clauseWords).flatMap(([id, [short, source, text]]) =>
    source !== undefined && text !== undefined && applies[id] !== false ? [{ id, short, text, source }] : [],
  );
};

const genericGaps = (operations: readonly Operation[], identities: boolean): readonly Gap[] => [
  ...(identities && operations.some(({ access, owned }) => access === 'protected' && !owned)
    ? [{ id: 'GAP-OWNERSHIP', question: 'Whose data does a key open?', source: 'security' }]
    : []),
  {
    id: 'GAP-ERRORS',
    question: 'How does the service answer a missing key, a wrong key and a request over plain HTTP?',
    source: 'responses',
  },
  { id: 'GAP-LIMITS', question: 'Which rate limits, page sizes, payload sizes and quotas are there?', source: 'info' },
  ...(operations.some(hasVersionSegment)
    ? [{ id: 'GAP-VERSIONS', question: 'Which other versions are there?', source: 'paths' }]
    : []),
  ...(operations.some(({ responses }) => !responses.some(({ content }) => content.some((body) => 'schema' in body)))
    ? [
        { id: 'GAP-FIELDS', question: 'Which fields do the resources have, and of which types?', source: 'responses' },
        { id: 'GAP-BODIES', question: 'What does the body of an answer look like?', source: 'responses' },
      ]
    : []),
];

const required = (
  node: Node,
  entry: Readonly<Record<string, unknown>>,
  names: readonly string[],
  problems: Problems,
): void => {
  for (const name of names)
    if (textOf(entry[name]) === '')
      problems.error(node, `this entry lacks "${name}"`, `It needs ${names.join(', ')}, each as text.`);
};

const ownClauses = (root: Node, document: ClauseContext, problems: Problems): readonly Clause[] =>
  entriesOf(root, 'x-access-clauses').map(([node, entry]) => {
    required(node, entry, ['id', 'text', 'source'], problems);
    return {
      id: textOf(entry.id),
      ...(textOf(entry.short) === '' ? shortOf(textOf(entry.id)) : { short: textOf(entry.short) }),
      text: textOf(entry.text),
      source: textOf(entry.source),
      position: positionOf(node),
      ...operationsOfClause(childNode(node, 'about'), document, problems),
    };
  });

const ownGaps = (root: Node, problems: Problems): readonly Gap[] =>
  entriesOf(root, 'x-access-gaps').map(([node, entry]) => {
    required(node, entry, ['id', 'question', 'source'], problems);
    const gap = { id: textOf(entry.id), question: textOf(entry.question), source: textOf(entry.source) };
    return entry.excluded === undefined ? gap : { ...gap, excluded: textOf(entry.excluded) };
  });

/**
 * Clauses and gaps: the document's own (`x-access-clauses`, `x-access-gaps`), else the generic
 * ones.
 * @param identities several holders of keys were given
 */
export const clausesOf = (
  root: Node,
  document: ClauseContext,
  problems: Problems,
  identities = false,
): { readonly clauses: readonly Clause[]; readonly gaps: readonly Gap[] } => {
  const own = ownClauses(root, document, problems);
  const gaps = ownGaps(root, problems);
  const generic = genericClauses(document, identities);
  if (own.length === 0)
    return { clauses: generic, gaps: gaps.length > 0 ? gaps : genericGaps(document.operations, identities) };
  // Overlays add responses, scopes and ownership, so their clauses apply beside the document's own.
  const more = generic.filter(({ id }) => /^(?:DOC-\d|AUTH-[56])$/.test(id) && !own.some((clause) => clause.id === id));
  return { clauses: [...own, ...more], gaps };
};

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

const filterMembers: readonly (keyof OperationFilter)[] = ['path', 'method', 'segment', 'header', 'prefix'];

const readFilter = (node: Node, problems: Problems): OperationFilter => {
  const found: Partial<Record<keyof OperationFilter, string>> = {};
  for (const [name, value] of Object.entries(isObject(node.value) ? node.value : {})) {
    const member = filterMembers.find((each) => each === name);
    if (member !== undefined && typeof value === 'string' && value !== '') found[member] = value;
    else
      problems.error(
        childNode(node, name),
        `"${name}" is not allowed in an entry of "about", or is no text`,
        aboutHint,
      );
  }
  if (Object.keys(found).length === 0) problems.error(node, 'this entry of "about" is empty', aboutHint);
  return found;
};

const aboutHint = `An entry of "about" has ${filterMembers.join(', ')}, each as text.`;

const carries = ({ in: place, field, prefix }: SecurityScheme, described: OperationFilter): boolean =>
  (described.header === undefined || (place === 'header' && field.toLowerCase() === described.header.toLowerCase())) &&
  (described.prefix === undefined || prefix === described.prefix);

/** The path in the document, before any setting replaced it. */
const documentedPathOf = (operation: Operation | UnprobedOperation): string =>
  'documentedPath' in operation && operation.documentedPath !== undefined ? operation.documentedPath : operation.path;

const fits = (
  operation: Operation | UnprobedOperation,
  { path, method, segment, ...key }: OperationFilter,
  schemes: readonly SecurityScheme[],
): boolean => {
  const own = documentedPathOf(operation);
  const ways = 'security' in operation ? [operation.security, ...(operation.alternatives ?? [])].flat() : schemes;
  const hasPath = path === undefined || own === path;
  const hasMethod = method === undefined || operation.method === method.toUpperCase();
  const hasSegment = segment === undefined || own.split('/').includes(segment);
  const namesNoKey = key.header === undefined && key.prefix === undefined;
  return hasPath && hasMethod && hasSegment && (namesNoKey || ways.some((scheme) => carries(scheme, key)));
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
const operationsOfClause = (
  about: Node,
  { operations, unprobed, schemes, overlays }: ClauseContext,
  problems: Problems,
): Pick<Clause, 'operations' | 'excluded'> => {
  if (about.value === undefined) return {};
  if (!isArray(about.value) || about.value.length === 0) {
    problems.error(about, '"about" must be a list of what the clause speaks of', aboutHint);
    return {};
  }
  const described = itemNodes(about).map((entry) => readFilter(entry, problems));
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
