import { rules as shippedRules } from '../rules/index.js';
import type { Rule } from '../rules/rule.js';
import type { Exchange } from '../wire/types.js';
import type { Check } from './plan.js';

/** Maximum number of exchanges that are kept for a rule. */
const mostKept = 20;

/**
 * Collects the exchanges that rules of the service watch, whichever check sent them.
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
