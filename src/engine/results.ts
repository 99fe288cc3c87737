import type { Json } from '../collections.js';
import type { AppliedOverlay, StatedScheme } from '../contract/model.js';
import type { AskedBy, KeyHolder, SeenFact } from '../rules/rule.js';
import type { Headline, Severity } from '../rules/support/headlines.js';
import type { Blocker, Cause } from '../rules/support/judgement.js';
import type { Exchange } from '../wire/types.js';
import type { Outcome, Verdict } from './outcomes.js';
import type { RecordedValues } from './values/recording.js';

/**
 * The content of `reports/conformance/results.json`, `schemaVersion: 1`.
 * `schema/results.schema.json` is the same as JSON Schema.
 */
export interface Results {
  readonly schemaVersion: 1;
  readonly tool: { readonly name: string; readonly version: string };
  readonly contract: {
    readonly title: string;
    readonly version: string;
    readonly file: string;
    /** Of the document after its overlays were applied. */
    readonly sha256: string;
    /** Applied overlays, in order; absent where there were none. */
    readonly overlays?: readonly AppliedOverlay[];
  };
  readonly target: { readonly name: string; readonly baseUrl: string; readonly httpBaseUrl: string | null };
  /** Every setting that changes what is judged, by its name; never a secret. */
  readonly options: Readonly<Record<string, string | number | boolean | null>>;
  /** What is needed to judge the exchanges again: the seed of random parts, traits of the keys. */
  readonly recording: Recording;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly verdict: Verdict;
  /** False when the run was interrupted. */
  readonly complete: boolean;
  /** Start of the interrupted run, and the number of its answers used; absent for a whole run. */
  readonly resumed?: { readonly startedAt: string; readonly exchanges: number };
  /** Number of checks by outcome; has all seven outcomes. */
  readonly counts: Readonly<Record<Outcome, number>>;
  readonly requestsSent: number;
  readonly clauses: readonly ClauseResult[];
  readonly coverage: Coverage;
  readonly operations: readonly OperationResult[];
  /** Gates over which batteries were spread; absent where every operation got its whole battery. */
  readonly gates?: readonly GateResult[];
  /** The identities that sent requests. */
  readonly identities: readonly IdentityResult[];
  /** Sorted by operation, then by identity. */
  readonly matrix: readonly MatrixCell[];
  readonly checks: readonly Finding[];
  /** What is wrong, and what could not be judged, worst first. */
  readonly causes: readonly CauseResult[];
  readonly gaps: readonly GapResult[];
  readonly facts: readonly FactResult[];
  /** Absent where no `BASELINE` was given. */
  readonly drift?: readonly Drift[];
  /** Empty where `exchangesFile` contains them. */
  readonly exchanges: readonly Exchange[];
  /** File with the exchanges of a long run; absent where `exchanges` contains them. */
  readonly exchangesFile?: ExchangesFile;
}

/** A file beside `results.json`: gzipped JSON Lines with one exchange per line. */
export interface ExchangesFile {
  readonly name: 'exchanges.jsonl.gz';
  /** Hex SHA-256 of the file. */
  readonly sha256: string;
  /** Number of lines. */
  readonly exchanges: number;
}

export interface Recording {
  /** Of random keys and paths. `''` where parts had different ones: it cannot be judged again. */
  readonly seed: string;
  readonly keys: Readonly<Record<string, { readonly mixesCase: boolean; readonly signed?: boolean }>>;
  /** Version of the facts about bodies; absent: 1. Only the same version can judge again. */
  readonly facts?: number;
  /** Only selected checks were judged; other operations were not read. */
  readonly part?: true;
  /** Values of parameters that the document does not give; absent where none were needed. */
  readonly values?: RecordedValues;
  /** Identities of `IDENTITIES`, and where their own ids were read; absent without any. */
  readonly identities?: readonly KeyHolder[];
}

export interface ClauseResult {
  readonly id: string;
  /** Summary of about three words. */
  readonly short?: string;
  readonly text: string;
  readonly source: string;
  readonly outcome: Outcome;
  /** Why the clause is excluded, where it is about something that the document does not have. */
  readonly reason?: string;
  /** Check ids. */
  readonly checks: readonly string[];
  /** `file:line` of the clause, where it is in the contract document. */
  readonly position?: string;
}

/** An operation of the document, and whether it was judged. */
export interface OperationResult {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly access: 'public' | 'protected' | 'unstated';
  readonly probed: boolean;
  /**
   * Alternatives, where they state scopes or roles: schemes that are needed together, with these.
   */
  readonly requirements?: readonly (readonly StatedScheme[])[];
  /** Whether the check of its access passed, failed or was lenient. */
  readonly judged?: boolean;
  /** `refusal`: the key opens no data there, so only the refusal was judged. */
  readonly judgedBy?: 'refusal';
  /** Code for why it was not judged; `reason` is the sentence for people. */
  readonly why?: string;
  /** Distinguishes unprobed operations with the same `why`. */
  readonly details?: readonly string[];
  /** Suggested setting or overlay action that would make the operation judgeable. */
  readonly mend?: string;
  readonly reason?: string;
  readonly position?: string;
}

/** Something that is wrong, or that prevented a judgement, with the checks that it explains. */
export interface CauseResult {
  /** Stable: rule, kind, trait and place. `refuses-missing-key/opens-without-key@listWorkouts` */
  readonly id: string;
  /** A sentence without a full stop: `GET /orders opens without a key`. */
  readonly title: string;
  readonly severity: Severity;
  /** The outcome of its checks. */
  readonly outcome: 'failed' | 'lenient' | 'inconclusive' | 'blocked';
  /** All of its checks are known deviations. */
  readonly accepted?: true;
  readonly clauses: readonly string[];
  /** Operation ids; empty where the cause concerns the whole service. */
  readonly operations: readonly string[];
  /** Ids of the checks that it explains, the decisive one first. */
  readonly checks: readonly string[];
  /** Ids of checks that could not be judged because of it. */
  readonly waiting: readonly string[];
  /** Commands that reproduce it, in order. */
  readonly curl: readonly string[];
}

/** How much of the document a run judged. Every operation is counted once. */
export interface Coverage {
  readonly operations: number;
  readonly judged: number;
  /** Deliberately not judged. */
  readonly leftOut: number;
  readonly missed: number;
  /** Judged operations that got only a part of a battery; absent where there are none. */
  readonly inPart?: number;
  /** Judged operations where only the refusal was judged; absent where there are none. */
  readonly byRefusal?: number;
  /** Number of operations that were not judged, by `why`. */
  readonly byReason: Readonly<Record<string, number>>;
}

/** The result of a check. */
export interface Finding {
  /** `<rule>@<operation>` or `<rule>@service`. */
  readonly id: string;
  readonly rule: string;
  readonly clauses: readonly string[];
  /** Operation id or `service`. */
  readonly operation: string;
  /** The sentence of the rule, such as `refuses a request without a key`. */
  readonly title: string;
  readonly outcome: Outcome;
  /** One or two plain sentences; always present. */
  readonly reason: string;
  readonly note?: string;
  /** What a conforming server may answer, and what was seen, where that adds to the reason. */
  readonly expected?: string;
  readonly seen?: string;
  /** Code for the reason; absent for passed, observed and excluded findings. */
  readonly cause?: Cause;
  /** One-sentence summary of a failed, lenient or inconclusive finding. */
  readonly headline?: Headline;
  /** Checks or controls (`keyed control of listWorkouts`) that block this check, for people. */
  readonly blockedBy?: readonly string[];
  /** The blockers as data. */
  readonly blockers?: readonly Blocker[];
  readonly deviation?: { readonly reason: string; readonly expires?: string; readonly link?: string };
  /** Exchange ids; for a failed check the decisive one first. */
  readonly exchanges: readonly string[];
  /** Ids of exchanges that only together show the finding, in order. */
  readonly steps?: readonly string[];
  /** Which line of the oracle's table applied to each exchange; absent for passed findings. */
  readonly readings?: readonly { readonly exchange: string; readonly line: number; readonly verdict: string }[];
  /** Which identities sent plain requests, and what they got; source of the matrix. */
  readonly asked?: readonly AskedBy[];
  /** Exchange ids of the controls that the judgement compared with. */
  readonly comparedWith: readonly string[];
  /** Tricks that were sent, if not the whole battery; `again`: some in a second judgement. */
  readonly tried?: { readonly tricks: readonly string[]; readonly of: number; readonly again?: true };
  readonly durationMs: number;
}

/** Operations that are refused alike, and share the tricks of the batteries. */
export interface GateResult {
  readonly id: string;
  /** Operation ids. */
  readonly operations: readonly string[];
  /** Number of distinct tricks of its operations. */
  readonly tricks: number;
  /** Number of distinct tricks that were tried at one operation at least. */
  readonly tricksTried: number;
  /** Number of pairs of a trick and an operation that has it, and of those that were sent. */
  readonly places: { readonly of: number; readonly tried: number };
}

/** A fact that a check observed about a gap. */
export interface Observation extends Pick<SeenFact, 'gap' | 'fact' | 'id' | 'value' | 'reads' | 'volatile'> {
  readonly check: string;
  readonly exchanges: readonly string[];
}

export interface GapResult {
  readonly id: string;
  readonly question: string;
  readonly observations: readonly Pick<Observation, 'check' | 'fact' | 'exchanges'>[];
  /** Why the gap could not be observed. */
  readonly excluded?: string;
}

/** A finished run. Exchanges may not fit in memory, so they are streamed, as often as needed. */
export interface RunRecord {
  readonly results: Omit<Results, 'exchanges' | 'exchangesFile'>;
  /** @param wanted ids; all when absent */
  exchanges(wanted?: ReadonlySet<string>): AsyncIterable<Exchange>;
  /** Removes the file that `exchanges` reads. */
  dispose(): Promise<void>;
}

/** An identity that sends requests, as results.json names it. */
export interface IdentityResult {
  /** `nobody`, `invalid key`, `the key`, or a name of the `IDENTITIES` file. */
  readonly name: string;
  /** Scopes or roles of the identity, where they are known. */
  readonly scopes?: readonly string[];
  /** Names of identities with the same rights and another account. */
  readonly peers?: readonly string[];
  /** Whether the identity's key opened any operation; absent for identities without a key. */
  readonly alive?: boolean;
}

/** Documented and observed access of an identity to an operation. */
export interface MatrixCell {
  /** Operation id. */
  readonly operation: string;
  readonly identity: string;
  readonly documented: 'opens' | 'refuses' | 'unstated';
  /** Decided by the oracle from whole answers, never from statuses alone. */
  readonly seen: AskedBy['seen'] | 'notAsked';
  /** Id of the check that observed it. */
  readonly check?: string;
}

/** An observation that can be compared across runs. */
export interface FactResult {
  /** Stable: `refusal-without-key@listWorkouts`. */
  readonly id: string;
  /** Id of the check that observed it. */
  readonly check: string;
  readonly gap: string;
  /** Absent for the whole service. */
  readonly operation?: string;
  /** Canonical JSON without times, request ids, data or keys; `null` when unknown. */
  readonly value: Json;
  readonly words: string;
  /** Number of reads that showed it. */
  readonly reads: number;
  /** Two reads of the run disagree, so it is not compared. */
  readonly volatile?: boolean;
  readonly exchanges: readonly string[];
}

/** A fact that differs from the baseline. */
export interface Drift {
  /** Id of the fact. */
  readonly id: string;
  /** Value in the baseline, absent for a new fact; `is` is absent for a missing one. */
  readonly was?: Json;
  readonly is?: Json;
  readonly words?: string;
  /** Number of reads that showed the current value. */
  readonly reads: number;
  readonly exchanges: readonly string[];
}
