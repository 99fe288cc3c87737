import type { KeyPageRecord } from '../rules/key-page/record.js';
import { makeKey } from './action/make-key.js';
import { sentenceOf, sentenceOfSent } from './gateway/leak-guard.js';
import { KeyPageTrouble } from './input.js';
import { readInitialState } from './key/initial-state.js';
import { keyAfterNewLogIn, keyAfterReload } from './key/key-after-reload.js';
import { compareAccounts } from './key/other-account.js';
import { foundIn, type RecordDraft } from './key/walk-record.js';
import { inNewWindow, type WalkContext } from './log-in/walk-context.js';
import { saidOfBrowser } from './window/browser.js';
import { cookieFact, documentFacts, plainHttpFact } from './window/page-facts.js';
import { within } from './window/page-reader.js';
import { pictureOf, type Readable } from './window/screenshot.js';
import type { Visit } from './window/visit.js';

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
  // Beside a key that was there before, any other text may be what the page shows as the key.
  const place = {
    known: oldKey === undefined ? before.page.candidates.map(({ value }) => value) : [],
    pieces: before.page.pieces,
  };
  if (current !== undefined) {
    walking.progress.waitsFor = 'the key on the page that was loaded again';
    // Another part of the page may be open, and the part with the key closed.
    if (visit.writes.isOn) await visit.load(settings.url);
    record.reloaded = await keyAfterReload(visit, walking, current, place);
  }
  walking.progress.waitsFor = 'the page of the account without a key';
  // This comes before the new log-in, which may end this session.
  await compareAccounts(visit, walking, record, current);
  if (current !== undefined) {
    walking.progress.waitsFor = 'the key after a new log-in';
    record.loggedInAgain = await keyAfterNewLogIn(walking, current, place);
    record.stillOpens = await secrets.opens(current);
  }
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
  const { settings, secrets, signal } = walking;
  const { guard } = walking.gateway;
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
  const stopped = [...new Set(guard.stopped.map(sentenceOf))];
  record.facts.push(...guard.sentKeysTo().map(sentenceOfSent), ...stopped);
  if (stopped.length > 0) record.stopped = { sentences: stopped, felt: guard.stopped.some(({ felt }) => felt) };
  // A copy, since a closing window may still write to the record.
  return { record: structuredClone(record), picture, withheld };
};
