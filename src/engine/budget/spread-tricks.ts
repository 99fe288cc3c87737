import { groupBy, memoizePerObject } from '../../collections.js';
import { isBetweenReads } from '../../rules/bypass/bypass-rule.js';
import type { Check } from '../plan.js';
import type { Gate } from './gates.js';

/** Spreads the tricks of batteries over the operations of each gate. */

/** Minimum number of operations of each gate at which every trick is tried. */
export const leastCopies = 3;

/** The tricks that each check with a battery sends, by check id; the set may be empty. */
export type Assigned = Map<string, Set<string>>;

/** A check with a battery and all its tricks. */
export interface ArmedCheck {
  readonly check: Check;
  readonly battery: NonNullable<Check['battery']>;
  /** Shared by all checks that have the same list. */
  readonly tricks: readonly string[];
}

/** The checks of a list that have a battery. Memoized: both gates and tricks are based on it. */
export const armedChecksOf = memoizePerObject((checks: readonly Check[]): readonly ArmedCheck[] =>
  checks.flatMap((check) => {
    const battery = check.excluded === undefined ? check.battery : undefined;
    const tricks = battery?.tricks() ?? [];
    return battery && tricks.length > 0 ? [{ check, battery, tricks }] : [];
  }),
);

interface GateTrick {
  readonly rule: string;
  readonly trick: string;
  /** Index in the rule's list of tricks, which starts with the most telling ones. */
  readonly rank: number;
  /** The effect of the trick, wherever it stands in the path. */
  readonly way: string;
  /** Maximum number of operations at which it is tried. */
  readonly copies: number;
  /** Tricks of one group are sent to the same operations. */
  readonly group?: string;
}

/** The checks of a gate and their tricks, by operation. */
class GateBattery {
  readonly wanted: readonly GateTrick[];
  readonly operations: readonly ReadonlyMap<string, ArmedCheck>[];
  readonly #has = new Map<readonly string[], ReadonlySet<string>>();
  /** Number of operations to which each trick, and each way, is sent. */
  readonly #sent = new Map<string, number>();

  constructor(gate: Gate, armed: ReadonlyMap<string, readonly ArmedCheck[]>, assigned: Assigned) {
    const byOperation = gate.operations.map(({ id }) => armed.get(id) ?? []);
    this.operations = byOperation.map((own) => new Map(own.map((each) => [each.check.rule.id, each])));
    const wanted = new Map<string, Map<string, GateTrick>>();
    const looked = new Map<string, Set<readonly string[]>>();
    for (const { check, battery, tricks } of byOperation.flat()) {
      const rule = check.rule.id;
      const lists = looked.get(rule) ?? new Set();
      if (lists.has(tricks)) continue;
      looked.set(rule, lists.add(tricks));
      const known = wanted.get(rule) ?? new Map<string, GateTrick>();
      wanted.set(rule, known);
      const { copies = Number.POSITIVE_INFINITY, groups } = battery;
      // Gates of a few operations get every trick.
      const ways = gate.operations.length > leastCopies ? battery.ways?.() : undefined;
      const stage = isBetweenReads(check.rule, { has: () => true }) ? undefined : check.rule.stage;
      for (const [rank, trick] of tricks.entries()) {
        const group = groups?.get(trick) ?? stage;
        if (!known.has(trick))
          known.set(trick, { rule, trick, rank, way: ways?.get(trick) ?? trick, copies, ...(group && { group }) });
      }
    }
    this.wanted = [...wanted.values()].flatMap((known) => [...known.values()]);
    for (const { check } of byOperation.flat())
      for (const trick of assigned.get(check.id) ?? []) {
        const one = wanted.get(check.rule.id)?.get(trick);
        if (one) this.count(one);
      }
  }

  /**
   * Whether a trick is still to be sent in round `copy`: it was never sent, or its way was sent at
   * most `copy` times.
   */
  isWanted({ rule, trick, way, copies }: GateTrick, copy: number): boolean {
    if (copy >= copies) return false;
    return this.#times(`${rule}\n${trick}`) === 0 || this.#times(`${rule} ${way}`) <= copy;
  }

  count({ rule, trick, way }: GateTrick): void {
    for (const name of [`${rule}\n${trick}`, `${rule} ${way}`]) this.#sent.set(name, this.#times(name) + 1);
  }

  #times(name: string): number {
    return this.#sent.get(name) ?? 0;
  }

  /** The check that can send a trick at an operation, if any. */
  at(index: number, { rule, trick }: GateTrick): ArmedCheck | undefined {
    const armed = this.operations[index]?.get(rule);
    if (!armed) return undefined;
    const has = this.#has.get(armed.tricks) ?? new Set(armed.tricks);
    this.#has.set(armed.tricks, has);
    return has.has(trick) ? armed : undefined;
  }
}

const assign = (assigned: Assigned, { check }: ArmedCheck, trick: string): boolean => {
  const own = assigned.get(check.id) ?? new Set<string>();
  assigned.set(check.id, own);
  if (own.has(trick)) return false;
  own.add(trick);
  return true;
};

/** The tricks that every operation gets, whatever the budget. */
export const essentialTricks = (gates: readonly Gate[], armed: readonly ArmedCheck[]): Assigned => {
  const assigned: Assigned = new Map(armed.map(({ check }) => [check.id, new Set()]));
  const byOperation = groupBy(armed, ({ check }) => check.operation);
  for (const { operations } of gates) {
    for (const [index, { id }] of operations.entries()) {
      for (const one of byOperation.get(id) ?? []) {
        const { everywhere = [], least = 0 } = one.battery;
        for (const trick of everywhere) if (one.tricks.includes(trick)) assign(assigned, one, trick);
        for (let count = 0; count < Math.min(least, one.tricks.length); count += 1) {
          // Successive operations get different tricks.
          const trick = one.tricks[(index * least + count) % one.tricks.length];
          if (trick !== undefined) assign(assigned, one, trick);
        }
      }
    }
  }
  return assigned;
};

interface Spreading {
  /** Number of operations at which each trick is tried. */
  readonly copies: number;
  /** Maximum number of tricks over all gates, beside the essential ones; unlimited when absent. */
  readonly most?: number;
}

/**
 * Spreads the tricks of each gate over its operations: each trick is sent to `copies` of them. A
 * trick that depends on a path is sent only to operations that have it. With a limit, each trick is
 * sent once in each gate before any trick is sent a second time, in the order of the rules' lists.
 */
export const spreadTricks = (
  gates: readonly Gate[],
  armed: readonly ArmedCheck[],
  { copies, most = Number.POSITIVE_INFINITY }: Spreading,
): Assigned => {
  const assigned = essentialTricks(gates, armed);
  const byOperation = groupBy(armed, ({ check }) => check.operation);
  const batteries = gates.map((gate) => new GateBattery(gate, byOperation, assigned));
  let left = most;
  const largest = batteries.reduce((most, { operations }) => Math.max(most, operations.length), 0);
  for (let copy = 0; copy < Math.min(copies, largest) && left > 0; copy += 1) {
    const chosen = chooseCopy(batteries, copy, left);
    for (const [battery, wanted] of chosen) left -= spreadCopy(assigned, battery, wanted, { copy, copies });
  }
  return assigned;
};

/**
 * The tricks that are sent in round `copy`, by gate. Where not all fit, the most telling tricks of
 * every rule are chosen.
 */
const chooseCopy = (
  batteries: readonly GateBattery[],
  copy: number,
  left: number,
): ReadonlyMap<GateBattery, readonly GateTrick[]> => {
  const open = batteries.filter(({ operations }) => operations.length > copy);
  const all = open.flatMap((battery) =>
    battery.wanted.filter((wanted) => battery.isWanted(wanted, copy)).map((wanted) => ({ battery, wanted })),
  );
  const kept =
    all.length <= left
      ? all
      : [...all.entries()]
          .sort(([a, one], [b, other]) => one.wanted.rank - other.wanted.rank || a - b)
          .slice(0, left)
          .sort(([a], [b]) => a - b)
          .map(([, one]) => one);
  return new Map(
    [...groupBy(kept, ({ battery }) => battery)].map(
      ([battery, of]) => [battery, of.map(({ wanted }) => wanted)] as const,
    ),
  );
};

/** Position of each trick on the round over the operations. Tricks of a group share a position. */
const placesOf = (wanted: readonly GateTrick[]): readonly number[] => {
  const groups = new Map<string, number>();
  return wanted.map(({ group }, index) => {
    if (group === undefined) return index;
    const place = groups.get(group) ?? index;
    groups.set(group, place);
    return place;
  });
};

/** @returns the number of tricks that were added */
const spreadCopy = (
  assigned: Assigned,
  battery: GateBattery,
  wanted: readonly GateTrick[],
  { copy, copies }: { readonly copy: number; readonly copies: number },
): number => {
  const { operations } = battery;
  const count = operations.length;
  const rounds = Math.min(copies, count);
  let added = 0;
  const places = placesOf(wanted);
  for (const [index, one] of wanted.entries()) {
    const place = places[index] ?? index;
    const preferred = Math.floor(((copy + place / wanted.length) * count) / rounds) % count;
    for (let step = 0; step < count; step += 1) {
      const at = battery.at((preferred + step) % count, one);
      if (at && assign(assigned, at, one.trick)) {
        battery.count(one);
        added += 1;
        break;
      }
    }
  }
  return added;
};
