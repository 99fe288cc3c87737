import { makeTerminal, progressOn } from '../../../src/cli/terminal.js';
import type { ProgressEvent } from '../../../src/engine/run-input.js';
import type { Wait } from '../../../src/wire/types.js';
import { app } from '../support/app.js';
import { answer, rawServer } from '../support/raw-server.js';
import { conformingSketches, finding } from '../support/sample-findings.js';
import { expect, inFull, test } from '../support/test.js';

/** What a run says while requests are held up. */

const rateLimit = (waitMs: number, kind: 'rate-limit' | 'rate-limit-over' = 'rate-limit'): Wait => ({
  kind,
  forMs: 6_000,
  status: 429,
  waitMs,
  budgetMs: 90_000,
});
const [first] = conformingSketches();
if (!first) throw new Error('there is no sketch');
const waits: readonly ProgressEvent[] = [
  { type: 'planned', checks: 602 },
  { type: 'checked', finding: finding(first), done: 34, checks: 602 },
  { type: 'waiting', wait: rateLimit(40_000) },
  { type: 'waiting', wait: rateLimit(41_000) },
  { type: 'waiting', wait: rateLimit(85_599_000, 'rate-limit-over') },
  { type: 'waiting', wait: rateLimit(42_000) },
  { type: 'resumed' },
  { type: 'waiting', wait: { kind: 'no-answer', forMs: 20_000, timeoutMs: 10_000 } },
];

/** What is said of events on a terminal, or where there is none. */
const saidOn = (live: boolean, events: readonly ProgressEvent[] = waits): readonly string[] => {
  const said: string[] = [];
  const progress = progressOn({
    ...makeTerminal(process.stdout, process.stderr, {}),
    live,
    err: (text) => said.push(text),
    status: (line) => live && said.push(line),
  });
  for (const event of events) progress(event);
  return said;
};

test('without a terminal each wait is one line when it begins', () => {
  expect(saidOn(false)).toEqual([
    'judging 602 checks\n',
    'waiting: rate limit (429), 40 s of RATE_LIMIT_WAIT_S=90 used\n',
    'rate limit (429): 85,599 s more exceed RATE_LIMIT_WAIT_S=90\n',
    'no full answer for 20 s: requests run into TIMEOUT_MS=10000\n',
  ]);
});

test('that a service closes its connections is said once, however often it holds requests up', () => {
  const closes: ProgressEvent = { type: 'waiting', wait: { kind: 'new-connections', forMs: 6_000, perSecond: 8 } };
  expect(saidOn(false, [closes, { type: 'resumed' }, closes])).toEqual([
    'the service closes its connections, and 8 a second are opened (CONCURRENCY=8: no limit)\n',
  ]);
});

test('on a terminal the wait is part of the line, which fits 80 columns', () => {
  const said = saidOn(true);
  expect(Math.max(...said.map((line) => line.length))).toBeLessThan(80);
  expect(said.slice(1)).toEqual([
    '34/602 checks  waiting: rate limit (429), 40 s of RATE_LIMIT_WAIT_S=90 used',
    '34/602 checks  waiting: rate limit (429), 41 s of RATE_LIMIT_WAIT_S=90 used',
    '34/602 checks  rate limit (429): 85,599 s more exceed RATE_LIMIT_WAIT_S=90',
    '34/602 checks  waiting: rate limit (429), 42 s of RATE_LIMIT_WAIT_S=90 used',
    '34/602 checks',
    '34/602 checks  no full answer for 20 s: requests run into TIMEOUT_MS=10000',
  ]);
});

test('a run against a service that limits its rate says so once, and nothing with --quiet', inFull, async ({ cwd }) => {
  const server = await rawServer(() => answer(429, '{}', ['Retry-After: 1']));
  const said = (more: readonly string[]) =>
    app(['run', '--base-url', server.origin, '--http-base-url', 'none', '--only', 'AUTH-3', ...more], {
      cwd,
      env: { API_KEY: 'hunter2hunter2', INSECURE_TLS: 'true', RATE_LIMIT_WAIT_S: '8' },
    });
  try {
    const [loud, quiet] = await Promise.all([said([]), said(['--quiet', '--reports-dir', 'quiet'])]);
    expect(loud.err.match(/^waiting: rate limit \(429\), \d s of RATE_LIMIT_WAIT_S=8 used$/gm)).toHaveLength(1);
    expect(quiet.err).not.toContain('rate limit');
  } finally {
    await server.close();
  }
});
