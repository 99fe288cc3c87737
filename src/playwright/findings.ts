import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { groupBy, lazy } from '../collections.js';
import { operationNames, titleOfFinding } from '../engine/causes/same-cause.js';
import { plannedAs } from '../engine/coverage.js';
import { observationsIn } from '../engine/facts.js';
import type { Finding, RunRecord } from '../engine/results.js';
import { textAt, writeAt } from '../engine/store/json-lines.js';
import { valuesForOperation } from '../engine/values/recording.js';
import { clauseSentences } from '../report/describe-finding.js';
import { jsonText } from '../visible.js';
import type { Exchange } from '../wire/types.js';
import type { TestAttachment } from './attachments.js';
import { runFile, writeWhole } from './run-folder.js';

/**
 * The findings of the engine's run, as the reporter's process hands them to the workers: a line
 * each, and the exchanges in a file beside, of which each line names the places.
 */

/** Offset and length of an exchange in its file, in bytes. */
type ByteRange = readonly [at: number, length: number];

interface FindingLine {
  /** A sentence without a full stop: `GET /orders opens without a key`. */
  readonly title: string;
  /** The sentences of its clauses, if it needs attention. */
  readonly clauses: readonly string[];
  readonly finding: Finding;
  /** Its exchanges and controls. Of a check that passed none, unless `EVIDENCE=full`. */
  readonly places: readonly ByteRange[];
  /** What the test attaches for `merge`, but for the exchanges. */
  readonly evidence?: Omit<TestAttachment, 'exchanges'>;
}

/** The finding of a check, as its test reports it. */
interface SharedFinding extends Omit<FindingLine, 'places'> {
  readonly exchanges: readonly Exchange[];
}

interface Reporting {
  readonly strict: boolean;
  readonly options: RunRecord['results']['options'];
}

const marker = (): string => runFile('', 'engine');
const findingsFile = (project: string): string => runFile(project, 'findings.jsonl');
const exchangesFile = (project: string): string => runFile(project, 'exchanges.jsonl');
const failureFile = (project: string): string => runFile(project, 'engine-failed');

/** Marks that the reporter's process judges. Called before any worker starts. */
export const announceEngine = (): void => writeFileSync(marker(), '', { mode: 0o600 });

const engineRuns = lazy(() => existsSync(marker()));

/** Whether a finding needs no attention. */
export const isQuiet = ({ outcome }: Finding): boolean =>
  outcome === 'passed' || outcome === 'observed' || outcome === 'excluded';

/**
 * Writes the exchanges of a run to their file: the place of each by id, and those of each
 * operation.
 */
const shareExchanges = async (project: string, record: RunRecord, wanted: ReadonlySet<string> | undefined) => {
  const places = new Map<string, ByteRange>();
  const asking = new Map<string, ByteRange[]>();
  const file = openSync(exchangesFile(project), 'w', 0o600);
  try {
    let at = 0;
    for await (const exchange of record.exchanges(wanted)) {
      if (wanted && !wanted.has(exchange.id)) continue;
      const text = Buffer.from(jsonText(exchange));
      writeAt(file, text, at);
      const place = [at, text.length] as const;
      at += text.length;
      places.set(exchange.id, place);
      const { operation } = exchange.probe;
      asking.set(operation, asking.get(operation) ?? []);
      asking.get(operation)?.push(place);
    }
  } finally {
    closeSync(file);
  }
  return { places, asking };
};

/**
 * Hands the findings of a run to the tests that wait for them.
 * @param part where tests attach evidence for `merge`: what all of it has
 */
export const shareFindings = async (
  project: string,
  record: RunRecord,
  reporting: Reporting,
  part?: Pick<TestAttachment, 'run' | 'shard'>,
): Promise<void> => {
  const { results } = record;
  const { checks, operations, recording, requestsSent } = results;
  const { values, identities, part: _part, ...common } = recording;
  const observed = groupBy(observationsIn(results), ({ check }) => check);
  const names = operationNames(operations);
  const idsOf = (finding: Finding): readonly string[] => {
    const { id, exchanges, comparedWith } = finding;
    const seen = part ? (observed.get(id) ?? []).flatMap((each) => each.exchanges) : [];
    return part || reporting.options.EVIDENCE === 'full' || !isQuiet(finding)
      ? [...exchanges, ...comparedWith, ...seen]
      : [];
  };
  const { places, asking } = await shareExchanges(project, record, part ? undefined : new Set(checks.flatMap(idsOf)));
  const placesOf = (finding: Finding): readonly ByteRange[] =>
    [...new Set(idsOf(finding))].flatMap((id) => {
      const place = places.get(id);
      return place ? [place] : [];
    });

  const checked = new Set(checks.map(({ operation }) => operation));
  const others = [...asking].flatMap(([operation, own]) => (checked.has(operation) ? [] : own));
  const begun = new Set<string>();
  /** With the first check of an operation goes what is of the whole operation. */
  const evidenceOf = (finding: Finding): Pick<FindingLine, 'places' | 'evidence'> => {
    const { id, operation } = finding;
    const own = placesOf(finding);
    if (!part) return { places: own };
    const evidence = { ...part, project, finding, observations: observed.get(id) ?? [], requestsSent };
    if (begun.has(operation)) return { places: own, evidence: { ...evidence, recording: common } };
    const described = values && operations.find((each) => each.id === operation);
    const all = new Set([...own, ...(asking.get(operation) ?? []), ...(begun.size === 0 ? others : [])]);
    begun.add(operation);
    return {
      places: [...all],
      evidence: {
        ...evidence,
        ...(described ? { described: plannedAs(described) } : {}),
        recording: {
          ...common,
          ...(described ? { values: valuesForOperation(values, operation) } : {}),
          ...(identities ? { identities } : {}),
        },
      },
    };
  };
  const lines = checks.map((finding) => {
    const line: FindingLine = {
      title: titleOfFinding(finding, names),
      clauses: isQuiet(finding) ? [] : clauseSentences(finding, results.clauses),
      finding,
      ...evidenceOf(finding),
    };
    return `${jsonText(finding.id)}\t${jsonText(line)}`;
  });
  writeWhole(findingsFile(project), [jsonText(reporting), ...lines].join('\n'));
};

/** Makes the waiting tests fail with this message. */
export const shareFailure = (project: string, message: string): void => writeWhole(failureFile(project), message);

interface SharedFindings {
  readonly reporting: Reporting;
  find(checkId: string): SharedFinding | undefined;
}

const read = (project: string): SharedFindings => {
  const [first = '', ...lines] = readFileSync(findingsFile(project), 'utf8').split('\n');
  const byId = new Map(lines.map((line) => [line.slice(0, line.indexOf('\t')), line]));
  const descriptor = openSync(exchangesFile(project), 'r');
  const exchangeAt = ([at, length]: ByteRange): Exchange => JSON.parse(textAt(descriptor, at, length)) as Exchange;
  return {
    reporting: JSON.parse(first) as Reporting,
    find: (checkId) => {
      const line = byId.get(jsonText(checkId));
      if (line === undefined) return undefined;
      const { places, ...shared } = JSON.parse(line.slice(line.indexOf('\t') + 1)) as FindingLine;
      return { ...shared, exchanges: places.map(exchangeAt) };
    },
  };
};

const known = new Map<string, SharedFindings>();

const interval = 25;

export const sharedFindings = async (project: string): Promise<SharedFindings> => {
  if (!engineRuns())
    throw new Error('Nothing judges: this runner leaves our reporter out. Use npx playwright test on a command line.');
  const there = known.get(project);
  if (there) return there;
  while (!existsSync(findingsFile(project))) {
    if (existsSync(failureFile(project))) throw new Error(readFileSync(failureFile(project), 'utf8'));
    await pause(interval);
  }
  const shared = read(project);
  known.set(project, shared);
  return shared;
};
