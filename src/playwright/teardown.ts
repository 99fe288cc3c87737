import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FullConfig } from '@playwright/test';
import type { Judged } from './judged.js';

/** A run in which nothing was judged is never green, whichever reporters were chosen. An empty shard may be: the others judge. */
export default function teardown(config: FullConfig): void {
  const folder = process.env.ACCESS_CONFORMANCE_FOLDER;
  if (!folder || !existsSync(folder)) return;
  const judged = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .some((name) => {
      const { findings } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Judged;
      return findings.some(({ outcome }) => outcome !== 'excluded' && outcome !== 'observed');
    });
  rmSync(folder, { recursive: true, force: true });
  if (!judged && config.shard === null) throw new Error('Nothing was judged: no selected check could pass or fail.');
}
