import { type Before, findBefore, type Look } from './before.js';
import { KeyPageTrouble } from './input.js';
import { statementsOf } from './message.js';
import type { Piece } from './read-page.js';
import type { Visit } from './visit.js';
import { inNewWindow, type Walking } from './walking.js';

/** The names of the two accounts, and what stands before the `@` of one, are the same text on both pages. */
const withoutNames =
  (names: readonly (string | undefined)[]) =>
  <T extends Pick<Look, 'pieces'>>(look: T): T => {
    const known = names.flatMap((name) => (name === undefined ? [] : [name, name.split('@')[0] ?? '']));
    const forms = [...new Set(known)]
      .filter((name) => name.length >= 2)
      .sort((one, other) => other.length - one.length);
    if (forms.length === 0) return look;
    const any = forms.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
    const pattern = new RegExp(`(?<![\\p{L}\\d])(${any})(?![\\p{L}\\d])`, 'giu');
    return { ...look, pieces: look.pieces.map((piece) => ({ ...piece, text: piece.text.replace(pattern, '<user>') })) };
  };

const textsOf = (pieces: readonly Piece[]): string[] =>
  pieces.flatMap(({ text, visible }) => (visible ? [text.replace(/\s+/g, ' ').trim()] : []));

/** The nearest texts before and after a place that both pages have. */
const around = (texts: readonly string[], at: number, common: ReadonlySet<string>) => ({
  before: texts.slice(0, at).findLast((text) => common.has(text)),
  after: texts.slice(at + 1).find((text) => common.has(text)),
});

/** The statements of a page without a key that stand where another page shows the key: between the same texts. */
export const inPlaceOf = (none: readonly Piece[], shown: readonly Piece[], key: string): string[] => {
  const [texts, others] = [textsOf(none), textsOf(shown)];
  const common = new Set(texts.filter((text) => others.includes(text)));
  const places = others.flatMap((text, at) => (text.includes(key) ? [around(others, at, common)] : []));
  return none.flatMap((piece) => {
    const [statement] = statementsOf([piece]);
    const at = texts.indexOf(piece.text.replace(/\s+/g, ' ').trim());
    if (statement === undefined || at < 0) return [];
    const { before, after } = around(texts, at, common);
    const same = places.some(
      (place) => (before !== undefined && before === place.before) || (after !== undefined && after === place.after),
    );
    return same ? [statement] : [];
  });
};

export interface SeenWithoutKey {
  readonly before?: Before;
  /** Takes the names of both accounts out of what a page says. */
  readonly plain: <T extends Pick<Look, 'pieces'>>(look: T) => T;
  readonly trouble?: string;
}

/**
 * Reads the page of the account that was named as one without a key, in a window of its own. Nothing that makes a key is pressed, and
 * nothing that is pressed may change anything. `undefined` when no such account was named.
 */
export const seeWithoutKey = async (walking: Walking): Promise<SeenWithoutKey | undefined> => {
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
    const before = await inNewWindow(other, (visit: Visit) => findBefore(visit, other));
    return { plain, before };
  } catch (error) {
    if (error instanceof KeyPageTrouble) return { plain, trouble: error.message };
    throw error;
  }
};
