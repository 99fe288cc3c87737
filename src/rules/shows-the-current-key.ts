import { apiSilent, judgementsFor, notSeen, walksThroughKeyPage } from './key-page/judge-walk.js';
import type { KeyPageAgain, KeyPageRecord } from './key-page/record.js';
import { makesAKey } from './makes-a-key.js';
import { defineRule, type Judgement } from './rule.js';

/** PAGE-2: the key page shows the current key. */

const { fine, unclear, broken, blockedBy } = judgementsFor('page-key');

const lost = ({ instead }: KeyPageAgain): string =>
  instead === undefined
    ? 'no key'
    : instead === 'granted'
      ? 'another key, which opens the operation too'
      : 'another text, which does not open the operation';

/** The judgement if no key that opens the operation was seen. */
const withoutAKey = (record: KeyPageRecord): Judgement => {
  const made = makesAKey.judge(record);
  const { before, after } = record;
  if (made.outcome === 'failed' && after !== undefined && after.refused > 0 && !after.unknown)
    return broken(
      'What the page shows as the current key, after one was made, does not open the protected operation.',
      'The key that the API accepts.',
      'A text that looks like a key and that the API refuses.',
    );
  if (made.outcome === 'failed') return blockedBy(makesAKey.id, 'No key was made, so there is none to be shown.');
  if (record.trouble !== undefined) return notSeen(record.trouble);
  if (before?.unknown) return apiSilent;
  if (record.asked.generate) return unclear(`No key to look for: ${made.reason}`);
  return unclear(
    (before?.refused ?? 0) > 0
      ? 'Something on the page looks like a key, and the API refuses it; whether it is meant as one cannot be told. Set KEY_PAGE_GENERATE=true, or KEY_PAGE_KEY_SELECTOR.'
      : 'The page shows no key, and none was made: use an account with a key, or set KEY_PAGE_GENERATE=true.',
  );
};

const judge = (record: KeyPageRecord): Judgement => {
  const { before, after, reloaded, loggedInAgain } = record;
  if ((after?.made ?? after?.usedBefore ?? before?.key) === undefined) return withoutAKey(record);
  const looks = [
    { when: 'after a reload', seen: reloaded },
    { when: 'after a new log-in', seen: loggedInAgain },
  ];
  const gone = looks.find(({ seen }) => seen?.shows === 'absent');
  if (gone?.seen?.instead === 'granted' && record.stillOpens === 'refused')
    return unclear(
      `The key has ended, and ${gone.when} the page shows another one, which opens the protected operation. Whether the service replaces keys by itself, or at each view, cannot be told.`,
    );
  if (gone?.seen)
    return broken(
      `The key ${after?.made === undefined ? '' : 'that was just made '}is not on the page ${gone.when}: there is ${lost(gone.seen)}.`,
      'The same key, in the same place, as long as it is the current one.',
      `Twice ${gone.when}: ${lost(gone.seen)}.`,
    );
  const open = looks.find(({ seen }) => seen === undefined || seen.shows === 'unseen' || seen.shows === 'unsteady');
  if (open)
    return unclear(
      open.seen?.shows === 'unsteady'
        ? `The key was missing ${open.when}, and there on a second try.`
        : `The page could not be seen ${open.when}: ${open.seen?.trouble ?? record.trouble ?? 'the walk ended before.'}`,
    );
  if (after?.made === undefined && after?.usedBefore !== undefined)
    return unclear(
      'The key that the page shows since the action is the one that this run was given. Whether it is this account’s cannot be told: use an account that is not the holder of that key.',
    );
  if (record.stillOpens === 'refused')
    return unclear(
      'The page shows the key each time, and the API refuses it at the end, although it opened the protected operation before. The page may show a key that has ended, or the new log-in may have ended it.',
    );
  if (record.stillOpens === 'unknown') return apiSilent;
  if (looks.some(({ seen }) => seen?.shows === 'hidden' && seen.instead !== undefined && seen.instead !== 'granted'))
    return unclear(
      'The key is in the page for a copy button, and what is to be read there looks like a key and is not known to open the operation: which of them is shown as the key cannot be told. Set KEY_PAGE_KEY_SELECTOR to where the page shows it.',
    );
  if (record.withoutKey?.before?.key === (after?.made ?? before?.key))
    return unclear(
      'The page shows this key to the account of WEB_USERNAME_WITHOUT_KEY too. Whether the two share a key, or one is shown that of the other, cannot be told.',
    );
  return fine(
    'The page shows the same key after a reload and after a new log-in, and it opens the protected operation.',
    looks.some(({ seen }) => seen?.shows === 'hidden')
      ? 'The key is there for a copy button; it cannot be read on the page.'
      : undefined,
  );
};

/** PAGE-2: the same place shows the current key. */
export const showsTheCurrentKey = defineRule({
  scope: 'key-page',
  id: 'shows-the-current-key',
  clauses: ['PAGE-2'],
  title: 'shows the current key, after a reload and a new log-in too',
  judge,
  explanation: {
    asks: 'The same place shows the current key.',
    sends: [walksThroughKeyPage, 'The page is read again after a reload and after a new log-in.'],
    judged: [
      'Passed: a key that opens the protected operation is on the page each time.',
      'Failed: there is a key, and the page does not show it, or shows one that the API refuses.',
      'Inconclusive: the API refuses the key at the end, and the page shows it, or another one that opens the protected operation.',
      'Inconclusive: something on the page may still show it: a form, a question for the password, a file, or a control beside a mask that the suite does not know. Also where another text that looks like a key is to be read beside one that can only be copied, where the key stands in the page and is not drawn (its picture is the same without it), and where the page shows the key that the run was given only after the action: it may be another account’s. Also where another page, without the action, is at its address, and where two accounts are shown the same key.',
    ],
    causes: [
      'The key is shown once, when it is made, and only its hash is kept: good practice elsewhere, but not this contract.',
      'A cached page shows an old key.',
    ],
    fixes: [
      'Show the current key on the page, and send it with Cache-Control: no-store.',
      'Where keys must not be stored in the clear, change the contract; until then list it as a known deviation.',
    ],
  },
});
