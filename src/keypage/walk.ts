import { findAction } from './action.js';
import { seeAgain, seeInNewLogIn } from './again.js';
import { type Before, findBefore, type Look, look } from './before.js';
import { withoutKeys } from './candidates.js';
import { KeyPageTrouble } from './input.js';
import { showsText, statementsOf } from './message.js';
import { cookieFact, documentFacts, plainHttpFact } from './observe.js';
import { sentenceOf } from './outgoing.js';
import { press } from './press.js';
import type { Piece } from './read-page.js';
import type { KeyPageRecord } from './record.js';
import { pictureOf, type Readable } from './screenshot.js';
import { likelyKey, type Tried, tryKeys } from './shown-key.js';
import type { Visit } from './visit.js';
import { inNewWindow, type Walking } from './walking.js';

/** A record that is being written. */
export type Draft = { -readonly [K in keyof KeyPageRecord]: KeyPageRecord[K] } & { facts: string[] };

const textsOf = (pieces: readonly Piece[]): string =>
  [...new Set(pieces.flatMap(({ text, visible }) => (visible ? [withoutKeys(text).replace(/\d+/g, '#')] : [])))]
    .sort()
    .join('\n');

const standsForKey = ({ visible, score }: Tried['refused'][number]): boolean => visible && score >= likelyKey;

/** Presses the action, loads the page again, and says in the record what came of it. Returns the key that was made. */
const makeKey = async (visit: Visit, walking: Walking, before: Before, record: Draft): Promise<string | undefined> => {
  const { settings, secrets, patienceMs } = walking;
  const found = await findAction(visit, settings.action, patienceMs);
  if (found.control === undefined) {
    record.action = { pressed: false, certain: false, trouble: found.why, steps: [] };
    return undefined;
  }
  const known = before.look.candidates.map(({ value }) => value);
  record.action = { name: found.name, pressed: true, certain: found.certain, steps: [] };
  const pressed = await press(visit, found, walking, known);
  record.action = pressed.action;
  const outcome = (tried: Tried, refused: number) => ({
    ...(tried.key === undefined ? {} : { made: secrets.label(tried.key.value) }),
    refused,
    unknown: tried.unknown,
    said: pressed.statements.filter((text) => !before.statements.includes(text)),
  });
  record.after = outcome(pressed.tried, 0);

  await visit.load(settings.url);
  const later = await look(visit, walking);
  const shown = later.candidates.map(({ value }) => value);
  let { tried } = pressed;
  if (tried.key === undefined) {
    // A page may show the new key only when it is loaded again.
    const seen = [...known, ...tried.refused.map(({ value }) => value)];
    const late = await tryKeys(
      later.candidates.filter(({ value }) => !seen.includes(value)),
      secrets,
    );
    tried = { key: late.key, refused: tried.refused, unknown: tried.unknown || late.unknown };
  }
  // What changes with every view, such as the number of a request, stands for nothing.
  const refused = tried.refused.filter((candidate) => standsForKey(candidate) && shown.includes(candidate.value));
  record.after = {
    ...outcome(tried, refused.length),
    reloaded: {
      unchanged: textsOf(later.pieces) === textsOf(before.look.pieces),
      statements: statementsOf(later.pieces),
      emptyText: showsEmptyText(later, walking),
    },
  };
  if (record.before) {
    const replaced = before.tried.refused.filter((each) => standsForKey(each) && !shown.includes(each.value));
    record.before = { ...record.before, replaced: replaced.length };
  }
  return tried.key?.value;
};

const showsEmptyText = ({ pieces }: Look, { settings }: Walking): boolean =>
  settings.emptyText !== undefined && showsText(pieces, settings.emptyText);

const walkThrough = async (visit: Visit, walking: Walking, record: Draft): Promise<void> => {
  const { settings, secrets } = walking;
  const plain = plainHttpFact(settings.url);
  const before = await findBefore(visit, walking);
  const oldKey = before.tried.key?.value;
  record.before = {
    ...(oldKey === undefined ? {} : { key: secrets.label(oldKey) }),
    refused: before.tried.refused.filter(standsForKey).length,
    replaced: 0,
    unknown: before.tried.unknown,
    statements: before.statements,
    emptyText: showsEmptyText(before.look, walking),
  };
  record.facts.push(...[await plain, await cookieFact(visit)].flatMap((fact) => fact ?? []));

  let made: string | undefined;
  if (settings.generate) {
    made = await makeKey(visit, walking, before, record);
    if (oldKey !== undefined && made !== undefined) record.oldKey = await secrets.opens(oldKey);
  } else await visit.load(settings.url);
  record.facts.push(...(await documentFacts(visit.document)));

  const current = made ?? oldKey;
  if (current === undefined) return;
  const known = before.look.candidates.map(({ value }) => value);
  record.reloaded = await seeAgain(visit, walking, current, known);
  record.loggedInAgain = await seeInNewLogIn(walking, current, known);
};

const troubleOf = (error: unknown, signal: AbortSignal): string => {
  if (signal.aborted)
    return signal.reason instanceof KeyPageTrouble ? signal.reason.message : 'The run was stopped before the end.';
  return error instanceof KeyPageTrouble
    ? error.message
    : `The browser could not go on: ${String(error).split('\n')[0] ?? ''}`;
};

/** Rejects when the walk is to end: a page that hangs would keep everything else waiting. */
const ended = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

/** What a picture may show. After the action there may be a key on the page, and without one that the API takes nobody knows which text it is. */
const readableIn = ({ action, after, before }: KeyPageRecord): Readable | 'nothing' => {
  if (action?.pressed && after?.made === undefined) return 'nothing';
  return (after?.made ?? before?.key) === undefined ? 'names' : 'all';
};

export interface Walked {
  readonly record: KeyPageRecord;
  /** A PNG of the page where the walk ended, keys blacked out. */
  readonly picture?: Buffer | undefined;
  /** There is none since it could have shown a key. */
  readonly withheld?: boolean;
}

/**
 * Walks through the key page as its user would, and records what is to be seen. Never throws for what a page does.
 */
export const walk = async (walking: Walking, wantsPicture: boolean): Promise<Walked> => {
  const { gateway, settings, secrets, signal } = walking;
  const record: Draft = {
    asked: { generate: settings.generate, emptyText: settings.emptyText !== undefined },
    facts: [],
  };
  let picture: Buffer | undefined;
  let withheld = false;
  try {
    const whole = inNewWindow(walking, async (visit) => {
      try {
        await walkThrough(visit, walking, record);
      } finally {
        const readable = readableIn(record);
        withheld = wantsPicture && readable === 'nothing';
        if (wantsPicture && readable !== 'nothing' && !signal.aborted)
          picture = await pictureOf(visit.page, secrets.all(), readable);
      }
    });
    await Promise.race([whole, ended(signal)]);
  } catch (error) {
    record.trouble = troubleOf(error, signal);
  }
  const stopped = [...new Set(gateway.stopped.map(sentenceOf))];
  record.facts.push(...stopped);
  if (stopped.length > 0) record.stopped = { sentences: stopped, felt: gateway.stopped.some(({ felt }) => felt) };
  // A copy: what still goes on in a window that is being closed is no longer recorded.
  return { record: structuredClone(record), picture, withheld };
};
