import { urlIn } from '../collections.js';
import { child, isScalar } from './json-values.js';
import { childNode, itemNodes, type Node } from './node.js';
import type { Problems } from './problems.js';

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
const locationOf = (url: string): string =>
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
  const places = new Set((documents.length > 0 ? documents : ['/']).map(locationOf));
  return (nodes) => {
    const own = nodes.map((node) => urlsIn(childNode(node, 'servers'))).find((urls) => urls.length > 0) ?? [];
    return own.some((url) => places.has(locationOf(url))) ? undefined : own[0];
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
