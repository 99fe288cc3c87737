import { apiSilent, judgementsFor, notSeen, quote, walksThroughKeyPage } from './key-page/judge-walk.js';
import type { KeyPageRecord, KeyPageWording } from './key-page/record.js';
import { makesAKey } from './makes-a-key.js';
import { defineRule, type Judgement } from './rule.js';
import { showsTheCurrentKey } from './shows-the-current-key.js';

/** PAGE-3: the key page says that there is no key. */

const { fine, unclear, broken, blockedBy } = judgementsFor('page-message');

const notTried = 'That it goes away when a key is made was not seen.';

/** A page may show the message until it has loaded the key, and never both. */
const beside = (reason: string, { reloaded }: Pick<KeyPageRecord, 'reloaded'>): Judgement =>
  reloaded?.besideMessage === false
    ? unclear(
        `${reason} But no such message stood beside the key when the key was shown: see in a browser how long it stays.`,
      )
    : broken(reason, 'The message only when no key exists.', 'Message and key at once.');

const missing = (reason: string): Judgement =>
  broken(reason, 'A message saying that no key exists yet.', 'No such text.');

/** The page may hide a key, so it is unknown whether the account has one. */
const mayHideKeys = blockedBy(
  showsTheCurrentKey.id,
  'No message was seen, but the page may not show a key that exists.',
);

const notWhole = unclear(
  'No message was seen, but a part of the page stayed folded away or could not be read: set KEY_PAGE_URL to an address where that part is open, or KEY_PAGE_EMPTY_TEXT to the message.',
);

/** A text without punctuation around it: "Key: –" and "Key:" are the same label. */
const core = (text: string): string => text.replace(/^[^\p{L}\p{N}#<]+|[^\p{L}\p{N}#>]+$/gu, '');

/** Whether a text says expressly that no key exists. */
const isMessage =
  ({ saysNone }: KeyPageWording) =>
  (text: string): boolean =>
    saysNone.includes(text);

/** Texts of a page without a key that a page with one does not show. */
const difference = (none: KeyPageWording, key: KeyPageWording) => {
  const shown = new Set(key.shown.map(core));
  const there = new Set([...shown, ...key.hidden.map(core)]);
  // "None yet" may still stand there for something else.
  const isOver = (text: string): boolean => isMessage(none)(text) && !isMessage(key)(text);
  const gone = none.statements.filter((text) => !shown.has(core(text)) || isOver(text));
  const unseen = none.hidden.filter((text) => !there.has(core(text)) || isMessage(none)(text));
  // Said beside the key alone, in other words than without one.
  const stays = key.statements.find((text) => isMessage(key)(text) && !none.statements.includes(text));
  return {
    message: stays === undefined ? gone.find(isMessage(none)) : undefined,
    stays,
    doubtful: [...gone, ...none.others.filter((text) => !shown.has(core(text)))][0],
    unseen: unseen[0],
    lostPicture: none.pictures > key.pictures,
  };
};

const perhapsTheMessage = (when: string, text: string, stays?: string): Judgement =>
  unclear(
    `${when} ${quote(text)}${stays === undefined ? '' : `, but ${quote(stays)} still stands beside the key`}; whether that is the message cannot be told: set KEY_PAGE_EMPTY_TEXT to the message.`,
  );

const foldedAway = (text: string): Judgement =>
  unclear(
    `${quote(text)} is in the page, but folded away, not drawn, or there for a moment alone: set KEY_PAGE_URL to an address where it is to be seen, or KEY_PAGE_EMPTY_TEXT to it where it is the message.`,
  );

/** The judgement if KEY_PAGE_EMPTY_TEXT is not visible. `undefined` if it is certainly missing. */
const byEmptyText = ({ emptyText, whole, refused }: NonNullable<KeyPageRecord['before']>): Judgement | undefined => {
  if (emptyText === 'hidden')
    return unclear(
      'KEY_PAGE_EMPTY_TEXT stands in the page, and nothing was found that unfolds it: set KEY_PAGE_URL to an address where it is to be seen.',
    );
  if (refused > 0)
    return unclear(
      'KEY_PAGE_EMPTY_TEXT is not on the page, and something on it looks like a key that the API refuses: whether the account has a key cannot be told.',
    );
  return whole ? undefined : notWhole;
};

const emptyTextMissing = broken(
  'The page shows no key and not KEY_PAGE_EMPTY_TEXT either.',
  'The message, as KEY_PAGE_EMPTY_TEXT gives it.',
  'No such text.',
);

const pictured = unclear(
  'Without a key the page shows a picture that has no text, and with one it does not: whether that is the message cannot be told. Give it a text (`alt`, `aria-label`) and name that in KEY_PAGE_EMPTY_TEXT, or say it in words.',
);

/** Judges the page of one account, before and after a key was made. */
const byOneAccount = (record: KeyPageRecord, made: Judgement, shown: Judgement): Judgement => {
  const { before, after, asked } = record;
  if (before === undefined) return notSeen(record.trouble ?? 'The page was not reached.');
  if (before.key !== undefined)
    return before.emptyText === 'shown'
      ? beside('The page shows KEY_PAGE_EMPTY_TEXT beside a key that opens the protected operation.', record)
      : unclear(
          'The account has a key, which is never deleted: name an account without one in WEB_USERNAME_WITHOUT_KEY and WEB_PASSWORD_WITHOUT_KEY to have the message judged.',
        );
  if (before.unknown) return apiSilent;
  if (after?.usedBefore)
    return unclear(
      'The account had a key that the page did not show: name an account without one in WEB_USERNAME_WITHOUT_KEY and WEB_PASSWORD_WITHOUT_KEY to have the message judged.',
    );
  if (asked.emptyText && before.emptyText !== 'shown') {
    const unsure = byEmptyText(before);
    if (unsure) return unsure;
    return shown.outcome === 'passed'
      ? emptyTextMissing
      : unclear('KEY_PAGE_EMPTY_TEXT is not on the page, and whether the account has a key cannot be told.');
  }
  const spoken = before.wording.statements.find(isMessage(before.wording));
  if (after?.made === undefined) {
    if (asked.emptyText) return fine('The page shows KEY_PAGE_EMPTY_TEXT and no key.', notTried);
    if (spoken !== undefined) return fine(`With no key the page says ${quote(spoken)}`, notTried);
    return unclear(
      made.outcome === 'excluded'
        ? 'The page shows no key, and which of its texts says so cannot be told: set KEY_PAGE_EMPTY_TEXT, or KEY_PAGE_GENERATE=true to see which one goes away.'
        : 'The page shows no key; which of its texts says so could only be told once a key is made. KEY_PAGE_EMPTY_TEXT names it.',
    );
  }
  if (after.reloaded === undefined)
    return unclear(`The page could not be loaded again: ${record.trouble ?? 'the walk ended before.'}`);
  if (asked.emptyText)
    return after.reloaded.emptyText === 'shown'
      ? beside('KEY_PAGE_EMPTY_TEXT is still on the page now that a key exists.', record)
      : fine('The page shows KEY_PAGE_EMPTY_TEXT while there is no key, and no longer when there is one.');
  const { message, stays, doubtful, unseen, lostPicture } = difference(before.wording, after.reloaded.wording);
  if (message !== undefined)
    return fine(`With no key the page says ${quote(message)} and, once there is one, no longer.`);
  if (shown.outcome !== 'passed') return mayHideKeys;
  if ((before.replaced ?? 0) > 0)
    return unclear(
      'No message was seen, but a text that looks like a key and that the API refuses stood there before: the account may have had a key.',
    );
  if (doubtful !== undefined)
    return perhapsTheMessage('When a key was made, the page no longer said', doubtful, stays ?? spoken);
  if (unseen !== undefined) return foldedAway(unseen);
  if (lostPicture) return pictured;
  if (!before.whole || !after.reloaded.whole) return notWhole;
  return spoken === undefined
    ? missing('With no key the page shows neither a key nor a text that goes away once there is one.')
    : beside(`The page says ${quote(spoken)} with and without a key.`, record);
};

/** Judges the pages of two accounts, one of which has a key. */
const byTwoAccounts = (
  record: KeyPageRecord,
  none: NonNullable<KeyPageRecord['withoutKey']>,
  shown: Judgement,
): Judgement => {
  const { asked, withKey } = record;
  const { before, trouble } = none;
  if (before === undefined || trouble !== undefined)
    return unclear(`The account without a key: ${trouble ?? 'its page was not reached.'}`);
  if (before.key !== undefined)
    return unclear(
      'The account of WEB_USERNAME_WITHOUT_KEY has a key, which is never deleted: name one without, or have its key deleted.',
    );
  if (before.unknown) return apiSilent;
  if (asked.emptyText) {
    if (before.emptyText === 'shown')
      return withKey?.emptyText === 'shown'
        ? beside('KEY_PAGE_EMPTY_TEXT is on the page of the account that has a key too.', record)
        : fine(
            'The account without a key is shown KEY_PAGE_EMPTY_TEXT.',
            withKey === undefined ? 'The page of an account with a key was not seen.' : undefined,
          );
    const unsure = byEmptyText(before);
    if (unsure) return unsure;
    return shown.outcome === 'passed' ? emptyTextMissing : mayHideKeys;
  }
  const spoken = before.wording.statements.find(isMessage(before.wording));
  if (withKey === undefined)
    return spoken === undefined
      ? unclear(
          'The page of an account with a key was not seen, so which text is the message cannot be told: set KEY_PAGE_EMPTY_TEXT.',
        )
      : fine(`The account without a key is told ${quote(spoken)}`, 'The page of an account with a key was not seen.');
  const { message, stays, doubtful, unseen, lostPicture } = difference(before.wording, withKey.wording);
  if (message !== undefined)
    return fine(`The account without a key is told ${quote(message)} The account with one is not.`);
  if (shown.outcome !== 'passed') return mayHideKeys;
  if (doubtful !== undefined)
    return perhapsTheMessage('Only the account without a key is told', doubtful, stays ?? spoken);
  if (unseen !== undefined) return foldedAway(unseen);
  if (lostPicture) return pictured;
  if (before.refused > 0)
    return unclear(
      'The account without a key is shown something that looks like a key and that the API refuses: whether it has one cannot be told.',
    );
  if (!before.whole || !withKey.whole) return notWhole;
  return spoken === undefined
    ? missing('The account without a key is shown neither a key nor a text that the account with one is not shown.')
    : beside(`The page says ${quote(spoken)} to an account with a key too.`, record);
};

/** Uses the second account if the first one shows nothing, as after the first run. */
const judge = (record: KeyPageRecord): Judgement => {
  const [made, shown] = [makesAKey.judge(record), showsTheCurrentKey.judge(record)];
  const one = byOneAccount(record, made, shown);
  const open = one.outcome === 'inconclusive' || one.outcome === 'blocked';
  return record.withoutKey && open ? byTwoAccounts(record, record.withoutKey, shown) : one;
};

/** PAGE-3: when there is no key, a message says so. */
export const saysWhenThereIsNone = defineRule({
  scope: 'key-page',
  id: 'says-when-there-is-none',
  clauses: ['PAGE-3'],
  title: 'says that no key exists when there is none',
  judge,
  explanation: {
    asks: 'Where the user has no key, the page says that none exists yet.',
    sends: [
      walksThroughKeyPage,
      'The page is read before any key is made, and again afterwards. What is folded away (tabs, details, accordions, dialogs) is unfolded; meanwhile nothing but reads is let out of the browser.',
      'With WEB_USERNAME_WITHOUT_KEY and WEB_PASSWORD_WITHOUT_KEY the page of a second account is read too, in a window of its own, and nothing that makes a key is pressed there.',
      'KEY_PAGE_EMPTY_TEXT names the message where the suite does not know it.',
    ],
    judged: [
      'Passed: no key is on the page, and a text is there that says so and goes away once there is one, or that the account with a key is not shown.',
      'Failed: neither a key nor KEY_PAGE_EMPTY_TEXT is there, or the message still stands beside a key.',
      'Inconclusive: the account has a key already, which is never deleted, and no second account was named; or a text or a picture went away that may or may not be the message: the suite knows how that is said in English, German, French, Spanish and, in their plainest form, nine more languages.',
    ],
    causes: 'The page shows an empty field or nothing at all.',
    fixes:
      'Say it in words: “No API key exists yet.” Name an account without a key for this check: WEB_USERNAME_WITHOUT_KEY.',
  },
});
