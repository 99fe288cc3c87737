import { isObject } from '../collections.js';
import { urlIn } from '../urls.js';
import { visible } from '../visible.js';
import { child, isScalar, pointerOf } from './json-values.js';
import { childNode, itemNodes, memberNodes, type Node, type Problems, positionOf } from './node.js';
import type { References } from './references.js';

export interface FoundOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** The path item, and the members beside its `$ref`, which win. */
  readonly pathItems: readonly Node[];
  readonly node: Node;
}

export interface OpenDocument {
  readonly root: Node;
  readonly references: References;
  readonly problems: Problems;
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];
const operationNodes = (pathItem: Node): readonly (readonly [method: string, node: Node])[] => {
  const named = memberNodes(pathItem).filter(([name]) => methods.includes(name));
  return [
    ...named.map(([name, node]) => [name.toUpperCase(), node] as const),
    ...memberNodes(childNode(pathItem, 'additionalOperations')),
  ];
};

const describingMembers: readonly string[] = ['$ref', 'summary', 'description'];

const hasSiblings = ({ value }: Node): boolean =>
  isObject(value) &&
  typeof value.$ref === 'string' &&
  Object.keys(value).some((name) => !describingMembers.includes(name) && !name.startsWith('x-'));

/** All operations in document order, with their path items resolved. */
const everyOperation = ({ root, references, problems }: OpenDocument): readonly FoundOperation[] => {
  const paths = childNode(root, 'paths');
  if (!isObject(paths.value)) return [];
  // A node at a time: one for each of many paths at once costs more to collect than all else here.
  return Object.keys(paths.value).flatMap((path) => {
    if (path.startsWith('x-')) return [];
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

/** Whether two paths refer to the same operation object. */
const isSameObject = (a: Node, b: Node): boolean =>
  a.value === b.value || (a.source === b.source && pointerOf(a.path) === pointerOf(b.path));

/**
 * Makes operation ids unique, also after unseen characters are escaped. The first of several with
 * one operationId keeps it; the others are named by method and path.
 */
const withUniqueIds = (found: readonly FoundOperation[], problems: Problems): readonly FoundOperation[] => {
  const seen = new Map<string, FoundOperation>();
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
        `operationId "${each.id}" is taken by ${first.method} ${first.path} (line ${line})`,
        'It is called by its method and path here. Give each operation an id of its own.',
      );
    }
    return own;
  });
};

/** All operations in document order, each with an id of its own. */
export const findOperations = (document: OpenDocument): readonly FoundOperation[] =>
  withUniqueIds(everyOperation(document), document.problems);

/** Reserved hosts: RFC 2606, sections 2 and 3, and RFC 6761. */
const placeholder = /(^|\.)(invalid|example|test|localhost\.invalid)$|(^|\.)example\.(com|net|org)$/i;

const filledUrl = (server: Node): string => {
  const url = child(server.value, 'url');
  return String(url ?? '').replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const preset = child(child(child(server.value, 'variables'), name), 'default');
    return isScalar(preset) ? String(preset) : whole;
  });
};

const urlsIn = (list: Node): readonly string[] => itemNodes(list).map(filledUrl);

/** A server URL without scheme and trailing slash: `//api.test-host.org/v2`. */
const withoutScheme = (url: string): string =>
  url
    .replace(/^[a-z][a-z0-9+.-]*:(?=\/\/)/i, '')
    .replace(/^\/\/[^/?#]*/, (host) => host.toLowerCase())
    .replace(/\/+$/, '');

/**
 * Finds the server of an operation or path item that differs from the document's. Many generators
 * repeat those of the document.
 */
export const serverOverrides = (root: Node): ((nodes: readonly Node[]) => string | undefined) => {
  const documents = urlsIn(childNode(root, 'servers'));
  // The default server is `/` (OpenAPI, Server Object).
  const places = new Set((documents.length > 0 ? documents : ['/']).map(withoutScheme));
  return (nodes) => {
    const own = nodes.map((node) => urlsIn(childNode(node, 'servers'))).find((urls) => urls.length > 0) ?? [];
    return own.some((url) => places.has(withoutScheme(url))) ? undefined : own[0];
  };
};

/** Paths of the document's servers, without a trailing slash; `''` for the root. */
export const serverPathsOf = (root: Node): readonly string[] => {
  const urls = urlsIn(childNode(root, 'servers'));
  const paths = (urls.length > 0 ? urls : ['/']).flatMap((url) => urlIn(url, 'https://host.invalid')?.pathname ?? []);
  return [...new Set(paths.map((path) => path.replace(/\/+$/, '')))];
};

/**
 * The first server of the document, when it is an absolute https URL and no reserved host.
 * Generators write many http servers, so those are warnings.
 */
export const readServer = (root: Node, problems: Problems): string | undefined => {
  const list = childNode(root, 'servers');
  const urls = urlsIn(list);
  const secure = urls.some((url) => /^https:\/\//i.test(url));
  for (const [index, url] of urls.entries()) {
    if (!/^[a-z][a-z0-9+.-]*:/i.test(url) || /^https:/i.test(url)) continue;
    const at = childNode(childNode(list, index), 'url');
    problems.warn(
      at,
      `server ${url} is not https; it is left out`,
      secure
        ? undefined
        : 'The API must be reached over HTTPS only: BASE_URL says where, or an https:// server in the document (an overlay can do it).',
    );
  }
  const [first] = urls;
  const url = first === undefined ? undefined : urlIn(first);
  return url?.protocol === 'https:' && !placeholder.test(url.hostname) ? first?.replace(/\/+$/, '') : undefined;
};
