import { judgeCheck } from '../../src/playwright/attach.js';
import { test } from '../../src/playwright/bare-test.js';
import { forEachTarget } from '../../src/playwright/projects.js';
import { openSessions } from '../../src/playwright/session.js';
import { titleOf } from '../../src/playwright/title.js';

const { sessions } = await openSessions();

forEachTarget(sessions, (session) => {
  for (const operation of new Set(session.checks.map((check) => check.operation)))
    test.describe(operation, () => {
      // One operation stays in one worker and one shard: its exchanges are shared by its checks.
      test.describe.configure({ mode: 'default' });
      for (const { id, rule } of session.checks.filter((check) => check.operation === operation))
        test(titleOf({ id, title: rule.title, of: rule.clauses.length > 0 ? rule.clauses : (rule.gaps ?? []) }), () =>
          judgeCheck(session, operation, id),
        );
    });
});
