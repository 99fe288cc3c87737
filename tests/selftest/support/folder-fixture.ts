import { test as base } from '@playwright/test';
import { folder } from './command.js';

/** A test with an empty folder of its own. */
export const test = base.extend<{ cwd: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from this pattern
  cwd: async ({}, use) => {
    const { path, remove } = await folder();
    await use(path);
    await remove();
  },
});

export { expect } from '@playwright/test';
