import { setTimeout as pause } from 'node:timers/promises';
import { findAction } from '../controls/find-action.js';
import { reactsAtMask } from '../controls/gestures.js';
import { earlierOf, type InitialState, type PageState, readPageState } from '../key/initial-state.js';
import { tryLoneWords } from '../key/lone-words.js';
import {
  alsoTried,
  copy,
  isInKeyPlace,
  isTelling,
  noneTried,
  passwordFields,
  reveal,
  type TriedCandidates,
  tryKeys,
  type WithoutKey,
  whyUnseen,
  withoutKeyOn,
} from '../key/shown-key.js';
import { viewOf } from '../key/unfolding.js';
import { type RecordDraft, saidIn } from '../key/walk-record.js';
import type { WalkContext } from '../log-in/walk-context.js';
import { withoutKeys } from '../reading/key-candidates.js';
import type { Piece } from '../reading/read-page.js';
import { samePage, type Visit } from '../window/visit.js';
import { type Pressed, press } from './press.js';

const textsOf = (pieces: readonly Piece[]): string =>
  [...new Set(pieces.flatMap(({ text, visible }) => (visible ? [withoutKeys(text).replace(/\d+/g, '#')] : [])))]
    .sort()
    .join('\n');

/** Whether the page shows another valid key after a reload alone. A new key then proves nothing. */
const changesByItself = async (visit: Visit, walking: WalkContext, before: InitialState): Promise<boolean> => {
  const { key } = before.tried;
  if (key === undefined) return false;
  await visit.load(walking.settings.url);
  const again = await readPageState(visit, walking, earlierOf(before.page));
  if (again.candidates.some(({ value }) => value === key.value)) return false;
  const known = new Set(before.page.candidates.map(({ value }) => value));
  const others = again.candidates.filter(({ value }) => !known.has(value));
  return (await tryKeys(others, walking.secrets)).key !== undefined;
};

const isUnchanged = (later: PageState, before: InitialState): boolean =>
  textsOf(later.pieces) === textsOf(before.page.pieces);

interface Making {
  readonly visit: Visit;
  readonly walking: WalkContext;
  /** The page before the action. */
  readonly before: InitialState;
  readonly earlier: WithoutKey;
}

interface SeenAgain {
  readonly later: PageState;
  readonly tried: TriedCandidates;
  /** The run's own key, if it appeared. */
  readonly old: string | undefined;
  /** New texts that stand where a key would, also after the reload, and are refused. */
  readonly refused: TriedCandidates['refused'];
  /** Why a user may see a key here that the suite did not see. */
  readonly unseen?: string | undefined;
}

/** Presses controls and masks that show or copy a hidden key, and tries what they bring. */
const uncover = async (
  { visit, walking }: Making,
  known: readonly string[],
  earlier: WithoutKey | undefined,
): Promise<Pick<SeenAgain, 'tried' | 'unseen'>> => {
  const { settings, secrets, given } = walking;
  const fields = await passwordFields(visit);
  let tried: TriedCandidates = noneTried;
  for (const way of [reveal, copy, reactsAtMask]) {
    if (!(await way(visit))) continue;
    const { candidates } = await viewOf(visit, walking);
    const fresh = candidates.filter(({ value }) => !known.includes(value) && !given?.is(value));
    tried = alsoTried(tried, await tryKeys(fresh, secrets));
    if (tried.key) return { tried };
  }
  const page = { pieces: await visit.read(), action: settings.action, fields, earlier };
  return { tried, unseen: await whyUnseen(visit, page) };
};

/** Loads the page again and tries what it shows that it did not show before the action. */
const reloaded = async (
  making: Making,
  { tried, usedBefore }: Pick<Pressed, 'tried' | 'usedBefore'>,
): Promise<SeenAgain> => {
  const { visit, walking, before, earlier } = making;
  const { settings, secrets, given } = walking;
  await visit.load(settings.url);
  const later = await readPageState(visit, walking, earlierOf(before.page));
  const known = before.page.candidates.map(({ value }) => value);
  const shown = later.candidates.map(({ value }) => value);
  const fresh = later.candidates.filter(({ value }) => !known.includes(value));
  const old = usedBefore ?? fresh.find(({ value }) => given?.is(value))?.value;
  if (tried.key !== undefined) return { later, tried, old, refused: [] };
  const others = fresh.filter(({ value }) => !given?.is(value));
  const again = await tryKeys(others, secrets);
  // Texts that change with every view, such as request ids, are ignored.
  const stay = tried.refused.filter((candidate) => isInKeyPlace(candidate) && shown.includes(candidate.value));
  const refused = again.refused.filter(({ value }) => tried.refused.every((each) => each.value !== value));
  let visible = alsoTried(tried, { ...again, refused });
  if (again.key === undefined && old === undefined)
    visible = alsoTried(visible, await tryLoneWords(before.page.pieces, later.pieces, visible, walking));
  if (visible.key !== undefined || old !== undefined)
    return { later, tried: visible, old, refused: visible.key === undefined ? stay : [] };
  const all = [...known, ...visible.refused.map(({ value }) => value)];
  const hidden = await uncover(making, all, stay.some(isTelling) ? earlier : undefined);
  return {
    later,
    tried: { ...visible, key: hidden.tried.key },
    old,
    refused: hidden.tried.key === undefined ? stay : [],
    unseen: hidden.unseen,
  };
};

/**
 * Reads the page after the action. A key may be made, or become known to the API, some time after
 * the press. So a page that is unchanged, or shows what the API refuses, is loaded and tried again,
 * with growing pauses.
 */
const lookAgain = async (making: Making, pressed: Pressed): Promise<SeenAgain> => {
  const { walking, before } = making;
  const end = Date.now() + walking.lateMs;
  const { status = 200, idle } = pressed.action;
  let seen = await reloaded(making, pressed);
  const isLate = ({ tried, old, refused, later }: SeenAgain): boolean =>
    tried.key === undefined && old === undefined && (refused.length > 0 || isUnchanged(later, before));
  const mayCome = status < 400 && idle === undefined && pressed.hasSent;
  for (let wait = walking.patienceMs / 6; mayCome && isLate(seen) && Date.now() < end; wait *= 2) {
    await pause(Math.min(wait, Math.max(0, end - Date.now())));
    seen = await reloaded(making, { tried: seen.tried, usedBefore: seen.old });
  }
  return seen;
};

/**
 * Presses the action again after an error of the server, as a user would, unless the page, loaded
 * again, shows a new key.
 */
const pressAfterError = async (making: Making, first: Pressed): Promise<Pressed | undefined> => {
  const { visit, walking, before } = making;
  const { status = 200 } = first.action;
  if (status < 500 || first.tried.key !== undefined || first.usedBefore !== undefined) return undefined;
  await pause(visit.limits.momentMs);
  const seen = await reloaded(making, first);
  if (seen.tried.key !== undefined || seen.old !== undefined) return undefined;
  await visit.load(walking.settings.url);
  const found = await findAction(visit, walking.settings.action, walking.patienceMs);
  if (found.control === undefined) return undefined;
  const known = [...before.page.candidates, ...seen.later.candidates].map(({ value }) => value);
  const second = await press(visit, found, walking, known);
  return { ...second, action: { ...second.action, twice: true, firstStatus: status } };
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
  if (visit.writes.isOn || before.page.unfolded || before.page.revealed || before.tried.key)
    await visit.load(settings.url);
  const found = await findAction(visit, settings.action, patienceMs);
  if (found.control === undefined) {
    const { origin, pathname } = new URL(visit.page.url());
    const led = samePage(visit.page.url(), settings.url)
      ? ''
      : ` KEY_PAGE_URL led to ${origin}${pathname}: see in a browser what that page asks for.`;
    record.action = { pressed: false, certain: false, trouble: `${found.why}${led}`, steps: [] };
    return undefined;
  }
  const making: Making = { visit, walking, before, earlier: await withoutKeyOn(visit) };
  const givenOpened = await given?.opens();
  const known = before.page.candidates.map(({ value }) => value);
  const { name } = found.control;
  record.action = { name, pressed: true, certain: found.certain, steps: [] };
  walking.progress.waitsFor = `what “${name}” brings`;
  const first = await press(visit, found, walking, known);
  record.action = first.action;
  const pressed = (await pressAfterError(making, first)) ?? first;
  record.action = pressed.action;
  if (given && givenOpened === 'granted') record.givenKey = { setting: given.setting, opens: await given.opens() };
  const outcome = (tried: TriedCandidates, refused: number, old: string | undefined) => ({
    ...(tried.key === undefined ? {} : { made: secrets.label(tried.key.value) }),
    ...(tried.key !== undefined || old === undefined ? {} : { usedBefore: secrets.label(old) }),
    refused,
    unknown: tried.unknown,
    said: pressed.statements.filter((text) => !before.wording.shown.includes(text)),
  });
  record.after = outcome(pressed.tried, 0, pressed.usedBefore);

  const { later, tried, old, refused, unseen } = await lookAgain(making, pressed);
  record.after = {
    ...outcome(tried, refused.filter(isTelling).length, old),
    ...(unseen === undefined ? {} : { unseen }),
    reloaded: { unchanged: isUnchanged(later, before), ...saidIn(later, walking) },
  };
  if (record.before) {
    const shown = later.candidates.map(({ value }) => value);
    const replaced = before.tried.refused.filter((each) => isInKeyPlace(each) && !shown.includes(each.value));
    record.before = { ...record.before, replaced: replaced.length };
  }
  return tried.key?.value ?? old;
};
