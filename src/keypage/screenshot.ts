import type { Page } from '@playwright/test';
import { createKeyRing } from '../wire/keyring.js';
import { type Drawn, draw, outline, type Shape } from './outline.js';

/** `all`: prose too. `names`: controls, headings and labels alone, where a key may stand that nobody recognised. */
export type Readable = 'all' | 'names';

const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();

/** Words as people write them: letters of one case but for the first. Keys have digits, or cases mixed, or are in pieces. */
const isPlain = (text: string): boolean => {
  const words = text.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== '');
  return (
    words.some((word) => /\p{L}{3}|[^\p{Script=Latin}\p{N}]/u.test(word)) &&
    words.every((word) => /^\p{L}?[\p{Ll}\p{Lo}\p{M}]*$|^\p{Lu}+$/u.test(word) && word.length <= 24)
  );
};

/** Decides what of a page may be read in a picture. Nothing is looked at inside the page, which would see what is looked for. */
const covering = (secrets: readonly string[], readable: Readable): ((shape: Shape) => boolean) => {
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

/** What the page shows, frames of its own origin included. */
const shapesOf = async (page: Page): Promise<Shape[]> => {
  const { origin } = new URL(page.url());
  const shapes: Shape[] = [];
  for (const frame of page.frames()) {
    const isMain = frame === page.mainFrame();
    if (!isMain && new URL(frame.url(), page.url()).origin !== origin) continue;
    const box = isMain ? { x: 0, y: 0 } : await (await frame.frameElement()).boundingBox();
    const own = await frame.evaluate(outline);
    if (box) shapes.push(...own.map((shape) => ({ ...shape, x: shape.x + box.x, y: shape.y + box.y })));
  }
  return shapes;
};

/**
 * A picture of the page, drawn anew from the words of its open tree: what is none is black, and what else a page can show (shadow trees,
 * images, backgrounds, what styles write) is not there at all. `undefined` when the page moved on meanwhile.
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
    const shapes = await shapesOf(page);
    const drawn = shapes.map((shape): Drawn => ({ ...shape, text: covers(shape) ? undefined : shape.text }));
    const empty = await context?.newPage();
    await empty?.evaluate(
      draw,
      drawn.map(({ x, y, width, height, size, control, text }) => ({ x, y, width, height, size, control, text })),
    );
    return await empty?.screenshot({ timeout: 5_000 });
  } catch {
    return undefined;
  } finally {
    await context?.close().catch(() => {});
  }
};
