import type { Browser } from '@playwright/test';

/** Milliseconds that a page is given for something that it may still be about to render, by a machine that has nothing else to do. */
export const usualPatienceMs = 6_000;

/** Milliseconds that such a machine takes at most to open a window and draw a line in it. */
const usualWindowMs = 150;

/** A machine that is slower by more than this is waited for no longer: the whole walk has to end at some time. */
const mostSlowness = 10;

/** How long a walk waits at most, in milliseconds. All of it comes from one patience: what is slow is waited for, and decides nothing. */
export interface Limits {
  /** Until what a page does a moment later, by itself, was done. */
  readonly momentMs: number;
  /** Until a control can be clicked as people do; then a script clicks it. */
  readonly clickMs: number;
  /** A read that takes longer is a stream or a long poll: the page does not wait for it to be complete. */
  readonly readMs: number;
  readonly writeMs: number;
  /** Until two looks at the page are the same. */
  readonly settleMs: number;
  /** Until a page is loaded. */
  readonly loadMs: number;
  /** Until a log-in form is rendered, and until an attempt to log in is answered. */
  readonly formMs: number;
  /** For anything else that the browser is told to do. */
  readonly otherMs: number;
}

export const limitsOf = (patienceMs: number): Limits => ({
  momentMs: patienceMs / 6,
  clickMs: patienceMs / 2,
  readMs: patienceMs / 2,
  writeMs: patienceMs * 2.5,
  settleMs: patienceMs * 3.5,
  loadMs: patienceMs * 3.5,
  formMs: patienceMs * 5,
  otherMs: patienceMs * 2,
});

/** How many times longer than usual the browser takes for the little that every page needs, from 1 to 10. */
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
