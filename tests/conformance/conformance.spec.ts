import { forEachTarget, judgeCheck, readListing, test, together } from '../../src/playwright/listing.js';

const { targets, mostGroups } = await readListing();

forEachTarget(targets, ({ project, operations }) =>
  together(operations, mostGroups, ({ name, checks }) =>
    test.describe(name, () => {
      // One operation stays in one shard: its exchanges are shared by its checks.
      test.describe.configure({ mode: 'default' });
      for (const { id, title, tags } of checks) test(title, { tag: [...tags] }, () => judgeCheck(project, id));
    }),
  ),
);
