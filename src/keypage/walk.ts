import { get } from 'node:http';
import type { Response } from '@playwright/test';
import { literally } from '../names.js';
import type { KeyPageFound, KeyPageRecord } from '../rules/key-page/record.js';
import { makeKey, type RecordDraft, saidIn } from './action/make-key.js';
import { sentenceOf, sentenceOfSent } from './gateway/leak-guard.js';
import { KeyPageTrouble } from './input.js';
import { earlierOf, type InitialState, type PageState, readInitialState, readPageState } from './key/initial-state.js';
import { keyAfterNewLogIn, keyAfterReload } from './key/key-after-reload.js';
import { isInKeyPlace } from './key/shown-key.js';
import { inNewWindow, type WalkContext } from './log-in/walk-context.js';
import { wordingOf } from './reading/page-wording.js';
import { saidOfBrowser } from './window/browser.js';
import { within } from './window/page-reader.js';
import { pictureOf, type Readable } from './window/screenshot.js';
import type { Visit } from './window/visit.js';

/** How the page's address answers over plain HTTP, without credentials, on the default port. */
export const plainHttpFact = (url: string): Promise<string | undefined> => {
  const { protocol, hostname, port, pathname } = new URL(url);
  if (protocol !== 'https:') return Promise.resolve('KEY_PAGE_URL is plain HTTP: keys are shown without TLS.');
  if (port !== '') return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const request = get({ hostname, port: 80, path: pathname, timeout: 5_000 }, (response) => {
      response.destroy();
      const { statusCode = 0, headers } = response;
      const target = headers.location ?? '';
      resolve(
        statusCode >= 300 && statusCode < 400 && /^https:/i.test(target)
          ? 'Over plain HTTP the page redirects to HTTPS.'
          : `Over plain HTTP the page answers ${statusCode}.`,
      );
    });
    request.once('timeout', () => request.destroy(new Error('timeout')));
    request.once('error', () => resolve('Over plain HTTP the page does not answer.'));
  });
};

/** Whether the document with the key may be cached and framed. */
export const documentFacts = async (document: Response | undefined): Promise<string[]> => {
  if (!document) return [];
  const headers = await document.allHeaders();
  const cache = headers['cache-control'];
  const policy = headers['content-security-policy'] ?? '';
  const framing =
    /frame-ancestors[^;]*/i.exec(policy)?.[0] ??
    (headers['x-frame-options'] ? `X-Frame-Options: ${headers['x-frame-options']}` : '');
  return [
    cache !== undefined && /no-store/i.test(cache)
      ? `The page may not be cached (Cache-Control: ${cache}).`
      : `The page may be cached (${cache === undefined ? 'no Cache-Control' : `Cache-Control: ${cache}`}).`,
    framing ? `The page restricts who may frame it (${framing}).` : 'The page may be framed by any site.',
  ];
};

/** What protects the session, without names or values. */
export const cookieFact = async ({ context, page }: Visit): Promise<string | undefined> => {
  const cookies = await context.cookies(page.url());
  if (cookies.length === 0) return undefined;
  const lacking = [
    ...(cookies.every(({ secure }) => secure) ? [] : ['Secure']),
    ...(cookies.some(({ httpOnly }) => httpOnly) ? [] : ['HttpOnly']),
    ...(cookies.every(({ sameSite }) => sameSite !== 'None') ? [] : ['SameSite']),
  ];
  return lacking.length === 0
    ? 'Session cookies are Secure, HttpOnly and SameSite.'
    : `Not every session cookie has ${lacking.join(', ')}.`;
};

/**
 * Compares the page of the account without a key, read in a window of its own with writes blocked,
 * with that of the account with one.
 */
const compareAccounts = async (
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

const foundIn = ({ tried, page: { pieces, whole }, wording }: InitialState, walking: WalkContext): KeyPageFound => ({
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
