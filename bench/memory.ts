/**
 * The memory of one process for 10,000 operations and all checks, reports written.
 * Usage: memory.js [OPERATIONS_OF_EACH_ACCESS]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunFigures } from './full-run.js';
import { measured, serve } from './processes.js';

const operations = Number(process.argv[2] ?? 5000);
const server = await serve(operations, 0);
const reports = mkdtempSync(join(tmpdir(), 'bench-reports-'));
try {
  const figures = await measured<RunFigures>('full-run', [
    JSON.stringify(server),
    String(operations),
    '32',
    'auto',
    reports,
  ]);
  console.log({ operations: operations * 2, ...figures, limitMb: 400 });
} finally {
  server.close();
  rmSync(reports, { recursive: true, force: true });
}
