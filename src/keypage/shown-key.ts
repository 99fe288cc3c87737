import type { Opens } from '../rules/key-page/record.js';
import { type Candidate, candidatesOf } from './candidates.js';
import { controlsOf } from './controls.js';
import { withoutWrites } from './holding.js';
import { click } from './login.js';
import { isCopy, isReveal } from './names.js';
import type { Piece } from './read-page.js';
import type { Secrets } from './secrets.js';
import type { Visit } from './visit.js';

/** At most so many texts of one look at a page are tried as keys: each wrong one is a refused request. */
const mostTries = 8;

/** A candidate of at least this score stands where keys stand: it is no build number in a footer. */
export const likelyKey = 6;

/** Asks a page for what may be a key: KEY_PAGE_KEY_SELECTOR's text or value, else everything that looks like one. */
export const keysOn = async (
  visit: Visit,
  pieces: readonly Piece[],
  selector: string | undefined,
): Promise<Candidate[]> => {
  if (selector === undefined) return candidatesOf(pieces);
  const elements = await visit.page.$$(selector);
  const values = await Promise.all(
    elements.map(async (element) => ({
      value: (
        await element.evaluate((node) =>
          node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement
            ? node.value
            : (node.textContent ?? ''),
        )
      ).trim(),
      visible: await element.isVisible(),
    })),
  );
  return values.flatMap(({ value, visible }) => (/^\S{4,512}$/.test(value) ? [{ value, visible, score: 10 }] : []));
};

const pressNamed = async (visit: Visit, named: (name: string) => boolean, reads: boolean): Promise<boolean> => {
  const control = (await controlsOf(visit)).find(
    ({ name, visible, enabled, by, aside }) => visible && enabled && !aside && by === 'script' && named(name),
  );
  if (!control) return false;
  const press = async (): Promise<void> => {
    await control
      .element()
      .then((element) => click(visit, element))
      .catch(() => {});
    await visit.settle();
  };
  await (reads ? withoutWrites(visit, press) : press());
  return true;
};

/** A key that is hidden behind dots: presses what shows it, once. Never a control that posts a form. */
export const reveal = (visit: Visit): Promise<boolean> => pressNamed(visit, isReveal, visit.readsOnly);

/** A key that only a button copies: presses that, once. What it copies is read with the page. */
export const copy = (visit: Visit): Promise<boolean> => pressNamed(visit, isCopy, true);

export interface Tried {
  /** The first text that opens the operation. */
  readonly key: Candidate | undefined;
  /** Texts that look like keys and are none to the API. */
  readonly refused: readonly Candidate[];
  /** The API gave no usable answer about one of them. */
  readonly unknown: boolean;
}

/** Tries texts as keys, likeliest first, until one opens the operation. */
export const tryKeys = async (candidates: readonly Candidate[], secrets: Secrets): Promise<Tried> => {
  const refused: Candidate[] = [];
  let unknown = false;
  for (const candidate of candidates.slice(0, mostTries)) {
    const answer: Opens = await secrets.opens(candidate.value);
    if (answer === 'granted') return { key: candidate, refused, unknown };
    if (answer === 'refused') refused.push(candidate);
    else unknown = true;
  }
  return { key: undefined, refused, unknown };
};

export interface Sight {
  /** `hidden`: there for a copy button, but not to be read. */
  readonly shows: 'shown' | 'hidden' | 'absent';
  /** Other texts that look like keys. */
  readonly others: readonly Candidate[];
}

export const sight = (pieces: readonly Piece[], candidates: readonly Candidate[], key: string): Sight => {
  const shown = pieces.some(({ text, visible }) => visible && text.includes(key));
  const there = shown || pieces.some(({ text }) => text.includes(key)) || candidates.some(({ value }) => value === key);
  return {
    shows: shown ? 'shown' : there ? 'hidden' : 'absent',
    others: candidates.filter(({ value }) => !value.includes(key) && !key.includes(value)),
  };
};
