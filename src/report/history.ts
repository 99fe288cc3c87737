import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { orUndefined } from '../collections.js';
import { toneOfVerdict, type Verdict } from '../engine/outcomes.js';
import { tool } from '../package.js';
import { jsonText } from '../visible.js';
import { clip } from '../words.js';
import { type ShownCause, shownCauses } from './causes.js';
import { continuationsOf, type TracedCause, waysOfCause } from './compared-causes.js';
import { failedTo } from './reports-folder.js';
import { findingsById, type RunSummary, shardOf } from './run-summary.js';

/** A cause as a line of the history keeps it. */
interface PastCause extends TracedCause {
  readonly title: string;
  readonly severity: string;
}

/** What the page shows of a run in `history.jsonl`. */
export interface PastRun {
  readonly startedAt: string;
  readonly verdict: Verdict;
  readonly target: RunSummary['target']['baseUrl'];
  readonly causes: readonly PastCause[];
  /** Facts that are not as the baseline says; absent where no baseline was given. */
  readonly drift?: number;
  /** Number of further causes, which are not listed. */
  readonly moreCauses?: number;
  /** The pipeline that the run was part of, and the commit that it was of. */
  readonly pipeline?: string;
  readonly commit?: string;
}

/** A line of `history.jsonl`, without a key, addresses other than BASE_URL, and answers. */
export interface HistoryLine extends PastRun, Pick<RunSummary, 'durationMs' | 'requestsSent'> {
  readonly schemaVersion: 1;
  readonly counts: Readonly<Partial<RunSummary['counts']>>;
  readonly contract: RunSummary['contract']['sha256'];
  readonly tool: string;
}

export const historyPath = (reportsDir: string): string => join(reportsDir, 'history.jsonl');

const mostCauses = 200;
/** Operations of a line, over all of its causes; a cause beyond them is found again by its id. */
const mostOperations = 2_000;
/** Bytes that are read, from the end of the file. */
const mostRead = 2 ** 21;
const mostRuns = 400;

type Environment = Readonly<Record<string, string | undefined>>;

const address = /^https?:\/\/[^\s/@?#]+(?:\/[^\s?#]*)?$/;

const pipelineOf = (env: Environment): Pick<PastRun, 'pipeline' | 'commit'> => {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: id } = env;
  const pipeline = server && repository && id ? `${server}/${repository}/actions/runs/${id}` : env.CI_PIPELINE_URL;
  const commit = env.GITHUB_SHA || env.CI_COMMIT_SHA;
  return {
    ...(pipeline && address.test(pipeline) ? { pipeline } : {}),
    ...(commit && /^[0-9a-f]{7,64}$/.test(commit) ? { commit } : {}),
  };
};

/** The history line of a run; `undefined` for a partial run, whose missing causes are not gone. */
export const pastRunOf = (run: RunSummary, env: Environment = {}): HistoryLine | undefined => {
  if (!run.complete || run.recording.part === true || shardOf(run) !== undefined) return undefined;
  const { broken, accepted, open } = shownCauses(run);
  const causes = [...broken, ...accepted, ...open];
  const findings = findingsById(run);
  let room = mostOperations;
  const lineOf = (cause: ShownCause): PastCause => {
    const { id, title, severity, outcome, operations } = cause;
    const ways = waysOfCause(cause, findings);
    const isKept = operations.length > 0 && operations.length <= room;
    if (isKept) room -= operations.length;
    const traces = { ...(isKept ? { operations } : {}), ...(ways.length > 0 ? { ways } : {}) };
    return { id, title: clip(title, 300), severity, outcome, ...traces };
  };
  return {
    schemaVersion: 1,
    startedAt: run.startedAt,
    durationMs: run.durationMs,
    verdict: run.verdict,
    target: run.target.baseUrl,
    contract: run.contract.sha256,
    tool: tool.version,
    requestsSent: run.requestsSent,
    counts: run.counts,
    causes: causes.slice(0, mostCauses).map(lineOf),
    ...(run.drift ? { drift: run.drift.length } : {}),
    ...(causes.length > mostCauses ? { moreCauses: causes.length - mostCauses } : {}),
    ...pipelineOf(env),
  };
};

/** Appends a line with one write, so that runs that end at the same time do not mix theirs. */
export const appendRun = (file: string, run: HistoryLine): void => {
  try {
    const descriptor = openSync(file, constants.O_APPEND | constants.O_CREAT | constants.O_RDWR, 0o644);
    try {
      const { size } = fstatSync(descriptor);
      const last = Buffer.alloc(1);
      // A line that a full disk cut short is ended first.
      const isCut = size > 0 && readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] !== 10;
      writeSync(descriptor, `${isCut ? '\n' : ''}${jsonText(run)}\n`);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw failedTo(`write ${file}`, file, error, '; HISTORY=false keeps no history');
  }
};

/**
 * The earlier runs of a target, oldest first, from the end of the file. Other lines are ignored.
 */
export const readHistory = (file: string, target: string): readonly PastRun[] => {
  const runs = tailOf(file)
    .split('\n')
    .flatMap((line) => pastRunIn(line) ?? []);
  return runs.filter((run) => run.target === target).slice(-mostRuns);
};

const tailOf = (file: string): string => {
  const descriptor = orUndefined(() => openSync(file, constants.O_RDONLY | constants.O_NONBLOCK));
  if (descriptor === undefined) return '';
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) return '';
    const from = Math.max(0, status.size - mostRead);
    const bytes = Buffer.alloc(Math.min(status.size, mostRead));
    const text = bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, from)).toString('utf8');
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    closeSync(descriptor);
  }
};

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number' && value >= 0;
const isVerdict = (value: unknown): value is Verdict => isText(value) && Object.hasOwn(toneOfVerdict, value);

const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);
const isOutcome = (value: unknown): value is PastCause['outcome'] =>
  value === 'failed' || value === 'lenient' || value === 'inconclusive' || value === 'blocked';

const pastCauseIn = (value: unknown): PastCause | undefined => {
  const { id, title, severity, outcome, operations, ways } = Object(value) as {
    readonly [Name in keyof PastCause]?: unknown;
  };
  if (!isText(id) || !isText(title) || !isText(severity) || !isOutcome(outcome)) return undefined;
  return {
    id,
    title,
    severity,
    outcome,
    ...(isTexts(operations) ? { operations: operations.slice(0, mostOperations) } : {}),
    ...(isTexts(ways) ? { ways } : {}),
  };
};

/** The file comes from a cache or an artifact, so nothing in it is trusted. */
const pastRunIn = (line: string): PastRun | undefined => {
  const run = Object(orUndefined((): unknown => JSON.parse(line))) as {
    readonly [Name in keyof HistoryLine]?: unknown;
  };
  if (run.schemaVersion !== 1 || !isVerdict(run.verdict) || !isText(run.target) || !isText(run.startedAt))
    return undefined;
  if (Number.isNaN(Date.parse(run.startedAt)) || !Array.isArray(run.causes)) return undefined;
  const causes = run.causes.slice(0, mostCauses).flatMap((one: unknown) => pastCauseIn(one) ?? []);
  if (causes.length < Math.min(run.causes.length, mostCauses)) return undefined;
  const { pipeline, commit, moreCauses, drift } = run;
  return {
    startedAt: new Date(run.startedAt).toISOString(),
    verdict: run.verdict,
    target: run.target,
    causes,
    ...(isNumber(drift) ? { drift } : {}),
    ...(isNumber(moreCauses) ? { moreCauses } : {}),
    ...(isText(pipeline) && address.test(pipeline) ? { pipeline } : {}),
    ...(isText(commit) ? { commit: commit.slice(0, 64) } : {}),
  };
};

export interface Standing {
  readonly cause: PastCause;
  /** The run that brought it: the first of those that have it without a break. */
  readonly since: PastRun;
  /** Runs that saw it since, the last one included. */
  readonly runs: number;
  /** The cause may be older: the first run of the history has it. */
  readonly orEarlier: boolean;
}

interface HistoryReading {
  readonly standing: readonly Standing[];
  /** Causes of the run before that the last one does not have. */
  readonly gone: readonly PastCause[];
}

/** An incomplete run shows of no cause that it is gone. */
const judgedAll = ({ verdict, moreCauses }: PastRun): boolean => verdict !== 'incomplete' && moreCauses === undefined;

/** Since when each cause of the last run stands, and what is gone since the run before. */
export const readingOf = (runs: readonly PastRun[]): HistoryReading => {
  const last = runs.at(-1);
  if (!last) return { standing: [], gone: [] };
  const before = runs.slice(0, -1).reverse();
  const continued = new Map(before.map((run) => [run, continuationsOf(last.causes, run.causes)]));
  const standing = last.causes.map((cause): Standing => {
    let [since, seen, orEarlier] = [last, 1, true];
    for (const run of before) {
      if (continued.get(run)?.has(cause)) {
        since = run;
        seen += 1;
      } else if (judgedAll(run)) {
        orEarlier = false;
        break;
      }
    }
    return { cause, since, runs: seen, orEarlier };
  });
  const previous = before.find(judgedAll);
  const still = new Set(previous ? [...(continued.get(previous)?.values() ?? [])].flat() : []);
  const gone = judgedAll(last) && previous ? previous.causes.filter((cause) => !still.has(cause)) : [];
  return { standing, gone };
};
