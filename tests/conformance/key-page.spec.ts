import { judgeCheck } from '../../src/playwright/attach.js';
import { test } from '../../src/playwright/bare-test.js';
import { keyPageOperation, keyPageTests } from '../../src/playwright/key-page.js';
import { forEachTarget } from '../../src/playwright/projects.js';
import { openSessions } from '../../src/playwright/session.js';
import { titleOf } from '../../src/playwright/title.js';

const { sessions } = await openSessions();

forEachTarget(sessions, (session) => {
  test.describe('key page', () => {
    // One walk serves all checks, and what it saw is kept on disk: the action is pressed once a run, whatever fails.
    test.describe.configure({ mode: 'default' });
    for (const { id, clauses, title } of keyPageTests(session))
      test(titleOf({ id, title, of: clauses.length > 0 ? clauses : ['GAP-KEY-LIFE'] }), () =>
        judgeCheck(session, keyPageOperation, id),
      );
  });
});
