import { judgeCheck } from '../../src/playwright/attach.js';
import { test } from '../../src/playwright/bare-test.js';
import { forEachTarget, readListing } from '../../src/playwright/listing.js';

const { targets } = await readListing();

forEachTarget(targets, ({ project, keyPage: { id: operation, name, checks } }) => {
  test.describe(name, () => {
    // One walk serves all checks, and what it saw is kept on disk: the action is pressed once a
    // run, whatever fails.
    test.describe.configure({ mode: 'default' });
    for (const { id, title, tags } of checks) test(title, { tag: [...tags] }, () => judgeCheck(project, operation, id));
  });
});
