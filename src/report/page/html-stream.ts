import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { Fragment, h, type JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { jsonText } from '../../visible.js';

const deflate = promisify(deflateRaw);

/** Items rendered at a time. */
const atATime = 256;

/** Marks a place in a container that `renderWithSlots` fills. */
export const slot = `hole-${randomUUID()}`;

/**
 * The HTML of the container, with the next of `contents` in each slot, without rendering all at
 * once.
 */
export function* renderWithSlots(container: JSX.Element, ...contents: readonly Iterable<string>[]): Generator<string> {
  const [before = '', ...after] = renderToString(container).split(slot);
  yield before;
  for (const [index, inside] of contents.entries()) {
    yield* inside;
    yield after[index] ?? '';
  }
}

/** The HTML of a list, in pieces: a clause may have fifty thousand checks. */
export function* renderEach<T>(items: readonly T[], render: (item: T) => JSX.Element): Generator<string> {
  for (let from = 0; from < items.length; from += atATime)
    yield renderToString(h(Fragment, null, items.slice(from, from + atATime).map(render)));
}

/** A value as JSON, raw deflate and base64, in a data block that browsers do not run. */
export const packed = async (id: string, value: unknown): Promise<string> => {
  const bytes = await deflate(JSON.stringify(value), { level: 6 });
  return `<script type="text/plain" id="${id}">${bytes.toString('base64')}</script>\n`;
};

/** JSON in a script element. `<` is escaped, so that nothing can end the element. */
export const inlineJson = (id: string, value: unknown): string =>
  `<script type="application/json" id="${id}">${jsonText(value).replaceAll('<', '\\u003c')}</script>\n`;
