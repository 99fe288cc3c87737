import type { Json } from '../collections.js';
import type { Contract, Operation } from '../contract/model.js';
import type { Exchange, Probe } from '../wire/types.js';
import type { KeyPageRecord } from './key-page/record.js';
import type { Deployment } from './support/deployment.js';
import type { Cause, Headline } from './support/headlines.js';

export type { Deployment, KeyHolder, KeyTraits, OwnValue } from './support/deployment.js';

/** What a rule is, what it asks, and what it may answer. */

/** The order of a run. Requests that may get a client banned come last. */
export type Stage = 'service' | 'anonymous' | 'keyed' | 'placements' | 'bypasses' | 'leftovers' | 'invalid-keys';

/** What a rule is applied to: one operation, or the whole service. */
export interface Subject {
  readonly contract: Contract;
  readonly deployment: Deployment;
  /** The exchanges for which `watches` is true, whichever check sent them. */
  readonly watched?: readonly Exchange[];
}

export interface OperationSubject extends Subject {
  readonly operation: Operation;
}

/**
 * Returns the exchange of a probe. If the probe was not sent yet, it is sent, and the judge is
 * called again from the start. So a judge is a pure function of exchanges that may ask for more of
 * them.
 *
 * `all` sends its probes together. `inSeries` sends the probes of each series one after the other,
 * and several series side by side. `each` runs `work` for each item, and sends the probes that all
 * of them ask for together.
 */
export interface Ask {
  (probe: Probe): Exchange;
  all<const Probes extends readonly Probe[]>(probes: Probes): { readonly [At in keyof Probes]: Exchange };
  inSeries(...series: readonly (readonly Probe[])[]): readonly Exchange[];
  each<Item, Done>(items: readonly Item[], work: (item: Item) => Done): readonly Done[];
}

/** The result of a check. */
export type Outcome = 'passed' | 'failed' | 'lenient' | 'observed' | 'inconclusive' | 'blocked' | 'excluded';

/** Whether an operation opened to somebody who asked for it. */
export interface AskedBy {
  /** `nobody`, `invalid key`, `the key`, or the name of an identity. */
  readonly identity: string;
  readonly seen: 'opens' | 'refuses' | 'unclear';
}

/** What a blocked check depends on. */
export type Blocker =
  | { readonly kind: 'check'; readonly id: string }
  /** The keyed reads of one operation. */
  | { readonly kind: 'control'; readonly operation: string };

export interface Judgement {
  readonly outcome: Outcome;
  /** For people only: code must not depend on it. */
  readonly reason: string;
  /** The reason for code. Present unless passed, observed or excluded. */
  readonly cause?: Cause;
  readonly note?: string;
  readonly expected?: string;
  readonly seen?: string;
  /** For `blocked`. */
  readonly blockedBy?: readonly Blocker[];
  /** The exchanges that show it, the decisive one first. */
  readonly exchanges: readonly Exchange[];
  /** The exchanges to repeat in this order, if only together they show the finding. */
  readonly steps?: readonly Exchange[];
  readonly comparedWith?: readonly Exchange[];
  /**
   * Everything that was read as granted without the key, also on second tries. It is treated as
   * somebody's data, whatever the outcome is.
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

/** An observation about what the contract leaves open; without `id`, not comparable. */
export interface SeenFact {
  /** Id of the gap. */
  readonly gap: string;
  /** One or two sentences. */
  readonly fact: string;
  readonly exchanges: readonly Exchange[];
  /** Unique among the facts of an operation: `refusal-without-key`. */
  readonly id?: string;
  /** The comparable value, without times, request ids, data or keys. `null`: not known. */
  readonly value?: Json;
  /** Number of reads that showed it. */
  readonly reads?: number;
  /** It differs between two reads of one run. */
  readonly volatile?: boolean;
}

/**
 * What `access-conformance explain` and the report tell the owner of a server about a rule. An
 * array is shown as a list.
 */
export interface Explanation {
  readonly asks: string | readonly string[];
  readonly sends: string | readonly string[];
  readonly judged: string | readonly string[];
  readonly causes: string | readonly string[];
  readonly fixes: string | readonly string[];
}

/** Members of every kind of rule. */
export interface RuleWords {
  /** A verb and its object: `refuses-missing-key`. */
  readonly id: string;
  /** Clauses that the rule proves. Empty for a rule that only observes. */
  readonly clauses: readonly string[];
  /** Gaps that it observes. */
  readonly gaps?: readonly string[];
  /** The requirement as a sentence without its subject: `refuses a request without a key`. */
  readonly title: string;
  /** The sentence of a finding. Default: the sentence of its cause. */
  readonly headline?: (cause: Cause) => Headline | undefined;
  readonly stage: Stage;
  readonly explanation: Explanation;
  /**
   * The control that this rule explains. If the control is unusable, this rule's check says why,
   * and checks that need the control are blocked by it. `connection`: requests are answered.
   * `keyed-read`: the key opens the operation. Read of shipped rules only.
   */
  readonly explains?: 'connection' | 'keyed-read';
  /**
   * If the rule passes, the operation asks for a key.
   */
  readonly demandsKey?: true;
  /**
   * The rule whose failure at the same operation explains a failure of this one.
   */
  readonly explainedBy?: string;
  /**
   * The rule appears in the results for operations with this access that cannot be probed, if no
   * other rule judges them. `any`: for operations that no other rule appears for. One rule
   * `givesReason`, and the others are blocked by it.
   */
  readonly unprobed?: { readonly access: 'protected' | 'public' | 'any'; readonly givesReason: boolean };
}

/** A sentence: the rule is left out on purpose. `false`: it does not concern the operation. */
export type Applies = boolean | string;

export interface Procedure<S> {
  /** The requests that the rule always sends. The judge may ask for more. */
  readonly probes: (subject: S, slice?: Slice) => readonly Probe[];
  /** The pairs of its probes that are sent directly one after the other. */
  readonly pairs?: (subject: S) => readonly (readonly [before: Probe, probe: Probe])[];
  readonly judge: (ask: Ask, subject: S, slice?: Slice) => Judgement;
}

/** The tricks of a battery that are sent to one operation, if a run distributes them. */
export interface Slice {
  readonly has: (trick: string) => boolean;
  /** Why these tricks are sent after others of the battery were judged. */
  readonly occasion?: string;
  /** The second keyed control was sent before these tricks, so another read has to follow. */
  readonly isLate?: true;
}

/**
 * Requests of a rule that a run may distribute over operations. A trick is one request or a pair,
 * with a name that is the same at every operation. The most revealing ones come first.
 */
export interface Battery {
  readonly tricks: (subject: OperationSubject) => readonly string[];
  /** Tricks that are sent to every operation. */
  readonly everywhere?: readonly string[];
  /**
   * The name of a group, by trick. Tricks of one group go to the same operations, since they need
   * the same requests. The name of a stage (`placements`) stands for the tricks of that stage.
   */
  readonly groups?: ReadonlyMap<string, string>;
  /** The effect of a trick, by its name, if several have the same at different places. */
  readonly ways?: (subject: OperationSubject) => ReadonlyMap<string, string>;
  /** At how many operations of a gate a trick is tried at most. Default: the run's number. */
  readonly copies?: number;
  /** How many tricks each operation gets at least. Default: none. */
  readonly least?: number;
}

export interface OperationRule extends RuleWords, Procedure<OperationSubject> {
  readonly scope: 'operation';
  /** It also applies to operations that may change something. Other rules skip these. */
  readonly asksUnsafe?: true;
  /** It also applies to operations that no key is sent to. */
  readonly asksKeyless?: true;
  /**
   * Its requests do not use TLS, so made-up values are sent in them in place of values that were
   * read from the service. Its subject then has `keyless` set.
   */
  readonly overPlainHttp?: true;
  readonly appliesTo: (subject: OperationSubject) => Applies;
  /** Absent if everything is sent to every operation. */
  readonly battery?: Battery;
}

/** A rule that is applied once, to the whole service. */
export interface ServiceRule extends RuleWords, Procedure<Subject> {
  readonly scope: 'service';
  /**
   * Whether an exchange of any check concerns this rule. If there are such exchanges, a check that
   * passed is judged again at the end of the run, with them as `watched`.
   */
  readonly watches?: (exchange: Exchange) => boolean;
  readonly appliesTo: (subject: Subject) => Applies;
}

/** A rule that is applied once, to what a browser saw on its walk through the key page. */
export interface KeyPageRule extends Omit<RuleWords, 'stage'> {
  readonly scope: 'key-page';
  readonly judge: (walk: KeyPageRecord) => Judgement;
}

export type Rule = OperationRule | ServiceRule | KeyPageRule;

export type Proves =
  | { readonly clauses: readonly [string, ...string[]]; readonly gaps?: never }
  | { readonly clauses?: never; readonly gaps: readonly [string, ...string[]] };

/** A rule as it is written: with `probes` and `judge`, or a shared procedure. */
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
 * how it judges, and how it is explained.
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
