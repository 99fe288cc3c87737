import type { Clause, Contract, Operation, UnprobedOperation } from '../contract/model.js';
import { isUnsafe } from '../rules/bypass/unsafe-operation.js';
import { because, onCheck } from '../rules/causes.js';
import { asOpened } from '../rules/identities/views.js';
import { rules as shippedRules } from '../rules/index.js';
import { blocked, inconclusive } from '../rules/judgement.js';
import type {
  Ask,
  Deployment,
  Judgement,
  OperationRule,
  OperationSubject,
  Rule,
  ServiceRule,
  Slice,
  Stage,
  Subject,
} from '../rules/rule.js';
import type { Probe } from '../wire/types.js';
import { isSelected, type Selection } from './selection.js';

/** Rules whose requests the suite sends itself. */
type ProbingRule = OperationRule | ServiceRule;

/** A rule applied to an operation, the whole service, or the key page. */
export interface PlannedCheck {
  readonly id: string;
  readonly rule: Rule;
  /** Operation id, `service` or `key-page`. */
  readonly operation: string;
  /** Those of its rule's clauses that speak of its operation. */
  readonly clauses: readonly string[];
  /** Set where the check is left out on purpose. */
  readonly excluded?: string;
}

/** A rule applied to one operation or to the whole service. */
export interface Check extends PlannedCheck {
  readonly rule: ProbingRule;
  readonly stage: Stage;
  /** Absent where everything is always sent. */
  readonly battery?:
    | {
        readonly everywhere?: readonly string[];
        readonly copies?: number;
        readonly least?: number;
        tricks(): readonly string[];
        ways?(): ReadonlyMap<string, string>;
      }
    | undefined;
  probes(slice?: Slice): readonly Probe[];
  judge(ask: Ask, slice?: Slice): Judgement;
}

export interface Plan {
  /** In the order of the contract's clauses, operation by operation. */
  readonly checks: readonly Check[];
  readonly subjects: readonly OperationSubject[];
}

/** What is planned. */
export interface PlanOptions {
  /** Everything when absent. */
  readonly only?: Selection | undefined;
  /** The shipped rules when absent. */
  readonly rules?: readonly Rule[] | undefined;
}

/** Applies every rule to the contract. */
export const planOf = (
  document: Contract,
  deployment: Deployment,
  { only, rules = shippedRules }: PlanOptions = {},
): Plan => {
  const contract = asOpened(document, deployment);
  const probing = rules.filter((rule) => rule.scope !== 'key-page');
  const subject: Subject = { contract, deployment };
  const clauses = new Set(contract.clauses.map(({ id }) => id));
  const relevant = probing.filter((rule) => rule.clauses.length === 0 || rule.clauses.some((id) => clauses.has(id)));
  const subjects = contract.operations.map((operation) => ({ ...subject, operation }));
  const service = relevant.flatMap((rule): Check[] => {
    if (rule.scope !== 'service') return [];
    const applies = rule.appliesTo(subject);
    return applies === false ? [] : [new ServiceCheck(rule, applies, subject)];
  });
  const perOperation = subjects.flatMap((each) =>
    relevant.flatMap((rule): Check[] => {
      if (rule.scope !== 'operation' || (isUnsafe(each.operation) && rule.asksUnsafe !== true)) return [];
      if (each.operation.keyless !== undefined && rule.asksKeyless !== true) return [];
      const applies = staysInTls(rule, each.operation) ? rule.appliesTo(each) : overTlsAlone;
      return applies === false ? [] : [new OperationCheck(rule, applies, each)];
    }),
  );
  const all = [...service, ...perOperation, ...unjudged(contract, { relevant, probing })];
  return {
    subjects,
    checks: only === undefined ? all : all.filter((one) => isSelected(only, one)),
  };
};

const overTlsAlone = 'Its path holds a value that was read from the service, which is sent over HTTPS alone.';

const staysInTls = ({ overPlainHttp }: OperationRule, { placeholders }: Operation): boolean =>
  overPlainHttp !== true || placeholders === undefined;
/**
 * All rules whose requests are sent, and those of them that prove a clause of the contract or
 * observe a gap.
 */
interface Asked {
  readonly probing: readonly ProbingRule[];
  readonly relevant: readonly ProbingRule[];
}

/**
 * What cannot be judged is not to read as if it held. A document of which nothing can be probed is
 * judged by none of its operations; one that asks for a key and has no such operation that can be
 * read says nothing that can be looked at of the key. Where one at least is read, the others are
 * only listed. Nobody answers OPTIONS by a key.
 */
const unjudged = (contract: Contract, asked: Asked): readonly Check[] => {
  const { operations, unprobed } = contract;
  if (operations.length === 0)
    return unprobed.flatMap((operation) =>
      leftOut(operation, asked, { others: 'nor was any other operation', contract }),
    );
  const locked = operations.filter(({ access }) => access === 'protected');
  if (locked.some((operation) => !isUnsafe(operation) && operation.keyless === undefined)) return [];
  const keyless = locked.filter((operation) => operation.keyless !== undefined);
  return unprobed
    .filter((operation) => isLocked(operation) && (locked.length === 0 || !isUnsafe(operation)))
    .flatMap((operation) =>
      leftOut(operation, asked, { others: 'nor was any other operation that needs a key', contract }),
    )
    .concat(keyless.flatMap((operation) => withoutKey(operation, asked, contract)));
};

/** What the contract's clauses say of the key is not seen where none is sent. */
const withoutKey = (operation: Operation, { relevant }: Asked, contract: Contract): readonly Check[] =>
  relevant
    .filter((rule) => rule.unprobed?.access === 'protected' && !(rule.scope === 'operation' && rule.asksKeyless))
    .map((rule) => {
      const { id, method, path, access, keyless = '' } = operation;
      const unprobed = { id, method, path, access, why: 'no-value', reason: `No key was sent: ${keyless}.` } as const;
      return new UnprobedCheck(rule, unprobed, {
        cause: rule,
        others: 'nor was any other operation that needs a key',
        contract,
      });
    });

const isLocked = ({ access, method }: UnprobedOperation): boolean => access === 'protected' && method !== 'OPTIONS';
const isOpen = ({ access, method }: UnprobedOperation): boolean => access === 'public' && method !== 'OPTIONS';

/**
 * The checks that an operation would have had. One whose access is not stated, or of which the
 * contract's clauses say nothing, would have had to be there at least.
 */
const leftOut = (
  operation: UnprobedOperation,
  { relevant, probing }: Asked,
  said: { readonly others: string; readonly contract: Contract },
): readonly Check[] => {
  const access = isLocked(operation) ? 'protected' : isOpen(operation) ? 'public' : undefined;
  const asked = relevant.filter(({ unprobed }) => unprobed !== undefined && unprobed.access === access);
  const cause = asked.find(({ unprobed }) => unprobed?.givesReason) ?? asked[0];
  if (cause) return asked.map((rule) => new UnprobedCheck(rule, operation, { ...said, cause }));
  return probing
    .filter(({ unprobed }) => unprobed?.access === 'any')
    .map((rule) => new UnprobedCheck(rule, operation, { ...said, cause: rule }));
};

/** A large document makes a hundred thousand checks, so each holds no more than it must. */
export abstract class Planned<Kind extends Rule> {
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
    // A template would be kept as its two parts and, once looked up, as a whole beside them.
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

/** Whether a clause speaks of an operation; of the whole service it always does. */
const speaksOf = ({ excluded, operations }: Clause, operation: string): boolean =>
  excluded === undefined && (operations === undefined || operation === 'service' || operations.includes(operation));

class ServiceCheck extends Planned<ServiceRule> implements Check {
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

  judge(ask: Ask): Judgement {
    return this.rule.judge(ask, this.#subject);
  }
}

class OperationCheck extends Planned<OperationRule> implements Check {
  readonly #subject: OperationSubject;

  constructor(rule: OperationRule, applies: true | string, subject: OperationSubject) {
    super(rule, applies, subject.contract);
    this.#subject = subject;
  }

  get operation(): string {
    return this.#subject.operation.id;
  }

  /** What may change something comes last, when everything that it might change was read. */
  get stage(): Stage {
    return isUnsafe(this.#subject.operation) ? 'invalid-keys' : this.rule.stage;
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

  judge(ask: Ask, slice?: Slice): Judgement {
    return this.rule.judge(ask, this.#subject, slice);
  }
}

/**
 * What would be asked of an operation that cannot be probed: nothing is sent, and the reason is the
 * operation's.
 */
class UnprobedCheck extends Planned<ProbingRule> implements Check {
  readonly #unprobed: UnprobedOperation;
  /** The one of its rules that says why; the rest rest on it. */
  readonly #cause: string;
  readonly #others: string;

  constructor(
    rule: ProbingRule,
    unprobed: UnprobedOperation,
    { cause, others, contract }: { cause: ProbingRule; others: string; contract: Contract },
  ) {
    super(rule, true, contract);
    this.#unprobed = unprobed;
    this.#cause = cause.id;
    this.#others = others;
  }

  get operation(): string {
    return this.#unprobed.id;
  }

  get stage(): Stage {
    return this.rule.stage;
  }

  probes(): readonly Probe[] {
    return [];
  }

  judge(): Judgement {
    const { id, reason } = this.#unprobed;
    if (this.rule.id === this.#cause)
      return inconclusive(because('not-probed'), `It was not probed, ${this.#others}. ${reason}`, []);
    const words = `Depends on ${this.#cause}@${id}, which did not pass.`;
    return blocked(because('rests-on-check', this.#cause), words, [], { blockedBy: [onCheck(this.#cause, id)] });
  }
}
