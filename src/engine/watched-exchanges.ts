import { rules as shippedRules } from '../rules/index.js';
import type { Rule } from '../rules/rule.js';
import type { Exchange } from '../wire/types.js';
import type { Check } from './plan.js';

/** Exchanges kept for a rule: enough to judge it. */
const mostKept = 20;

/**
 * Keeps the exchanges of a run that speak of rules of the service, whichever check sent them.
 * @param rules the shipped rules when absent
 */
export const createWatchList = (rules: readonly Rule[] = shippedRules) => {
  const watching = rules.flatMap((rule) =>
    rule.scope === 'service' && rule.watches ? [{ id: rule.id, watches: rule.watches, kept: [] as Exchange[] }] : [],
  );
  return {
    note: (exchange: Exchange): void => {
      for (const { watches, kept } of watching) if (kept.length < mostKept && watches(exchange)) kept.push(exchange);
    },
    by: ({ rule }: Check): readonly Exchange[] => watching.find(({ id }) => id === rule.id)?.kept ?? [],
  };
};

export type WatchList = ReturnType<typeof createWatchList>;
