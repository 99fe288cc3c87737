import { forEachTarget, judgeCheck, readListing, test } from '../../src/playwright/listing.js';

const { targets } = await readListing();

forEachTarget(targets, ({ project, keyPage: { name, checks } }) => {
  test.describe(name, () => {
    // One walk serves all checks, so they stay in one shard.
    test.describe.configure({ mode: 'default' });
    for (const { id, title, tags } of checks) test(title, { tag: [...tags] }, () => judgeCheck(project, id));
  });
});
