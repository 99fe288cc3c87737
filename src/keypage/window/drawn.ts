import { setTimeout as pause } from 'node:timers/promises';
import type { Frame, JSHandle } from '@playwright/test';
import { joinGroups } from '../reading/key-candidates.js';
import { type Piece, readPage } from '../reading/read-page.js';
import { ownFrames } from './browser.js';
import { expose, type TextToExpose } from './expose.js';
import { mostPieces, within } from './page-reader.js';
import type { Visit } from './visit.js';

type PageToDraw = Pick<Visit, 'page' | 'limits'>;

/** Maximum number of places per page that are checked. Each takes two pictures. */
const mostPlaces = 6;

/**
 * Number of changed pixels that shows that a long text is drawn. A short one needs one for each
 * letter.
 */
const enoughPixels = 40;

/**
 * Number of pixels that differ visibly between two PNGs of one size, in base64. Runs inside the
 * page, since the browser reads pictures.
 */
const differingPixels = async (pictures: readonly [string, string]): Promise<number> => {
  // One sixteenth of the brightness of a channel.
  const overlooked = 16;
  const pixelsOf = async (png: string): Promise<Uint8ClampedArray> => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(png), (byte) => byte.charCodeAt(0))]));
    const drawing = new OffscreenCanvas(image.width, image.height).getContext('2d');
    drawing?.drawImage(image, 0, 0);
    return drawing?.getImageData(0, 0, image.width, image.height).data ?? new Uint8ClampedArray();
  };
  const [one, other] = [await pixelsOf(pictures[0]), await pixelsOf(pictures[1])];
  const differs = (at: number): boolean => Math.abs((one[at] ?? 0) - (other[at] ?? 0)) > overlooked;
  let count = 0;
  for (let at = 0; at < one.length; at += 4) if (differs(at) || differs(at + 1) || differs(at + 2)) count += 1;
  return count;
};

/** Whether the picture of the page changes when a text is taken away; `undefined` if not known. */
const changesPicture = async (
  { page, limits }: PageToDraw,
  frame: Frame,
  text: Pick<TextToExpose, 'wanted' | 'clear'> & { readonly nodes: JSHandle<Node[]> },
): Promise<boolean | undefined> => {
  const exposed = await frame.evaluateHandle(expose, text);
  const picture = async (): Promise<boolean> => {
    const { box, unsure } = await exposed.evaluate(({ box: seen, unsure: maybe }) => ({ box: seen, unsure: maybe }));
    if (box === undefined || unsure) return unsure;
    const outer = frame === page.mainFrame() ? { x: 0, y: 0 } : await (await frame.frameElement()).boundingBox();
    const [x, y] = [Math.max(0, box.x + (outer?.x ?? 0)), Math.max(0, box.y + (outer?.y ?? 0))];
    const { width: right, height: bottom } = page.viewportSize() ?? { width: Infinity, height: Infinity };
    const clip = { x, y, width: Math.min(box.width, right - x), height: Math.min(box.height, bottom - y) };
    // Nobody can scroll to the frame.
    if (clip.width <= 0 || clip.height <= 0) return false;
    const take = async (): Promise<string> =>
      (await page.screenshot({ clip, caret: 'initial', timeout: limits.otherMs })).toString('base64');
    const shown = await take();
    await exposed.evaluate(({ hide }) => hide());
    const letters = text.wanted.replace(/\s/g, '').length;
    return (await page.evaluate(differingPixels, [shown, await take()] as const)) >= Math.min(letters, enoughPixels);
  };
  const changes = await picture().catch(() => undefined);
  return (await exposed.evaluate(({ restore }) => restore())) ? changes : undefined;
};

const look = async (
  visit: PageToDraw,
  partOf: (piece: Piece) => string | undefined,
): Promise<ReadonlyMap<string, boolean>> => {
  const drawn = new Map<string, boolean>();
  let places = 0;
  for (const frame of ownFrames(visit.page)) {
    const read = await frame.evaluateHandle(readPage, { mostPieces, withNodes: true });
    const pieces = await read.evaluate(({ pieces: all }) => all.map((piece, at) => ({ ...piece, at })));
    for (const piece of joinGroups(pieces)) {
      const { text, visible, at = 0 } = piece;
      const wanted = visible && drawn.get(text) !== true ? partOf(piece) : undefined;
      if (wanted === undefined) continue;
      places += 1;
      const nodes = await read.evaluateHandle(({ nodes: all }, index) => all?.[index] ?? [], at);
      const isDrawn = async (clear: boolean): Promise<boolean> =>
        (await changesPicture(visit, frame, { nodes, wanted, clear })) !== false;
      // A floating element may be the background of the text.
      drawn.set(text, places > mostPlaces || (await isDrawn(false)) || (await isDrawn(true)));
    }
  }
  return drawn;
};

/**
 * Marks texts that are in the page but cannot be seen: its picture is the same without them. If
 * that is unknown, a text counts as drawn.
 * @param partOf the part of a piece that has to be drawn; `undefined` if the piece does not matter
 */
export const withoutUndrawn = async (
  visit: PageToDraw,
  pieces: readonly Piece[],
  partOf: (piece: Piece) => string | undefined,
): Promise<readonly Piece[]> => {
  const isToExpose = (piece: Piece): boolean => piece.visible && partOf(piece) !== undefined;
  if (!pieces.some(isToExpose)) return pieces;
  const { momentMs, otherMs } = visit.limits;
  const see = (): Promise<ReadonlyMap<string, boolean> | undefined> =>
    within(otherMs, look(visit, partOf)).catch(() => undefined);
  let drawn = await see();
  if (drawn && [...drawn.values()].includes(false)) {
    // The text may be about to fade in.
    await pause(momentMs);
    drawn = await see();
  }
  const isUndrawn = ({ text }: Piece): boolean => drawn?.get(text) === false;
  // A text that is still in the page was not shown only for a moment.
  return pieces
    .filter((piece) => !(piece.passing && isUndrawn(piece)))
    .map((piece) => (isToExpose(piece) && isUndrawn(piece) ? { ...piece, visible: false } : piece));
};
