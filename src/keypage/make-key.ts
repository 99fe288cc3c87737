import type { Wording } from '../rules/key-page/no-key-message.js';
import type { KeyPageRecord, Said } from '../rules/key-page/record.js';
import { findAction } from './action.js';
import { type Before, type Look, look } from './before.js';
import { withoutKeys } from './candidates.js';
import { showsText, wordingOf } from './message.js';
import { press } from './press.js';
import type { Piece } from './read-page.js';
import { likelyKey, type Tried, tryKeys } from './shown-key.js';
import type { Visit } from './visit.js';
import type { Walking } from './walking.js';

/** A record that is being written. */
export type Draft = { -readonly [K in keyof KeyPageRecord]: KeyPageRecord[K] } & { facts: string[] };

const textsOf = (pieces: readonly Piece[]): string =>
  [...new Set(pieces.flatMap(({ text, visible }) => (visible ? [withoutKeys(text).replace(/\d+/g, '#')] : [])))]
    .sort()
    .join('\n');

/** What looks like a key and stands where one would: no build number in a footer. */
export const standsForKey = ({ visible, score }: Tried['refused'][number]): boolean => visible && score >= likelyKey;

export const saidIn = (
  { pieces, whole }: Pick<Look, 'pieces' | 'whole'>,
  { settings: { emptyText } }: Walking,
  wording: Wording = wordingOf(pieces),
  passing = false,
): Said => ({ wording, whole, emptyText: emptyText === undefined ? 'absent' : showsText(pieces, emptyText, passing) });

/** Whether the page, loaded again with nothing pressed, shows another key that opens the operation: then a new key tells nothing. */
const changesByItself = async (visit: Visit, walking: Walking, before: Before): Promise<boolean> => {
  const { key } = before.tried;
  if (key === undefined) return false;
  await visit.load(walking.settings.url);
  const again = await look(visit, walking, before.look.unfolded);
  if (again.candidates.some(({ value }) => value === key.value)) return false;
  const known = new Set(before.look.candidates.map(({ value }) => value));
  const others = again.candidates.filter(({ value }) => !known.has(value));
  return (await tryKeys(others, walking.secrets)).key !== undefined;
};

/** Presses the action, loads the page again, and says in the record what came of it. Returns the key that the page has now. */
export const makeKey = async (
  visit: Visit,
  walking: Walking,
  before: Before,
  record: Draft,
): Promise<string | undefined> => {
  const { settings, secrets, patienceMs, given } = walking;
  const unsteady = await changesByItself(visit, walking, before);
  if (record.before && unsteady) record.before = { ...record.before, unsteady };
  if (before.look.unfolded || before.tried.key) await visit.load(settings.url);
  const found = await findAction(visit, settings.action, patienceMs);
  if (found.control === undefined) {
    record.action = { pressed: false, certain: false, trouble: found.why, steps: [] };
    return undefined;
  }
  const givenOpened = await given?.opens();
  const known = before.look.candidates.map(({ value }) => value);
  record.action = { name: found.name, pressed: true, certain: found.certain, steps: [] };
  const pressed = await press(visit, found, walking, known);
  record.action = pressed.action;
  if (given && givenOpened === 'granted') record.givenKey = { setting: given.setting, opens: await given.opens() };
  const outcome = (tried: Tried, refused: number, old: string | undefined) => ({
    ...(tried.key === undefined ? {} : { made: secrets.label(tried.key.value) }),
    ...(tried.key !== undefined || old === undefined ? {} : { usedBefore: secrets.label(old) }),
    refused,
    unknown: tried.unknown,
    said: pressed.statements.filter((text) => !before.wording.shown.includes(text)),
  });
  record.after = outcome(pressed.tried, 0, pressed.usedBefore);

  await visit.load(settings.url);
  const later = await look(visit, walking, before.look.unfolded);
  const shown = later.candidates.map(({ value }) => value);
  const fresh = shown.filter((value) => !known.includes(value));
  const old = pressed.usedBefore ?? fresh.find((value) => given?.is(value));
  let { tried } = pressed;
  if (tried.key === undefined) {
    // A page may show the new key only when it is loaded again.
    const seen = [...known, ...tried.refused.map(({ value }) => value)];
    const late = await tryKeys(
      later.candidates.filter(({ value }) => !seen.includes(value) && !given?.is(value)),
      secrets,
    );
    tried = { key: late.key, refused: tried.refused, unknown: tried.unknown || late.unknown };
  }
  // What changes with every view, such as the number of a request, stands for nothing.
  const refused = tried.refused.filter((candidate) => standsForKey(candidate) && shown.includes(candidate.value));
  record.after = {
    ...outcome(tried, refused.length, old),
    reloaded: { unchanged: textsOf(later.pieces) === textsOf(before.look.pieces), ...saidIn(later, walking) },
  };
  if (record.before) {
    const replaced = before.tried.refused.filter((each) => standsForKey(each) && !shown.includes(each.value));
    record.before = { ...record.before, replaced: replaced.length };
  }
  return tried.key?.value ?? old;
};
