/**
 * One full run of the engine, reports included where a folder is given.
 * Usage: full-run.js SERVER_FACTS OPERATIONS_OF_EACH_ACCESS CONCURRENCY PROBES [REPORTS_DIR]
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setV8Flags } from '../src/cli/judge-target.js';
import { loadContract } from '../src/contract/load.js';
import { runWithParts } from '../src/engine/run.js';
import { writeReports } from '../src/report/write.js';
import { readSettings } from '../src/settings/settings.js';
import { describeOptions, readTarget } from '../src/settings/target.js';
import { documentOf } from './document.js';
import type { ServerFacts } from './server.js';

export interface RunFigures {
  readonly ms: number;
  /** Processor time of the process until the run's end, start-up included. */
  readonly cpuMs: number;
  readonly requests: number;
  readonly verdict: string;
  readonly checks: number;
  readonly reportMs: number;
  /** Highest resident set of the process, in MB. */
  readonly peakMb: number;
  /** After the run, before reports. */
  readonly runPeakMb: number;
}

const [facts = '{}', operations = '1', concurrency = '8', probes = 'auto', reports] = process.argv.slice(2);
const server = JSON.parse(facts) as ServerFacts;
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const file = join(folder, 'openapi.json');
writeFileSync(file, documentOf(Number(operations)));
writeFileSync(join(folder, 'ca.pem'), server.ca);
const settings = readSettings({
  env: {
    BASE_URL: server.baseUrl,
    HTTP_BASE_URL: server.httpBaseUrl,
    API_KEY: server.key,
    CA_FILE: join(folder, 'ca.pem'),
    CONCURRENCY: concurrency,
    PROBES: probes,
  },
  envFile: false,
  cwd: folder,
});
const target = readTarget(settings);
const contract = await loadContract(file, { paths: target.paths, keys: Object.keys(target.keys) });
setV8Flags(contract.operations.length);
const peakMb = (): number => Math.round(process.resourceUsage().maxRSS / 1024);

const start = performance.now();
const record = await runWithParts({ contract, target, options: describeOptions(settings) });
const ms = performance.now() - start;
const { user, system } = process.cpuUsage();
const runPeakMb = peakMb();
const reportStart = performance.now();
if (reports) await writeReports(record, { dir: reports, environment: {} });
const figures: RunFigures = {
  ms,
  cpuMs: (user + system) / 1000,
  requests: record.results.requestsSent,
  verdict: record.results.verdict,
  checks: record.results.checks.length,
  reportMs: performance.now() - reportStart,
  peakMb: peakMb(),
  runPeakMb,
};
await record.dispose();
rmSync(folder, { recursive: true, force: true });
process.stdout.write(`${JSON.stringify(figures)}\n`);
process.exit(0);
