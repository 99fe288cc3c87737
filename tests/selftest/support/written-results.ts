import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Results } from '../../../src/engine/results.js';

/** The results.json that a run wrote below a folder. */
export const resultsIn = (cwd: string, reports = 'reports'): Results =>
  JSON.parse(readFileSync(join(cwd, reports, 'conformance', 'results.json'), 'utf8')) as Results;
