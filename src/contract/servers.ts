import type { Problems } from './problems.js';
import { childNode, type Node } from './references.js';
import { child, isArray, isScalar } from './tree.js';

/** Hosts that stand for no host: RFC 2606, sections 2 and 3, and RFC 6761. */
const placeholder = /(^|\.)(invalid|example|test|localhost\.invalid)$|(^|\.)example\.(com|net|org)$/i;

const filledUrl = (server: Node): string => {
  const url = child(server.value, 'url');
  return String(url ?? '').replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const preset = child(child(child(server.value, 'variables'), name), 'default');
    return isScalar(preset) ? String(preset) : whole;
  });
};

/**
 * The first server of the document when it is a usable https URL: absolute, and no placeholder host.
 * An http server contradicts what this suite judges: an error where the document has no https one, else a warning.
 */
export const readServer = (root: Node, problems: Problems): string | undefined => {
  const list = childNode(root, 'servers');
  if (!isArray(list.value)) return undefined;
  const servers = [...list.value.keys()].map((index) => childNode(list, index));
  const urls = servers.map(filledUrl);
  const secure = urls.some((url) => /^https:\/\//i.test(url));
  for (const [index, server] of servers.entries()) {
    const url = urls[index] ?? '';
    if (!/^[a-z][a-z0-9+.-]*:/i.test(url) || /^https:/i.test(url)) continue;
    const at = childNode(server, 'url');
    const message = `server ${url} is not https`;
    if (secure) problems.warn(at, `${message}; it is left out`);
    else
      problems.error(
        at,
        message,
        'The API must be reached over HTTPS only: write an https:// server, or none and set BASE_URL (an overlay can do it).',
      );
  }
  const [first] = urls;
  if (first === undefined || !URL.canParse(first)) return undefined;
  const { protocol, hostname } = new URL(first);
  return protocol === 'https:' && !placeholder.test(hostname) ? first.replace(/\/+$/, '') : undefined;
};
