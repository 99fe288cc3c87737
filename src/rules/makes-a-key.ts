import { apiSilent, judgementsFor, notSeen, quote, walksThroughKeyPage } from './key-page/judge-walk.js';
import { endedNote, type KeyPageRecord } from './key-page/record.js';
import { defineRule, type Judgement } from './rule.js';
import { excluded } from './support/judgement.js';

/** PAGE-1: the action of the key page makes a key. */

const { fine, unclear, broken } = judgementsFor('page-action');

/** Statuses that say that the action is broken. Other server errors may be caused by load. */
const isBrokenBy = (status: number | undefined): boolean => status === 500 || status === 501;

const quotedNames = (controls: readonly string[]): string => controls.slice(0, 3).map(quote).join(', ');

const notesOf = (action: KeyPageRecord['action']): string[] => [
  ...(action?.firstStatus === undefined ? [] : [`The first press was answered with ${action.firstStatus}.`]),
  ...(action?.steps.length ? [`Agreed to on the way: ${action.steps.map(quote).join(', ')}.`] : []),
];

/** A record whose action was pressed, and what the page showed afterwards. */
interface Pressed {
  readonly pressed: string;
  readonly action: NonNullable<KeyPageRecord['action']>;
  readonly after: NonNullable<KeyPageRecord['after']>;
  readonly before: KeyPageRecord['before'];
}

const pressedWords = (action: KeyPageRecord['action']): string =>
  action?.name === undefined ? 'The action' : `${quote(action.name)} was pressed ${action.twice ? 'twice' : 'once'}`;

/** A sent action is repeated only after an error or a refused form: it may revoke a key. */
const judgeRecord = (record: KeyPageRecord): Judgement => {
  const { action, after, before } = record;
  const pressed = pressedWords(action);
  if (!record.asked.generate)
    return excluded(
      'The action that makes a key was not pressed, since it may revoke the current key. Set KEY_PAGE_GENERATE=true to have it pressed.',
    );
  if (after?.made !== undefined)
    return before?.unsteady
      ? unclear(
          `${pressed}; but the page shows another key with each view, so that a new one tells nothing of the action.`,
        )
      : fine(
          `${pressed}; a key appeared that opens the protected operation in the Token header and was not on the page before.`,
        );
  if (record.trouble !== undefined && after === undefined)
    return action?.pressed ? notSeen(`${pressed}; then: ${record.trouble}`, 'pressed') : notSeen(record.trouble);
  if (action === undefined || after === undefined || action.trouble !== undefined)
    return unclear(action?.trouble ?? 'The action was not reached.');
  return judgePress({ pressed, action, after, before });
};

const madeNone = ({ pressed }: Pressed, reason: string, seen: string): Judgement =>
  broken(
    `${pressed}${reason}`,
    'A key on the page that the protected operation accepts as `Authorization: Token <key>`.',
    seen,
  );

/** What the API says of the texts that the page then shows. */
const byKeysShown = (press: Pressed): Judgement | undefined => {
  const { pressed, after } = press;
  if (after.unknown) return apiSilent;
  if (after.usedBefore !== undefined)
    return unclear(
      `${pressed}; the key that appeared opened the API before that, so that it was not made by it. Use an account without a key.`,
    );
  if (after.refused === 0 || after.unseen !== undefined) return undefined;
  return madeNone(
    press,
    ', and what the page then shows as a key does not open the protected operation in the Token header.',
    `${after.refused === 1 ? 'One text that looks' : `${after.refused} texts that look`} like a key and that the API refuses.`,
  );
};

const byStatus = (press: Pressed): Judgement | undefined => {
  const { pressed, action, after } = press;
  const { status = 200, firstStatus } = action;
  if (isBrokenBy(status) && isBrokenBy(firstStatus))
    return madeNone(
      press,
      `, and answered ${firstStatus} and ${status}; no key was made.`,
      `Status ${firstStatus}, then ${status}.`,
    );
  if (status === 429)
    return unclear(
      `${pressed}, and answered 429: the server limits how often a key may be made. Run this again later.`,
    );
  const said = after.said.at(-1);
  return status < 400
    ? undefined
    : unclear(
        `${pressed}, and answered ${status}: the account may lack a right, or the server had trouble.${said === undefined ? '' : ` The page said ${quote(said)}`}`,
      );
};

/** Whether anything came of the press. */
const byReaction = (press: Pressed): Judgement | undefined => {
  const { pressed, action, before } = press;
  if (action.idle === 'asks')
    return unclear(
      `${pressed}, and the page may wait for fields that the suite does not know how to fill in, or for a control to be dropped somewhere. Set KEY_PAGE_ACTION to a control that needs none, or make a key by hand and leave KEY_PAGE_GENERATE out.`,
    );
  if (before?.key !== undefined)
    return unclear(
      `${pressed}, and no new key appeared. The account had a key, and whether making another replaces it is left open: use an account without one.`,
    );
  if (action.idle === 'certainly' && action.certain)
    return madeNone(
      press,
      '. Neither time did a request leave the browser or anything on the page change: no key was made.',
      'No request, and the page from before.',
    );
  if (action.request !== undefined) return undefined;
  return unclear(
    action.offers === undefined
      ? `${pressed}, and the page asked its server for nothing: set KEY_PAGE_ACTION to what makes a key.`
      : `${pressed}, and the page then offers ${quotedNames(action.offers)}; which of them goes on is not known. Set KEY_PAGE_ACTION to a word that its name shares with that of the action.`,
  );
};

/** What the page shows after a request of the action, no key among it. */
const byPageAfterwards = (press: Pressed): Judgement => {
  const { pressed, action, after } = press;
  if (after.unseen !== undefined)
    return unclear(
      `${pressed}, and no key was seen that opens the protected operation; but ${after.unseen} Set KEY_PAGE_URL to an address where the key is to be seen.`,
    );
  const said = after.said.at(-1);
  const reacted = [
    ...(said === undefined ? [] : [`said ${quote(said)}`]),
    ...(action.offers === undefined ? [] : [`offered ${quotedNames(action.offers)}`]),
    ...(action.blanks ? ['may take other entries in its fields'] : []),
  ];
  if (after.reloaded?.unchanged && reacted.length > 0)
    return unclear(
      `${pressed}, no key appeared, and the page ${reacted.join(' and ')}: the account may lack something that a key takes, or more is asked than the suite answers. Press it in a browser and see.`,
    );
  if (after.reloaded?.unchanged && action.certain)
    return madeNone(
      press,
      ', and the page is the same as before: no key was made.',
      'The page from before the action, without a key.',
    );
  return unclear(
    `${pressed} and the page changed, but nothing on it is known to be a key: set KEY_PAGE_KEY_SELECTOR to where it shows the key.`,
  );
};

const judgePress = (press: Pressed): Judgement =>
  byKeysShown(press) ?? byStatus(press) ?? byReaction(press) ?? byPageAfterwards(press);

const withNote = (walk: KeyPageRecord): Judgement => {
  const judgement = judgeRecord(walk);
  const note = [endedNote(walk) ?? [], notesOf(walk.action)].flat().join(' ');
  return note === '' ? judgement : { ...judgement, note };
};

/** PAGE-1: the web interface's "generate API key" action makes a key. */
export const makesAKey = defineRule({
  scope: 'key-page',
  id: 'makes-a-key',
  clauses: ['PAGE-1'],
  title: 'makes a key that opens the protected operation',
  judge: withNote,
  explanation: {
    asks: 'The web interface’s “generate API key” action makes a key.',
    sends: [
      walksThroughKeyPage,
      'With KEY_PAGE_GENERATE=true the action is pressed: it may revoke the current key. Questions that follow are agreed to.',
      'A press after which no request leaves the browser and nothing on the page changes has made nothing: it is done once more, held for longer, with empty fields beside it filled in. If that does nothing either, it is double-clicked, right-clicked, dragged to the side and touched; an element that is no button or link by its markup also gets the Enter key and the space bar.',
      'A press that the server answers with an error (500 to 599), and after which the loaded page shows no new key, is done once more too: such an error may pass. So is one that is answered 400 or 422, with empty fields beside it filled in.',
      'Each text on the page afterwards that could be a key, and else each new word that stands alone, is tried on a protected operation, by the same client as the rest of the run. While the page is the same as before, or shows what the API refuses, it is loaded and tried again, for two minutes.',
    ],
    judged: [
      'Passed: a key is there that was not before, and it opens the operation.',
      'Failed: the action was answered with 500 or 501 twice, changed nothing or did nothing twice although no field beside it was empty or filled in by the suite, or what the page then shows as a key is refused by the API to the end. What sent anything else is never tried again.',
      'Excluded: KEY_PAGE_GENERATE was not set. Inconclusive: page, log-in or action was not reached, or the page asks for something, or changed and nothing on it is known to be a key, or something on it may still show one (a control, a mask, a text that reacts to being pointed at; a text that reacts to a double click is not found), or the key that appeared opened the API before.',
    ],
    causes: [
      'The key is shown in another form than the one the API takes (a prefix, a masked key).',
      'The form’s request is refused: a CSRF token, a missing session.',
      'The action is named in a way that the suite does not find.',
    ],
    fixes: [
      'Show the whole key where it was made.',
      'Name action and key for the suite: KEY_PAGE_ACTION, KEY_PAGE_KEY_SELECTOR.',
    ],
  },
});
