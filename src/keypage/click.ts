import type { ElementHandle } from '@playwright/test';
import { isTimeout } from './browser-errors.js';
import type { Visit } from './visit.js';

/**
 * Clicks an element. False if by a script, since a banner covers it: some pages ignore that.
 * @param heldMs milliseconds for which the mouse button is held
 */
export const click = async ({ limits }: Visit, element: ElementHandle<HTMLElement>, heldMs = 0): Promise<boolean> => {
  try {
    await element.click({ timeout: limits.clickMs + heldMs, noWaitAfter: true, delay: heldMs });
    return true;
  } catch (error) {
    const log = String(error);
    const wasClicking = /performing click action/.test(log);
    const wasInTheWay = /intercepts pointer events|outside of the viewport|not stable/.test(log);
    // It was clicked, and its script keeps the page busy.
    if (wasClicking && !wasInTheWay && isTimeout(log)) return true;
    // Only if the error came before the click: nothing is pressed twice.
    if (wasClicking || !wasInTheWay) throw error;
    await element.evaluate((target) => target.click());
    return false;
  }
};
