import type { ElementHandle } from '@playwright/test';
import { KeyPageTrouble } from '../input.js';
import { type Dom, dom, inPage } from '../reading/in-page.js';
import { withoutWrites } from '../window/block-writes.js';
import { elementsOf } from '../window/browser.js';
import type { Visit } from '../window/visit.js';
import { isNamedLikeAction } from './find-action.js';

/** What a person does with the mouse and keys where a press does nothing: points, drags, types. */

/** Maximum number of texts that are pointed at. */
const mostPointedAt = 8;

/** The elements that contain only a new text, and are no controls. Runs inside the page. */
const withNewText = inPage(
  ({ elementsIn }: Dom, { known, most }: { readonly known: readonly string[]; readonly most: number }): Element[] => {
    const isNew = (element: Element): boolean => {
      if (!(element instanceof HTMLElement) || element.childElementCount > 0) return false;
      const text = (element.textContent ?? '').trim();
      return (
        text !== '' &&
        !known.includes(text) &&
        element.checkVisibility({ visibilityProperty: true }) &&
        !element.closest('button, a, nav, script, style, input, textarea, select, option, h1, h2, h3, h4')
      );
    };
    return elementsIn(document.body).filter(isNew).slice(0, most);
  },
  ...dom,
);

/** What the page shows, without numbers. */
export const visibleTexts = async (visit: Visit): Promise<string> =>
  (await visit.read()).flatMap(({ text, visible }) => (visible ? [text.replace(/\d+/g, '#')] : [])).join('\n');

/** A run of one sign, which stands for hidden characters. */
export const mask = /([^\p{L}\p{N}\s_=.,~#-])\1{3,}/u;

/** The elements that are a mask, or an icon beside one, and no controls. Runs inside the page. */
const withMask = inPage(
  ({ elementsIn }: Dom, { source, most }: { readonly source: string; readonly most: number }): Element[] => {
    const pattern = new RegExp(source, 'u');
    const textIn = (element: Element): string => {
      if (!(element instanceof HTMLInputElement)) return element.textContent ?? '';
      // Other fields wait for an entry.
      return element.readOnly || element.form === null ? `${element.value} ${element.placeholder}` : 'entry';
    };
    const elements = elementsIn(document.body);
    const isMask = (element: Element): boolean => element.childElementCount === 0 && pattern.test(textIn(element));
    const masks = new Set(elements.filter(isMask));
    const around = new Set([...masks].map(({ parentElement }) => parentElement));
    const isIcon = (element: Element): boolean => around.has(element.parentElement) && textIn(element).trim() === '';
    const isWanted = (element: Element): boolean =>
      (masks.has(element) || isIcon(element)) &&
      !element.closest('button, a, nav, label, summary, select') &&
      element.checkVisibility({ visibilityProperty: true });
    return elements.filter(isWanted).slice(0, most);
  },
  ...dom,
);

const ways = ['hover', 'click', 'dblclick'] as const;

/** Uses the mouse with writes blocked, until the page shows something else. */
const reactsTo = async (
  visit: Visit,
  elements: readonly ElementHandle<HTMLElement>[],
  tried: readonly (typeof ways)[number][],
): Promise<boolean> => {
  let reacts = false;
  const { held } = await withoutWrites(visit, async () => {
    for (const element of elements)
      for (const way of tried) {
        const before = await visibleTexts(visit);
        await element[way]({ timeout: visit.limits.momentMs, noWaitAfter: true }).catch(() => {});
        await visit.settle();
        reacts = (await visibleTexts(visit)) !== before;
        if (reacts) return;
      }
  });
  return reacts || held > 0;
};

/**
 * Points at texts that came with a key, as a user does.
 * @returns whether the page then shows something else
 */
export const reactsToPointing = async (visit: Visit, known: ReadonlySet<string>): Promise<boolean> => {
  const texts = await visit.page.evaluateHandle(withNewText, { known: [...known], most: mostPointedAt });
  return reactsTo(visit, await elementsOf(texts), ['hover']);
};

/**
 * Points at each mask and what stands beside it, and clicks it once and twice.
 * @returns whether the page then shows something else
 */
export const reactsAtMask = async (visit: Visit): Promise<boolean> => {
  const masks = await visit.page.evaluateHandle(withMask, { source: mask.source, most: mostPointedAt });
  return reactsTo(visit, await elementsOf(masks), ways);
};

const elementName = (element: ElementHandle<HTMLElement>): Promise<string> =>
  element.evaluate((node) => {
    const own = node instanceof HTMLInputElement ? node.value : node.textContent;
    return (node.getAttribute('aria-label') || own || node.title).replace(/\s+/g, ' ').trim();
  });

/**
 * Points at the action, as a user does before pressing it.
 * @throws KeyPageTrouble if it then has the name of another one
 */
export const pointAt = async (
  visit: Visit,
  element: ElementHandle<HTMLElement>,
  wanted: string | undefined,
): Promise<void> => {
  const before = await elementName(element);
  await element.focus().catch(() => {});
  await element.hover({ timeout: visit.limits.clickMs, noWaitAfter: true }).catch(() => {});
  const name = await elementName(element);
  if (name === before || isNamedLikeAction(name, wanted)) return;
  throw new KeyPageTrouble(`“${before}” became “${name}” when it was pointed at, and was not pressed.`);
};

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
