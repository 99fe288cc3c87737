import { type ClauseContext, operationsOfClause } from './clause-operations.js';
import { isObject, type JsonObject, textOf } from './json-values.js';
import type { Clause, Gap, Operation } from './model.js';
import { childNode, itemNodes, type Node, positionOf } from './node.js';
import type { Problems } from './problems.js';

const entriesOf = (root: Node, name: string): readonly (readonly [Node, JsonObject])[] =>
  itemNodes(childNode(root, name)).flatMap((node) => (isObject(node.value) ? [[node, node.value] as const] : []));

/** Whether the path has a version segment, for example `v2` or `v1.1`. */
const hasVersionSegment = ({ path }: Operation): boolean => /\/v\d+([._]\d+)*(\/|$)/i.test(path);

/** What a clause of the suite asks for in a few words, and where a document implies it and how. */
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

/** What a clause says of any document. */
export const genericText = (id: string): string => clauseWords[id]?.[2] ?? '';

const shortOf = (id: string): Pick<Clause, 'short'> => {
  const [short] = Object.hasOwn(clauseWords, id) ? (clauseWords[id] ?? []) : [];
  return short === undefined ? {} : { short };
};

/** The clauses that any OpenAPI document implies. */
const genericClauses = ({ operations, unprobed }: ClauseContext, identities: boolean): readonly Clause[] => {
  const any = (of: (operation: Operation) => boolean): boolean => operations.some(of);
  const all = [...operations, ...unprobed].filter(({ method }) => method !== 'OPTIONS');
  // A clause about the key exists whether or not a run can check it.
  const locked = all.some(({ access }) => access === 'protected');
  const applies: Readonly<Record<string, boolean>> = {
    'PATH-2': any(hasVersionSegment),
    'AUTH-1': locked,
    'AUTH-2': locked,
    'AUTH-3': locked,
    'AUTH-4': (operations.length > 0 ? operations : all).some(({ access }) => access === 'public'),
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
  // Only an overlay says what these are about: responses, scopes, ownership.
  const more = generic.filter(({ id }) => /^(?:DOC-\d|AUTH-[56])$/.test(id) && !own.some((clause) => clause.id === id));
  return { clauses: [...own, ...more], gaps };
};
