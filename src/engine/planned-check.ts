import type { Clause, Contract } from '../contract/model.js';
import { isUnsafe } from '../contract/why-not-probed.js';
import type {
  Ask,
  Battery,
  Judgement,
  OperationRule,
  OperationSubject,
  Rule,
  ServiceRule,
  Slice,
  Stage,
  Subject,
} from '../rules/rule.js';
import { because, blockedBy, type Cause, inconclusive, onCheck } from '../rules/support/judgement.js';
import type { Exchange, Probe } from '../wire/types.js';

/** A check: one rule applied to one operation, to the service or to the key page. */

/** Rules whose requests the suite sends itself. */
export type ProbingRule = OperationRule | ServiceRule;

/** A rule applied to an operation, the whole service, or the key page. */
export interface PlannedCheck {
  readonly id: string;
  readonly rule: Rule;
  /** Operation id, `service` or `key-page`. */
  readonly operation: string;
  /** The clauses of the rule that apply to the operation. */
  readonly clauses: readonly string[];
  /** The reason, where the check is excluded. */
  readonly excluded?: string;
}

/** The battery of a rule at one operation. */
interface BatteryHere extends Omit<Battery, 'tricks' | 'ways'> {
  tricks(): readonly string[];
  ways?(): ReadonlyMap<string, string>;
}

/** A rule applied to one operation or to the whole service. */
export interface Check extends PlannedCheck {
  readonly rule: ProbingRule;
  readonly stage: Stage;
  /** Absent where everything is always sent. */
  readonly battery?: BatteryHere | undefined;
  probes(slice?: Slice): readonly Probe[];
  /** Pairs of probes that must directly follow one another. */
  pairs?(): readonly (readonly [before: Probe, probe: Probe])[];
  /** @param watched exchanges of other checks that the rule watches */
  judge(ask: Ask, slice?: Slice, watched?: readonly Exchange[]): Judgement;
}

/** A large document has a hundred thousand checks, so each stores as little as possible. */
export abstract class CheckOfRule<Kind extends Rule> {
  abstract readonly operation: string;
  readonly rule: Kind;
  readonly excluded?: string;

  readonly #contract: Contract;

  constructor(rule: Kind, applies: true | string, contract: Contract) {
    this.rule = rule;
    this.#contract = contract;
    if (applies !== true) this.excluded = applies;
  }

  get id(): string {
    // `join` makes a flat string. V8 would keep a template's two parts beside the flattened id.
    return [this.rule.id, this.operation].join('@');
  }

  get clauses(): readonly string[] {
    const { clauses } = this.rule;
    const silent = this.#contract.clauses.filter(
      (clause) => clauses.includes(clause.id) && !speaksOf(clause, this.operation),
    );
    return silent.length === 0 ? clauses : clauses.filter((id) => silent.every((clause) => clause.id !== id));
  }
}

/** Whether a clause applies to an operation. Every included clause applies to the whole service. */
const speaksOf = ({ excluded, operations }: Clause, operation: string): boolean =>
  excluded === undefined && (operations === undefined || operation === 'service' || operations.includes(operation));

export class ServiceCheck extends CheckOfRule<ServiceRule> implements Check {
  readonly operation = 'service';
  readonly #subject: Subject;

  constructor(rule: ServiceRule, applies: true | string, subject: Subject) {
    super(rule, applies, subject.contract);
    this.#subject = subject;
  }

  get stage(): Stage {
    return this.rule.stage;
  }

  probes(): readonly Probe[] {
    return this.rule.probes(this.#subject);
  }

  judge(ask: Ask, _slice?: Slice, watched: readonly Exchange[] = []): Judgement {
    return this.rule.judge(ask, watched.length === 0 ? this.#subject : { ...this.#subject, watched });
  }
}

export class OperationCheck extends CheckOfRule<OperationRule> implements Check {
  readonly #subject: OperationSubject;

  constructor(rule: OperationRule, applies: true | string, subject: OperationSubject) {
    super(rule, applies, subject.contract);
    this.#subject = subject;
  }

  get operation(): string {
    return this.#subject.operation.id;
  }

  /** Unsafe operations come last, since they may change what other checks read. */
  get stage(): Stage {
    return isUnsafe(this.#subject.operation.method) ? 'invalid-keys' : this.rule.stage;
  }

  get battery(): Check['battery'] {
    const { battery } = this.rule;
    if (!battery) return undefined;
    const { ways, tricks, ...rest } = battery;
    return {
      ...rest,
      tricks: () => tricks(this.#subject),
      ...(ways && { ways: () => ways(this.#subject) }),
    };
  }

  probes(slice?: Slice): readonly Probe[] {
    return this.rule.probes(this.#subject, slice);
  }

  pairs(): readonly (readonly [before: Probe, probe: Probe])[] {
    return this.rule.pairs?.(this.#subject) ?? [];
  }

  judge(ask: Ask, slice?: Slice): Judgement {
    return this.rule.judge(ask, this.#subject, slice);
  }
}

/** What the checks of an operation say that cannot show what they rest on. */
interface Unjudged {
  /** The rule whose check states the reason; the other checks are blocked by it. */
  readonly by: ProbingRule;
  readonly cause: Cause;
  readonly reason: string;
}

/** The check of an operation that cannot be probed, or is sent no key. Sends nothing. */
export class UnprobedCheck extends CheckOfRule<ProbingRule> implements Check {
  readonly operation: string;
  readonly #unjudged: Unjudged;

  constructor(rule: ProbingRule, operation: string, unjudged: Unjudged, contract: Contract) {
    super(rule, true, contract);
    this.operation = operation;
    this.#unjudged = unjudged;
  }

  get stage(): Stage {
    return this.rule.stage;
  }

  probes(): readonly Probe[] {
    return [];
  }

  judge(): Judgement {
    const { by, cause, reason } = this.#unjudged;
    if (this.rule.id === by.id) return inconclusive(cause, reason, []);
    const words = `Depends on ${by.id}@${this.operation}, which did not pass.`;
    return blockedBy(onCheck(by.id, this.operation), because('rests-on-check', by.id), words, []);
  }
}
