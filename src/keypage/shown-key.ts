import type { Opens } from '../rules/key-page/record.js';
import { withoutWrites } from './block-writes.js';
import { isCopy, isReveal } from './control-names.js';
import { controlsOf } from './controls.js';
import { type Candidate, candidatesOf } from './key-candidates.js';
import { click } from './login.js';
import type { Piece } from './read-page.js';
import type { Secrets } from './secrets.js';
import type { Visit } from './visit.js';

/** Texts per page that are tried as keys. Each wrong one is a refused request. */
const maxTries = 8;

/** A candidate of this score or more is where a key would be. */
export const likelyKey = 6;

/** Texts that may be keys: those of KEY_PAGE_KEY_SELECTOR, else everything that looks like one. */
export const candidatesOn = async (
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

/** Presses a control that reveals a hidden key, once. Never one that posts a form. */
export const reveal = (visit: Visit): Promise<boolean> => pressNamed(visit, isReveal, visit.readsOnly);

/** Presses a copy button, once. The copied text is read with the page. */
export const copy = (visit: Visit): Promise<boolean> => pressNamed(visit, isCopy, true);

export interface TriedKeys {
  /** The first text that opens the operation. */
  readonly key: Candidate | undefined;
  /** Texts that look like keys and that the API refuses. */
  readonly refused: readonly Candidate[];
  /** The API gave no usable answer about one of them. */
  readonly unknown: boolean;
}

/** Tries texts as keys, likeliest first, until one opens the operation. */
export const tryKeys = async (candidates: readonly Candidate[], secrets: Secrets): Promise<TriedKeys> => {
  const refused: Candidate[] = [];
  let unknown = false;
  const worthTrying = candidates.filter(({ value }) => !secrets.holdsPassword(value));
  for (const candidate of worthTrying.slice(0, maxTries)) {
    const answer: Opens = await secrets.opens(candidate.value);
    if (answer === 'granted') return { key: candidate, refused, unknown };
    if (answer === 'refused') refused.push(candidate);
    else unknown = true;
  }
  return { key: undefined, refused, unknown };
};

export interface KeyVisibility {
  /** `hidden`: on the page, but not visible. */
  readonly shows: 'shown' | 'hidden' | 'absent';
  /** Other texts that look like keys. */
  readonly others: readonly Candidate[];
}

export const keyVisibility = (
  pieces: readonly Piece[],
  candidates: readonly Candidate[],
  key: string,
): KeyVisibility => {
  const shown = pieces.some(({ text, visible }) => visible && text.includes(key));
  const there = shown || pieces.some(({ text }) => text.includes(key)) || candidates.some(({ value }) => value === key);
  return {
    shows: shown ? 'shown' : there ? 'hidden' : 'absent',
    others: candidates.filter(({ value }) => !value.includes(key) && !key.includes(value)),
  };
};
