import { readFileSync } from 'node:fs';
import { faults } from '../../../src/reference/index.js';
import { isOutOfReach } from '../support/ipv6.js';
import { judgeReference } from '../support/judge.js';
import { recordCommand } from '../support/recordings.js';
import { expect, test } from '../support/test.js';
import { committedRows, heading, killable, matrixFile, rowOf } from './matrix.js';

/** Every fault is caught by the clauses it breaks and by no other. */

const rows = committedRows();

for (const fault of faults)
  test(`${fault.name}: ${fault.title}`, async () => {
    test.skip(isOutOfReach(fault), 'this machine has no IPv6');
    const run = await judgeReference({ fault: fault.name });
    const clauses = fault.twin === undefined ? [...fault.clauses].sort() : [];
    expect(run.failedClauses, 'clauses that came out failed').toEqual(clauses);
    expect(run.results.verdict).toBe(fault.twin === undefined ? 'non-conformant' : 'incomplete');
    const failed = new Set(run.results.checks.filter(({ outcome }) => outcome === 'failed').map(({ rule }) => rule));
    expect(
      fault.twin === undefined ? fault.checks.filter((rule) => !failed.has(rule)) : [],
      'rules that missed it',
    ).toEqual([]);
    expect(rows.get(fault.name), `row of docs/kill-matrix.md; written by ${recordCommand()}`).toBe(
      rowOf(fault, run.results.checks),
    );
  });

test('the kill matrix has a row for each fault and names no other', () => {
  expect(readFileSync(matrixFile, 'utf8').startsWith(heading.join('\n'))).toBe(true);
  expect([...rows.keys()]).toEqual(faults.map(({ name }) => name));
});

test('every rule that can fail is killed by a fault', () => {
  const cells = [...committedRows().values()].map((row) => row.split('|').slice(4, -1));
  const unkilled = killable.filter(
    (rule, index) =>
      !canOnlyBeLenient.has(rule) && !needsResponses.has(rule) && !cells.some((row) => row[index]?.trim() === '✗'),
  );
  expect(unkilled, 'rules whose failed branch no fault reaches').toEqual([]);
});

/** Whoever sends the whole key has it: these never fail. */
const canOnlyBeLenient = new Set(['takes-key-nowhere-else', 'takes-no-other-format']);
/** Proved on documents that state responses; the shipped contract does not. */
const needsResponses = new Set(['documented-status', 'documented-body']);
