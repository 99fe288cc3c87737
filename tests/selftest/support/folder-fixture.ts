import { folder } from './command.js';
import { test as base } from './test.js';

/** A test with an empty folder of its own. */
export const test = base.extend<{ cwd: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from this pattern
  cwd: async ({}, use) => {
    const { path, remove } = await folder();
    await use(path);
    await remove();
  },
});

export { expect } from './test.js';
