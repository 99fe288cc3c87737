import type { ElementHandle } from '@playwright/test';
import { withoutWrites } from './block-writes.js';
import type { Visit } from './visit.js';

/** Most texts that are pointed at. */
const mostPointedAt = 8;

/** Text of an element that has nothing else in it and is no control. Runs inside the page. */
const ownText = (element: Node): string =>
  element instanceof HTMLElement &&
  element.childElementCount === 0 &&
  element.checkVisibility({ visibilityProperty: true }) &&
  !element.closest('button, a, nav, script, style, input, textarea, select, option, h1, h2, h3, h4')
    ? (element.textContent ?? '').trim()
    : '';

const visibleTexts = async (visit: Visit): Promise<string> =>
  (await visit.read()).flatMap(({ text, visible }) => (visible ? [text.replace(/\d+/g, '#')] : [])).join('\n');

/**
 * Points at texts that came with a key, as a user does, with writes blocked.
 * @returns whether the page then shows something else
 */
export const reactsToPointing = async (visit: Visit, known: ReadonlySet<string>): Promise<boolean> => {
  const texts: ElementHandle<Node>[] = [];
  for (const element of await visit.page.$$('body *')) {
    const text = await element.evaluate(ownText).catch(() => '');
    if (text !== '' && !known.has(text)) texts.push(element);
  }
  let reacts = false;
  const { held } = await withoutWrites(visit, async () => {
    for (const element of texts.slice(0, mostPointedAt)) {
      const before = await visibleTexts(visit);
      await (element as ElementHandle<HTMLElement>)
        .hover({ timeout: visit.limits.momentMs, noWaitAfter: true })
        .catch(() => {});
      await visit.settle();
      reacts = (await visibleTexts(visit)) !== before;
      if (reacts) return;
    }
  });
  return reacts || held > 0;
};
