import type { Browser } from '@playwright/test';

/** Milliseconds to wait for what a page may still render, on an idle machine. */
export const usualPatienceMs = 6_000;

/** Milliseconds in which an idle machine opens a window and renders a line. */
const usualWindowMs = 150;

/** Waiting times grow at most by this factor. */
const mostSlowness = 10;

const mostForFormMs = 60_000;

/** Waiting times of a visit in milliseconds, all derived from one patience. */
export const limitsOf = (patienceMs: number) => ({
  /** For what a page does shortly afterwards by itself. */
  momentMs: patienceMs / 6,
  /** Until a control can be clicked with the mouse; then a script clicks it. */
  clickMs: patienceMs / 2,
  /** For a read. A longer one is a stream or a long poll, which is not waited for. */
  readMs: patienceMs / 2,
  writeMs: patienceMs * 2.5,
  /** Until the page reads the same twice, while it asks for nothing. */
  quietMs: patienceMs,
  /** The same, while it asks for more. */
  settleMs: patienceMs * 3.5,
  loadMs: patienceMs * 3.5,
  /**
   * Until a log-in form is rendered, and until an attempt to log in is answered. On a slow machine,
   * the visit would end before it could say that there is none.
   */
  formMs: Math.min(patienceMs * 5, Math.max(patienceMs, mostForFormMs)),
  otherMs: patienceMs * 2,
});

export type Limits = Readonly<ReturnType<typeof limitsOf>>;

/** How many times slower than usual the browser renders a small page, from 1 to 10. */
export const slownessOf = async (browser: Browser): Promise<number> => {
  const started = performance.now();
  const context = await browser.newContext({ offline: true });
  try {
    const page = await context.newPage();
    await page.setContent('<p>ready</p>');
    await page.evaluate(() => document.body.innerText);
    return Math.min(mostSlowness, Math.max(1, (performance.now() - started) / usualWindowMs));
  } finally {
    await context.close().catch(() => {});
  }
};
