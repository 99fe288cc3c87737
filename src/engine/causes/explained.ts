import { groupBy } from '../../collections.js';
import type { Rule } from '../../rules/rule.js';
import type { Cause } from '../../rules/support/judgement.js';
import type { Exchange } from '../../wire/types.js';
import type { Finding } from '../results.js';
import { blockingChecks } from '../verdict.js';
import { waysOf } from './same-cause.js';

/** Which finding explains another one, or blocks it. */

/** Causes of an inconclusive finding that say no more than which status an answer had. */
const ofAStatus: ReadonlySet<Cause['id'] | undefined> = new Set(['key-refused', 'server-error']);

/** Looks up an exchange of the run. */
export type ExchangeOf = (
  id: string,
) => (Pick<Exchange, 'probe' | 'request'> & Partial<Pick<Exchange, 'attempts'>>) | undefined;

/** The targets of a finding's requests, if none of them was answered. */
const unansweredTargets = ({ exchanges }: Finding, exchange: ExchangeOf): readonly string[] => {
  const found = exchanges.flatMap((id) => exchange(id) ?? []);
  const isUnanswered = found.every(({ attempts }) => attempts?.at(-1)?.error !== undefined);
  return isUnanswered ? found.map(({ probe }) => probe.origin + probe.target) : [];
};

/** Which key a placeholder stands for, without its encoding: `<API_KEY:first-half:base64>`. */
const keyForms = /(<API_KEY[A-Z0-9_]*)(?::(?!base64|urlencoded)[a-z0-9-]+)*/g;

/** What requests send, whichever key it is: the same for a right and a wrong key in one place. */
const placementsIn = ({ exchanges }: Finding, exchange: ExchangeOf): readonly string[] =>
  exchanges.map((id) => {
    const { target = id, headers = [] } = exchange(id)?.probe ?? {};
    return JSON.stringify([target, headers]).replace(keyForms, '$1');
  });

/**
 * Whether wrong keys open the operation in each form in which the right key does. Then no form is
 * accepted with the right key only.
 */
const opensToWrongKeysAlike = (one: Finding, lenient: Finding, exchange: ExchangeOf): boolean => {
  const opened = new Set(placementsIn(one, exchange));
  const taken = placementsIn(lenient, exchange);
  return taken.length > 0 && taken.every((each) => opened.has(each));
};

/**
 * The finding that explains another one, usually a failed one of the same operation:
 * - An operation that opens now and then may also open to a bypass twice by chance, or after other
 *   requests.
 * - An earlier rule may have found the same ways.
 * - A form of the key that is taken with a wrong key too is no leniency.
 * - A resource that never answers leaves requests to it unanswered, whatever they are to show.
 * - An answer that breaks a clause by its status is no further cause for a check that could not go
 *   on because of it.
 */
export const explanationOf = (
  finding: Finding,
  byId: ReadonlyMap<string, Finding>,
  rules: readonly Rule[],
  exchange: ExchangeOf,
): Finding | undefined => {
  const failedBy = (rule: string | undefined): Finding | undefined => {
    const other = byId.get(`${rule}@${finding.operation}`);
    return other?.outcome === 'failed' ? other : undefined;
  };
  const failedAmong = (those: readonly Rule[]): readonly Finding[] => those.flatMap(({ id }) => failedBy(id) ?? []);
  if (finding.outcome === 'inconclusive' && ofAStatus.has(finding.cause?.id))
    return failedAmong(rules).find(
      ({ deviation, exchanges: [seen] }) =>
        deviation === undefined && seen !== undefined && seen === finding.exchanges[0],
    );
  if (finding.outcome === 'inconclusive' && finding.cause?.id === 'unclear-answer') {
    const targets = unansweredTargets(finding, exchange);
    if (targets.length === 0) return undefined;
    return [...byId.values()].find((one) => {
      if (one.outcome !== 'inconclusive' || one.cause?.id !== 'no-answer') return false;
      const silent = unansweredTargets(one, exchange);
      return targets.every((target) => silent.includes(target));
    });
  }
  if (finding.cause?.id === 'takes-other-shapes')
    return failedAmong(rules).find(
      (one) =>
        one.deviation === undefined &&
        one.cause?.id === 'opens-by-bypass' &&
        opensToWrongKeysAlike(one, finding, exchange),
    );
  if (finding.outcome !== 'failed') return undefined;
  const own = rules.find(({ id }) => id === finding.rule);
  const sometimes = (): Finding | undefined =>
    failedAmong(rules).find(({ cause }) => cause?.id === 'opens-now-and-then');
  const ways = waysOf(finding);
  const hasSameWays = (one: Finding): boolean =>
    one.cause?.id === 'opens-by-bypass' && ways.length > 0 && ways.every((way) => waysOf(one).includes(way));
  const sameWays = (): Finding | undefined =>
    failedAmong(rules.slice(0, own ? rules.indexOf(own) : 0)).find(hasSameWays);
  const cause = finding.cause?.id;
  return (
    failedBy(own?.explainedBy) ??
    (cause === 'opens-by-bypass' || cause === 'opens-by-now' ? sometimes() : undefined) ??
    (cause === 'opens-by-bypass' ? sameWays() : undefined)
  );
};

/** Outcomes of checks that may block others. */
const unsettled: ReadonlySet<string> = new Set(['failed', 'inconclusive', 'blocked']);

/**
 * Returns a function that follows the blockers of a blocked check to their root: a check that
 * failed or could not be judged, and is not blocked itself. `undefined` where the run has none.
 */
export const waitingIn = (checks: readonly Finding[]): ((blocked: Finding) => Finding | undefined) => {
  const byId = new Map(checks.map((finding) => [finding.id, finding]));
  const failedAt = groupBy(
    checks.filter(({ outcome }) => outcome === 'failed'),
    ({ operation }) => operation,
  );
  const sameSeen = ({ operation, cause }: Finding): Finding | undefined =>
    failedAt.get(operation)?.find((other) => other.cause?.id === cause?.id);

  return (blocked) => {
    const settled: Finding[] = [];
    const seen = new Set([blocked.id]);
    const open = [blocked];
    for (let next = open.pop(); next; next = open.pop())
      for (const id of blockingChecks(next)) {
        const found = byId.get(id);
        if (!found || seen.has(id) || !unsettled.has(found.outcome)) continue;
        seen.add(id);
        (found.outcome === 'blocked' ? open : settled).push(found);
      }
    return settled.find(({ outcome }) => outcome === 'failed') ?? settled[0] ?? sameSeen(blocked);
  };
};
