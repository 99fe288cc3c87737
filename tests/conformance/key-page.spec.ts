import { judgeCheck } from '../../src/playwright/attach.js';
import { test } from '../../src/playwright/bare-test.js';
import { keyPageOperation, keyPageTests } from '../../src/playwright/key-page.js';
import { forEachTarget } from '../../src/playwright/projects.js';
import { openSessions } from '../../src/playwright/session.js';

const { sessions } = await openSessions();

forEachTarget(sessions, (session) => {
  test.describe('key page', () => {
    // One walk serves all checks, and what it saw is kept on disk: the action is pressed once a run, whatever fails.
    test.describe.configure({ mode: 'default' });
    for (const { id, clauses, title } of keyPageTests(session))
      test(`${clauses.join(', ') || 'GAP-KEY-LIFE'} ${title} [${id}]`, () => judgeCheck(session, keyPageOperation, id));
  });
});
