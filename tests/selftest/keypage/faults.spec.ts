import { type PageFaultName, pageFaults } from '../../../src/reference/pages/pages.js';
import { atSomeDeadline } from '../support/deadlines.js';
import { judgeAt, startWithPages } from '../support/key-page.js';
import { expect, rowsOfTable, test } from '../support/test.js';

/**
 * Outcomes of makes-a-key, shows-the-current-key and says-when-there-is-none with each fault: what
 * fails, and what stays green.
 */
const expected: Record<PageFaultName, readonly [string, string, string]> = {
  'no-message': ['passed', 'passed', 'failed'],
  'message-beside-key': ['passed', 'passed', 'failed'],
  'makes-nothing': ['failed', 'blocked', 'passed'],
  'dead-action': ['failed', 'blocked', 'passed'],
  'broken-action': ['failed', 'blocked', 'passed'],
  'works-without-token': ['failed', 'failed', 'passed'],
  'shows-another-key': ['failed', 'failed', 'passed'],
  'shown-once': ['passed', 'failed', 'passed'],
  'another-key-after-reload': ['passed', 'failed', 'passed'],
  'new-key-with-each-view': ['passed', 'inconclusive', 'passed'],
  'key-lost-with-session': ['passed', 'failed', 'passed'],
};

/** A service that replaces its keys by itself, as the contract allows, may answer alike. */
const undecidable: readonly PageFaultName[] = ['new-key-with-each-view'];

const clauseOf = ['PAGE-1', 'PAGE-2', 'PAGE-3'];

const row = rowsOfTable();
for (const { name, title, clauses } of pageFaults) {
  test(`a faulty page fails: ${title}`, row(), async ({ chromium }) => {
    const failed = clauseOf.filter((_clause, index) => expected[name][index] === 'failed');
    expect(failed).toEqual(undecidable.includes(name) ? [] : clauses);
    const judgeWithin = async (patienceMs: number): Promise<void> => {
      const service = await startWithPages({ fault: name });
      try {
        const judged = await judgeAt(service, chromium, {}, { patienceMs });
        const [made, shown, none] = expected[name];
        for (const secret of judged.secrets) expect(judged.everything).not.toContain(secret);
        expect(judged.outcomes, judged.everything).toEqual({
          'makes-a-key': made,
          'shows-the-current-key': shown,
          'says-when-there-is-none': none,
          'observes-key-life': 'observed',
        });
      } finally {
        await service.close();
      }
    };
    // What a faulty page never shows is waited for in vain.
    await atSomeDeadline(judgeWithin, [500, 5_000, 30_000]);
  });
}
