import type { ElementHandle } from '@playwright/test';
import type { Visit } from '../window/visit.js';

/** What a person does to a control that heeds no press. */

type ControlElement = ElementHandle<HTMLElement>;

/** Pixels that a control is dragged to the side. A window is 1280 wide. */
const farPx = 400;

const drag = async ({ page }: Visit, control: ControlElement): Promise<void> => {
  const box = await control.boundingBox();
  if (!box) return;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + farPx, y, { steps: 8 });
  await page.mouse.up();
};

/** Real controls take these keys as a click. */
const pressKey = async (control: ControlElement, key: string): Promise<void> => {
  if (await control.evaluate((node) => node.matches('button, input, a[href], summary'))) return;
  await control.press(key, { noWaitAfter: true });
};

/**
 * Makes one gesture after another at a control that two presses did not move, until something
 * happens.
 */
export const tryGestures = async (
  visit: Visit,
  control: ControlElement,
  happened: () => Promise<boolean>,
): Promise<void> => {
  const way = { timeout: visit.limits.momentMs, noWaitAfter: true };
  const gestures: readonly (() => Promise<void>)[] = [
    () => control.dblclick(way),
    () => control.click({ ...way, button: 'right' }),
    () => drag(visit, control),
    () => control.dispatchEvent('touchstart').then(() => control.dispatchEvent('touchend')),
    () => control.dispatchEvent('wheel', { deltaY: 100 }),
    () => pressKey(control, 'Enter'),
    () => pressKey(control, 'Space'),
  ];
  for (const gesture of gestures) {
    await gesture().catch(() => {});
    await visit.settle();
    if (await happened()) return;
  }
};

/** Whether a control waits to be dropped somewhere. Where is not known. */
export const isDragged = (control: ControlElement): Promise<boolean> =>
  control.evaluate((node) => node.closest('[draggable=true]') !== null);
