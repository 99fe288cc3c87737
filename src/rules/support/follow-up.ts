import { urlIn } from '../../urls.js';
import type { Exchange, Probe, Response } from '../../wire/types.js';
import { answerOf, isRedirect, redirectUrlOf, saysNothing } from '../oracle/answers.js';
import { differences, isSame, volatileIn } from '../oracle/same.js';
import type { Ask, Judgement } from '../rule.js';
import { because, inconclusive, shownTwice } from './judgement.js';
import { again } from './requests.js';

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

/** The request that follows a redirect, without credentials; `undefined` if none does. */
const nextHop = (exchange: Exchange): Probe | undefined => {
  const answer = answerOf(exchange);
  const { probe } = exchange;
  const here = /^https?:\/\//i.test(probe.target) ? probe.target : `${probe.origin}${probe.target}`;
  const to = answer && redirectUrlOf(answer, here);
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

/** Follows redirects without credentials: at most five, and each place once. */
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

/** Whether a redirect, or the last one of the chain that follows it, leads back to one of these. */
export const isCircle = (exchange: Exchange, chain: readonly Exchange[] = []): boolean => {
  const next = nextHop(chain.at(-1) ?? exchange);
  return (
    next !== undefined &&
    [exchange, ...chain].some(({ probe }) => probe.origin === next.origin && probe.target === next.target)
  );
};

/** Repeats a request, so that values that follow the clock differ. */
export const repeated = (ask: Ask, exchange: Exchange): Exchange => ask(again(exchange.probe));

/**
 * Whether `other` equals the answer to an exchange's request. If their structures match, the
 * request is repeated to find volatile values.
 */
export const isAnswerTo = (ask: Ask, exchange: Exchange, other: Response): boolean => {
  const first = answerOf(exchange);
  if (!first || first.status !== other.status) return false;
  if (isSame(first, other)) return true;
  const found = differences(first.shape, other.shape);
  if (found === undefined || isRedirect(other)) return false;
  return isSame(first, other, volatileIn(first, answerOf(repeated(ask, exchange))));
};

/**
 * A failure, if the answer to a second request fails too. `otherwise` says what that showed
 * instead, as a sentence.
 */
export const failedAgain = (
  found: Judgement,
  second: Exchange,
  judge: (exchange: Exchange, answer: Response) => Judgement,
  otherwise: string,
): Judgement => {
  const answer = answerOf(second);
  const again = answer && !saysNothing(answer) ? judge(second, answer) : undefined;
  const exchanges = [...found.exchanges, second];
  if (again?.outcome === 'inconclusive')
    return { ...again, reason: `${found.reason} A second read could not be checked: ${again.reason}`, exchanges };
  return shownTwice(again?.outcome === 'failed', { ...found, exchanges }, `${found.reason} ${otherwise}`);
};

/**
 * Detects a client that is shut out: it is banned, or has used up a limit that is not reported by
 * 429. Its refusals show nothing about what was asked.
 */

/** The status of an answer, or the code of the error. */
export const statusOf = (exchange: Exchange): string =>
  String(answerOf(exchange)?.status ?? exchange.attempts.at(-1)?.error?.code ?? '');

/**
 * The judgement if a request that was answered otherwise before now gets the status of a refusal.
 * @param earlier requests without a key, one of which is enough
 */
export const shutOut = (
  ask: Ask,
  earlier: readonly Exchange[],
  refusal: Exchange,
  more: Pick<Judgement, 'comparedWith'> = {},
): Judgement | undefined => {
  const status = statusOf(refusal);
  const others = earlier.filter((exchange) => statusOf(exchange) !== status);
  const now = ask.all(others.map(({ probe }) => ({ ...probe, occasion: 'to see whether this client is shut out' })));
  const index = now.findIndex((exchange) => statusOf(exchange) === status);
  const [before, after] = [others[index], now[index]];
  return (
    before &&
    after &&
    inconclusive(
      because('client-refused', status),
      `This client is refused by now, whatever it asks: “${before.probe.name}” got ${statusOf(before)} at first and gets ${status} now. So these refusals say nothing of what was asked.`,
      [refusal, after],
      more,
    )
  );
};
