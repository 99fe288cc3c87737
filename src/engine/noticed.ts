import { rules as shippedRules } from '../rules/index.js';
import type { Rule } from '../rules/rule.js';
import type { Exchange } from '../wire/types.js';
import type { Check } from './plan.js';

/** Exchanges kept for a rule: enough to judge it. */
const mostKept = 20;

/** The exchanges of a run that speak of rules of the service, whichever check sent them. */
export class Noticed {
  readonly #byRule: ReadonlyMap<string, { readonly minds: (exchange: Exchange) => boolean; readonly kept: Exchange[] }>;

  /** @param rules the shipped rules when absent */
  constructor(rules: readonly Rule[] = shippedRules) {
    this.#byRule = new Map(
      rules.flatMap((rule) =>
        rule.scope === 'service' && rule.minds ? [[rule.id, { minds: rule.minds, kept: [] }] as const] : [],
      ),
    );
  }

  note(exchange: Exchange): void {
    for (const { minds, kept } of this.#byRule.values())
      if (kept.length < mostKept && minds(exchange)) kept.push(exchange);
  }

  by({ rule }: Check): readonly Exchange[] {
    return this.#byRule.get(rule.id)?.kept ?? [];
  }
}
