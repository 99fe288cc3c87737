import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  appendRun,
  type HistoryLine,
  historyPath,
  pastRunOf,
  readHistory,
  readingOf,
} from '../../../src/report/history.js';
import { writeReports } from '../../../src/report/write.js';
import { broken, conforming } from '../support/sample-runs.js';
import { expect, test } from '../support/test.js';

const target = 'https://fitness.example';

const past = (day: number, ids: readonly string[], more: Partial<HistoryLine> = {}): HistoryLine => ({
  schemaVersion: 1,
  startedAt: `2026-05-${String(day).padStart(2, '0')}T04:17:00.000Z`,
  durationMs: 3_000,
  verdict: ids.length > 0 ? 'non-conformant' : 'conformant',
  target,
  contract: 'c',
  tool: '0.1.0',
  requestsSent: 200,
  counts: {},
  causes: ids.map((id) => ({ id, title: `\`GET /${id}\` opens without a key`, outcome: 'failed', severity: 'open' })),
  ...more,
});

test('a cause stands since the first run that has it without a break; an unjudged run breaks nothing', () => {
  const runs = [
    past(1, ['old', 'back']),
    past(2, ['old']),
    past(3, [], { verdict: 'incomplete' }),
    past(4, ['old', 'back', 'mended'], { commit: 'abcdef0' }),
    past(5, ['old', 'back', 'new']),
  ];
  const { standing, gone } = readingOf(runs);
  expect(
    standing.map(({ cause, since, runs: seen, orEarlier }) => [
      cause.id,
      since.startedAt.slice(8, 10),
      seen,
      orEarlier,
    ]),
  ).toEqual([
    ['old', '01', 4, true],
    ['back', '04', 2, false],
    ['new', '05', 1, false],
  ]);
  expect(standing[1]?.since.commit).toBe('abcdef0');
  expect(gone.map(({ id }) => id)).toEqual(['mended']);
  expect(readingOf([past(1, ['a']), past(2, [], { verdict: 'incomplete' })]).gone).toEqual([]);
  expect(readingOf([])).toEqual({ standing: [], gone: [] });
});

test('the file is only added to; what is no line of it, or of another target, is left out', ({ cwd }) => {
  const file = historyPath(cwd);
  expect(readHistory(file, target)).toEqual([]);
  appendRun(file, past(1, ['a']));
  // Cut short by a full disk, then lines of nobody.
  appendFileSync(file, '{"schemaVersion":1,"verd');
  appendRun(file, past(2, ['b'], { target: 'https://other.example' }));
  const strange = [
    'null',
    '[]',
    '{"schemaVersion":2}',
    JSON.stringify({ ...past(3, []), verdict: 'constructor' }),
    JSON.stringify({ ...past(3, []), startedAt: 'yesterday' }),
    JSON.stringify({ ...past(3, []), causes: [{ id: 1 }] }),
  ];
  appendFileSync(file, `${strange.join('\n')}\n`);
  appendRun(file, past(4, [], { pipeline: 'javascript:alert(1)' }));
  const read = readHistory(file, target);
  expect(read.map(({ startedAt }) => startedAt.slice(8, 10))).toEqual(['01', '04']);
  expect(read[1]).not.toHaveProperty('pipeline');
  expect(readHistory(file, 'https://other.example')).toHaveLength(1);
});

test('of a large file only the end is read', ({ cwd }) => {
  const file = historyPath(cwd);
  const line = `${JSON.stringify(
    past(
      1,
      Array.from({ length: 100 }, (_, at) => `cause-${at}`),
    ),
  )}\n`;
  writeFileSync(file, line.repeat(Math.ceil(2 ** 22 / line.length)));
  appendRun(file, past(9, ['last']));
  const read = readHistory(file, target);
  expect(read.length).toBeGreaterThan(30);
  expect(read.length).toBeLessThan(401);
  expect(read.at(-1)?.causes.map(({ id }) => id)).toEqual(['last']);
});

test('a line has time, verdict, causes, counts and duration, and the pipeline where its address is plain', () => {
  const run = broken().results;
  const line = pastRunOf(run, {
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'a/b',
    GITHUB_RUN_ID: '7',
    GITHUB_SHA: 'abcdef0123',
  });
  expect(line).toMatchObject({
    startedAt: run.startedAt,
    durationMs: run.durationMs,
    verdict: 'non-conformant',
    counts: run.counts,
    pipeline: 'https://github.com/a/b/actions/runs/7',
    commit: 'abcdef0123',
  });
  // What is taken beyond the contract is no news.
  expect(line?.causes.length).toBe(run.causes.filter(({ outcome }) => outcome !== 'lenient').length);
  const withToken = pastRunOf(run, { CI_PIPELINE_URL: 'https://user:token@gitlab.example/p/1' });
  expect(JSON.stringify(withToken)).not.toContain('token@');
  // What a part of a run does not have is not gone.
  expect(pastRunOf({ ...run, complete: false })).toBeUndefined();
  expect(pastRunOf({ ...run, options: { ...run.options, SHARD: '1/2' } })).toBeUndefined();
  expect(pastRunOf({ ...run, recording: { ...run.recording, part: true } })).toBeUndefined();
});

test('the page shows the runs where a history is kept, from the second on', async ({ cwd }) => {
  const pageOf = async (record: ReturnType<typeof broken>, history: boolean): Promise<string> =>
    readFileSync((await writeReports(record, { dir: cwd, history, environment: {} })).page, 'utf8');
  expect(await pageOf(conforming(), false)).not.toContain('id="history"');
  expect(existsSync(historyPath(cwd))).toBe(false);
  expect(await pageOf(conforming(), true)).not.toContain('id="history"');
  const second = await pageOf(broken(), true);
  expect(second).toContain('The last 2 runs');
  expect(second).toMatch(/>new<\/td>/);
  expect(await pageOf(conforming(), true)).toContain('Gone since the run before');
  expect(readFileSync(join(cwd, 'history.jsonl'), 'utf8').split('\n')).toHaveLength(4);
});
