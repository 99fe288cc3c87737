import type { Json } from '../canonical-json.js';
import type { Contract, Operation } from '../contract/model.js';
import type { Exchange, Probe } from '../wire/types.js';
import type { KeyPageRecord } from './key-page/record.js';
import type { Blocker, Cause } from './support/causes.js';
import type { Deployment } from './support/deployment.js';
import type { Headline } from './support/headlines.js';

export type { Deployment, KeyHolder, KeyTraits, OwnValue } from './support/deployment.js';

/**
 * The order of a run. Requests that a server may hold against a client (odd paths, wrong keys) go
 * out after the reads that everything is compared with.
 */
export type Stage = 'service' | 'anonymous' | 'keyed' | 'placements' | 'bypasses' | 'leftovers' | 'invalid-keys';

/** What a rule is applied to: one operation, or the whole service. */
export interface Subject {
  readonly contract: Contract;
  readonly deployment: Deployment;
}

export interface OperationSubject extends Subject {
  readonly operation: Operation;
}

/**
 * Gives the exchange of a probe. Where the probe was not sent yet, it is sent and the judge is
 * called again from the start: a judge is a pure function of exchanges that may ask for more of
 * them. `all` sends its probes together. `inSeries` sends the probes of each series one after the
 * other, and the series side by side. `each` does each of several things, and sends what they ask
 * for together.
 */
export interface Ask {
  (probe: Probe): Exchange;
  all<const Probes extends readonly Probe[]>(probes: Probes): { readonly [At in keyof Probes]: Exchange };
  inSeries(...series: readonly (readonly Probe[])[]): readonly Exchange[];
  each<Item, Done>(items: readonly Item[], work: (item: Item, index: number) => Done): readonly Done[];
}

/** What came of a check. */
export type Outcome = 'passed' | 'failed' | 'lenient' | 'observed' | 'inconclusive' | 'blocked' | 'excluded';

/** Whether an operation opened to one who asked for it, as the oracle read the answer. */
export interface AskedBy {
  /** `nobody`, `invalid key`, `the key`, or the name of an identity. */
  readonly identity: string;
  readonly seen: 'opens' | 'refuses' | 'unclear';
}

export interface Judgement {
  readonly outcome: Outcome;
  /** For people alone: nothing decides by it. */
  readonly reason: string;
  /** What the reason says, for code: what is not passed, observed or excluded has one. */
  readonly cause?: Cause;
  readonly note?: string;
  readonly expected?: string;
  readonly seen?: string;
  /** For `blocked`. */
  readonly blockedBy?: readonly Blocker[];
  /** The exchanges that show it, the decisive one first. */
  readonly exchanges: readonly Exchange[];
  /** What has to be sent, in this order, to see it, where one request alone does not show it. */
  readonly steps?: readonly Exchange[];
  readonly comparedWith?: readonly Exchange[];
  /**
   * Everything that was read as granted without the key, second tries too. It is kept as somebody's
   * data, whatever the outcome.
   */
  readonly opened?: readonly Exchange[];
  /** Tricks of the battery that opened the operation. */
  readonly openedBy?: readonly string[];
  /** How single answers were read, by line of the oracle's table. */
  readonly readings?: readonly { readonly exchange: Exchange; readonly line: number; readonly verdict: string }[];
  /** Who asked for the operation in plain requests, and whether they got it. */
  readonly asked?: readonly AskedBy[];
  /** Facts about gaps. */
  readonly facts?: readonly SeenFact[];
}

/** Something that was seen of what the contract leaves open. What words alone tell has no `id`. */
export interface SeenFact {
  /** Id of the gap. */
  readonly gap: string;
  /** One or two sentences. */
  readonly fact: string;
  readonly exchanges: readonly Exchange[];
  /** Unique among the facts of an operation: `refusal-without-key`. */
  readonly id?: string;
  /**
   * For comparison with other runs: without times, ids of requests, data or keys. `null`: not
   * known.
   */
  readonly value?: Json;
  /** Number of reads that showed it. */
  readonly reads?: number;
  /** Two reads of one run differ in it. */
  readonly volatile?: boolean;
}

/**
 * What `access-conformance explain` and the report page say about a rule, for the owner of a
 * server. A list is shown as one.
 */
export interface Explanation {
  readonly asks: string | readonly string[];
  readonly sends: string | readonly string[];
  readonly judged: string | readonly string[];
  readonly causes: string | readonly string[];
  readonly fixes: string | readonly string[];
}

/** What is the same in every kind of rule. */
export interface RuleWords {
  /** A verb and what it is done to: `refuses-missing-key`. */
  readonly id: string;
  /** Clauses that it proves; none for a rule that only observes. */
  readonly clauses: readonly string[];
  /** Gaps that it observes. */
  readonly gaps?: readonly string[];
  /** The requirement as a sentence without its subject: `refuses a request without a key`. */
  readonly title: string;
  /** What a finding of this rule says. Default: what its cause says in other rules too. */
  readonly headline?: (cause: Cause) => Headline | undefined;
  readonly stage: Stage;
  readonly explanation: Explanation;
  /**
   * The control that this rule explains. Where that control is not usable, the rule's check says
   * why, and checks that need the control are blocked by it. `connection`: any request is answered.
   * `keyed-read`: the key opens the operation.
   */
  readonly explains?: 'connection' | 'keyed-read';
  /** Where it passes, the operation asks for a key: it is behind a gate. */
  readonly showsGate?: true;
  /** The rule whose failure at the same operation explains that of this one. */
  readonly explainedBy?: string;
  /**
   * Stands in the results for operations of this access that cannot be probed, if nothing else
   * judges that access. `any`: for an operation that no other rule stands for. Of several rules,
   * one `givesReason`, and the others are blocked by it.
   */
  readonly unprobed?: { readonly access: 'protected' | 'public' | 'any'; readonly givesReason: boolean };
}

/**
 * `true`: applies. A sentence: left out on purpose, for that reason. `false`: the rule does not
 * concern this operation.
 */
export type Applies = boolean | string;

/** What a rule sends and how it judges the answers. */
export interface Procedure<S> {
  /** What the rule always sends. The judge may ask for more. */
  readonly probes: (subject: S, slice?: Slice) => readonly Probe[];
  /** Those of its probes that follow one another at once, where nothing is left out. */
  readonly pairs?: (subject: S) => readonly (readonly [before: Probe, probe: Probe])[];
  readonly judge: (ask: Ask, subject: S, slice?: Slice) => Judgement;
}

/** Chooses tricks of a battery, where a run has not all of them sent to each operation. */
export interface Slice {
  readonly has: (trick: string) => boolean;
  /** Why tricks are sent after others of the battery, which were judged before. */
  readonly occasion?: string;
  /**
   * The second control read with the key was sent before these tricks, so that another one has to
   * follow them.
   */
  readonly isLate?: true;
}

/**
 * The requests of a rule of which a run may send a part to each operation. A trick is one request,
 * or a pair of them, with a name that is the same at every operation. The rule lists the most
 * telling ones first.
 */
export interface Battery {
  readonly tricks: (subject: OperationSubject) => readonly string[];
  /** Tricks that every operation gets. */
  readonly everywhere?: readonly string[];
  /**
   * Tricks that go to the same operations, since they need the same requests: the name of their
   * group, by trick. A stage that a read with the key has to follow is a group of that name.
   */
  readonly groups?: ReadonlyMap<string, string>;
  /**
   * What tricks do that do the same in different places of a request, by their names. Default: each
   * is one of its own.
   */
  readonly ways?: (subject: OperationSubject) => ReadonlyMap<string, string>;
  /**
   * Operations of a gate at which each trick is tried at most; as many as the run has when absent.
   */
  readonly copies?: number;
  /** How many tricks every operation gets at least; none when absent. */
  readonly least?: number;
}

/** Applied to each operation. */
export interface OperationRule extends RuleWords, Procedure<OperationSubject> {
  readonly scope: 'operation';
  /** Also asked of operations that may change something. Other rules do not concern them. */
  readonly asksUnsafe?: true;
  /** Also asked of operations that no key is sent to. */
  readonly asksKeyless?: true;
  /** Its requests leave TLS: values that were read from the service are not sent so. */
  readonly overPlainHttp?: true;
  readonly appliesTo: (subject: OperationSubject) => Applies;
  /** Absent where everything is sent to every operation. */
  readonly battery?: Battery;
}

/** Applied once, to the whole service. */
export interface ServiceRule extends RuleWords, Procedure<Subject> {
  readonly scope: 'service';
  readonly appliesTo: (subject: Subject) => Applies;
}

/** Applied once, to what a browser saw on its walk through the key page. */
export interface KeyPageRule extends Omit<RuleWords, 'stage'> {
  readonly scope: 'key-page';
  readonly judge: (walk: KeyPageRecord) => Judgement;
}

export type Rule = OperationRule | ServiceRule | KeyPageRule;

export type Proves =
  | { readonly clauses: readonly [string, ...string[]]; readonly gaps?: never }
  | { readonly clauses?: never; readonly gaps: readonly [string, ...string[]] };

/**
 * A rule as it is written: it states either `probes` and `judge`, or a procedure that it shares
 * with other rules.
 */
export type RuleDefinition<R extends OperationRule | ServiceRule, S> = Omit<
  R,
  'clauses' | 'gaps' | keyof Procedure<S>
> &
  Proves &
  (Procedure<S> | { readonly procedure: (words: RuleWords) => Procedure<S> });

export type OperationRuleDefinition = RuleDefinition<OperationRule, OperationSubject>;
export type ServiceRuleDefinition = RuleDefinition<ServiceRule, Subject>;
export type KeyPageRuleDefinition = Omit<KeyPageRule, 'clauses' | 'gaps'> & Proves;

/**
 * Makes a rule: what it proves (`clauses`) or observes (`gaps`), where it applies, what it sends,
 * how it judges, and how it is explained to people.
 */
export function defineRule(rule: OperationRuleDefinition): OperationRule;
export function defineRule(rule: ServiceRuleDefinition): ServiceRule;
export function defineRule(rule: KeyPageRuleDefinition): KeyPageRule;
export function defineRule(rule: OperationRuleDefinition | ServiceRuleDefinition | KeyPageRuleDefinition): Rule {
  const clauses = rule.clauses ?? [];
  if (rule.scope === 'key-page') return { ...rule, clauses };
  if (rule.scope === 'service') return { ...rule, clauses, ...procedureOf<Subject>({ ...rule, clauses }) };
  return { ...rule, clauses, ...procedureOf<OperationSubject>({ ...rule, clauses }) };
}

const procedureOf = <S>(
  rule: RuleWords & (Procedure<S> | { readonly procedure: (words: RuleWords) => Procedure<S> }),
): Procedure<S> => ('procedure' in rule ? rule.procedure(rule) : rule);
