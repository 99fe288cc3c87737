import type { ElementHandle } from '@playwright/test';
import type { KeyPageOpens } from '../../rules/key-page/record.js';
import { type Control, click, controlsOf, tryClick } from '../controls/controls.js';
import { isAction, usable } from '../controls/find-action.js';
import { mask, reactsToPointing } from '../controls/gestures.js';
import type { Secrets } from '../gateway/secrets.js';
import { isCopy, isOther, isReveal, isRevealOfKey } from '../reading/control-names.js';
import { type Dom, dom, inPage } from '../reading/in-page.js';
import { candidatesOf, holdsKey, type KeyCandidate, likelyKey, longestKey } from '../reading/key-candidates.js';
import { drawnText, type Piece } from '../reading/read-page.js';
import { exploring, withoutWrites } from '../window/block-writes.js';
import { steadily } from '../window/browser.js';
import { samePage, type Visit } from '../window/visit.js';

/** Texts per page that are tried as keys. Each wrong one is a refused request. */
const maxTries = 8;

/** Whether a text that looks like a key is where a key would be. */
export const isInKeyPlace = ({ visible, score, grouped }: KeyCandidate): boolean =>
  visible && score >= likelyKey && !grouped;

/** Whether the refusal of a text shows that the page has a wrong key. */
export const isTelling = (candidate: KeyCandidate): boolean => isInKeyPlace(candidate) && !candidate.doubtful;

/** Texts that may be keys: those of KEY_PAGE_KEY_SELECTOR, else everything that looks like one. */
export const candidatesOn = async (
  visit: Visit,
  pieces: readonly Piece[],
  selector: string | undefined,
): Promise<KeyCandidate[]> => {
  if (selector === undefined) return candidatesOf(pieces);
  const found: KeyCandidate[] = [];
  for (const element of await visit.page.$$(selector)) {
    const text = await element.evaluate((node) =>
      node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement ? node.value : (node.textContent ?? ''),
    );
    const value = text.trim();
    if (/^\S{4,}$/.test(value) && value.length <= longestKey)
      found.push({ value, visible: await element.isVisible(), score: 10 });
  }
  return found;
};

/** The controls that a user would press on the page itself. */
const controlsHere = async (visit: Visit): Promise<readonly Control[]> =>
  (await controlsOf(visit)).filter((control) => usable(control) && !control.aside);

/** Holds writes. During the action, the page is not loaded again. */
const inPlace = ({ agrees }: Visit): typeof exploring => (agrees ? withoutWrites : exploring);

/**
 * Presses the first control with such a name.
 * @param mayWrite whether its script may change something on the server
 * @param kind `link`: a link to another page, which is not left for it
 * @returns its name, and how many of its writes were blocked; `undefined` if there is none
 */
const pressNamed = async (
  visit: Visit,
  named: (name: string) => boolean,
  mayWrite = false,
  kind: Control['by'] = 'script',
): Promise<{ readonly name: string; readonly held: number } | undefined> => {
  const control = (await controlsHere(visit)).find(({ name, by }) => by === kind && named(name));
  if (!control) return undefined;
  const press = async (): Promise<void> => void (await tryClick(visit, control));
  const { name } = control;
  if (!(mayWrite && visit.writes.endUnlessHeld())) return { name, ...(await inPlace(visit)(visit, press)) };
  await press();
  return { name, held: 0 };
};

/** The links that lead to the page's own path with another query: `?show=1`, `?page=2`. */
const linksToHere = async (visit: Visit): Promise<{ readonly control: Control; readonly target: string }[]> => {
  const found: { control: Control; target: string }[] = [];
  for (const control of await controlsOf(visit)) {
    if (control.by !== 'link' || !control.visible) continue;
    const target = await control
      .element()
      .then((element) => element.evaluate((node) => (node instanceof HTMLAnchorElement ? node.href : '')))
      .catch(() => '');
    if (URL.canParse(target) && target !== visit.page.url() && samePage(target, visit.page.url()))
      found.push({ control, target });
  }
  return found;
};

/** Follows a link that shows a hidden key at the page's own path. */
const followReveal = async (visit: Visit): Promise<boolean> => {
  const link = (await linksToHere(visit)).find(({ control }) => !control.aside && isReveal(control.name));
  if (link) await visit.load(link.target);
  return link !== undefined;
};

interface Box {
  readonly element: ElementHandle<HTMLInputElement>;
  readonly name: string;
  readonly inForm: boolean;
}

/** Whether a document may have boxes or lists. Runs inside the page. */
const mayHaveBoxes = inPage<Dom, void, boolean>(
  ({ elementsIn }) => elementsIn(document.documentElement).some((each) => each.matches('input, select, [role]')),
  ...dom,
);

/** The boxes, switches and radio buttons that are not ticked, and lists to choose from. */
const boxesOf = async ({ page }: Visit): Promise<Box[]> => {
  // Most pages have none, and to look by roles costs a script of 340 kB for each document.
  if (!(await steadily(() => page.evaluate(mayHaveBoxes)))) return [];
  const unticked = (['checkbox', 'switch', 'radio'] as const).map((role) => page.getByRole(role, { checked: false }));
  const boxes = unticked.reduce((some, more) => some.or(more), page.getByRole('combobox'));
  return Promise.all(
    (await boxes.elementHandles()).map(async (box) => {
      const element = box as ElementHandle<HTMLInputElement>;
      const facts = await element.evaluate((one) => ({
        name: [one.ariaLabel ?? '', ...[...(one.labels ?? [])].map((label) => label.textContent ?? '')]
          .join(' ')
          .trim(),
        inForm: one.closest('form') !== null,
      }));
      return { element, ...facts };
    }),
  );
};

/** Ticks a box or a switch that reveals a hidden key: "Show key" beside a field of dots. */
const tickReveal = async (visit: Visit): Promise<boolean> => {
  const box = (await boxesOf(visit)).find(({ name }) => isReveal(name));
  if (!box) return false;
  const { held } = await inPlace(visit)(visit, () => click(visit, box.element).then(() => visit.settle()));
  if (held > 0) visit.blockedReveal = box.name;
  return true;
};

/**
 * Presses a link that reveals a hidden key, since its script may show the key in the page itself.
 * @returns whether the page then shows something else
 */
const pressRevealLink = async (visit: Visit): Promise<boolean> => {
  const texts = async (): Promise<string> => JSON.stringify((await visit.read()).map(({ text }) => text));
  const before = await texts();
  const pressed = await pressNamed(visit, isRevealOfKey, false, 'link');
  if (pressed && pressed.held > 0) visit.blockedReveal = pressed.name;
  return pressed !== undefined && (await texts()) !== before;
};

/**
 * Presses a control, or follows a link, that reveals a hidden key. Never one that posts a form. One
 * that may show something else ("Show me on the leaderboard") must not change anything.
 */
export const reveal = async (visit: Visit): Promise<boolean> => {
  const ofKey = await pressNamed(visit, isRevealOfKey, !visit.readsOnly);
  if (!ofKey && (await pressRevealLink(visit))) return true;
  const pressed = ofKey ?? (await pressNamed(visit, isReveal));
  if (!pressed) return (await tickReveal(visit)) || followReveal(visit);
  if (pressed.held > 0) visit.blockedReveal = pressed.name;
  return true;
};

export const isMasked = (piece: Piece): boolean => piece.visible && mask.test(drawnText(piece));

/** Runs inside the page. */
const countPasswordFields = inPage<Dom, void, number>(
  ({ elementsIn, isShown }) =>
    elementsIn(document.documentElement).filter(
      (each) => each.matches('input[type=password]:not([readonly])') && isShown(each),
    ).length,
  ...dom,
);

export const passwordFields = ({ page }: Visit): Promise<number> => steadily(() => page.evaluate(countPasswordFields));

/** What a page had before a key was made. */
export interface WithoutKey {
  /** Names of the controls that a user would press. */
  readonly controls: readonly string[];
  readonly texts: ReadonlySet<string>;
}

export const withoutKeyOn = async (visit: Visit): Promise<WithoutKey> => ({
  controls: (await controlsHere(visit)).map(({ name }) => name),
  texts: new Set((await visit.read()).map(({ text }) => text)),
});

/** Whether a control may show more and is unknown to the suite. */
const isUnknown =
  (action: string | undefined) =>
  (control: Control): boolean => {
    const leadsAway = control.by === 'link' && !control.here;
    const hasKnownName = [isReveal, isOther, isCopy].some((isNamed) => isNamed(control.name));
    return !leadsAway && !hasKnownName && control.opens === 'no' && !isAction(control, action);
  };

/**
 * What may show the rest of a list: a choice, an unknown control, or a link to the same page with
 * another query, which also stands in navigation. `undefined` if there is none.
 */
export const offersMore = async (visit: Visit, action: string | undefined): Promise<string | undefined> => {
  if ((await visit.page.locator('select:visible').count()) > 0) return 'a list to choose from';
  const [first] = [
    ...(await controlsHere(visit)).filter(isUnknown(action)),
    ...(await linksToHere(visit)).map(({ control }) => control),
  ];
  return first && `“${first.name}”`;
};

/** A page on which no key was found. */
interface Keyless {
  readonly pieces: readonly Piece[];
  /** KEY_PAGE_ACTION */
  readonly action: string | undefined;
  /** `passwordFields` of the page as it was loaded. */
  readonly fields: number;
  /**
   * Given if another text is shown as the key: that may only be the key's name, and what came with
   * it may show the key.
   */
  readonly earlier?: WithoutKey | undefined;
}

/** Why a user may see a key that the suite did not see; `undefined` if nothing hints at that. */
export const whyUnseen = async (
  visit: Visit,
  { pieces, action, fields, earlier }: Keyless,
): Promise<string | undefined> => {
  if ((await passwordFields(visit)) > fields) return 'the page asks for a password before it shows more.';
  if (visit.traffic.limited)
    return `${new URL(visit.traffic.limited.url()).pathname}, which it asks for, answers 429: it limits how often it may be asked.`;
  if ((await visit.page.locator('a[download]:visible').count()) > 0)
    return 'a file that it offers may hold the key, and was not opened.';
  if (pieces.some(({ unread }) => unread))
    return 'a part of it is drawn, or a frame of another origin, and was not read.';
  if (visit.blockedReveal !== undefined)
    return `“${visit.blockedReveal}” may show it, and was pressed without its request, which may change something.`;
  const here = await controlsHere(visit);
  const named = here.find(({ name, by }) => by !== 'script' && isReveal(name));
  if (named) return `“${named.name}” may show it, and was not pressed, since it sends a form or leads to another page.`;
  const unknown = here.filter(isUnknown(action));
  const masks = pieces.some(isMasked);
  const mayShow = masks ? (unknown[0] ?? (await boxesOf(visit)).find(({ inForm }) => !inForm)) : undefined;
  if (mayShow)
    return `${mayShow.name === '' ? 'a control without a name' : `“${mayShow.name}”`} may show what the page masks, and was not pressed.`;
  // Nothing says that a control without a name shows no key.
  if (unknown.some(({ name }) => name === '')) return 'a control without a name may show it, and was not pressed.';
  if (earlier === undefined) return undefined;
  if (masks) return 'what the page masks may be the key, and nothing was found that shows it.';
  const leading = (await linksToHere(visit)).map(({ control }) => control).filter(({ aside }) => !aside);
  const came = [...unknown, ...leading].find(({ name }) => !earlier.controls.includes(name));
  if (came) return `“${came.name}”, which came with what looks like a key, may show it, and was not pressed.`;
  return (await reactsToPointing(visit, earlier.texts))
    ? 'the page shows something else where it is pointed at.'
    : undefined;
};

/** Whether a control is there that shows or copies what the page holds and does not show. */
export const bringsHidden = async (visit: Visit): Promise<boolean> =>
  (await controlsHere(visit)).some(({ name }) => isCopy(name) || isReveal(name));

/** Presses a copy button, once. The copied text is read with the page. */
export const copy = async (visit: Visit): Promise<boolean> => (await pressNamed(visit, isCopy)) !== undefined;

export interface TriedCandidates {
  readonly key: KeyCandidate | undefined;
  readonly refused: readonly KeyCandidate[];
  /** The API gave no usable answer about one of them. */
  readonly unknown: boolean;
}

export const noneTried: TriedCandidates = { key: undefined, refused: [], unknown: false };

/** Joins two rounds of tried texts. None of the first round was the key. */
export const alsoTried = (before: TriedCandidates, after: TriedCandidates): TriedCandidates => ({
  key: after.key,
  refused: [...before.refused, ...after.refused],
  unknown: before.unknown || after.unknown,
});

/** Tries texts as keys, likeliest first, until one opens the operation. */
export const tryKeys = async (candidates: readonly KeyCandidate[], secrets: Secrets): Promise<TriedCandidates> => {
  const refused: KeyCandidate[] = [];
  let unknown = false;
  const worthTrying = candidates.filter(({ value }) => !secrets.holdsPassword(value));
  for (const candidate of worthTrying.slice(0, maxTries)) {
    const answer: KeyPageOpens = await secrets.opens(candidate.value);
    if (answer === 'granted') return { key: candidate, refused, unknown };
    if (answer === 'refused') refused.push(candidate);
    else unknown = true;
  }
  return { key: undefined, refused, unknown };
};

export interface KeyVisibility {
  /** `hidden`: on the page, but not visible. */
  readonly shows: 'shown' | 'hidden' | 'absent';
  readonly others: readonly KeyCandidate[];
}

export const keyVisibility = (
  pieces: readonly Piece[],
  candidates: readonly KeyCandidate[],
  key: string,
): KeyVisibility => {
  const shown = pieces.some((piece) => piece.visible && holdsKey(drawnText(piece), key));
  const there =
    shown || pieces.some(({ text }) => holdsKey(text, key)) || candidates.some(({ value }) => value === key);
  return {
    shows: shown ? 'shown' : there ? 'hidden' : 'absent',
    others: candidates.filter(({ value }) => !holdsKey(value, key) && !holdsKey(key, value)),
  };
};
