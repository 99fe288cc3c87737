import type { Wording } from '../rules/key-page/no-key-message.js';
import type { KeyPageRecord, Said } from '../rules/key-page/record.js';
import { findAction } from './action.js';
import { type InitialState, type PageState, readPageState } from './initial-state.js';
import { withoutKeys } from './key-candidates.js';
import { showsText, wordingOf } from './page-wording.js';
import { press } from './press.js';
import type { Piece } from './read-page.js';
import { likelyKey, type TriedKeys, tryKeys } from './shown-key.js';
import type { Visit } from './visit.js';
import type { WalkContext } from './walk-context.js';

/** A record while it is written. */
export type RecordDraft = { -readonly [K in keyof KeyPageRecord]: KeyPageRecord[K] } & { facts: string[] };

const textsOf = (pieces: readonly Piece[]): string =>
  [...new Set(pieces.flatMap(({ text, visible }) => (visible ? [withoutKeys(text).replace(/\d+/g, '#')] : [])))]
    .sort()
    .join('\n');

/** Whether a text that looks like a key is where a key would be. */
export const isInKeyPlace = ({ visible, score }: TriedKeys['refused'][number]): boolean =>
  visible && score >= likelyKey;

export const saidIn = (
  { pieces, whole }: Pick<PageState, 'pieces' | 'whole'>,
  { settings: { emptyText } }: WalkContext,
  wording: Wording = wordingOf(pieces),
  passing = false,
): Said => ({ wording, whole, emptyText: emptyText === undefined ? 'absent' : showsText(pieces, emptyText, passing) });

/** Whether the page shows another valid key after a reload alone. A new key then proves nothing. */
const changesByItself = async (visit: Visit, walking: WalkContext, before: InitialState): Promise<boolean> => {
  const { key } = before.tried;
  if (key === undefined) return false;
  await visit.load(walking.settings.url);
  const again = await readPageState(visit, walking, before.page.unfolded);
  if (again.candidates.some(({ value }) => value === key.value)) return false;
  const known = new Set(before.page.candidates.map(({ value }) => value));
  const others = again.candidates.filter(({ value }) => !known.has(value));
  return (await tryKeys(others, walking.secrets)).key !== undefined;
};

/**
 * Presses the action, reloads the page, and records the result.
 * @returns the key that the page shows now
 */
export const makeKey = async (
  visit: Visit,
  walking: WalkContext,
  before: InitialState,
  record: RecordDraft,
): Promise<string | undefined> => {
  const { settings, secrets, patienceMs, given } = walking;
  const unsteady = await changesByItself(visit, walking, before);
  if (record.before && unsteady) record.before = { ...record.before, unsteady };
  if (before.page.unfolded || before.tried.key) await visit.load(settings.url);
  const found = await findAction(visit, settings.action, patienceMs);
  if (found.control === undefined) {
    record.action = { pressed: false, certain: false, trouble: found.why, steps: [] };
    return undefined;
  }
  const givenOpened = await given?.opens();
  const known = before.page.candidates.map(({ value }) => value);
  record.action = { name: found.name, pressed: true, certain: found.certain, steps: [] };
  const pressed = await press(visit, found, walking, known);
  record.action = pressed.action;
  if (given && givenOpened === 'granted') record.givenKey = { setting: given.setting, opens: await given.opens() };
  const outcome = (tried: TriedKeys, refused: number, old: string | undefined) => ({
    ...(tried.key === undefined ? {} : { made: secrets.label(tried.key.value) }),
    ...(tried.key !== undefined || old === undefined ? {} : { usedBefore: secrets.label(old) }),
    refused,
    unknown: tried.unknown,
    said: pressed.statements.filter((text) => !before.wording.shown.includes(text)),
  });
  record.after = outcome(pressed.tried, 0, pressed.usedBefore);

  await visit.load(settings.url);
  const later = await readPageState(visit, walking, before.page.unfolded);
  const shown = later.candidates.map(({ value }) => value);
  const fresh = shown.filter((value) => !known.includes(value));
  const old = pressed.usedBefore ?? fresh.find((value) => given?.is(value));
  let { tried } = pressed;
  if (tried.key === undefined) {
    // A page may show the new key only after a reload.
    const seen = [...known, ...tried.refused.map(({ value }) => value)];
    const late = await tryKeys(
      later.candidates.filter(({ value }) => !seen.includes(value) && !given?.is(value)),
      secrets,
    );
    tried = { key: late.key, refused: tried.refused, unknown: tried.unknown || late.unknown };
  }
  // Texts that change with every view, such as request ids, are ignored.
  const refused = tried.refused.filter((candidate) => isInKeyPlace(candidate) && shown.includes(candidate.value));
  record.after = {
    ...outcome(tried, refused.length, old),
    reloaded: { unchanged: textsOf(later.pieces) === textsOf(before.page.pieces), ...saidIn(later, walking) },
  };
  if (record.before) {
    const replaced = before.tried.refused.filter((each) => isInKeyPlace(each) && !shown.includes(each.value));
    record.before = { ...record.before, replaced: replaced.length };
  }
  return tried.key?.value ?? old;
};
