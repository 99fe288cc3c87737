import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { APIRequestContext, Page } from '@playwright/test';
import { opensAt, password, type ServiceWithPages, startWithPages } from '../support/key-page.js';
import { expect, inCi, test } from '../support/test.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What axe finds wrong with a page, by rule. Its source is evaluated: the pages' policy lets no
 * script of others in.
 */
const violations = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe: tool } = window as unknown as { axe: { run(): Promise<{ violations: { id: string }[] }> } };
    return (await tool.run()).violations.map(({ id }) => id);
  });
};

let service: ServiceWithPages;
test.beforeAll(async () => {
  service = await startWithPages();
});
test.afterAll(() => service.close());

const logIn = async (page: Page, user: string): Promise<void> => {
  await page.goto(service.url);
  await page.getByLabel('Username').fill(user);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
};

const post = (request: APIRequestContext, url: string, form: Record<string, string>) =>
  request.post(url, { form, maxRedirects: 0 });

test('the pages are accessible, and a key from them opens the workout resource at once', inCi, async ({ chromium }) => {
  const context = await chromium.newContext();
  const page = await context.newPage();
  try {
    await page.goto(service.url);
    expect(await violations(page)).toEqual([]);
    await logIn(page, 'bo');
    await expect(page.getByText('No API key exists yet.')).toBeVisible();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Generate API key' }).click();
    const key = (await page.locator('#place code').textContent()) ?? '';
    expect(await opensAt(service)(key)).toBe('granted');
    await expect(page.locator('pre')).toContainText(`Authorization: Token ${key}`);
    expect(await violations(page)).toEqual([]);
  } finally {
    await context.close();
  }
});

test('forms from elsewhere, redirects to elsewhere and guessed paths lead nowhere', async ({ chromium }) => {
  const context = await chromium.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  try {
    await logIn(page, 'ada');
    const { request } = context;
    expect((await post(request, service.url, {})).status()).toBe(403);
    expect((await post(request, service.url, { csrf: 'guessed' })).status()).toBe(403);
    expect(await opensAt(service)(service.adasKey)).toBe('granted');
    expect((await request.get(`${service.baseUrl}/user/api-key/generate`)).status()).toBe(404);
    const headers = (await request.get(service.url)).headers();
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ secure: true, httpOnly: true, sameSite: 'Lax' });
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.goto(`${service.baseUrl}/user/login?next=https://elsewhere.test/`);
    await expect(page.locator('input[name=next]')).toHaveValue('/user/api-key');
  } finally {
    await context.close();
  }
});
