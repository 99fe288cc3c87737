import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadContract } from '../../../src/contract/load.js';
import { runWithParts } from '../../../src/engine/run.js';
import { keyPageVisit } from '../../../src/keypage/index.js';
import { asset } from '../../../src/package.js';
import { readSettings } from '../../../src/settings/settings.js';
import { describeOptions, readKeyPage, readTarget } from '../../../src/settings/target.js';
import { app } from '../support/app.js';
import { start } from '../support/command.js';
import { password, slownessNow, startWithPages, withoutSourceLines } from '../support/key-page.js';
import { startOddPage } from '../support/odd-page.js';
import { expect, inCi, inFull, test } from '../support/test.js';

/** A run as the command makes it: settings in, one record out, the key page last. */
const runWith = async (
  browser: import('@playwright/test').Browser,
  options: Parameters<typeof startWithPages>[0],
  env: Record<string, string>,
  onEnded?: (settings: readonly string[]) => void,
) => {
  const service = await startWithPages(options);
  try {
    const settings = readSettings({
      env: {
        BASE_URL: service.baseUrl,
        HTTP_BASE_URL: service.httpBaseUrl,
        CA_FILE: service.caFile,
        KEY_PAGE_URL: service.url,
        WEB_USERNAME: 'bo',
        WEB_PASSWORD: password,
        KEY_PAGE_GENERATE: 'true',
        ...(onEnded === undefined ? {} : { API_KEY: service.adasKey }),
        ...env,
      },
      envFile: false,
    });
    const contract = await loadContract(asset('openapi', 'fitness-data-service.yaml'));
    const target = readTarget(settings);
    const page = readKeyPage(settings);
    if (!page) throw new Error('KEY_PAGE_URL is set');
    const visit = keyPageVisit({
      contract,
      target,
      settings: page,
      browser,
      slowness: await slownessNow(browser),
      patienceMs: 1_000,
      lateMs: 2_000,
      onEnded,
    });
    const input = { contract, target, options: describeOptions(settings), only: ['serves-https', '@key-page'] };
    const record = await withoutSourceLines(() => runWithParts(input, { keyPage: { visit } }));
    const exchanges: string[] = [];
    for await (const exchange of record.exchanges()) exchanges.push(JSON.stringify(exchange));
    await record.dispose();
    const outcomes = Object.fromEntries(record.results.checks.map(({ rule, outcome }) => [rule, outcome]));
    return { record, outcomes, everything: JSON.stringify(record.results) + exchanges.join('\n') };
  } finally {
    await service.close();
  }
};

test('findings of the key page join those of the API, with the exchanges that show them', async ({ chromium }) => {
  const { record, outcomes, everything } = await runWith(chromium, {}, {});
  expect(outcomes, everything).toMatchObject({
    'makes-a-key': 'passed',
    'shows-the-current-key': 'passed',
    'says-when-there-is-none': 'passed',
    'observes-key-life': 'observed',
  });
  const made = record.results.checks.find(({ rule }) => rule === 'makes-a-key');
  // Right after the press, and at the end.
  expect(made?.exchanges).toHaveLength(2);
  expect(everything).toContain(`"id":"${made?.exchanges[0]}"`);
  expect(everything).toContain('Token <KEY_PAGE_KEY_1>');
  expect(record.results.gaps.find(({ id }) => id === 'GAP-KEY-LIFE')?.observations.length).toBeGreaterThan(2);
  expect(everything).not.toContain(password);
  // No 40 hex digits anywhere: neither the key that was made nor the service's own.
  expect(everything).not.toMatch(/(?<![\da-f])[\da-f]{40}(?![\da-f])/);
});

test('settings name the action, the key and the message of a page', inFull, async ({ chromium }) => {
  const names = { KEY_PAGE_KEY_SELECTOR: '#key', KEY_PAGE_EMPTY_TEXT: 'no API key  exists' };
  const named = await runWith(chromium, { variant: 'field' }, { ...names, KEY_PAGE_ACTION: 'generate api key' });
  expect(named.outcomes, named.everything).toMatchObject({
    'makes-a-key': 'passed',
    'shows-the-current-key': 'passed',
    'says-when-there-is-none': 'passed',
  });
  // Nothing else is pressed in place of what is named.
  const other = await runWith(chromium, { variant: 'field' }, { ...names, KEY_PAGE_ACTION: 'no such thing' });
  expect(other.outcomes['makes-a-key'], other.everything).toBe('inconclusive');
  expect(other.record.results.checks.find(({ rule }) => rule === 'makes-a-key')?.reason).toContain(
    'Nothing visible on the page is named, or selected by, KEY_PAGE_ACTION.',
  );
});

test('a key that the API refuses fails by the exchange that shows it', inCi, async ({ chromium }) => {
  const { outcomes, everything } = await runWith(chromium, { fault: 'shows-another-key' }, {});
  expect(outcomes, everything).toMatchObject({ 'makes-a-key': 'failed', 'shows-the-current-key': 'failed' });
  expect(everything).not.toMatch(/(?<![\da-f])[\da-f]{40}(?![\da-f])/);
});

test('a run whose press ends the life of API_KEY says so, loudly, and no secret', inCi, async ({ cwd }) => {
  const service = await startWithPages();
  try {
    const ended = await app(['run', '--key-page', '--only', 'makes-a-key', '--only', 'says-when-there-is-none'], {
      cwd,
      env: {
        BASE_URL: service.baseUrl,
        HTTP_BASE_URL: 'none',
        CA_FILE: service.caFile,
        API_KEY: service.adasKey,
        KEY_PAGE_URL: service.url,
        KEY_PAGE_GENERATE: 'true',
        WEB_USERNAME: 'ada',
        WEB_PASSWORD: password,
        WEB_USERNAME_WITHOUT_KEY: 'bo',
        WEB_PASSWORD_WITHOUT_KEY: password,
        CHROMIUM_PATH: process.env.CHROMIUM_PATH ?? '',
      },
    });
    expect(ended.err).toContain('The key in API_KEY no longer opens the API');
    const text = readFileSync(join(cwd, 'reports', 'conformance', 'results.json'), 'utf8');
    const { checks } = JSON.parse(text) as { checks: { rule: string; outcome: string; note?: string }[] };
    const made = checks.find(({ rule }) => rule === 'makes-a-key');
    expect(made?.outcome, text).toBe('passed');
    expect(made?.note).toContain('API_KEY');
    expect(checks.find(({ rule }) => rule === 'says-when-there-is-none')?.outcome, text).toBe('passed');
    for (const secret of [password, JSON.stringify(password).slice(1, -1), service.adasKey])
      expect(ended.out + ended.err + text).not.toContain(secret);
  } finally {
    await service.close();
  }
});

test('a key that the press leaves alone is told as such', inFull, async ({ chromium }) => {
  const ended: string[] = [];
  const { record } = await runWith(chromium, { variant: 'table' }, {}, (names) => void ended.push(...names));
  expect(ended).toEqual([]);
  const facts = record.results.gaps.find(({ id }) => id === 'GAP-KEY-LIFE')?.observations ?? [];
  expect(facts.map(({ fact }) => fact).join()).toContain('The key in API_KEY still opens the API');
});

test('Ctrl-C while the browser is open: what there is gets written, and the exit code is 2', inCi, async ({ cwd }) => {
  // The page never answers.
  const odd = await startOddPage({ page: () => '', handle: ({ url }) => url === '/key' });
  try {
    const { child, ended } = start(['run', '--key-page'], {
      cwd,
      env: {
        BASE_URL: odd.baseUrl,
        HTTP_BASE_URL: 'none',
        INSECURE_TLS: 'true',
        KEY_PAGE_URL: odd.url,
        CHROMIUM_PATH: process.env.CHROMIUM_PATH ?? '',
      },
    });
    await expect.poll(() => odd.state.requests.some(({ path }) => path === '/key')).toBe(true);
    child.kill('SIGINT');
    const { code, out } = await ended;
    expect(out).toContain('cut short');
    const results = JSON.parse(readFileSync(join(cwd, 'reports', 'conformance', 'results.json'), 'utf8'));
    expect(results).toMatchObject({ complete: false, verdict: 'incomplete' });
    expect(code).toBe(2);
  } finally {
    await odd.close();
  }
});
