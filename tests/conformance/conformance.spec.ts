import { test } from '@playwright/test';
import { evidenceName, evidenceOf, judgeOperation } from '../../src/playwright/judged.js';
import { openSession } from '../../src/playwright/session.js';
import { report } from '../../src/playwright/tell.js';

const session = await openSession();

for (const operation of new Set(session.checks.map((check) => check.operation)))
  test.describe(operation, () => {
    // One operation stays in one worker and one shard: its exchanges are shared by its checks.
    test.describe.configure({ mode: 'default' });
    for (const { id, rule } of session.checks.filter((check) => check.operation === operation))
      test(`${rule.clauses.join(', ') || (rule.gaps ?? []).join(', ')} ${rule.title} [${id}]`, async () => {
        const evidence = evidenceOf(await judgeOperation(session, operation), id, session.recording);
        await test.info().attach(evidenceName, {
          contentType: 'application/json',
          body: JSON.stringify(evidence),
        });
        await report(evidence, session.target.strict);
      });
  });
