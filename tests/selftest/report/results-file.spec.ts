import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Results, RunRecord } from '../../../src/engine/results.js';
import { asset } from '../../../src/package.js';
import { readResults } from '../../../src/report/results-file.js';
import { writeReports } from '../../../src/report/write.js';
import type { Exchange } from '../../../src/wire/types.js';
import { broken, conforming, hostileText, incomplete } from '../support/sample-runs.js';
import { expect, test } from '../support/test.js';

let dir = '';
test.beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'report-'));
});
test.afterEach(() => rm(dir, { recursive: true, force: true }));

const collect = async (record: RunRecord): Promise<Exchange[]> => {
  const all: Exchange[] = [];
  for await (const exchange of record.exchanges()) all.push(exchange);
  return all;
};

const samples = { conforming, broken, hostile: () => broken(hostileText), incomplete };

for (const [name, sample] of Object.entries(samples)) {
  test(`a ${name} run fits the schema to the letter and is read back as it was`, async () => {
    const record = sample();
    const { results } = await writeReports(record, { dir, environment: {} });
    const schema: unknown = JSON.parse(await readFile(asset('schema', 'results.schema.json'), 'utf8'));
    const validate = new Ajv2020({
      strict: true,
      allowUnionTypes: true,
      strictTypes: false,
      strictRequired: false,
    }).compile(schema as object);
    validate(JSON.parse(await readFile(results, 'utf8')));
    expect(validate.errors ?? []).toEqual([]);
    const read = await readResults(results);
    expect(read.results).toEqual(record.results);
    expect(await collect(read)).toEqual(await collect(record));
    // And once more, since a record may be read as often as needed.
    expect(await collect(read)).toHaveLength((await collect(record)).length);
    expect(await readdir(join(dir, 'conformance'))).toHaveLength(6);
  });
}

const rewritten = async (change: (value: Record<string, unknown>) => unknown, indent?: number): Promise<string> => {
  const { results } = await writeReports(conforming(), { dir, environment: {} });
  const value = JSON.parse(await readFile(results, 'utf8')) as Record<string, unknown>;
  await writeFile(results, JSON.stringify(change(value), null, indent));
  return results;
};

test('reads a file that was formatted and reordered by somebody else', async () => {
  const file = await rewritten((value) => Object.fromEntries(Object.entries(value).reverse()), 2);
  const read = await readResults(file);
  expect(read.results).toEqual(conforming().results);
  expect(await collect(read)).toEqual(await collect(conforming()));
});

test('takes members that a newer tool of the same schemaVersion added', async () => {
  const file = await rewritten((value) => ({ ...value, mood: 'fine' }));
  expect((await readResults(file)).results.verdict).toBe('conformant');
});

const refusals: readonly (readonly [string, (value: Record<string, unknown>) => unknown, RegExp])[] = [
  [
    'a newer schemaVersion',
    (value) => ({ ...value, schemaVersion: 2 }),
    /schemaVersion 2, and this version reads 1: read it with a newer/,
  ],
  ['an older schemaVersion', (value) => ({ ...value, schemaVersion: 0 }), /schemaVersion 0.*run the suite again/],
  ['no schemaVersion', ({ schemaVersion: _gone, ...value }) => value, /no schemaVersion/],
  [
    'an unknown verdict',
    (value) => ({ ...value, verdict: 'fine' }),
    /\/verdict must be equal to one of the allowed values: conformant/,
  ],
  [
    'an exchange without attempts',
    (value) => ({ ...value, exchanges: [{ id: 'x' }] }),
    /exchanges\/0 must have required property/,
  ],
  ['a list', () => [], /not one JSON object/],
];

for (const [name, change, message] of refusals) {
  test(`refuses ${name} in one line`, async () => {
    const file = await rewritten(change);
    const error: unknown = await readResults(file).catch((caught: unknown) => caught);
    expect(String(error)).toMatch(message);
    expect(String(error)).not.toContain('\n');
    expect(error).toHaveProperty('name', 'ReportError');
  });
}

test('refuses a file cut short, a folder and a missing file', async () => {
  const { results } = await writeReports(conforming(), { dir, environment: {} });
  const text = await readFile(results, 'utf8');
  await writeFile(results, text.slice(0, text.length / 2));
  await expect(readResults(results)).rejects.toThrow(/is no results file: .*JSON/);
  await expect(readResults(join(dir, 'conformance'))).rejects.toThrow(/name the results.json in it/);
  await expect(readResults(join(dir, 'none.json'))).rejects.toThrow(
    /it does not exist \(ENOENT\); access-conformance run writes one/,
  );
});

test('two runs in one folder leave the files of one of them', async () => {
  const runs = [conforming(), broken(), incomplete(), conforming(), broken()];
  await Promise.all(runs.map((run) => writeReports(run, { dir, environment: {} })));
  const folder = join(dir, 'conformance');
  const { verdict } = (await readResults(join(folder, 'results.json'))).results;
  const badge = await readFile(join(folder, 'badge.json'), 'utf8');
  const words = {
    conformant: 'conformant,',
    'non-conformant': 'broken',
    incomplete: 'not judged',
    deviating: 'deviating',
    drifted: 'drifted',
  };
  expect(badge).toContain(words[verdict]);
  expect((await readdir(folder)).sort()).toEqual([
    'badge.json',
    'index.html',
    'junit.xml',
    'results.json',
    'results.sarif',
    'summary.md',
  ]);
});

test('the same run is written to the same bytes', async () => {
  const digest = async (): Promise<string> => {
    const paths = await writeReports(broken(), { dir, environment: {} });
    const files = await Promise.all(Object.values(paths).map((path) => readFile(path)));
    return createHash('sha256').update(Buffer.concat(files)).digest('hex');
  };
  expect(await digest()).toBe(await digest());
});

test('says in one line why a folder cannot be written', async () => {
  const file = join(dir, 'a-file');
  await writeFile(file, '');
  const error: unknown = await writeReports(conforming(), { dir: file, environment: {} }).catch(
    (caught: unknown) => caught,
  );
  expect(String(error)).toMatch(
    /^ReportError: cannot write reports to .*: a part of the path is a file \(ENOTDIR\); name another folder with --reports-dir or REPORTS_DIR$/,
  );
});

test('a full disk leaves the reports of the run before', async () => {
  await writeReports(conforming(), { dir, environment: {} });
  const full: RunRecord = {
    ...broken(),
    // biome-ignore lint/correctness/useYield: it fails before there is anything to give
    async *exchanges() {
      throw Object.assign(new Error('write failed'), { code: 'ENOSPC' });
    },
  };
  await expect(writeReports(full, { dir, environment: {} })).rejects.toThrow(/no space is left on the disk \(ENOSPC\)/);
  const { results } = await readResults(join(dir, 'conformance', 'results.json'));
  expect(results.verdict).toBe('conformant');
  expect(await readdir(join(dir, 'conformance'))).toHaveLength(6);
});

test('appends the summary for GitHub', async () => {
  const summary = join(dir, 'step-summary.md');
  await writeFile(summary, 'before\n');
  await writeReports(broken(), { dir, environment: { GITHUB_STEP_SUMMARY: summary } });
  expect(await readFile(summary, 'utf8')).toMatch(/^before\n## Not conformant: 3 of 9 clauses are broken/);
});

const long = (): RunRecord => {
  const record = broken(hostileText);
  return { ...record, results: { ...record.results, requestsSent: 10_001 } };
};

test('a long run keeps its exchanges in a file beside its results, and both are read as one', async () => {
  const { results, exchanges = '' } = await writeReports(long(), { dir, environment: {} });
  const written = JSON.parse(await readFile(results, 'utf8')) as Results;
  expect(written.exchanges).toEqual([]);
  const bytes = await readFile(exchanges);
  expect(written.exchangesFile).toEqual({
    name: 'exchanges.jsonl.gz',
    sha256: createHash('sha256').update(bytes).digest('hex'),
    exchanges: (await collect(long())).length,
  });
  expect(gunzipSync(bytes).toString()).not.toMatch(/[\u0000-\u0008\u001b\u202e]/);
  const read = await readResults(results);
  expect(read.results).toEqual(long().results);
  expect(await collect(read)).toEqual(await collect(long()));
  const [first] = await collect(long());
  const chosen: Exchange[] = [];
  for await (const exchange of read.exchanges(new Set([first?.id ?? '']))) chosen.push(exchange);
  expect(chosen).toEqual([first]);
});

test('a short run after a long one leaves no file of the long one', async () => {
  await writeReports(long(), { dir, environment: {} });
  expect(await readdir(join(dir, 'conformance'))).toHaveLength(7);
  const { results } = await writeReports(broken(), { dir, environment: {} });
  expect(await readdir(join(dir, 'conformance'))).toHaveLength(6);
  expect(await collect(await readResults(results))).toEqual(await collect(broken()));
});

test('exchanges of another run are refused, and without them all but they can be read', async () => {
  const { results, exchanges = '' } = await writeReports(long(), { dir, environment: {} });
  await rm(exchanges);
  const read = await readResults(results);
  expect(read.results.verdict).toBe('non-conformant');
  await expect(collect(read)).rejects.toThrow(
    /keeps its exchanges in exchanges\.jsonl\.gz beside it, which is not there/,
  );
  await writeFile(exchanges, gzipSync('{}\n'));
  await expect(readResults(results)).rejects.toThrow(/is not of the run in .*results\.json/);
});
