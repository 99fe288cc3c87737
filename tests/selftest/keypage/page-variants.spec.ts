import { pageVariants } from '../../../src/reference/pages/pages.js';
import { judgeAt, startWithPages } from '../support/key-page.js';
import { expect, inFull, test } from '../support/test.js';

const held = {
  'makes-a-key': 'passed',
  'shows-the-current-key': 'passed',
  'says-when-there-is-none': 'passed',
  'observes-key-life': 'observed',
};

// What such pages have in common, and the first of them, CI proves in run.spec.ts.
for (const { name, title } of pageVariants) {
  test(`a page that keeps the contract passes: ${title}`, inFull, async ({ chromium }) => {
    const service = await startWithPages({ variant: name });
    try {
      const judged = await judgeAt(service, chromium, {}, { patienceMs: 30_000 });
      expect(judged.outcomes, judged.everything).toEqual(held);
      for (const secret of judged.secrets) expect(judged.everything).not.toContain(secret);
    } finally {
      await service.close();
    }
  });
}
