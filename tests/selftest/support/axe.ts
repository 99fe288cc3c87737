import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe finds wrong with a page, opened with `bypassCSP`; by these rules alone where given. */
export const violationsOn = async (page: Page, rules?: readonly string[]): Promise<readonly string[]> => {
  await page.addScriptTag({ path: axe });
  return page.evaluate(async (runOnly) => {
    // axe is there since the line above; it has no types in the page.
    const { axe: inPage } = window as unknown as {
      axe: { run(options: object): Promise<{ violations: readonly Violation[] }> };
    };
    const { violations } = await inPage.run({ resultTypes: ['violations'], ...(runOnly ? { runOnly } : {}) });
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
  }, rules);
};
