import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from '@playwright/test';
import type { RunRecord } from '../../../src/engine/results.js';
import { writeReports } from '../../../src/report/write.js';
import { violationsOn } from '../support/axe.js';
import { largeRun } from '../support/large-run.js';
import { recordOf } from '../support/run-record.js';
import { broken, conforming, hostileText, incomplete } from '../support/sample-runs.js';
import { expect, inCi, inFull, rowsInCi, someOfTable, test } from '../support/test.js';

let browser: Browser;
let dir = '';
test.beforeAll(({ chromium }) => {
  browser = chromium;
});
test.beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'page-'));
});
test.afterEach(() => rm(dir, { recursive: true, force: true }));

const explain = (rule: string) =>
  rule === 'refuses-missing-key'
    ? {
        asks: 'That nothing is given without a key.',
        sends: ['A GET without a key.', 'The same again.'],
        judged: 'Against the keyed control.',
        causes: 'A forgotten decorator.',
        fixes: 'Deny by default.',
      }
    : undefined;

interface Opened {
  readonly page: Page;
  readonly file: string;
  /**
   * Everything that went wrong or out: console errors, policy violations, requests other than the
   * file.
   */
  readonly trouble: string[];
}

const open = async (record: RunRecord, hash = '', context: Parameters<Browser['newPage']>[0] = {}): Promise<Opened> => {
  const { page: file } = await writeReports(record, { dir, explain, environment: {} });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...context });
  const trouble: string[] = [];
  page.on('console', (message) => message.type() === 'error' && trouble.push(message.text()));
  page.on('pageerror', (error) => trouble.push(String(error)));
  page.on('dialog', (dialog) => trouble.push(dialog.message()));
  page.on(
    'request',
    (request) => request.url().split('#')[0] !== pathToFileURL(file).href && trouble.push(request.url()),
  );
  await page.goto(pathToFileURL(file).href + hash);
  return { page, file, trouble };
};

const rowOf = (page: Page, id: string) => page.locator(`details.check[id="${id}"]`);

/** Follows the link to a check, which opens it. */
const openRow = async (page: Page, id: string) => {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, `#${id}`);
  await expect(rowOf(page, id)).toHaveAttribute('open', '');
  return rowOf(page, id);
};

const hashOf = (page: Page): string => new URL(page.url()).hash;

test('opens with the verdict, the worst finding, what is judged and its evidence', async () => {
  const { page, trouble } = await open(broken());
  await expect(page.locator('h1')).toHaveText('Not conformant: 3 of 9 clauses are broken.');
  await expect(page).toHaveTitle('Not conformant: 3 of 9 clauses are broken · staging');
  await expect(page.locator('.worst')).toContainText('Plain HTTP lets the API answer GET /api/v2/workout/');
  await expect(page.locator('.worst')).toHaveText(/, and 3 more\.$/);
  await expect(page.locator('.kicker')).toContainText('https://fitness.example');
  await expect(page.locator('.particulars')).toContainText(/sha256 [0-9a-f]{12}/);
  await expect(page.locator('.card')).toHaveCount(4);
  const card = page.locator('.card').nth(1);
  await expect(card.locator('h3')).toHaveText(/^GET \/api\/v2\/workout\/ opens .*the suffix \.json$/);
  await expect(card).toContainText('The key is required for a protected resource.');
  await expect(card.locator('.versus')).toContainText('A refusal, or the answer of a missing path');
  await expect(card.locator('.command')).toContainText(
    "curl -isS --http1.1 -H 'Accept: application/json, */*;q=0.8' https://fitness.example/api/v2/workout.json",
  );
  const command = await page.locator('.card .command').first().boundingBox();
  expect((command?.y ?? 900) + (command?.height ?? 0)).toBeLessThan(900);
  expect(trouble).toEqual([]);
  await page.close();
});

test('a conformant page is a row for each thing that passed', async () => {
  const { page } = await open(conforming());
  await expect(page.locator('details.clause[open]')).toHaveCount(0);
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(2_000);
  await page.close();
});

test('a check opens to its wire log with controls, timing and TLS facts', async () => {
  const { page, trouble } = await open(broken());
  await page.locator('#AUTH-3 > summary').click();
  const row = rowOf(page, 'refuses-other-spellings@listWorkouts');
  await row.locator('summary').first().click();
  await expect(row.locator('.exchange')).toHaveCount(8 + 4);
  const first = row.locator('.exchange').first();
  await first.locator('summary').click();
  await expect(first).toContainText('GET /api/v2/workout.json HTTP/1.1');
  await expect(first).toContainText('TLSv1.3');
  await expect(first).toContainText('in all 25.1 ms');
  await expect(first).toContainText('Body not stored');
  await expect(first.locator('.body')).toContainText('"results": [2 × {');
  await expect(row.locator('.common li').first()).toContainText('the same answer, byte for byte (200)');
  await expect(row.locator('.common li').nth(2)).toContainText('status 200, not 404');
  expect(trouble).toEqual([]);
  await page.close();
});

test('the card brings the same evidence, and the explanation is at hand', async () => {
  const { page } = await open(broken());
  const card = page.locator('.card').first();
  await card.getByText('Evidence: 1 exchange').click();
  await expect(card.locator('.exchange')).toHaveCount(2);
  await page.locator('#AUTH-3 > summary').click();
  const rule = page.locator('.rule', { hasText: 'Refuses a request without a key' });
  await rule.getByText('What is sent and how it is judged').click();
  await expect(rule.locator('.explained')).toContainText('A forgotten decorator.');
  await page.close();
});

for (const id of ['AUTH-3', 'refuses-missing-key@listWorkouts', 'GAP-ERRORS', 'observes-bad-key@listExercises']) {
  test(`the link #${id} leads there and opens it`, async () => {
    const { page } = await open(conforming(), `#${id}`);
    const target = page.locator(`[id="${id}"]`);
    await expect(target).toBeInViewport();
    if (id.includes('@')) {
      await expect(target).toHaveAttribute('open', '');
      await expect(target.locator('.exchange').first()).toBeVisible();
    }
    await page.close();
  });
}

test('filters every section by outcome and by text, and a link finds what the filter hid', inCi, async () => {
  const { page } = await open(broken());
  const rows = page.locator('details.check:visible');
  await page.getByRole('button', { name: /^failed/ }).click();
  await expect(rows).toHaveCount(4);
  await expect(page.locator('output')).toHaveText('4 of 21 checks');
  await expect(page.locator('#access h2')).toContainText('2 of 3');
  await page.getByRole('searchbox').fill('spellings');
  await expect(rows).toHaveCount(1);
  await expect(page.locator('.card:visible')).toHaveCount(1);
  expect(hashOf(page)).toBe('#?q=spellings&show=failed');
  await page.getByRole('searchbox').fill('no such thing');
  await expect(page.getByText('Nothing matches.')).toBeVisible();
  await page.getByRole('searchbox').press('Escape');
  await expect(page.locator('output')).toHaveText('');
  await expect(page.locator('.card:visible')).toHaveCount(4);
  await page.getByRole('button', { name: /^observed/ }).click();
  await expect(page.locator('output')).toHaveText('2 of 21 checks');
  await openRow(page, 'serves-https@service');
  await expect(rowOf(page, 'serves-https@service')).toBeInViewport();
  await page.close();
});

const searches = [
  ['a path', '/api/v2/exercise/', 'opens-without-credentials@listExercises'],
  ['a method', 'get ingredient', 'opens-without-credentials@listIngredients'],
  ['an operation', 'listIngredients', 'opens-without-credentials@listIngredients'],
  ['a clause', 'HTTPS-2', 'refuses-plain-http@listWorkouts'],
] as const;
const searchRow = someOfTable();
for (const [what, words, found] of searches)
  test(`the search knows ${what}, and its link brings it again`, searchRow(), async () => {
    const { page } = await open(conforming(), `#?${new URLSearchParams({ q: words })}`);
    await expect(page.getByRole('searchbox')).toHaveValue(words.toLowerCase());
    await expect(rowOf(page, found)).toBeVisible();
    await expect(page.locator('output')).not.toHaveText('0 of 19 checks');
    await page.close();
  });

test('the matrix is a table with headings that sorts by buttons and says where it differs', inCi, async () => {
  const { page } = await open(broken());
  const table = page.getByRole('table', { name: /Operations and who asks/ });
  await expect(table.getByRole('columnheader')).toHaveText([
    'Operation',
    'Document',
    'nobody',
    'invalid key',
    'the key',
    'Checks',
  ]);
  await expect(table.getByRole('rowheader')).toHaveCount(3);
  const ingredients = table.getByRole('row', { name: /ingredient/ });
  await expect(ingredients.getByRole('cell').nth(1)).toHaveText(/refuses, the document says it opens/);
  await expect(ingredients.getByRole('link')).toHaveAttribute('href', '#opens-without-credentials%40listIngredients');
  const nobody = table.getByRole('columnheader', { name: 'nobody' });
  await nobody.getByRole('button').focus();
  await page.keyboard.press('Enter');
  await expect(nobody).toHaveAttribute('aria-sort', 'ascending');
  await expect(table.getByRole('rowheader').first()).toContainText('/api/v2/ingredient/');
  await page.keyboard.press('Enter');
  await expect(nobody).toHaveAttribute('aria-sort', 'descending');
  await expect(table.getByRole('rowheader').last()).toContainText('/api/v2/ingredient/');
  await page.getByRole('button', { name: /^Only what differs/ }).click();
  await expect(table.getByRole('rowheader')).toHaveCount(1);
  expect(hashOf(page)).toBe('#?differing=1');
  await page.close();
});

test('copies the curl line, by mouse and by keyboard', inCi, async () => {
  const { page } = await open(broken(), '', { permissions: ['clipboard-read', 'clipboard-write'] });
  const command = page.locator('.card .command').nth(2);
  await command.getByRole('button', { name: 'Copy' }).focus();
  await page.keyboard.press('Enter');
  await expect(command.getByRole('button')).toHaveText('Copied');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    "curl -isS --http1.1 -H 'Accept: application/json, */*;q=0.8' -H 'X-Original-URL: /api/v2/workout/' https://fitness.example/api/v2/exercise/",
  );
  await page.close();
});

const grouped = () => largeRun(210, 2);

const row = rowsInCi();
for (const [name, run] of Object.entries({ conforming, broken, incomplete, grouped })) {
  test(`axe finds nothing in a ${name} run, light and dark`, row(), async () => {
    const { page } = await open(run(), '', { colorScheme: 'light', bypassCSP: true });
    for (const clause of await page.locator('details.clause > summary:visible').all()) await clause.click();
    if (run === grouped) await page.locator('[data-unfold]').first().click();
    else await page.locator('details.all > summary').click();
    if (run === grouped) await page.locator('details.fold > summary').first().click();
    const check = page.locator('details.check').first();
    await check.locator('summary').first().click();
    await check.locator('.exchange summary').first().click();
    if (run !== grouped) await page.locator('.explained summary').first().click();
    expect(await violationsOn(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violationsOn(page, ['color-contrast', 'link-in-text-block'])).toEqual([]);
    await page.close();
  });
}

test('nothing sticks out, from 390 to 1,600 pixels', async () => {
  const { page } = await open(broken(hostileText));
  for (const id of ['refuses-plain-http@listWorkouts', 'takes-no-other-format@listWorkouts'])
    await (await openRow(page, id)).locator('.exchange summary').first().click();
  for (const width of [390, 700, 1280, 1600]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `${width}`).toBeLessThanOrEqual(width);
  }
  await page.close();
});

test('hostile bytes stay text', async () => {
  const { page, file, trouble } = await open(broken(hostileText));
  // Setting `open` is what a click on the summary does.
  const unfold = (selector: string) =>
    page.locator(selector).evaluateAll((all) => {
      for (const details of all) if (details.checkVisibility()) (details as HTMLDetailsElement).open = true;
    });
  await unfold('details');
  await unfold('details.clause');
  await expect(page.locator('details.check').first()).toBeVisible();
  await unfold('details.check');
  await expect(page.locator('details.check[open] .exchange').first()).toBeVisible();
  await unfold('details.exchange');
  const row = rowOf(page, 'refuses-plain-http@listWorkouts');
  await expect(row).toContainText('</script><script>document.title="owned"</script>');
  await expect(row).toContainText('\\x1b[2J');
  await expect(row).toContainText('\\u202egnp.exe');
  await expect(row).toContainText('(1,048,576 characters in all)');
  await expect(page).toHaveTitle(/^Not conformant/);
  expect(await page.locator('img, script:not([type]):not([src])').count()).toBe(1);
  expect(await readFile(file, 'utf8')).not.toMatch(/[\u0000-\u0008\u001b\u202e]/);
  expect((await stat(file)).size).toBeLessThan(400_000);
  expect(trouble).toEqual([]);
  await page.close();
});

test('the policy lets nothing run but the page’s own script', async () => {
  const { page, trouble } = await open(conforming());
  const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content');
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'$/,
  );
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'document.title = "ran"';
    document.body.append(script);
    const image = document.createElement('img');
    image.src = 'https://elsewhere.example/';
    document.body.append(image);
  });
  await expect.poll(() => trouble.filter((line) => /Content Security Policy/.test(line)).length).toBe(2);
  await expect(page).toHaveTitle(/^Conformant/);
  await page.close();
});

test('says what is wrong, how to repeat it and who gets what without its script', async () => {
  const { page } = await open(broken(), '', { javaScriptEnabled: false });
  await expect(page.locator('.card')).toHaveCount(4);
  await expect(page.locator('.filter, .copy, .evidence').first()).toBeHidden();
  await expect(page.locator('.card .command')).toHaveCount(4);
  await expect(page.locator('.unscripted').first()).toContainText('which are in results.json');
  await expect(page.locator('.access tbody tr')).toHaveCount(3);
  await expect(page.locator('#contract details.clause')).toHaveCount(12);
  await page.close();
});

test('an operation without an operationId is named once', async () => {
  const { page } = await open(
    recordOf([], [], {
      operations: [
        { id: 'GET /rooms', method: 'GET', path: '/rooms', access: 'protected', probed: true },
        { id: 'listGuests', method: 'GET', path: '/guests', access: 'protected', probed: true },
      ],
    }),
    '',
    { javaScriptEnabled: false },
  );
  await expect(page.locator('.access tbody th')).toHaveText(['GET /rooms', 'GET /guests listGuests']);
  await page.close();
});

test('of a run that is too long for one page it keeps the exchanges of what did not pass', inCi, async () => {
  const whole = broken();
  const { page, file } = await open({ ...whole, results: { ...whole.results, requestsSent: 20_001 } });
  const { checks } = whole.results;
  const failed = checks.filter(({ outcome }) => !['passed', 'observed', 'excluded'].includes(outcome));
  const kept = new Set(failed.flatMap(({ exchanges, comparedWith }) => [...exchanges, ...comparedWith]));
  const apart = checks.find(({ exchanges: [first] }) => first !== undefined && !kept.has(first));
  const opened = (id = 'none is apart') => openRow(page, id);
  await expect((await opened(failed[0]?.id)).locator('.exchange').first()).toBeVisible();
  const passed = await opened(apart?.id);
  await expect(passed).toContainText('in results.json');
  await expect(passed.locator('.exchange')).toHaveCount(0);
  const { page: all } = await writeReports(whole, { dir: join(dir, 'all'), environment: {} });
  expect((await stat(file)).size).toBeLessThan((await stat(all)).size);
  await page.close();
});

test('prints on white without what paper cannot do', inCi, async () => {
  const { page } = await open(broken(), '', { colorScheme: 'dark' });
  await page.emulateMedia({ media: 'print' });
  expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(255, 255, 255)');
  for (const hidden of ['.filter', '.copy', 'nav']) await expect(page.locator(hidden).first()).toBeHidden();
  await expect(page.locator('.card').last()).toBeVisible();
  expect((await page.pdf()).byteLength).toBeGreaterThan(10_000);
  await page.close();
});

test('a run of 220 operations and 3,300 checks has few nodes and stays usable', inCi, async () => {
  const { page: file } = await writeReports(largeRun(220, 5), { dir, environment: {} });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(pathToFileURL(file).href);
  await expect(page.locator('html.scripted')).toBeAttached();
  expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(6_000);
  await expect(page.locator('#access h2')).toBeVisible();
  await expect(page.locator('[data-group]').first()).toContainText('220 operations');
  await page.locator('[data-unfold]').first().click();
  await expect(page.locator('.access tr.group ~ tr[data-operation]')).toHaveCount(200);
  await page.locator('input[type=search]').fill('refuses-missing-key@listThing107');
  await expect(page.locator('output')).toHaveText('1 of 3,300 checks');
  await page.locator('details.check:visible > summary').click();
  await expect(page.locator('details.check:visible .exchange').first()).toBeVisible();
  await openRow(page, 'documented-body@listThing219');
  await expect(rowOf(page, 'documented-body@listThing219').locator('.exchange').first()).toBeVisible();
  await page.close();
});

test('without its script a run of 1,000 operations has every operation in the matrix', inFull, async () => {
  const { page } = await open(largeRun(1_000, 5), '', { javaScriptEnabled: false });
  await expect(page.locator('noscript .access tbody tr')).toHaveCount(1_000);
  await page.close();
});
