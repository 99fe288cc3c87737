import type { AppliedOverlay, StatedScheme } from '../contract/model.js';
import type { AskedBy, KeyHolder, SeenFact } from '../rules/rule.js';
import type { Blocker, Cause } from '../rules/support/causes.js';
import type { Headline, Severity } from '../rules/support/headlines.js';
import type { Exchange } from '../wire/types.js';
import type { IdentityResult, MatrixCell } from './access-results.js';
import type { Drift, FactResult } from './fact-results.js';
import type { Outcome, Verdict } from './outcomes.js';
import type { RecordedValues } from './values/recording.js';

/**
 * `reports/conformance/results.json`, `schemaVersion: 1`. `schema/results.schema.json` says the
 * same for other languages.
 */
export interface Results {
  readonly schemaVersion: 1;
  readonly tool: { readonly name: string; readonly version: string };
  readonly contract: {
    readonly title: string;
    readonly version: string;
    readonly file: string;
    /** Of the document as it was judged, overlays applied. */
    readonly sha256: string;
    /** Overlays that were applied, in their order; absent where there were none. */
    readonly overlays?: readonly AppliedOverlay[];
  };
  readonly target: { readonly name: string; readonly baseUrl: string; readonly httpBaseUrl: string | null };
  /** Every setting that changes what is judged, by its setting name; never a secret. */
  readonly options: Readonly<Record<string, string | number | boolean | null>>;
  /**
   * What has to be known to judge the recorded exchanges again: the seed of the random parts, and
   * traits of the keys.
   */
  readonly recording: Recording;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly verdict: Verdict;
  /** False when the run was cut short. */
  readonly complete: boolean;
  /**
   * The run that was cut short before, and how many of its answers this one rests on; absent for a
   * whole run.
   */
  readonly resumed?: { readonly startedAt: string; readonly exchanges: number };
  /** Checks by outcome, all seven names. */
  readonly counts: Readonly<Record<Outcome, number>>;
  readonly requestsSent: number;
  readonly clauses: readonly ClauseResult[];
  readonly coverage: Coverage;
  readonly operations: readonly OperationResult[];
  /** Over which operations batteries were spread; absent where every operation got all of them. */
  readonly gates?: readonly GateResult[];
  /** Who asked. */
  readonly identities: readonly IdentityResult[];
  /** By operation, and within it by identity. */
  readonly matrix: readonly MatrixCell[];
  readonly checks: readonly Finding[];
  /** What is wrong and what could not be judged, each once, worst first. */
  readonly causes: readonly CauseResult[];
  readonly gaps: readonly GapResult[];
  readonly facts: readonly FactResult[];
  /** Absent where no `BASELINE` was given. */
  readonly drift?: readonly Drift[];
  /** Empty where `exchangesFile` has them. */
  readonly exchanges: readonly Exchange[];
  /** Where the exchanges of a long run are; absent where `exchanges` has them. */
  readonly exchangesFile?: ExchangesFile;
}

/** A file beside `results.json`: gzip of JSON texts, an exchange a line. */
export interface ExchangesFile {
  readonly name: 'exchanges.jsonl.gz';
  /** Hex SHA-256 of the file. */
  readonly sha256: string;
  /** Number of its lines. */
  readonly exchanges: number;
}

export interface Recording {
  /**
   * Of random keys and paths; `''` where the parts of the run had different ones, and it cannot be
   * judged again.
   */
  readonly seed: string;
  readonly keys: Readonly<Record<string, { readonly mixesCase: boolean; readonly signed?: boolean }>>;
  /**
   * Version of the facts of bodies; absent: 1. A run is judged again by the version that recorded
   * it alone.
   */
  readonly facts?: number;
  /** Only chosen checks were judged, and no other operation was looked at. */
  readonly part?: true;
  /** Values of parameters that the document does not give; absent where none were looked for. */
  readonly values?: RecordedValues;
  /** Those of `IDENTITIES`, and where ids of their own were read; absent where none were given. */
  readonly identities?: readonly KeyHolder[];
}

export interface ClauseResult {
  readonly id: string;
  /** What it asks for in about three words. */
  readonly short?: string;
  readonly text: string;
  readonly source: string;
  readonly outcome: Outcome;
  /** Why it is excluded, where its sentence speaks of something that the document does not have. */
  readonly reason?: string;
  /** Check ids. */
  readonly checks: readonly string[];
  /** `file:line` of the clause in the contract document, where it stands there. */
  readonly position?: string;
}

/** Each operation of the document, and whether it was judged. */
export interface OperationResult {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly access: 'public' | 'protected' | 'unstated';
  readonly probed: boolean;
  /**
   * Alternatives of its security requirement, where they state scopes or roles: schemes that go
   * together, each with the scopes that it needs.
   */
  readonly requirements?: readonly (readonly StatedScheme[])[];
  /** Whether the check of its access passed or failed. */
  readonly judged?: boolean;
  /** `refusal`: the key opens no data there, so it was judged by the refusal alone. */
  readonly judgedBy?: 'refusal';
  /** Why it was not judged, for code; `reason` says it for people. */
  readonly why?: string;
  /** What tells it from others with the same `why`, of operations that were not probed. */
  readonly details?: readonly string[];
  /** A line that would get it judged: a setting, or an action of an overlay. */
  readonly mend?: string;
  readonly reason?: string;
  readonly position?: string;
}

/**
 * One thing that is wrong, or that something could not be judged for, with everything that it
 * explains.
 */
export interface CauseResult {
  /**
   * Stable over runs: rule, kind, what tells it from others of that kind, and its path prefix or first
   * operation. `refuses-missing-key/opens-without-key@listWorkouts`
   */
  readonly id: string;
  /** A sentence without a full stop: `GET /orders opens without a key`. */
  readonly title: string;
  readonly severity: Severity;
  /** That of its checks. */
  readonly outcome: 'failed' | 'lenient' | 'inconclusive' | 'blocked';
  /** All of its checks are known deviations. */
  readonly accepted?: true;
  readonly clauses: readonly string[];
  /** Operation ids; none where it is about the whole service. */
  readonly operations: readonly string[];
  /** Check ids that it explains, the decisive one first. */
  readonly checks: readonly string[];
  /** Check ids that could not be judged because of it. */
  readonly waiting: readonly string[];
  /** Commands that show it, to be run in this order. */
  readonly curl: readonly string[];
}

/** How much of the document a run judged. Every operation is counted once. */
export interface Coverage {
  readonly operations: number;
  readonly judged: number;
  /** Left out on purpose. */
  readonly leftOut: number;
  readonly missed: number;
  /** Judged operations that got a part of a battery alone; absent where none did. */
  readonly inPart?: number;
  /** Judged operations of which only the refusal was seen; absent where there are none. */
  readonly byRefusal?: number;
  /** Operations that were not judged, by `why`. */
  readonly byReason: Readonly<Record<string, number>>;
}

/** A check's outcome. */
export interface Finding {
  /** `<rule>@<operation>` or `<rule>@service`. */
  readonly id: string;
  readonly rule: string;
  readonly clauses: readonly string[];
  /** Operation id or `service`. */
  readonly operation: string;
  /** The rule's sentence, for example `refuses a request without a key`. */
  readonly title: string;
  readonly outcome: Outcome;
  /** Plain words, one or two sentences; always there. */
  readonly reason: string;
  readonly note?: string;
  /**
   * What a conforming server may answer, and what was seen; where a comparison says more than the
   * reason.
   */
  readonly expected?: string;
  readonly seen?: string;
  /**
   * The reason for code, of findings that are not passed, observed or excluded.
   */
  readonly cause?: Cause;
  /** What it says in one sentence; of findings that are failed, lenient or inconclusive. */
  readonly headline?: Headline;
  /**
   * Check ids or control names (`keyed control of listWorkouts`) that this one rests on and that
   * did not pass. For people.
   */
  readonly blockedBy?: readonly string[];
  /** The same for code. */
  readonly blockers?: readonly Blocker[];
  readonly deviation?: { readonly reason: string; readonly expires?: string; readonly link?: string };
  /** Exchange ids; for a failed check the decisive one first. */
  readonly exchanges: readonly string[];
  /** Ids of the exchanges that show it together, in their order, where one alone does not. */
  readonly steps?: readonly string[];
  /**
   * By which line of the oracle's table the exchanges were read; of findings that are not passed.
   */
  readonly readings?: readonly { readonly exchange: string; readonly line: number; readonly verdict: string }[];
  /**
   * Who asked for the operation in plain requests, and whether they got it; the matrix is made from
   * it.
   */
  readonly asked?: readonly AskedBy[];
  /** Exchange ids of the controls that the judgement compared with. */
  readonly comparedWith: readonly string[];
  /**
   * What was sent of its battery, where that was not all; `again`: in two parts, the second of what
   * opened elsewhere.
   */
  readonly tried?: { readonly tricks: readonly string[]; readonly of: number; readonly again?: true };
  readonly durationMs: number;
}

/** Operations that are refused alike, and share the tricks of the batteries. */
export interface GateResult {
  readonly id: string;
  /** Operation ids. */
  readonly operations: readonly string[];
  /** Tricks that its operations have, each counted once. */
  readonly tricks: number;
  /** Those of them that were tried at one operation at least. */
  readonly tricksTried: number;
  /** Every trick at every operation that has it, and those of them that were sent. */
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
  readonly observations: readonly {
    readonly check: string;
    readonly fact: string;
    readonly exchanges: readonly string[];
  }[];
  /** Why nothing could be observed, where nothing was. */
  readonly excluded?: string;
}

/**
 * A finished run. Exchanges may be many more than fit in memory, so they are read one by one, as
 * often as needed.
 */
export interface RunRecord {
  readonly results: Omit<Results, 'exchanges' | 'exchangesFile'>;
  /** @param wanted ids; all when absent */
  exchanges(wanted?: ReadonlySet<string>): AsyncIterable<Exchange>;
  /** Removes what was kept on disk for `exchanges`. */
  dispose(): Promise<void>;
}
