import { setTimeout as pause } from 'node:timers/promises';
import { inflateSync } from 'node:zlib';
import type { Frame, JSHandle } from '@playwright/test';
import { ownFrames } from './browser.js';
import { expose, type TextToExpose } from './expose.js';
import { joinGroups } from './key-candidates.js';
import { mostPieces, within } from './page-reader.js';
import { type Piece, readPage } from './read-page.js';
import type { Visit } from './visit.js';

type PageToDraw = Pick<Visit, 'page' | 'limits'>;

/** Maximum number of places per page that are checked. Each takes two pictures. */
const mostPlaces = 6;

/**
 * Number of changed pixels that shows that a long text is drawn. A short one needs one for each
 * letter.
 */
const enoughPixels = 40;

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
    const take = (): Promise<Buffer> => page.screenshot({ clip, caret: 'initial', timeout: limits.otherMs });
    const shown = await take();
    await exposed.evaluate(({ hide }) => hide());
    const letters = text.wanted.replace(/\s/g, '').length;
    return differingPixels(shown, await take()) >= Math.min(letters, enoughPixels);
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

const paeth = (left: number, up: number, corner: number): number => {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
};

/** The pixels of a PNG as browsers write them: 8 bits a channel, RGB or RGBA, not interlaced. */
const pixelsOf = (png: Buffer): { readonly channels: number; readonly bytes: Buffer } => {
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const channels = png[25] === 6 ? 4 : 3;
  const line = png.readUInt32BE(16) * channels;
  const data = inflateSync(Buffer.concat(parts));
  const bytes = Buffer.alloc((data.length / (line + 1)) * line);
  for (let at = 0, from = 0; at < bytes.length; from += 1) {
    const filter = data[from];
    for (let x = 0; x < line; x += 1, at += 1) {
      from += 1;
      const left = x < channels ? 0 : (bytes[at - channels] ?? 0);
      const up = bytes[at - line] ?? 0;
      const corner = x < channels ? 0 : (bytes[at - line - channels] ?? 0);
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0;
      bytes[at] = (data[from] ?? 0) + guess;
    }
  }
  return { channels, bytes };
};

/** Number of pixels that differ visibly between two PNGs of one size. */
const differingPixels = (one: Buffer, other: Buffer): number => {
  // One sixteenth of the brightness of a channel.
  const overlooked = 16;
  const [{ channels, bytes }, { bytes: others }] = [pixelsOf(one), pixelsOf(other)];
  let count = 0;
  for (let at = 0; at < bytes.length; at += channels)
    for (let channel = at; channel < at + channels; channel += 1)
      if (Math.abs((bytes[channel] ?? 0) - (others[channel] ?? 0)) > overlooked) {
        count += 1;
        break;
      }
  return count;
};
