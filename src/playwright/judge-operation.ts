import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { judgePrepared } from '../app/run.js';
import { type PlannedOperation, plannedAs } from '../engine/coverage.js';
import { observationsIn } from '../engine/facts.js';
import { keyPageOperation } from '../engine/key-page.js';
import type { Finding, Observation, Recording } from '../engine/results.js';
import { type RecordedValues, valuesOf } from '../engine/values/recording.js';
import { playwrightModule } from '../package.js';
import type { KeyHolder } from '../rules/rule.js';
import { revokedKeyWarning } from '../settings/target.js';
import type { Exchange } from '../wire/types.js';
import { test } from './bare-test.js';
import type { Evidence } from './evidence.js';
import { limitOf } from './request-shares.js';
import { runFile, writeWhole } from './run-folder.js';
import { notAsked, type Session } from './session.js';
import { sharedKeys } from './shared-keys.js';

/** The findings, exchanges and figures of one operation, as kept on disk and attached to tests. */
export interface Judged {
  readonly findings: readonly Finding[];
  readonly observations: readonly Observation[];
  readonly exchanges: readonly Exchange[];
  readonly requestsSent: number;
  /** Values that were found for its parameters, and the operation as it was judged with them. */
  readonly values?: RecordedValues;
  readonly described?: PlannedOperation;
  /** Those of IDENTITIES, with the ids that were read for this operation. */
  readonly identities?: readonly KeyHolder[];
  /** Settings whose keys the key page's action has revoked. */
  readonly ended?: readonly string[];
}

const inThisProcess = new Map<string, Promise<Judged>>();

/** Judges an operation once a run. A failed test ends its worker; the next one reads the result. */
export const judgeOperation = (session: Session, operation: string): Promise<Judged> => {
  const name = fileOf(session, operation);
  const known = inThisProcess.get(name) ?? recallOrJudge(session, operation);
  inThisProcess.set(name, known);
  return known;
};

/** The file that keeps the result of an operation during a run. */
export const fileOf = ({ project }: Session, operation: string): string =>
  runFile(project, `${createHash('sha256').update(operation).digest('hex').slice(0, 24)}.json`);

const recallOrJudge = async (session: Session, operation: string): Promise<Judged> => {
  const file = fileOf(session, operation);
  const recall = (): Judged => JSON.parse(readFileSync(file, 'utf8')) as Judged;
  if (existsSync(file)) return recall();
  if (operation === keyPageOperation && session.settings.values.KEY_PAGE_URL !== undefined)
    await judgeKeyPageInProcess(session);
  else keep(session, operation, await judge(session, operation, test.info().config.workers));
  const judged = recall();
  for (const name of judged.ended ?? []) console.error(revokedKeyWarning(name));
  return judged;
};

export const keep = (session: Session, operation: string, judged: Judged): void =>
  writeWhole(fileOf(session, operation), JSON.stringify(judged));

/**
 * @param processes workers that judge operations at once, and share concurrency and rate;
 *   MAX_REQUESTS is shared by operations
 */
export const judge = async (session: Session, operation: string, processes = 1): Promise<Judged> => {
  const { seed, salt, settings } = session;
  const isAsked = settings.values.KEY_PAGE_URL !== undefined;
  const target = { ...session.target, ...limitOf(session, operation), processes };
  const { record, ended } = await judgePrepared(
    { ...session, target },
    {
      seed,
      salt,
      supply: await sharedKeys(session),
      only: (check) => check.operation === operation,
      ...(operation === keyPageOperation ? { keyPage: { isAsked, notAsked } } : {}),
    },
  );
  try {
    const exchanges: Exchange[] = [];
    for await (const exchange of record.exchanges()) exchanges.push(exchange);
    const { checks, requestsSent, recording, operations } = record.results;
    const described = operations.find(({ id }) => id === operation);
    return {
      findings: checks,
      observations: observationsIn(record.results),
      exchanges,
      requestsSent,
      ended,
      ...(recording.identities ? { identities: recording.identities } : {}),
      ...(recording.values && described
        ? { values: valuesOf(recording.values, operation), described: plannedAs(described) }
        : {}),
    };
  } finally {
    await record.dispose();
  }
};

/** The part of an operation's result that belongs to one check. */
export const evidenceOf = (
  { findings, observations: all, exchanges, requestsSent, values, identities, described }: Judged,
  checkId: string,
  recording: Recording,
): Omit<Evidence, 'project' | 'run' | 'shard'> => {
  const finding = findings.find(({ id }) => id === checkId);
  if (!finding) throw new TypeError(`${checkId} was planned and not judged`);
  const observations = all.filter(({ check }) => check === checkId);
  const observed = observations.flatMap((each) => each.exchanges);
  const ids = new Set([...finding.exchanges, ...finding.comparedWith, ...observed]);
  return {
    finding,
    observations,
    exchanges: exchanges.filter(({ id }) => ids.has(id)),
    requestsSent,
    recording: { ...recording, ...(values ? { values } : {}), ...(identities ? { identities } : {}) },
    ...(described ? { described } : {}),
  };
};

/**
 * Judges the key page in a child process without DEBUG, with which a Playwright worker would print
 * the typed password. Nor do calls of Playwright's library become steps of a test or a trace there.
 */
const judgeKeyPageInProcess = ({ project }: Session): Promise<void> =>
  new Promise((resolve, reject) => {
    const { DEBUG: _debug, PWDEBUG: _pwdebug, ...env } = process.env;
    const runner = fileURLToPath(import.meta.resolve('@playwright/test/cli'));
    const child = fork(runner, ['test', '-c', playwrightModule('key-page-child')], {
      execArgv: [],
      env: { ...env, ACCESS_CONFORMANCE_PROJECT: project },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let said = '';
    child.stderr?.on('data', (piece) => {
      said += String(piece);
    });
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      code === 0
        ? resolve()
        : reject(new Error(`The process that walks through the key page ended with ${signal ?? code}. ${said}`)),
    );
  });
