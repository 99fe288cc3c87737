import { readFileSync } from 'node:fs';
import { differs } from '../../../src/engine/access-matrix.js';
import type { MatrixCell } from '../../../src/engine/results.js';
import { faults, variants } from '../../../src/reference/index.js';
import type { JudgedRun } from '../support/judge.js';
import { judgeRecorded } from '../support/judge-recorded.js';
import { committedTable, committedTitles, outcomeText, tabled, titlesOf } from '../support/outcome-tables.js';
import { conformingName, readRecordings, recordCommand } from '../support/recordings.js';
import { expect, inFull, test } from '../support/test.js';
import { servers } from '../support/zoo.js';
import { committedRows, heading, killable, matrixFile, rowOf } from '../zoo/matrix.js';

/**
 * What every rule finds at every server of the zoo, judged from recorded answers: `tables/` says
 * what is expected, a table for each rule. That the answers are those of the real thing is proved
 * over real sockets by `../zoo`.
 */

const tables = new Map(tabled.map(({ id }) => [id, committedTable(id)]));
const matrix = committedRows();
const titles = committedTitles();

const judge = (name: string, settings: Readonly<Record<string, string>> = {}): Promise<JudgedRun> => {
  const recording = readRecordings().get(name);
  if (!recording) throw new Error(`${name} was never recorded: ${recordCommand(name)}`);
  return judgeRecorded(recording, settings);
};

for (const { name, settings } of servers)
  test(`each rule finds at ${name} what its table says`, async () => {
    const judged = await judge(name, settings);
    const { matrix: cells = [], checks, verdict } = judged.results;
    const failed = checks.filter(({ outcome }) => outcome === 'failed');
    const failedChecks = new Set(failed.map(({ id }) => id));
    const failedRules = new Set(failed.map(({ rule }) => rule));
    const fault = faults.find((one) => one.name === name);
    const variant = variants.find((one) => one.name === name);
    const isDecidable = fault !== undefined && fault.twin === undefined;
    const isOpen = ({ documented, seen }: MatrixCell): boolean => documented === 'refuses' && seen === 'opens';
    const opened = cells.filter(isOpen);

    const found = {
      outcomes: tabled.map(({ id }) => `${id}: ${outcomeText(judged, id)}`),
      titles: titlesOf(judged),
      verdict,
      clauses: judged.failedClauses,
      unfailed: (isDecidable ? fault.checks : []).filter((rule) => !failedRules.has(rule)),
      accusations: fault ? [] : [...failedRules],
      unseen: Object.entries(variant?.outcomes ?? {}).filter(
        ([rule, outcome]) => !judged.outcomesOf(rule).some((one) => one === outcome),
      ),
      openToNobody: opened.some(({ identity }) => identity === 'nobody'),
      unlikeChecks: opened.filter(({ check = '' }) => !failedChecks.has(check)),
      unlikeVerdict: verdict === 'conformant' ? cells.filter(differs) : [],
      killedBy: fault && rowOf(fault, checks),
    };
    // One comparison, since each costs a stack trace.
    expect(found, `tables, titles.md and docs/kill-matrix.md are written by ${recordCommand()}`).toEqual({
      outcomes: tabled.map(({ id }) => {
        const table = tables.get(id);
        return `${id}: ${table?.get(name) ?? table?.get(conformingName)}`;
      }),
      titles: titles.get(name) ?? [],
      verdict: fault ? (isDecidable ? 'non-conformant' : 'incomplete') : (variant?.verdict ?? 'conformant'),
      clauses: isDecidable ? [...fault.clauses].sort() : [],
      unfailed: [],
      accusations: [],
      unseen: [],
      // The matrix says that something opens where a check failed for it, and nowhere else.
      openToNobody: failedChecks.has('refuses-missing-key@listWorkouts'),
      unlikeChecks: [],
      unlikeVerdict: [],
      killedBy: fault && matrix.get(name),
    });
  });

test('every finding has a title of its own rule, which names what is wrong and no requirement', inFull, async () => {
  const rulesOf = new Map<string, Set<string>>();
  for (const { name, settings } of servers.filter((server) => titles.has(server.name))) {
    const { results } = await judge(name, settings);
    for (const { rule, headline, cause, outcome } of results.checks) {
      if (outcome !== 'failed' && outcome !== 'lenient') continue;
      const one = headline?.one ?? '';
      expect(one, `${rule} at ${name}`).not.toMatch(/^$|breaks “/);
      // What requests of several rules show alike is one cause.
      if (cause?.id === 'opens-by-now' || cause?.id === 'opens-now-and-then') continue;
      const sentence = one.replace('{way}', cause?.ways?.[0] ?? '');
      rulesOf.set(sentence, (rulesOf.get(sentence) ?? new Set()).add(rule));
    }
  }
  expect([...rulesOf].flatMap(([sentence, of]) => (of.size > 1 ? [[sentence, ...of]] : []))).toEqual([]);
});

test('the tables name servers that there are, each once', () => {
  const known = new Set(servers.map(({ name }) => name));
  for (const [rule, table] of tables)
    expect(
      [...table.keys()].filter((name) => !known.has(name)),
      rule,
    ).toEqual([]);
});

test('a recording that lacks what a rule asks for is an error that says how to record it anew', async () => {
  const recording = readRecordings().get('no-key-asked');
  if (!recording) throw new Error('no-key-asked was never recorded');
  const ids = [...recording.exchanges.keys()];
  const lacking = new Map([...recording.exchanges].filter(([id]) => id !== ids[0]));
  await expect(judgeRecorded({ ...recording, exchanges: lacking })).rejects.toThrow(
    /^The recording of no-key-asked has no answer to a request that the rules ask for today: .*npm run record-zoo -- no-key-asked$/,
  );
});

test('the kill matrix has a row for each fault and names no other', () => {
  expect(readFileSync(matrixFile, 'utf8').startsWith(heading.join('\n'))).toBe(true);
  expect([...matrix.keys()]).toEqual(faults.map(({ name }) => name));
});

test('every rule that can fail is killed by a fault', () => {
  const cells = [...matrix.values()].map((row) => row.split('|').slice(4, -1));
  const unkilled = killable.filter((_rule, index) => !cells.some((row) => row[index]?.trim() === '✗'));
  expect(unkilled, 'rules whose failed branch no fault reaches').toEqual([]);
});
