import type { KeyPageRecord, PageAsFound } from '../rules/key-page/record.js';
import { inPlaceOf, seeWithoutKey } from './account-without-key.js';
import { saidOfBrowser } from './browser-errors.js';
import { earlierOf, type InitialState, readInitialState, readPageState } from './initial-state.js';
import { KeyPageTrouble } from './input.js';
import { keyAfterNewLogIn, keyAfterReload } from './key-after-reload.js';
import { isInKeyPlace, makeKey, type RecordDraft, saidIn } from './make-key.js';
import { cookieFact, documentFacts, plainHttpFact } from './page-facts.js';
import { within } from './page-reader.js';
import { wordingOf } from './page-wording.js';
import { pictureOf, type Readable } from './screenshot.js';
import { sentenceOf, sentenceOfSent } from './secret-scanner.js';
import type { Visit } from './visit.js';
import { inNewWindow, type WalkContext } from './walk-context.js';

/** Compares the page of the account without a key with that of the account with one. */
const compareAccounts = async (
  visit: Visit,
  walking: WalkContext,
  record: RecordDraft,
  current: string | undefined,
): Promise<void> => {
  const seen = await seeWithoutKey(walking);
  if (seen === undefined) return;
  const { before, plain, trouble } = seen;
  record.withoutKey = trouble === undefined ? {} : { trouble };
  if (before === undefined) return;
  const none = plain(before.page);
  const found = { ...foundIn(before, walking), ...saidIn(none, walking, wordingOf(none.pieces), true) };
  record.withoutKey = { before: found };
  if (current === undefined) return;
  await visit.load(walking.settings.url);
  const key = plain(await readPageState(visit, walking, earlierOf(before.page)));
  record.withKey = saidIn(key, walking);
  record.withoutKey = { before: { ...found, inPlace: inPlaceOf(none.pieces, key.pieces, current) } };
};

const foundIn = (
  { tried, page: { pieces, whole }, wording, inKnownLanguage }: InitialState,
  walking: WalkContext,
): PageAsFound => ({
  ...(inKnownLanguage === undefined ? {} : { inKnownLanguage }),
  ...(tried.key === undefined ? {} : { key: walking.secrets.label(tried.key.value) }),
  refused: tried.refused.filter(isInKeyPlace).length,
  replaced: 0,
  unknown: tried.unknown,
  ...saidIn({ pieces, whole }, walking, wording, true),
});

const walkThrough = async (visit: Visit, walking: WalkContext, record: RecordDraft): Promise<void> => {
  const { settings, secrets } = walking;
  const plain = plainHttpFact(settings.url);
  walking.progress.waitsFor = 'the page before anything is pressed';
  const before = await readInitialState(visit, walking);
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
    walking.progress.waitsFor = 'the key on the page that was loaded again';
    const known = before.page.candidates.map(({ value }) => value);
    record.reloaded = await keyAfterReload(visit, walking, current, known);
    walking.progress.waitsFor = 'the key after a new log-in';
    record.loggedInAgain = await keyAfterNewLogIn(walking, current, known);
    record.stillOpens = await secrets.opens(current);
  }
  walking.progress.waitsFor = 'the page of the account without a key';
  await compareAccounts(visit, walking, record, current);
};

const troubleOf = (error: unknown, { signal, progress }: WalkContext): string => {
  if (signal.aborted)
    return signal.reason instanceof KeyPageTrouble
      ? `${signal.reason.message} It waited for ${progress.waitsFor}. Open the page in a browser and see whether it comes to rest.`
      : 'The run was stopped before the end.';
  return error instanceof KeyPageTrouble
    ? error.message
    : `The visit could not go on while it waited for ${progress.waitsFor}: ${saidOfBrowser(error)}. Open the page in a browser and look at it.`;
};

/** Rejects when the visit is stopped, so that a page that hangs does not block it. */
export const ended = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

/** What a picture may show. After the action a key may be on the page that was not recognised. */
const readableIn = ({ action, after, before }: KeyPageRecord): Readable | 'nothing' => {
  if (action?.pressed && after?.made === undefined) return 'nothing';
  return (after?.made ?? before?.key) === undefined ? 'names' : 'all';
};

export interface Walked {
  readonly record: KeyPageRecord;
  /** A PNG of the last page, keys blacked out. */
  readonly picture?: Buffer | undefined;
  /** No picture was made, since it could have shown a key. */
  readonly withheld?: boolean;
}

/** Uses the key page as a user would, and records what it shows. No page makes it throw. */
export const walk = async (walking: WalkContext, wantsPicture: boolean): Promise<Walked> => {
  const { gateway, settings, secrets, signal } = walking;
  const record: RecordDraft = {
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
          picture = await within(visit.limits.otherMs, pictureOf(visit.page, secrets.all(), readable)).catch(
            () => undefined,
          );
      }
    });
    await Promise.race([whole, ended(signal)]);
  } catch (error) {
    record.trouble = troubleOf(error, walking);
  }
  const stopped = [...new Set(gateway.stopped.map(sentenceOf))];
  record.facts.push(...gateway.sentKeysTo().map(sentenceOfSent), ...stopped);
  if (stopped.length > 0) record.stopped = { sentences: stopped, felt: gateway.stopped.some(({ felt }) => felt) };
  // A copy, since a closing window may still write to the record.
  return { record: structuredClone(record), picture, withheld };
};
