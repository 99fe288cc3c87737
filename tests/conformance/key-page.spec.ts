import { test } from '@playwright/test';
import { evidenceName, evidenceOf, judgeOperation } from '../../src/playwright/judged.js';
import { keyPageOperation, keyPageTests } from '../../src/playwright/key-page.js';
import { openSession } from '../../src/playwright/session.js';
import { report } from '../../src/playwright/tell.js';

const session = await openSession();

test.describe('key page', () => {
  // One walk serves all checks, and what it saw is kept on disk: the action is pressed once a run, whatever fails.
  test.describe.configure({ mode: 'default' });
  for (const { id, clauses, title } of keyPageTests(session))
    test(`${clauses.join(', ') || 'GAP-KEY-LIFE'} ${title} [${id}]`, async () => {
      const evidence = evidenceOf(await judgeOperation(session, keyPageOperation), id, session.recording);
      await test.info().attach(evidenceName, { contentType: 'application/json', body: JSON.stringify(evidence) });
      await report(evidence, session.target.strict);
    });
});
