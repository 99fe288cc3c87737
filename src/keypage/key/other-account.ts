import { literally } from '../../names.js';
import { KeyPageTrouble } from '../input.js';
import { inNewWindow, type WalkContext } from '../log-in/walk-context.js';
import { wordingOf } from '../reading/page-wording.js';
import type { Visit } from '../window/visit.js';
import { earlierOf, type PageState, readInitialState, readPageState } from './initial-state.js';
import { foundIn, type RecordDraft, saidIn } from './walk-record.js';

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

/**
 * Compares the page of the account without a key, read in a window of its own with writes blocked,
 * with that of the account with one.
 */
export const compareAccounts = async (
  visit: Visit,
  walking: WalkContext,
  record: RecordDraft,
  current: string | undefined,
): Promise<void> => {
  const { settings } = walking;
  const { username, password } = settings.withoutKey ?? {};
  const refuse = (trouble: string): void => {
    record.withoutKey = { trouble };
  };
  if (username === undefined && password === undefined) return;
  if (username === undefined || password === undefined)
    return refuse('it takes both WEB_USERNAME_WITHOUT_KEY and WEB_PASSWORD_WITHOUT_KEY.');
  if (username === settings.username)
    return refuse('WEB_USERNAME_WITHOUT_KEY names the account of WEB_USERNAME: name another one.');
  const own = { ...settings, username, password, generate: false, accountSuffix: '_WITHOUT_KEY' };
  const other = { ...walking, settings: own };
  const before = await inNewWindow(other, (window) => readInitialState(window, other)).catch((error: unknown) => {
    if (!(error instanceof KeyPageTrouble)) throw error;
    refuse(error.message);
  });
  if (!before) return;
  const plain = withoutNames([settings.username, username]);
  const none = plain(before.page);
  const found = { ...foundIn(before, walking), ...saidIn(none, walking, wordingOf(none.pieces), true) };
  record.withoutKey = { before: found };
  if (current === undefined) return;
  await visit.load(settings.url);
  const key = plain(await readPageState(visit, walking, earlierOf(before.page)));
  record.withKey = saidIn(key, walking);
};
