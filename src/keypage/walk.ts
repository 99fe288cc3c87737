import type { Found, KeyPageRecord } from '../rules/key-page/record.js';
import { seeAgain, seeInNewLogIn } from './again.js';
import { type Before, findBefore, look } from './before.js';
import { KeyPageTrouble } from './input.js';
import { type Draft, makeKey, saidIn, standsForKey } from './make-key.js';
import { wordingOf } from './message.js';
import { cookieFact, documentFacts, plainHttpFact } from './observe.js';
import { sentenceOf } from './outgoing.js';
import { pictureOf, type Readable } from './screenshot.js';
import type { Visit } from './visit.js';
import { inNewWindow, type Walking } from './walking.js';
import { inPlaceOf, seeWithoutKey } from './without-key.js';

/** The page of the account without a key, and that of the one with a key beside it. */
const compareAccounts = async (
  visit: Visit,
  walking: Walking,
  record: Draft,
  current: string | undefined,
): Promise<void> => {
  const seen = await seeWithoutKey(walking);
  if (seen === undefined) return;
  const { before, plain, trouble } = seen;
  record.withoutKey = trouble === undefined ? {} : { trouble };
  if (before === undefined) return;
  const none = plain(before.look);
  const found = {
    ...foundIn(before, walking),
    ...saidIn(none, walking, wordingOf(none.pieces), true),
  };
  record.withoutKey = { before: found };
  if (current === undefined) return;
  await visit.load(walking.settings.url);
  const key = plain(await look(visit, walking, before.look.unfolded));
  record.withKey = saidIn(key, walking);
  record.withoutKey = { before: found, inPlace: inPlaceOf(none.pieces, key.pieces, current) };
};

const foundIn = ({ tried, look: { pieces, whole }, wording }: Before, walking: Walking): Found => ({
  ...(tried.key === undefined ? {} : { key: walking.secrets.label(tried.key.value) }),
  refused: tried.refused.filter(standsForKey).length,
  replaced: 0,
  unknown: tried.unknown,
  ...saidIn({ pieces, whole }, walking, wording, true),
});

const walkThrough = async (visit: Visit, walking: Walking, record: Draft): Promise<void> => {
  const { settings, secrets } = walking;
  const plain = plainHttpFact(settings.url);
  const before = await findBefore(visit, walking);
  const oldKey = before.tried.key?.value;
  record.before = foundIn(before, walking);
  record.facts.push(...[await plain, await cookieFact(visit)].flatMap((fact) => fact ?? []));

  let made: string | undefined;
  if (settings.generate) {
    made = await makeKey(visit, walking, before, record);
    if (oldKey !== undefined && made !== undefined && made !== oldKey) record.oldKey = await secrets.opens(oldKey);
  } else await visit.load(settings.url);
  record.facts.push(...(await documentFacts(visit.document)));

  const current = made ?? oldKey;
  if (current !== undefined) {
    const known = before.look.candidates.map(({ value }) => value);
    record.reloaded = await seeAgain(visit, walking, current, known);
    record.loggedInAgain = await seeInNewLogIn(walking, current, known);
  }
  await compareAccounts(visit, walking, record, current);
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
