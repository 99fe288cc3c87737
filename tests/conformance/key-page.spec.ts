import { keyPageOperation } from '../../src/engine/key-page.js';
import { judgeCheck } from '../../src/playwright/attach.js';
import { test } from '../../src/playwright/bare-test.js';
import { forEachTarget } from '../../src/playwright/projects.js';
import { openSessions } from '../../src/playwright/session.js';
import { titleOf } from '../../src/playwright/title.js';

const { sessions } = await openSessions();

forEachTarget(sessions, (session) => {
  test.describe('key page', () => {
    // One walk serves all checks, and what it saw is kept on disk: the action is pressed once a run, whatever fails.
    test.describe.configure({ mode: 'default' });
    for (const { id, rule } of session.keyPageChecks)
      test(titleOf({ id, title: rule.title, of: rule.clauses.length > 0 ? rule.clauses : (rule.gaps ?? []) }), () =>
        judgeCheck(session, keyPageOperation, id),
      );
  });
});
