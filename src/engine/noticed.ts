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
export const createNoticed = (rules: readonly Rule[] = shippedRules) => {
  const minding = rules.flatMap((rule) =>
    rule.scope === 'service' && rule.minds ? [{ id: rule.id, minds: rule.minds, kept: [] as Exchange[] }] : [],
  );
  return {
    note: (exchange: Exchange): void => {
      for (const { minds, kept } of minding) if (kept.length < mostKept && minds(exchange)) kept.push(exchange);
    },
    by: ({ rule }: Check): readonly Exchange[] => minding.find(({ id }) => id === rule.id)?.kept ?? [],
  };
};

export type Noticed = ReturnType<typeof createNoticed>;
