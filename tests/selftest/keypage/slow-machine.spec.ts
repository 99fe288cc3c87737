import { setTimeout as pause } from 'node:timers/promises';
import type { Browser } from '@playwright/test';
import { limitsOf } from '../../../src/keypage/input.js';
import { judgeAt, noAccount } from '../support/key-page.js';
import { startOddPage } from '../support/odd-page.js';
import { expect, inCi, test } from '../support/test.js';

/**
 * A browser that takes its time to open a window, as one does on a machine with much else to do.
 */
const slowed = (browser: Browser): Browser =>
  new Proxy(browser, {
    get: (target, name) => {
      if (name === 'newContext')
        return async (...options: Parameters<Browser['newContext']>) => {
          await pause(1_500);
          return target.newContext(...options);
        };
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });

test('a page is given longer where the browser is slow', inCi, async ({ chromium }) => {
  const page = await startOddPage({
    page: () =>
      `<div id="place"></div><script>setTimeout(() => { place.innerHTML = '<h1>API key</h1><p>You have no API key yet.</p>' }, 1_500)</script>`,
  });
  try {
    const judged = await judgeAt(page, slowed(chromium), { ...noAccount, generate: false }, { patienceMs: 300 });
    expect(judged.outcomes['says-when-there-is-none'], judged.everything).toBe('passed');
  } finally {
    await page.close();
  }
});

test('every limit grows with the patience', () => {
  const [usual, twice] = [limitsOf(6_000), limitsOf(12_000)];
  expect(Object.entries(twice)).toEqual(Object.entries(usual).map(([name, ms]) => [name, 2 * ms]));
});
