import type { Page } from '@playwright/test';
import { keyLikeIn } from './candidates.js';

const marked = 'data-blacked-out';

/** Marks the elements that hold one of the texts, fields with a value among them. Runs inside the page. */
const mark = ({ secrets, attribute }: { secrets: readonly string[]; attribute: string }): void => {
  const visit = (root: ParentNode): void => {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) visit(element.shadowRoot);
      const own = [...element.childNodes].map((node) => (node instanceof Text ? node.data : '')).join('');
      const whole = element.childElementCount < 30 ? (element.textContent ?? '') : '';
      const field = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
      const holds = (text: string): boolean => secrets.some((secret) => text.includes(secret));
      if (field ? element.value !== '' : holds(own) || (whole.length < 400 && holds(whole)))
        element.setAttribute(attribute, '');
    }
  };
  visit(document);
};

/**
 * A picture of the page with every field, and every element that holds a secret or anything that looks like a key, blacked out;
 * `undefined` when the page moved on meanwhile.
 */
export const pictureOf = async (page: Page, secrets: readonly string[]): Promise<Buffer | undefined> => {
  try {
    const text = async (): Promise<string> => page.evaluate(() => document.documentElement.outerHTML);
    const before = await text();
    const all = [...new Set([...secrets, ...keyLikeIn(before)])];
    for (const frame of page.frames()) await frame.evaluate(mark, { secrets: all, attribute: marked });
    const picture = await page.screenshot({
      mask: page.frames().map((frame) => frame.locator(`[${marked}], canvas, iframe, img[src^="data:"]`)),
      maskColor: '#000',
      timeout: 5_000,
    });
    // A page that rendered again has lost the marks: its picture may show a key.
    const after = await text();
    const marks = (html: string): number => html.split(marked).length;
    return keyLikeIn(after).every((key) => all.includes(key)) && (marks(after) > 1 || keyLikeIn(after).length === 0)
      ? picture
      : undefined;
  } catch {
    return undefined;
  }
};
