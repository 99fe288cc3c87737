import { groupBy, memoize, sum } from '../../collections.js';
import { isBetweenReads } from '../../rules/bypass/bypass-rule.js';
import type { Judgement, Slice } from '../../rules/rule.js';
import { trickOfPart } from '../../rules/support/bundles.js';
import { because, excluded, inconclusive } from '../../rules/support/judgement.js';
import { counted } from '../../words.js';
import type { Check, PlannedCheck } from '../plan.js';
import type { Finding, GateResult } from '../results.js';
import type { Allotment } from './budget.js';
import type { Gate } from './gates.js';

/**
 * What the checks of a spread run have sent of their batteries, and what they still have to send.
 */

/** Occasion of probes that repeat, across a gate, the tricks that opened one operation. */
export const onWholeGate = 'on the whole gate';

/** The tricks that a check sends, in the order of its rule, and the number in its battery. */
type SentTricks = NonNullable<Finding['tried']>;

const isAll = ({ tricks, of, again }: SentTricks): boolean => tricks.length === of && again !== true;

interface GateChecks {
  readonly gate: Gate;
  /** By rule id, in the order of the operations. */
  readonly ofRule: ReadonlyMap<string, readonly Check[]>;
  /** Number of distinct tricks of these checks. */
  readonly tricks: number;
}

const distinct = (lists: Iterable<readonly string[]>): number =>
  new Set([...new Set(lists)].flat().map(trickOfPart)).size;

/**
 * The named tricks in the order of the battery, and the parts of bundles that are not named whole.
 */
const inBattery = (check: Check, named: ReadonlySet<string>): readonly string[] => {
  const all = check.battery?.tricks() ?? [];
  const isPart = (name: string): boolean =>
    !all.includes(name) && all.includes(trickOfPart(name)) && !named.has(trickOfPart(name));
  return [...all.filter((trick) => named.has(trick)), ...[...named].filter(isPart)];
};

/**
 * Checks that send only a part of their battery. A large document has a hundred thousand of them,
 * so only the sent tricks are stored, and equal lists are shared.
 */
export class SlicedChecks {
  readonly #parts: Map<PlannedCheck, SentTricks>;
  readonly #gates: readonly GateChecks[];
  readonly #gateOf: ReadonlyMap<string, GateChecks>;
  /** Ids of the operations of a gate at which tricks of a rule are tried. */
  readonly #triedAt = memoize(
    (checks: readonly Check[]): readonly string[] =>
      checks.flatMap((check) => (this.#isSent(check) ? [check.operation] : [])),
    4_096,
  );
  readonly #unaffordable: ReadonlySet<string>;
  readonly #openedBy = new Map<PlannedCheck, readonly string[]>();
  /** Blocked checks whose tricks showed nothing, and those whose tricks were given to others. */
  readonly #blocked = new Set<PlannedCheck>();
  readonly #handedOn = new Set<PlannedCheck>();
  /** Ids of checks that blocked checks name. */
  readonly #named = new Set<string>();
  /** `MAX_REQUESTS` left something out. */
  readonly isLimited: boolean;
  /** `MAX_REQUESTS` is set, so no request may be added. */
  readonly #isBounded: boolean;

  constructor({ armed, assigned, gates, unaffordable, isLimited }: Allotment, isBounded = false) {
    this.#isBounded = isBounded;
    const equal = new Map<string, SentTricks>();
    this.#parts = new Map(
      armed.map(({ check, tricks: all }) => {
        const own = assigned.get(check.id);
        const tricks = all.filter((trick) => own?.has(trick));
        const name = [all.length, ...tricks].join('\n');
        const part = equal.get(name) ?? { tricks, of: all.length };
        equal.set(name, part);
        return [check, part];
      }),
    );
    const byOperation = groupBy(armed, ({ check }) => check.operation);
    this.#gates = gates.map((gate) => {
      const ofGate = gate.operations.flatMap(({ id }) => byOperation.get(id) ?? []);
      const byRule = [...groupBy(ofGate, ({ check }) => check.rule.id)];
      return {
        gate,
        ofRule: new Map(byRule.map(([rule, of]) => [rule, of.map(({ check }) => check)])),
        tricks: sum(byRule.map(([, of]) => distinct(of.map(({ tricks }) => tricks)))),
      };
    });
    this.#gateOf = new Map(this.#gates.flatMap((one) => one.gate.operations.map(({ id }) => [id, one] as const)));
    this.#unaffordable = unaffordable;
    this.isLimited = isLimited;
  }

  /** The part of the battery that a check sends; `undefined` where it sends everything. */
  sliceOf(check: Check): Slice | undefined {
    const part = this.#parts.get(check);
    if (!part || isAll(part)) return undefined;
    const own = new Set(part.tricks);
    return { has: (trick) => own.has(trick), ...(part.again ? { occasion: onWholeGate } : {}) };
  }

  /** The slice of a check whose tricks are sent between two keyed reads; else `undefined`. */
  between(check: Check): Slice | undefined {
    if (check.excluded !== undefined || check.clauses.length === 0 || this.unsent(check)) return undefined;
    const slice = this.sliceOf(check);
    return isBetweenReads(check.rule, slice) ? slice : undefined;
  }

  /** The judgement of a check that sends nothing; `undefined` for other checks. */
  unsent(check: PlannedCheck): Judgement | undefined {
    if (this.#unaffordable.has(check.operation))
      return inconclusive(
        because('budget'),
        'It was not asked: MAX_REQUESTS is too small for the essential requests of every operation.',
        [],
      );
    const part = this.#parts.get(check);
    if (!part || part.tricks.length > 0) return undefined;
    const operations = this.#triedAt(this.#alike(check));
    return excluded(
      operations.length > 0
        ? `Nothing of it was sent here: its ${counted(part.of, 'trick')} are spread over the operations of its gate, such as ${operations.slice(0, 3).join(', ')}.`
        : `Nothing of it was sent: MAX_REQUESTS left no request for its ${counted(part.of, 'trick')}.`,
    );
  }

  /** The tricks that a check has sent; `undefined` where it sent its whole battery. */
  triedBy(check: PlannedCheck): Finding['tried'] {
    const part = this.#parts.get(check);
    return !part || isAll(part) || this.#unaffordable.has(check.operation) ? undefined : part;
  }

  /** Records the tricks that opened the operation of a broken check. */
  noteOpening(check: PlannedCheck, { openedBy }: Judgement): void {
    if (openedBy) this.#openedBy.set(check, openedBy);
  }

  /** Records the checks that a blocked check names, which must send their whole battery. */
  noteBlockers({ blockedBy = [] }: Judgement): void {
    for (const blocker of blockedBy) if (blocker.kind === 'check') this.#named.add(blocker.id);
  }

  /** Records that a check showed nothing, so that its tricks are given to others of its gate. */
  noteBlocked(check: PlannedCheck, { outcome }: Judgement): void {
    if (outcome === 'blocked' && this.#isSent(check)) this.#blocked.add(check);
    else this.#blocked.delete(check);
  }

  /**
   * Adds the tricks that opened one operation to the checks at all other operations of its gate,
   * the whole battery to checks that blocked checks name, and the tricks of blocked checks to
   * others of their gate.
   * @returns the checks that have to be judged again
   */
  widen(): readonly Check[] {
    const again = new Set<Check>([...this.#completeNamed(), ...this.#handOn()]);
    for (const [opened, tricks] of this.#openedBy) {
      for (const check of this.#alike(opened)) {
        const part = this.#parts.get(check);
        if (!part || check === opened || this.#unaffordable.has(check.operation)) continue;
        const wider = inBattery(check, new Set([...part.tricks, ...tricks]));
        if (wider.length === part.tricks.length) continue;
        this.#parts.set(check, { tricks: wider, of: part.of, again: true });
        again.add(check);
      }
    }
    this.#openedBy.clear();
    this.#triedAt.forget();
    return [...again];
  }

  #completeNamed(): readonly Check[] {
    if (this.#named.size === 0) return [];
    const named = this.#gates
      .flatMap(({ ofRule }) => [...ofRule.values()].flat())
      .filter(({ id }) => this.#named.has(id));
    this.#named.clear();
    return named.filter((check) => {
      const part = this.#parts.get(check);
      if (!part || isAll(part) || this.#unaffordable.has(check.operation)) return false;
      this.#parts.set(check, { tricks: check.battery?.tricks() ?? [], of: part.of, again: true });
      return true;
    });
  }

  /**
   * Gives each trick of a blocked check to a check of the same rule that is not blocked and does
   * not have the trick yet, in turn. Within a limit of requests nothing is added.
   */
  #handOn(): ReadonlySet<Check> {
    const given = new Map<Check, Set<string>>();
    if (this.#isBounded) return new Set();
    for (const [alike, blocked] of groupBy(
      [...this.#blocked].filter((check) => !this.#handedOn.has(check)),
      (check) => this.#alike(check),
    )) {
      const takers = alike.filter((check) => this.#parts.has(check) && !this.#blocked.has(check));
      const tricks = blocked.flatMap((check) => this.#sentBy(check));
      for (const check of blocked) this.#handedOn.add(check);
      for (const [turn, trick] of tricks.entries()) {
        const inTurn = takers.map((_, index) => takers[(turn + index) % takers.length]);
        const taker = inTurn.find(
          (check) =>
            check &&
            !this.#sentBy(check).includes(trick) &&
            given.get(check)?.has(trick) !== true &&
            check.battery?.tricks().includes(trick) === true,
        );
        if (taker) given.set(taker, (given.get(taker) ?? new Set()).add(trick));
      }
    }
    for (const [check, tricks] of given) {
      const part = this.#parts.get(check);
      const sent = new Set([...tricks, ...this.#sentBy(check)]);
      const wider = inBattery(check, sent);
      if (part) this.#parts.set(check, { tricks: wider, of: part.of, again: true });
    }
    return new Set(given.keys());
  }

  /** The gates as results.json lists them. */
  results(): readonly GateResult[] {
    return this.#gates.map(({ gate, ofRule, tricks }) => {
      const checks = [...ofRule.values()];
      const parts = checks.flat().flatMap((check) => this.#parts.get(check) ?? []);
      return {
        id: gate.id,
        operations: gate.operations.map(({ id }) => id),
        tricks,
        tricksTried: sum(checks.map((ofOne) => distinct(ofOne.map((check) => this.#sentBy(check))))),
        places: { of: sum(parts.map(({ of }) => of)), tried: sum(parts.map((part) => part.tricks.length)) },
      };
    });
  }

  #sentBy(check: PlannedCheck): readonly string[] {
    return this.#parts.get(check)?.tricks ?? [];
  }

  #isSent(check: PlannedCheck): boolean {
    return this.#sentBy(check).length > 0;
  }

  #alike({ rule, operation }: PlannedCheck): readonly Check[] {
    return this.#gateOf.get(operation)?.ofRule.get(rule.id) ?? [];
  }
}
