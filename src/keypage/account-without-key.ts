import { literally } from '../wildcard.js';
import { type InitialState, type PageState, readInitialState } from './initial-state.js';
import { KeyPageTrouble } from './input.js';
import { inNewWindow, type WalkContext } from './walk-context.js';

/** Replaces the names of both accounts by one text, with and without the part from `@`. */
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
