import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { _baseTest as test } from '@playwright/test';
import { groupBy } from '../collections.js';
import { isBroken } from '../engine/outcomes.js';
import { describeFinding, deviationText, findingLines } from '../report/describe-finding.js';
import { decisiveId } from '../report/run-summary.js';
import type { Rule } from '../rules/rule.js';
import { jsonText, visible } from '../visible.js';
import type { Exchange } from '../wire/types.js';
import { clip, counted } from '../words.js';
import { evidenceName, type TestAttachment } from './attachments.js';
import { isQuiet, sharedFindings } from './findings.js';
import { isListing, isWorker, runFile, runFolder, shardsIn, writeWhole } from './run-folder.js';
import type { PreparedSession, Sessions } from './session.js';

/**
 * Playwright's `test` without browser fixtures and trace recorder, which would cost each test more
 * than its check does. Probes go through the suite's own client, so Playwright never sees the key.
 */
export { test };

interface ListedCheck {
  readonly id: string;
  readonly title: string;
  readonly tags: readonly string[];
}

interface ListedOperation {
  /** `GET /api/v2/workout/ · listWorkouts` */
  readonly name: string;
  readonly checks: readonly ListedCheck[];
}

interface ListedTarget {
  /** Name of its Playwright project; `''` for the only deployment. */
  readonly project: string;
  readonly name: string;
  readonly operations: readonly ListedOperation[];
  readonly keyPage: ListedOperation;
}

/** What the configuration and the test files have to know of a run. */
interface Listing {
  readonly reportsDir: string;
  readonly targets: readonly ListedTarget[];
  /** Whether there are enough operations for several workers. */
  readonly isLarge: boolean;
  readonly timeoutMs: number;
  readonly mostGroups: number;
}

interface Listable {
  readonly id: string;
  readonly operation: string;
  readonly rule: Pick<Rule, 'id' | 'title' | 'clauses' | 'gaps'>;
}

/**
 * A test is named by its requirement and rule. Clauses or gaps, operation and check are tags for
 * `--grep`: `@AUTH-3`, `@listWorkouts`, `@refuses-missing-key@listWorkouts`.
 */
const listed = ({ id, operation, rule }: Listable): ListedCheck => ({
  id,
  title: `${rule.title} · ${rule.id}`,
  tags: [...(rule.clauses.length > 0 ? rule.clauses : (rule.gaps ?? [])), operation, id].map(
    (tag) => `@${visible(tag)}`,
  ),
});

const operationsIn = ({ checks, contract }: PreparedSession): readonly ListedOperation[] => {
  const names = new Map(contract.operations.map(({ id, method, path }) => [id, `${method} ${path}`]));
  return [...groupBy(checks, ({ operation }) => operation)].map(([id, own]) => {
    const name = id === 'service' ? 'the whole service' : names.get(id);
    return {
      name: visible(name === undefined || name === id ? id : `${name} · ${id}`),
      checks: own.map(listed),
    };
  });
};

/**
 * Groups of operations of a shard, at most. Playwright gives a shard the groups that begin in its
 * part of all tests, so a group that is longer than a part would leave the next shard empty.
 */
const groupsOfShard = 8;

const listingOf = ({ reportsDir, sessions }: Sessions): Listing => ({
  reportsDir,
  targets: sessions.map((session) => ({
    project: session.project,
    name: session.target.name,
    operations: operationsIn(session),
    keyPage: { name: 'key page', checks: session.keyPageChecks.map(listed) },
  })),
  isLarge: sessions.some(({ contract }) => contract.operations.length > 50),
  timeoutMs: (Math.max(...sessions.map(({ target }) => target.rateLimitWaitS)) + 600) * 1000,
  mostGroups: groupsOfShard * shardsIn(process.argv),
});

let listing: Promise<Listing> | undefined;

/** The tests of a run. The first process reads settings and contracts; workers read its result. */
export const readListing = (): Promise<Listing> => {
  listing ??= (async () => {
    const known = join(runFolder(), 'listing.json');
    if (isWorker && existsSync(known)) return JSON.parse(readFileSync(known, 'utf8')) as Listing;
    // Loaded where it is needed: a worker has to start quickly.
    const { openSessions } = await import('./session.js');
    const found = listingOf(await openSessions());
    if (isListing) return found;
    // The folder is made after the settings were read: a run that never began leaves nothing.
    writeWhole(runFile('', 'listing.json'), JSON.stringify(found));
    return found;
  })();
  return listing;
};

const tagOf = ({ project }: Pick<ListedTarget, 'project'>): string => `@target-${project}`;

/** The Playwright project of a deployment: its own tests, by their tag. */
export const projectOf = (target: ListedTarget): { readonly name: string; readonly grep: RegExp } => ({
  name: target.project,
  grep: new RegExp(`${tagOf(target).replaceAll('.', '\\.')}(?![a-z0-9.-])`),
});

/** Declares the tests of each deployment, as its project finds them. */
export const forEachTarget = (targets: readonly ListedTarget[], declare: (target: ListedTarget) => void): void => {
  for (const target of targets)
    if (target.project === '') declare(target);
    else test.describe(target.name, { tag: tagOf(target) }, () => declare(target));
};

/**
 * Declares operations in groups of equal size. For each group Playwright makes all tests of the
 * file anew, so that with a group an operation the time would grow with their square.
 */
export const together = (
  operations: readonly ListedOperation[],
  mostGroups: number,
  declare: (operation: ListedOperation) => void,
): void => {
  const size = Math.ceil(operations.length / mostGroups);
  for (let first = 0; first < operations.length; first += size) {
    const group = operations.slice(first, first + size);
    if (size === 1) group.forEach(declare);
    else
      test.describe(() => {
        test.describe.configure({ mode: 'default' });
        group.forEach(declare);
      });
  }
};

const mostSteps = 60;

/**
 * The body of one test: waits for the finding of its check, and reports it to Playwright:
 * annotations, and an error if it is not green. Exchanges become steps if the check did not pass,
 * or with `EVIDENCE=full`: steps cost more than checks.
 */
export const judgeCheck = async (project: string, checkId: string): Promise<void> => {
  const info = test.info();
  // The first test waits for the whole run, whose end is the reporter's business.
  test.setTimeout(0);
  const { reporting, find } = await sharedFindings(project);
  const shared = find(checkId);
  if (!shared) throw new Error(`${checkId} was planned and not judged`);
  const { title, clauses, finding, exchanges, evidence } = shared;
  const { outcome, reason, note, deviation } = finding;
  const attach = (name: string, value: unknown): Promise<void> =>
    info.attach(name, {
      contentType: 'application/json',
      body: jsonText(value, name === evidenceName ? undefined : 2),
    });
  if (evidence) await attach(evidenceName, { ...evidence, exchanges } satisfies TestAttachment);
  else if (exchanges.length > 0) await attach('exchanges', exchanges);

  const shown = new Set(reporting.options.EVIDENCE === 'full' || !isQuiet(finding) ? finding.exchanges : []);
  const own = exchanges.filter(({ id }) => shown.has(id));
  for (const exchange of own.slice(0, mostSteps)) await test.step(stepOf(exchange), () => {});
  if (own.length > mostSteps)
    await test.step(`and ${counted(own.length - mostSteps, 'more exchange')} in the report`, () => {});
  info.annotations.push({ type: outcome, description: reason });
  if (note) info.annotations.push({ type: 'note', description: note });
  if (deviation) info.annotations.push({ type: 'deviation', description: deviationText(deviation) });
  const isRed = outcome === 'inconclusive' || (isBroken(outcome, reporting.strict) && deviation === undefined);
  // A blocked check is skipped here; the reporter fails the run.
  if (outcome === 'excluded' || outcome === 'blocked') test.skip(true, reason);
  else if (isRed) {
    const decisive = exchanges.find(({ id }) => id === decisiveId(finding));
    const lines = findingLines(describeFinding(finding, decisive, reporting.options));
    throw new FindingError([visible(title), ...clauses, ...lines].join('\n'));
  }
};

/** An error without a stack: the finding is the message. */
class FindingError extends Error {
  constructor(message: string) {
    super(message);
    this.name = '';
    this.stack = message;
  }
}

const stepOf = ({ probe, attempts }: Exchange): string => {
  const last = attempts.at(-1);
  const answer = last?.response ? `${last.response.status}` : `no answer (${last?.error?.code ?? 'none'})`;
  return `${probe.method} ${clip(visible(probe.target), 120)}, ${probe.name}: ${answer}`;
};
