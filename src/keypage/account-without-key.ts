import { literally } from '../wildcard.js';
import { type InitialState, type PageState, readInitialState } from './initial-state.js';
import { KeyPageTrouble } from './input.js';
import { holdsKey } from './key-candidates.js';
import { statementsOf } from './page-wording.js';
import type { Piece } from './read-page.js';
import { inNewWindow, type WalkContext } from './walk-context.js';

/** Replaces the names of the two accounts, also without the part from `@`, by the same text. */
const withoutNames =
  (names: readonly (string | undefined)[]) =>
  <T extends Pick<PageState, 'pieces'>>(page: T): T => {
    const known = names.flatMap((name) => (name === undefined ? [] : [name, name.split('@')[0] ?? '']));
    const forms = [...new Set(known)]
      .filter((name) => name.length >= 2)
      .sort((one, other) => other.length - one.length);
    if (forms.length === 0) return page;
    const any = forms.map(literally).join('|');
    const pattern = new RegExp(`(?<![\\p{L}\\d])(${any})(?![\\p{L}\\d])`, 'giu');
    return { ...page, pieces: page.pieces.map((piece) => ({ ...piece, text: piece.text.replace(pattern, '<user>') })) };
  };

const inOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const textsOf = (pieces: readonly Piece[]): string[] =>
  pieces.flatMap(({ text, visible }) => (visible ? [inOneLine(text)] : []));

/** The nearest texts before and after a position that both pages have. */
const around = (texts: readonly string[], at: number, common: ReadonlySet<string>) => ({
  before: texts.slice(0, at).findLast((text) => common.has(text)),
  after: texts.slice(at + 1).find((text) => common.has(text)),
});

/** Statements of the page without a key that are where the other page shows its key. */
export const inPlaceOf = (none: readonly Piece[], shown: readonly Piece[], key: string): string[] => {
  const [texts, others] = [textsOf(none), textsOf(shown)];
  const common = new Set(texts.filter((text) => others.includes(text)));
  const places = others.flatMap((text, at) => (holdsKey(text, key) ? [around(others, at, common)] : []));
  return none.flatMap((piece) => {
    const [statement] = statementsOf([piece]);
    const at = texts.indexOf(inOneLine(piece.text));
    if (statement === undefined || at < 0) return [];
    const { before, after } = around(texts, at, common);
    const same = places.some(
      (place) => (before !== undefined && before === place.before) || (after !== undefined && after === place.after),
    );
    return same ? [statement] : [];
  });
};

export interface SeenWithoutKey {
  readonly before?: InitialState;
  readonly plain: <T extends Pick<PageState, 'pieces'>>(page: T) => T;
  readonly trouble?: string;
}

/**
 * Reads the page of the account without a key in a window of its own, with writes blocked.
 * @returns `undefined` if no such account is set
 */
export const seeWithoutKey = async (walking: WalkContext): Promise<SeenWithoutKey | undefined> => {
  const { settings } = walking;
  const { username, password } = settings.withoutKey ?? {};
  if (username === undefined && password === undefined) return undefined;
  const plain = withoutNames([settings.username, username]);
  if (username === undefined || password === undefined)
    return { plain, trouble: 'it takes both WEB_USERNAME_WITHOUT_KEY and WEB_PASSWORD_WITHOUT_KEY.' };
  if (username === settings.username)
    return { plain, trouble: 'WEB_USERNAME_WITHOUT_KEY names the account of WEB_USERNAME: name another one.' };
  const own = { ...settings, username, password, generate: false, accountSuffix: '_WITHOUT_KEY' };
  try {
    const other = { ...walking, settings: own };
    const before = await inNewWindow(other, (visit) => readInitialState(visit, other));
    return { plain, before };
  } catch (error) {
    if (error instanceof KeyPageTrouble) return { plain, trouble: error.message };
    throw error;
  }
};
