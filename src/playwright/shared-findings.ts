import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { groupBy, lazy } from '../collections.js';
import { operationNames, titleOfFinding } from '../engine/causes/titles.js';
import type { Finding, RunRecord } from '../engine/results.js';
import type { Weighed } from '../engine/verdict.js';
import { jsonText } from '../visible.js';
import type { Exchange } from '../wire/types.js';
import { runFile, writeWhole } from './run-folder.js';

/** The findings of the reporter's run, as it hands them to the workers: a file in the run's folder. */

/** The finding of a check, as its test reports it. */
export interface SharedFinding {
  /** A sentence without a full stop: `GET /orders opens without a key`. */
  readonly title: string;
  readonly finding: Finding;
  /** Its exchanges and controls. Empty for a check that passed, unless `EVIDENCE=full`. */
  readonly exchanges: readonly Exchange[];
}

export interface Reporting {
  readonly strict: boolean;
  readonly options: RunRecord['results']['options'];
}

const marker = (): string => runFile('', 'engine');
const findingsFile = (project: string): string => runFile(project, 'findings.jsonl');
const failureFile = (project: string): string => runFile(project, 'engine-failed');

/** Marks that the reporter's process judges. Called before any worker starts. */
export const announceEngine = (): void => writeFileSync(marker(), '', { mode: 0o600 });

export const engineRuns = lazy(() => existsSync(marker()));

/** Whether a finding needs no attention. */
export const isQuiet = ({ outcome }: Finding): boolean =>
  outcome === 'passed' || outcome === 'observed' || outcome === 'excluded';

/** Hands the findings of a run to the tests that wait for them. */
export const shareFindings = async (project: string, record: RunRecord, reporting: Reporting): Promise<void> => {
  const full = reporting.options.EVIDENCE === 'full';
  const shown = record.results.checks.filter((finding) => full || !isQuiet(finding));
  const wanted = new Set(shown.flatMap(({ exchanges, comparedWith }) => [...exchanges, ...comparedWith]));
  const exchanges = new Map<string, Exchange>();
  if (wanted.size > 0)
    for await (const exchange of record.exchanges()) if (wanted.has(exchange.id)) exchanges.set(exchange.id, exchange);
  const own = new Set(shown);
  const names = operationNames(record.results.operations);
  const lines = record.results.checks.map((finding) => {
    const ids = own.has(finding) ? new Set([...finding.exchanges, ...finding.comparedWith]) : [];
    const shared: SharedFinding = {
      title: titleOfFinding(finding, names),
      finding,
      exchanges: [...ids].flatMap((id) => exchanges.get(id) ?? []),
    };
    return `${jsonText(finding.id)}\t${jsonText(shared)}`;
  });
  writeWhole(findingsFile(project), [jsonText(reporting), ...lines].join('\n'));
};

/** Makes the waiting tests fail with this message. */
export const shareFailure = (project: string, message: string): void => writeWhole(failureFile(project), message);

interface Shared {
  readonly reporting: Reporting;
  find(checkId: string): SharedFinding | undefined;
}

const read = (file: string): Shared => {
  const [first = '', ...lines] = readFileSync(file, 'utf8').split('\n');
  const byId = new Map(lines.map((line) => [line.slice(0, line.indexOf('\t')), line]));
  return {
    reporting: JSON.parse(first) as Reporting,
    find: (checkId) => {
      const line = byId.get(jsonText(checkId));
      return line === undefined ? undefined : (JSON.parse(line.slice(line.indexOf('\t') + 1)) as SharedFinding);
    },
  };
};

const known = new Map<string, Shared>();

const interval = 25;

export const sharedFindings = async (project: string): Promise<Shared> => {
  const there = known.get(project);
  if (there) return there;
  for (;;) {
    if (existsSync(findingsFile(project))) break;
    if (existsSync(failureFile(project))) throw new Error(readFileSync(failureFile(project), 'utf8'));
    await pause(interval);
  }
  const shared = read(findingsFile(project));
  known.set(project, shared);
  return shared;
};

interface LoggedOutcome extends Weighed {
  readonly project: string;
}

/** Outcomes of the selected tests, a line each. Workers write it, and the teardown reads it. */
const file = lazy(() => runFile('', 'outcomes.jsonl'));

export const logOutcome = (project: string, { id, outcome, blockers }: Finding): void => {
  const logged: LoggedOutcome = { project, id, outcome, ...(blockers ? { blockers } : {}) };
  appendFileSync(file(), `${JSON.stringify(logged)}\n`, { mode: 0o600 });
};

/** One list for each deployment that has an outcome. */
export const loggedOutcomes = (): readonly (readonly Weighed[])[] => {
  const lines = existsSync(file()) ? readFileSync(file(), 'utf8').split('\n') : [];
  const all = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as LoggedOutcome);
  return [...groupBy(all, ({ project }) => project).values()];
};
