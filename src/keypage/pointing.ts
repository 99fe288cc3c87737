import { withoutWrites } from './block-writes.js';
import type { Visit } from './visit.js';

/** What a page shows where it is pointed at. */

/** Most texts that are pointed at. */
const mostPointedAt = 8;

/**
 * Indexes of the elements that contain only a text which is new, and are no controls. Runs inside
 * the page.
 */
const withNewText = (elements: Element[], { known, most }: { known: readonly string[]; most: number }): number[] => {
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
  return elements.flatMap((element, at) => (isNew(element) ? [at] : [])).slice(0, most);
};

/** What the page shows, without numbers. */
export const visibleTexts = async (visit: Visit): Promise<string> =>
  (await visit.read()).flatMap(({ text, visible }) => (visible ? [text.replace(/\d+/g, '#')] : [])).join('\n');

/**
 * Points at texts that came with a key, as a user does, with writes blocked.
 * @returns whether the page then shows something else
 */
export const reactsToPointing = async (visit: Visit, known: ReadonlySet<string>): Promise<boolean> => {
  const { momentMs } = visit.limits;
  const elements = visit.page.locator('body *');
  const places = await elements.evaluateAll(withNewText, { known: [...known], most: mostPointedAt });
  // What appears while something is pointed at would shift the indexes.
  const texts = await Promise.all(
    places.map((at) =>
      elements
        .nth(at)
        .elementHandle({ timeout: momentMs })
        .catch(() => null),
    ),
  );
  let reacts = false;
  const { held } = await withoutWrites(visit, async () => {
    for (const element of texts) {
      const before = await visibleTexts(visit);
      await element?.hover({ timeout: momentMs, noWaitAfter: true }).catch(() => {});
      await visit.settle();
      reacts = (await visibleTexts(visit)) !== before;
      if (reacts) return;
    }
  });
  return reacts || held > 0;
};
