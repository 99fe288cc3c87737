import { visible } from '../visible.js';
import { child, isObject, pointerOf } from './json-values.js';
import { linksOf } from './links.js';
import type { DocumentLink, FilledIn, Operation, UnprobedOperation, UnprobedReason } from './model.js';
import type { FilledRequest, Parameters } from './parameters.js';
import type { Problems } from './problems.js';
import { deletesWithoutId, RandomIds } from './random-ids.js';
import { childNode, type Node, positionOf, type References } from './references.js';
import { hasSilentDefault, responsesOf } from './responses.js';
import type { SchemaConverter } from './schema-converter.js';
import type { Requirement, Security } from './security.js';
import { serverOverrides } from './servers.js';

export interface Context {
  readonly root: Node;
  readonly references: References;
  readonly problems: Problems;
  readonly security: Security;
  readonly parameters: Parameters;
  readonly schemas: SchemaConverter;
  /** Values of settings that replace an assumed path. */
  readonly paths: Readonly<Record<string, string>>;
  readonly unsafeMethods: boolean;
}

export interface Found {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** The path item, and the members beside its `$ref`, which win. */
  readonly pathItems: readonly Node[];
  readonly node: Node;
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];
const unsafe = new Set(['PUT', 'POST', 'DELETE', 'PATCH']);

const operationNodes = (pathItem: Node): readonly (readonly [method: string, node: Node])[] => {
  const additional = childNode(pathItem, 'additionalOperations');
  return [
    ...Object.keys(isObject(pathItem.value) ? pathItem.value : {}).flatMap((name) =>
      methods.includes(name) ? [[name.toUpperCase(), childNode(pathItem, name)] as const] : [],
    ),
    ...(isObject(additional.value) ? Object.keys(additional.value) : []).map(
      (name) => [name, childNode(additional, name)] as const,
    ),
  ];
};

const describingMembers: readonly string[] = ['$ref', 'summary', 'description'];

const hasSiblings = ({ value }: Node): boolean =>
  isObject(value) &&
  typeof value.$ref === 'string' &&
  Object.keys(value).some((name) => !describingMembers.includes(name) && !name.startsWith('x-'));

/** All operations in document order, with their path items resolved. */
const findOperations = ({ root, references, problems }: Context): readonly Found[] => {
  const paths = childNode(root, 'paths');
  if (!isObject(paths.value)) return [];
  return Object.keys(paths.value).flatMap((path) => {
    if (!path.startsWith('/')) return [];
    const written = childNode(paths, path);
    const pathItem = references.resolve(written);
    if (!pathItem || !isObject(pathItem.value)) return [];
    const pathItems = hasSiblings(written) ? [pathItem, written] : [pathItem];
    if (pathItems.length > 1)
      problems.warn(
        written,
        `${path} has members beside its $ref, which OpenAPI leaves undefined; they are read with what it refers to`,
        'Write the path item out, or move them to where the $ref leads.',
      );
    const named = new Map(pathItems.flatMap(operationNodes));
    return [...named].flatMap(([method, node]) => {
      if (!isObject(node.value)) return [];
      const { operationId } = node.value;
      const id = typeof operationId === 'string' && operationId !== '' ? operationId : `${method} ${path}`;
      return [{ id, method, path, pathItems, node }];
    });
  });
};

/** Why the method is not sent, or `undefined`. */
/** Words of a name by which a read may end a session or a key, or take something away. */
const changingNames = /^(?:logout|signout|logoff|signoff|revoke|reset|delete|destroy)$/;
const twoWords = /^(?:log|sign) (?:out|off)$/;

/** `getLogOut` → `get`, `log`, `out` */
const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');

/**
 * Why a read is not sent with a key: its name says that it changes something. Some services log out or revoke by GET, and the
 * key of a run would be lost. `x-access-safe: true` says that it only reads.
 */
const whyNameIsNotAsked = ({ path, node, pathItems }: Found): string | undefined => {
  if ([node, ...pathItems].some(({ value }) => child(value, 'x-access-safe') === true)) return undefined;
  const segments = path.split('/').filter((segment) => segment !== '' && !segment.startsWith('{'));
  const operationId = child(node.value, 'operationId');
  const names = [typeof operationId === 'string' ? operationId : '', segments.at(-1) ?? ''];
  const [named] = names
    .map(wordsOf)
    .flatMap((words) => [
      ...words.filter((word) => changingNames.test(word)),
      ...words.map((word, index) => `${word} ${words[index + 1] ?? ''}`).filter((pair) => twoWords.test(pair)),
    ]);
  return (
    named &&
    `Its name says that it may change something ("${named}"), so it is sent no key. If it only reads, write \`x-access-safe: true\` on it (an overlay can do it).`
  );
};

const whyMethodIsNotSent = (
  { method, path, pathItems }: Found,
  { access }: Requirement,
  allowUnsafe: boolean,
): string | undefined => {
  if (method === 'GET') return undefined;
  if (method === 'HEAD')
    return pathItems.some(({ value }) => isObject(child(value, 'get')))
      ? `An answer to HEAD has no body to judge by; GET ${path} is probed, with HEAD among its probes.`
      : undefined;
  if (method === 'OPTIONS')
    return 'OPTIONS asks about a resource and does not read it; browsers send it ahead of a request, always without credentials.';
  if (!unsafe.has(method))
    return `${method} is not sent: only GET and HEAD are, and PUT, POST, PATCH, DELETE by UNSAFE_METHODS=true.`;
  if (!allowUnsafe)
    return `${method} may change something. UNSAFE_METHODS=true probes it without a key and without a body, where it needs a key.`;
  return access === 'protected' ? undefined : `${method} may change something, and without a key in the way it would.`;
};

const overriding = /^(?:x-(?:http-)?method(?:-override)?|_method|_httpmethod)$/i;

/** Why a request with a method override is not sent: the server may change something. */
const whyOverrideIsNotSent = (filled: FilledRequest): string | undefined => {
  if ('reason' in filled) return undefined;
  const query = filled.target.includes('?') ? filled.target.slice(filled.target.indexOf('?') + 1).split('&') : [];
  const pairs = [...filled.headers, ...query.map((pair) => pair.split('=', 2))];
  const found = pairs.find(
    ([name = '', value = '']) => overriding.test(name) && !/^(?:GET|HEAD|OPTIONS)$/i.test(value.trim()),
  );
  return (
    found &&
    `It asks for ${found.join(': ')}, by which the server may change something, and only reads are sent with a key.`
  );
};

const needsBody = ({ node }: Found, { references }: Context): boolean => {
  const body = references.resolve(childNode(node, 'requestBody'));
  return child(body?.value, 'required') === true;
};

/** Whether only redirects are documented. A read with errors alone is still probed. */
const onlyRedirects = ({ node }: Found): boolean => {
  const responses = child(node.value, 'responses');
  const statuses = isObject(responses) ? Object.keys(responses).filter((name) => !name.startsWith('x-')) : [];
  return (
    statuses.some((status) => /^3..$/.test(status)) && !statuses.some((status) => /^(?:2..|default)$/i.test(status))
  );
};

const assumedPath = ({ node, pathItems }: Found): { readonly setting: string } | undefined => {
  const [assumed] = [node, ...pathItems.toReversed()].flatMap(
    ({ value }) => child(value, 'x-access-assumed-path') ?? [],
  );
  const setting = child(assumed, 'setting');
  return typeof setting === 'string' && setting !== '' ? { setting } : undefined;
};

/** Whether two paths refer to the same operation object. */
const isSameObject = (a: Node, b: Node): boolean =>
  a.value === b.value || (a.source === b.source && pointerOf(a.path) === pointerOf(b.path));

/**
 * Makes operation ids unique, also after unseen characters are escaped. The first of several with
 * one operationId keeps it; the others are named by method and path.
 */
const withUniqueIds = (found: readonly Found[], problems: Problems): readonly Found[] => {
  const seen = new Map<string, Found>();
  const free = (id: string, again = 2): string => {
    if (!seen.has(visible(id))) return id;
    const next = `${id} (${again})`;
    return seen.has(visible(next)) ? free(id, again + 1) : next;
  };
  return found.map((each) => {
    const first = seen.get(visible(each.id));
    const { method, path, node } = each;
    const own = first ? { ...each, id: free(`${method} ${path}`) } : each;
    seen.set(visible(own.id), own);
    if (first && !isSameObject(first.node, node)) {
      const { line } = positionOf(first.node);
      problems.warn(
        typeof child(node.value, 'operationId') === 'string' ? childNode(node, 'operationId') : node,
        `operationId "${each.id}" is taken by ${first.method} ${first.path} (line ${line}); this one is called "${own.id}" here`,
        'Give each operation an id of its own.',
      );
    }
    return own;
  });
};

/** A reason not to probe, where there is one. */
const because = (
  why: UnprobedReason,
  reason: string | false | undefined,
  details: readonly string[] = [],
): Pick<UnprobedOperation, 'why' | 'details' | 'reason'> | undefined =>
  reason ? { why, reason, ...(details.length > 0 ? { details } : {}) } : undefined;

/** Splits the operations into those that a run probes, and the rest with a reason each. */
export const readOperations = (
  context: Context,
): {
  operations: readonly Operation[];
  unprobed: readonly UnprobedOperation[];
  links: readonly DocumentLink[];
} => {
  const found = withUniqueIds(findOperations(context), context.problems);
  context.security.settle(found.map(({ node }) => childNode(node, 'security')));
  const ownServer = serverOverrides(context.root);
  const operations: Operation[] = [];
  const unprobed: UnprobedOperation[] = [];
  for (const each of found) {
    const { id, method, path, node, pathItems } = each;
    const requirement = context.security.of(node);
    const keys = context.security.placesOf(node);
    const reads = !unsafe.has(method);
    const randomIds = reads ? undefined : new RandomIds(id, context.references);
    const fill = (values?: FilledIn): FilledRequest =>
      context.parameters.fill({
        template: path,
        operationId: id,
        pathItems,
        operation: node,
        keys,
        ...(values ? { values } : {}),
        ...(randomIds ? { randomIds } : {}),
      });
    const filled = fill();
    const server = ownServer([node, ...pathItems.toReversed()]);
    const assumed = assumedPath(each);
    const replaced = assumed && context.paths[assumed.setting];
    const operationWith = ({ target, headers }: Exclude<FilledRequest, { readonly reason: string }>): Operation => ({
      id,
      method,
      path: replaced ?? path,
      ...(replaced === undefined || replaced === path ? {} : { documentedPath: path }),
      target: replaced ?? target,
      headers,
      ...randomIds?.made,
      access: requirement.access,
      security: requirement.security,
      ...(requirement.alternatives ? { alternatives: requirement.alternatives } : {}),
      ...(assumed ? { assumedPath: assumed } : {}),
      responses: responsesOf(node, context.references, context.schemas),
      ...(hasSilentDefault(node, context.references) ? { silentDefault: true } : {}),
      position: positionOf(node),
    });
    const fillWith = (values: FilledIn): Operation | undefined => {
      const request = fill(values);
      return 'reason' in request || whyOverrideIsNotSent(request) !== undefined ? undefined : operationWith(request);
    };
    const leftOfItsOwn =
      because(
        reads ? 'method' : 'write',
        whyMethodIsNotSent(each, requirement, context.unsafeMethods),
        method === 'HEAD' ? [method, path] : [method],
      ) ??
      because(
        requirement.access === 'unstated' ? 'access-unstated' : 'no-scheme',
        requirement.reason,
        requirement.unusable,
      ) ??
      because(
        'other-server',
        server && `It has a server of its own (${server}), and BASE_URL speaks of the document's.`,
        server === undefined ? [] : [server],
      ) ??
      because('cannot-be-sent', path.includes('#') && 'Its path has a fragment, which no request carries.', ['#']) ??
      because(
        'needs-body',
        reads && needsBody(each, context) && 'It needs a request body, and reads are sent without one.',
      ) ??
      because(
        'only-redirects',
        reads &&
          onlyRedirects(each) &&
          'The document promises a redirect and no success status (2xx) for it, so nothing would show that it opened. Add one, or `default`, where it has one (an overlay can do it).',
      ) ??
      because('changes-something', reads && requirement.access !== 'public' && whyNameIsNotAsked(each), []);
    const left =
      leftOfItsOwn ??
      because('no-random-id', method === 'DELETE' && !/\{[^{}]*\}/.test(path) && deletesWithoutId) ??
      because(
        reads ? 'no-value' : 'no-random-id',
        'reason' in filled && filled.reason,
        'reason' in filled ? filled.parameters : [],
      ) ??
      because('cannot-be-sent', reads && whyOverrideIsNotSent(filled), ['method override']);
    if (left === undefined && !('reason' in filled)) {
      operations.push(operationWith(filled));
      continue;
    }
    const missing = 'reason' in filled && leftOfItsOwn === undefined && method === 'GET' ? filled.missing : undefined;
    unprobed.push({
      id,
      method,
      path,
      access: requirement.access,
      ...(left ?? { why: 'no-value', reason: '' }),
      ...(missing === undefined ? {} : { fillable: { missing, fill: fillWith } }),
    });
  }
  return { operations, unprobed, links: linksOf(found, context.references) };
};
