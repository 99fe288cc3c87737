import { groupBy, type Memoized, memoize } from '../../collections.js';
import { isBetweenReads } from '../../rules/bypass/bypass-rule.js';
import { because } from '../../rules/causes.js';
import { excluded, inconclusive } from '../../rules/judgement.js';
import type { Judgement, Slice } from '../../rules/rule.js';
import { counted } from '../../words.js';
import type { Check, PlannedCheck } from '../plan.js';
import type { Finding, GateResult } from '../results.js';
import type { Allotment } from './budget.js';
import type { Gate } from './gates.js';
import { type Assigned, essentialSlices } from './slices.js';

/** Why the tricks that opened elsewhere are sent. */
export const onWholeGate = 'on the whole gate';

/** Checks of which a run sends a part of the battery, and what is to be told of that. */
export class SlicedChecks {
  readonly #allotment: Allotment;
  readonly #tricks: ReadonlyMap<string, readonly string[]>;
  readonly #gateOf: ReadonlyMap<string, Gate>;
  /** The operations of a gate at which tricks of a rule are tried. */
  readonly #ofRule: Memoized<string, readonly string[]>;
  readonly #widened = new Set<string>();
  readonly #openedBy = new Map<PlannedCheck, readonly string[]>();

  constructor(allotment: Allotment) {
    this.#allotment = allotment;
    this.#tricks = new Map(allotment.armed.map(({ check, tricks }) => [check.id, tricks]));
    const gates = new Map(allotment.gates.map((gate) => [gate.id, gate]));
    this.#gateOf = new Map(allotment.gates.flatMap((gate) => gate.operations.map(({ id }) => [id, gate] as const)));
    this.#ofRule = memoize((name) => {
      const [rule = '', gate = ''] = name.split('\n');
      const operations = gates.get(gate)?.operations ?? [];
      return operations.map(({ id }) => id).filter((id) => (allotment.assigned.get(`${rule}@${id}`)?.size ?? 0) > 0);
    }, 4_096);
  }

  /** MAX_REQUESTS left something out. */
  get isLimited(): boolean {
    return this.#allotment.isLimited;
  }

  /** The tricks that are sent, by check id. */
  get assigned(): Assigned {
    return this.#allotment.assigned;
  }

  /** Checks with a battery. */
  get armed(): Allotment['armed'] {
    return this.#allotment.armed;
  }

  /** Those of them that are sent whatever the budget. */
  get least(): Assigned {
    return essentialSlices(this.#allotment.gates, this.#allotment.armed);
  }

  /** The part of the battery that a check sends; `undefined` for a check that sends everything. */
  sliceOf(check: Check): Slice | undefined {
    const all = this.#tricks.get(check.id);
    if (!all) return undefined;
    const own = this.#sentBy(check);
    if (own.size === all.length && !this.#widened.has(check.id)) return undefined;
    return {
      has: (trick) => own.has(trick),
      ...(this.#widened.has(check.id) ? { occasion: onWholeGate } : {}),
    };
  }

  /** The same where it goes out between the two reads with the key. */
  between(check: Check): Slice | undefined {
    if (check.excluded !== undefined || check.clauses.length === 0 || this.unsent(check)) return undefined;
    const slice = this.sliceOf(check);
    return isBetweenReads(check.rule, slice) ? slice : undefined;
  }

  /** The judgement of a check that sends nothing; `undefined` for every other one. */
  unsent(check: PlannedCheck): Judgement | undefined {
    if (this.#allotment.unaffordable.has(check.operation))
      return inconclusive(
        because('budget'),
        'It was not asked: MAX_REQUESTS is too small for the essential requests of every operation.',
        [],
      );
    const all = this.#tricks.get(check.id);
    if (!all || this.#sentBy(check).size > 0) return undefined;
    const operations = this.#atGate(check);
    return excluded(
      operations.length > 0
        ? `Nothing of it was sent here: its ${counted(all.length, 'trick')} are spread over the operations of its gate, such as ${operations.slice(0, 3).join(', ')}.`
        : `Nothing of it was sent: MAX_REQUESTS left no request for its ${counted(all.length, 'trick')}.`,
    );
  }

  /** What was sent of the battery of a check; `undefined` where it was everything. */
  triedBy(check: PlannedCheck): Finding['tried'] {
    const all = this.#tricks.get(check.id);
    if (!all || this.#allotment.unaffordable.has(check.operation)) return undefined;
    const own = this.#sentBy(check);
    if (own.size === all.length && !this.#widened.has(check.id)) return undefined;
    return {
      tricks: all.filter((trick) => own.has(trick)),
      of: all.length,
      ...(this.#widened.has(check.id) ? { again: true as const } : {}),
    };
  }

  /** Takes note of what opened the operation of a check. */
  note(check: PlannedCheck, { openedBy }: Judgement): void {
    if (openedBy) this.#openedBy.set(check, openedBy);
  }

  /**
   * Adds what opened an operation of a gate to all others of it that have the trick.
   * @returns the checks that have to be judged again
   */
  widen(): readonly Check[] {
    if (this.#openedBy.size === 0) return [];
    const checks = new Map(this.#allotment.armed.map(({ check }) => [`${check.rule.id}@${check.operation}`, check]));
    const again = new Set<Check>();
    for (const [opened, tricks] of this.#openedBy) {
      for (const { id } of this.#gateOf.get(opened.operation)?.operations ?? []) {
        const check = checks.get(`${opened.rule.id}@${id}`);
        if (!check || check === opened || this.#allotment.unaffordable.has(id)) continue;
        const has = new Set(this.#tricks.get(check.id));
        const own = this.#sentBy(check);
        const missing = tricks.filter((trick) => has.has(trick) && !own.has(trick));
        if (missing.length === 0) continue;
        this.#allotment.assigned.set(check.id, new Set([...own, ...missing]));
        this.#widened.add(check.id);
        again.add(check);
      }
    }
    this.#openedBy.clear();
    this.#ofRule.forget();
    return [...again];
  }

  /** The gates as the results name them. */
  results(): readonly GateResult[] {
    const byOperation = groupBy(this.#allotment.armed, ({ check }) => check.operation);
    return this.#allotment.gates.map(({ id, operations }) => {
      const all = new Set<string>();
      const tried = new Set<string>();
      // Operations of one form share a list.
      const lists = new Set<readonly string[]>();
      for (const { check, tricks } of operations.flatMap((operation) => byOperation.get(operation.id) ?? [])) {
        const add = (to: Set<string>, trick: string): unknown => to.add(`${check.rule.id} ${trick}`);
        for (const trick of this.#sentBy(check)) add(tried, trick);
        if (lists.has(tricks)) continue;
        lists.add(tricks);
        for (const trick of tricks) add(all, trick);
      }
      return {
        id,
        operations: operations.map((operation) => operation.id),
        tricks: all.size,
        tricksTried: tried.size,
      };
    });
  }

  #sentBy(check: PlannedCheck): ReadonlySet<string> {
    return this.#allotment.assigned.get(check.id) ?? new Set();
  }

  #atGate({ rule, operation }: PlannedCheck): readonly string[] {
    return this.#ofRule(`${rule.id}\n${this.#gateOf.get(operation)?.id ?? ''}`);
  }
}
