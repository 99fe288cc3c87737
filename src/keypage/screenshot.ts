import type { Page } from '@playwright/test';
import { keyLikeIn } from './candidates.js';

const marked = 'data-blacked-out';

/** What shows something that no text of the page tells. */
const pictures = 'canvas, iframe, img, svg, picture, video, object, embed';

/**
 * Marks the elements that hold one of the texts, in whatever groups it is written, in their text or in an attribute (a style may show
 * that), and fields with a value or a placeholder. Runs inside the page.
 */
const mark = ({ secrets, attribute }: { secrets: readonly string[]; attribute: string }): void => {
  const ungrouped = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '');
  const bare = secrets.map(ungrouped).filter((secret) => secret.length >= 6);
  const holds = (text: string): boolean => {
    if (secrets.some((secret) => text.includes(secret))) return true;
    const letters = ungrouped(text);
    return bare.some((secret) => letters.includes(secret));
  };
  const visit = (root: ParentNode): void => {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) visit(element.shadowRoot);
      const own = [...element.childNodes].map((node) => (node instanceof Text ? node.data : '')).join('');
      const whole = element.childElementCount < 30 ? (element.textContent ?? '') : '';
      const field = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
      const attributes = [...element.attributes].map(({ value }) => value);
      if (
        attributes.some(holds) ||
        (field
          ? element.value !== '' || element.placeholder !== ''
          : holds(own) || (whole.length < 400 && holds(whole)))
      )
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
      mask: page.frames().map((frame) => frame.locator(`[${marked}], ${pictures}`)),
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
