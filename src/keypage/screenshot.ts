import type { Page } from '@playwright/test';
import { createKeyRing } from '../wire/keyring.js';
import { type DrawnBox, draw, type OutlineBox, outline } from './page-outline.js';

/** `all`: prose too. `names`: only controls, headings and labels, if a key may be unrecognised. */
export type Readable = 'all' | 'names';

const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();

/** Ordinary words: letters of one case after the first. Keys have digits or mixed case. */
const isPlain = (text: string): boolean => {
  const words = text.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== '');
  return (
    words.some((word) => /\p{L}{3}|[^\p{Script=Latin}\p{N}]/u.test(word)) &&
    words.every((word) => /^\p{L}?[\p{Ll}\p{Lo}\p{M}]*$|^\p{Lu}+$/u.test(word) && word.length <= 24)
  );
};

/** Decides which items are blacked out. Runs outside the page, which must not see the secrets. */
const covering = (secrets: readonly string[], readable: Readable): ((shape: OutlineBox) => boolean) => {
  const ring = createKeyRing({ keys: {}, secrets });
  const holds = (text: string): boolean => ring.redact(text) !== text;
  const bare = secrets.map(lettersOf);
  return ({ kind, within, attributes }) => {
    if (kind === 'image' || kind === 'field') return true;
    if (!isPlain(within) || holds(within) || attributes.some(holds)) return true;
    if (kind === 'name') return false;
    return readable === 'names' || bare.some((secret) => secret.includes(lettersOf(within)));
  };
};

/** The visible items of the page and its frames of the same origin. */
const boxesOf = async (page: Page): Promise<OutlineBox[]> => {
  const { origin } = new URL(page.url());
  const boxes: OutlineBox[] = [];
  for (const frame of page.frames()) {
    const isMain = frame === page.mainFrame();
    if (!isMain && new URL(frame.url(), page.url()).origin !== origin) continue;
    const box = isMain ? { x: 0, y: 0 } : await (await frame.frameElement()).boundingBox();
    const own = await frame.evaluate(outline);
    if (box) boxes.push(...own.map((shape) => ({ ...shape, x: shape.x + box.x, y: shape.y + box.y })));
  }
  return boxes;
};

/**
 * A picture of the page, drawn anew from its ordinary words. All else is black or left out.
 * `undefined` if the page navigated.
 */
export const pictureOf = async (
  page: Page,
  secrets: readonly string[],
  readable: Readable = 'all',
): Promise<Buffer | undefined> => {
  const browser = page.context().browser();
  const viewport = page.viewportSize();
  if (!browser || !viewport) return undefined;
  const context = await browser.newContext({ viewport, offline: true }).catch(() => undefined);
  try {
    const covers = covering(secrets, readable);
    const drawn = (await boxesOf(page)).map((box): DrawnBox => {
      const { x, y, width, height, size, control } = box;
      return { x, y, width, height, size, control, text: covers(box) ? undefined : box.text };
    });
    const empty = await context?.newPage();
    await empty?.evaluate(draw, drawn);
    return await empty?.screenshot({ timeout: 5_000 });
  } catch {
    return undefined;
  } finally {
    await context?.close().catch(() => {});
  }
};
