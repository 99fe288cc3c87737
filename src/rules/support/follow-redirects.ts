import { urlIn } from '../../urls.js';
import type { Exchange, Probe } from '../../wire/types.js';
import { answerOf, header, isRedirect } from '../oracle/answers.js';
import type { Ask } from '../rule.js';

/** Follows redirects without credentials. */

const mostHops = 5;

/**
 * Whether a redirect leads to the host name in the request's Host field. That is the same server,
 * even if the name resolves to another one.
 */
const isAskedAs = ({ headers, origin }: Probe, to: URL): boolean => {
  const named = headers.find(([name]) => name.toLowerCase() === 'host')?.[1];
  const host = named === undefined ? undefined : urlIn(`http://${named}`)?.hostname;
  return host === to.hostname && new URL(origin).protocol === to.protocol;
};

/**
 * The request that follows a redirect: a plain GET or HEAD without credentials. `undefined` if
 * there is none to follow.
 */
export const nextHop = (exchange: Exchange): Probe | undefined => {
  const answer = answerOf(exchange);
  if (!answer || !isRedirect(answer)) return undefined;
  const { probe } = exchange;
  const here = /^https?:\/\//i.test(probe.target) ? probe.target : `${probe.origin}${probe.target}`;
  const location = header(answer, 'location') ?? '';
  const to = urlIn(location, here);
  if (!to) return undefined;
  if (to.protocol !== 'https:' && to.protocol !== 'http:') return undefined;
  if (to.username !== '' || to.href.includes('<API_KEY')) return undefined;
  const staysThere = isAskedAs(probe, to);
  const kept = new Set(['user-agent', ...(staysThere ? ['host'] : [])]);
  return {
    operation: probe.operation,
    name: 'where the redirect leads',
    method: probe.method === 'HEAD' ? 'HEAD' : 'GET',
    origin: staysThere ? probe.origin : to.origin,
    target: `${to.pathname}${to.search}`,
    headers: probe.headers.filter(([name]) => kept.has(name.toLowerCase())),
    connection: 'shared',
    protocol: 'http/1.1',
    round: probe.round,
    ...(probe.occasion === undefined ? {} : { occasion: probe.occasion }),
    ...(probe.family !== undefined && to.hostname === new URL(probe.origin).hostname ? { family: probe.family } : {}),
  };
};

/**
 * Follows redirects without credentials: at most five, and each place once. `goOn` may stop
 * earlier.
 */
export const follow = (
  ask: Ask,
  exchange: Exchange,
  goOn: (probe: Probe) => boolean = () => true,
): readonly Exchange[] => {
  const chain: Exchange[] = [];
  const visited = new Set<string>();
  let hop = nextHop(exchange);
  while (hop && goOn(hop) && chain.length < mostHops && !visited.has(hop.origin + hop.target)) {
    visited.add(hop.origin + hop.target);
    const next = ask(hop);
    chain.push(next);
    hop = nextHop(next);
  }
  return chain;
};
