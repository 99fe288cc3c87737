import type { Exchange, Probe } from '../wire/types.js';
import { header, isRedirect } from './oracle/compare.js';
import { answerOf } from './oracle/controls.js';
import type { Look } from './rule.js';

const mostHops = 5;

/** The probe that a redirect asks for: a plain GET without credentials; `undefined` where there is none to follow. */
export const nextHop = (exchange: Exchange): Probe | undefined => {
  const answer = answerOf(exchange);
  if (!answer || !isRedirect(answer)) return undefined;
  const { probe } = exchange;
  const here = /^https?:\/\//i.test(probe.target) ? probe.target : `${probe.origin}${probe.target}`;
  const location = header(answer, 'location') ?? '';
  if (!URL.canParse(location, here)) return undefined;
  const to = new URL(location, here);
  if (to.protocol !== 'https:' && to.protocol !== 'http:') return undefined;
  if (to.username !== '' || to.href.includes('<API_KEY')) return undefined;
  return {
    operation: probe.operation,
    name: 'where the redirect leads',
    method: probe.method === 'HEAD' ? 'HEAD' : 'GET',
    origin: to.origin,
    target: `${to.pathname}${to.search}`,
    headers: probe.headers.filter(([name]) => name.toLowerCase() === 'user-agent'),
    connection: 'shared',
    protocol: 'http/1.1',
    round: probe.round,
    ...(probe.family !== undefined && to.hostname === new URL(probe.origin).hostname ? { family: probe.family } : {}),
  };
};

/** Follows redirects without credentials, at most five, each place once; `while` ends the chain earlier. */
export const follow = (
  look: Look,
  exchange: Exchange,
  goOn: (probe: Probe) => boolean = () => true,
): readonly Exchange[] => {
  const chain: Exchange[] = [];
  const visited = new Set<string>();
  let hop = nextHop(exchange);
  while (hop && goOn(hop) && chain.length < mostHops && !visited.has(hop.origin + hop.target)) {
    visited.add(hop.origin + hop.target);
    const next = look(hop);
    chain.push(next);
    hop = nextHop(next);
  }
  return chain;
};
