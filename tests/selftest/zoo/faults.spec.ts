import { faults } from '../../../src/reference/index.js';
import { judgeReference } from '../support/judge.js';
import { recordCommand } from '../support/recordings.js';
import { expect, sample, test } from '../support/test.js';
import { isOutOfReach } from '../support/zoo.js';
import { committedRows, rowOf } from './matrix.js';

/**
 * Every fault is caught by the clauses it breaks and by no other, over real sockets: the whole
 * suite against the real service.
 */

const rows = committedRows();

for (const fault of sample(faults, 72))
  test(`${fault.name}: ${fault.title}`, { tag: '@ci' }, async () => {
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
