import { randomUUID } from 'node:crypto';
import { Fragment, h, type JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** Items of a list that are rendered at a time. */
const atATime = 256;

/** Stands in a container where `around` puts what is too long to be rendered with it. */
export const hole = `hole-${randomUUID()}`;

/** The container's HTML piece by piece, with one of the insides in each of its holes. */
export function* around(container: JSX.Element, ...insides: readonly Iterable<string>[]): Generator<string> {
  const [before = '', ...after] = renderToString(container).split(hole);
  yield before;
  for (const [index, inside] of insides.entries()) {
    yield* inside;
    yield after[index] ?? '';
  }
}

/** The HTML of a list, some items at a time: all of a clause's checks may be fifty thousand. */
export function* each<T>(items: readonly T[], render: (item: T) => JSX.Element): Generator<string> {
  for (let from = 0; from < items.length; from += atATime)
    yield renderToString(h(Fragment, null, items.slice(from, from + atATime).map(render)));
}
