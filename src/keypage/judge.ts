import type { Outcome } from '../engine/outcomes.js';
import type { Finding } from '../engine/results.js';
import { because, type CauseId, onCheck, restingOn } from '../rules/causes.js';
import type { KeyPageObservation } from './input.js';
import { saysWhenThereIsNone } from './judge-message.js';
import { apiSilent, checkOf, type Judged, keyPageChecks, notSeen, quote, type RuleId } from './judged.js';
import type { Again, KeyPageRecord } from './record.js';

export { checkOf, keyPageChecks } from './judged.js';

const settled: ReadonlySet<Outcome> = new Set(['passed', 'observed', 'excluded']);

/** Of what is not said more exactly. */
const causes: Readonly<Record<RuleId, CauseId>> = {
  'makes-a-key': 'page-action',
  'shows-the-current-key': 'page-key',
  'says-when-there-is-none': 'page-message',
  'observes-key-life': 'page-not-seen',
};

const finding = (rule: RuleId, judged: Judged): Finding => {
  const check = keyPageChecks.find((each) => each.rule === rule);
  return {
    id: checkOf(rule),
    rule,
    clauses: check?.clauses ?? [],
    operation: 'key-page',
    title: check?.title ?? rule,
    ...(settled.has(judged.outcome) ? {} : { cause: because(causes[rule]) }),
    ...judged,
    exchanges: [],
    comparedWith: [],
    durationMs: 0,
  };
};

const pressedOnce = ({ action }: KeyPageRecord): string =>
  action?.name === undefined ? 'The action' : `${quote(action.name)} was pressed ${action.twice ? 'twice' : 'once'}`;

/** What somebody has to know before the next run. */
const endedNote = ({ givenKey }: KeyPageRecord): string | undefined =>
  givenKey?.opens === 'refused'
    ? `THIS PRESS ENDED THE LIFE OF ${givenKey.setting}: it opened the API before and no longer does. Put the key that the page shows now into ${givenKey.setting}.`
    : undefined;

/** PAGE-1. Tried once: a second key might take away the first. */
const makesAKey = (record: KeyPageRecord): Judged => {
  const { action, after, before } = record;
  if (!record.asked.generate)
    return {
      outcome: 'excluded',
      reason:
        'The action that makes a key was not pressed, since it may revoke the current key. Set KEY_PAGE_GENERATE=true to have it pressed once.',
    };
  if (after?.made !== undefined && before?.unsteady)
    return {
      outcome: 'inconclusive',
      reason: `${pressedOnce(record)}; but the page shows another key with each view, so that a new one tells nothing of the action.`,
    };
  if (after?.made !== undefined)
    return {
      outcome: 'passed',
      reason: `${pressedOnce(record)}; a key appeared that opens the protected operation in the Token header and was not on the page before.`,
      ...(action && action.steps.length > 0
        ? { note: `Agreed to on the way: ${action.steps.map(quote).join(', ')}.` }
        : {}),
    };
  if (record.trouble !== undefined && after === undefined)
    return action?.pressed
      ? notSeen(`${pressedOnce(record)}; then: ${record.trouble}`, 'pressed')
      : notSeen(record.trouble);
  if (action === undefined || after === undefined || action.trouble !== undefined)
    return { outcome: 'inconclusive', reason: action?.trouble ?? 'The action was not reached.' };
  if (after.unknown) return apiSilent;
  if (after.usedBefore !== undefined)
    return {
      outcome: 'inconclusive',
      reason: `${pressedOnce(record)}; the key that appeared opened the API before that, so that it was not made by it. Use an account without a key.`,
    };
  const expected = 'A key on the page that the protected operation accepts as `Authorization: Token <key>`.';
  const status = action.status ?? 200;
  if (after.refused > 0)
    return {
      outcome: 'failed',
      reason: `${pressedOnce(record)}, and what the page then shows as a key does not open the protected operation in the Token header.`,
      expected,
      seen: `${after.refused === 1 ? 'One text that looks' : `${after.refused} texts that look`} like a key and that the API refuses.`,
    };
  if (status === 500 || status === 501)
    return {
      outcome: 'failed',
      reason: `${pressedOnce(record)}, and answered ${status}; no key was made.`,
      expected,
      seen: `Status ${status}.`,
    };
  if (status >= 400)
    return {
      outcome: 'inconclusive',
      reason: `${pressedOnce(record)}, and answered ${status}: the account may lack a right, or the server had trouble.`,
    };
  if (before?.key !== undefined)
    return {
      outcome: 'inconclusive',
      reason: `${pressedOnce(record)}, and no new key appeared. The account had a key, and whether making another replaces it is left open: use an account without one.`,
    };
  if (action.idle === 'certainly' && action.certain)
    return {
      outcome: 'failed',
      reason: `${pressedOnce(record)}. Neither time did a request leave the browser or anything on the page change: no key was made.`,
      expected,
      seen: 'No request, and the page from before.',
    };
  if (action.idle === 'asks')
    return {
      outcome: 'inconclusive',
      reason: `${pressedOnce(record)}, and nothing happened; fields stand beside it that were not filled in: set KEY_PAGE_ACTION to a control that needs none.`,
    };
  if (action.request === undefined)
    return {
      outcome: 'inconclusive',
      reason: `${pressedOnce(record)}, and the page asked its server for nothing: set KEY_PAGE_ACTION to what makes a key.`,
    };
  const said = after.said[0];
  if (after.reloaded?.unchanged && said !== undefined)
    return {
      outcome: 'inconclusive',
      reason: `${pressedOnce(record)}, no key appeared, and the page said ${quote(said)}: the account may lack something that a key takes.`,
    };
  if (after.reloaded?.unchanged && action.certain)
    return {
      outcome: 'failed',
      reason: `${pressedOnce(record)}, and the page is the same as before: no key was made.`,
      expected,
      seen: 'The page from before the action, without a key.',
    };
  return {
    outcome: 'inconclusive',
    reason: `${pressedOnce(record)} and the page changed, but nothing on it looks like a key: set KEY_PAGE_KEY_SELECTOR to where it shows the key.`,
  };
};

const lost = ({ instead }: Again): string =>
  instead === undefined
    ? 'no key'
    : instead === 'granted'
      ? 'another key, which opens the operation too'
      : 'another text, which does not open the operation';

/** PAGE-2 */
const showsTheCurrentKey = (record: KeyPageRecord, made: Judged): Judged => {
  const { before, after, reloaded, loggedInAgain } = record;
  const current = after?.made ?? after?.usedBefore ?? before?.key;
  if (current === undefined) {
    if (made.outcome === 'failed' && after !== undefined && after.refused > 0 && !after.unknown)
      return {
        outcome: 'failed',
        reason: 'What the page shows as the current key, after one was made, does not open the protected operation.',
        expected: 'The key that the API accepts.',
        seen: 'A text that looks like a key and that the API refuses.',
      };
    if (made.outcome === 'failed')
      return {
        outcome: 'blocked',
        reason: 'No key was made, so there is none to be shown.',
        ...restingOn([onCheck('makes-a-key', 'key-page')]),
      };
    if (record.trouble !== undefined) return notSeen(record.trouble);
    if (before?.unknown) return apiSilent;
    if (record.asked.generate) return { outcome: 'inconclusive', reason: `No key to look for: ${made.reason}` };
    return {
      outcome: 'inconclusive',
      reason:
        (before?.refused ?? 0) > 0
          ? 'Something on the page looks like a key, and the API refuses it; whether it is meant as one cannot be told. Set KEY_PAGE_GENERATE=true, or KEY_PAGE_KEY_SELECTOR.'
          : 'The page shows no key, and none was made: use an account with a key, or set KEY_PAGE_GENERATE=true.',
    };
  }
  const looks = [
    { when: 'after a reload', seen: reloaded },
    { when: 'after a new log-in', seen: loggedInAgain },
  ];
  const gone = looks.find(({ seen }) => seen?.shows === 'absent');
  if (gone?.seen)
    return {
      outcome: 'failed',
      reason: `The key ${after?.made === undefined ? '' : 'that was just made '}is not on the page ${gone.when}: there is ${lost(gone.seen)}.`,
      expected: 'The same key, in the same place, as long as it is the current one.',
      seen: `Twice ${gone.when}: ${lost(gone.seen)}.`,
    };
  const open = looks.find(({ seen }) => seen === undefined || seen.shows === 'unseen' || seen.shows === 'unsteady');
  if (open)
    return {
      outcome: 'inconclusive',
      reason:
        open.seen?.shows === 'unsteady'
          ? `The key was missing ${open.when}, and there on a second try.`
          : `The page could not be seen ${open.when}: ${open.seen?.trouble ?? record.trouble ?? 'the walk ended before.'}`,
    };
  const hidden = looks.some(({ seen }) => seen?.shows === 'hidden');
  return {
    outcome: 'passed',
    reason: 'The page shows the same key after a reload and after a new log-in, and it opens the protected operation.',
    ...(hidden ? { note: 'The key is there for a copy button; it cannot be read on the page.' } : {}),
  };
};

const factsOf = (record: KeyPageRecord): string[] => {
  const { action, after, oldKey, givenKey, facts } = record;
  const ended = endedNote(record);
  return [
    ...(ended === undefined ? [] : [ended]),
    ...(givenKey?.opens === 'granted' ? [`The key in ${givenKey.setting} still opens the API after the action.`] : []),
    ...(action?.pressed
      ? [
          `The action ${action.name === undefined ? '' : `${quote(action.name)} `}was pressed ${action.twice ? 'twice, since nothing came of the first time' : 'once'}${after?.made === undefined ? '' : ' and made a key'}.`,
        ]
      : []),
    ...(oldKey === undefined
      ? []
      : [
          oldKey === 'granted'
            ? 'The key from before still opens the protected operation after another was made.'
            : oldKey === 'refused'
              ? 'Making a key revokes the one before.'
              : 'Whether the key from before still works could not be seen.',
        ]),
    ...(action?.request === undefined || after?.made === undefined
      ? []
      : [
          action.request.startsWith('GET ')
            ? `The action works by GET (${action.request}): following a link makes a key.`
            : `The action works by ${action.request.split(' ')[0]}.`,
        ]),
    ...facts,
  ];
};

/** Judges a recorded walk. Pure. */
export const judgeRecord = (record: KeyPageRecord): { findings: Finding[]; observations: KeyPageObservation[] } => {
  const judged = makesAKey(record);
  const note = [endedNote(record), judged.note].filter((part) => part !== undefined).join(' ');
  const made: Judged = note === '' ? judged : { ...judged, note };
  const shown = showsTheCurrentKey(record, made);
  const none = saysWhenThereIsNone(record, made, shown);
  const facts = factsOf(record);
  return {
    findings: [
      finding('makes-a-key', made),
      finding('shows-the-current-key', shown),
      finding('says-when-there-is-none', none),
      finding(
        'observes-key-life',
        facts.length > 0
          ? { outcome: 'observed', reason: facts.join(' ') }
          : { outcome: 'observed', reason: 'Nothing could be observed: the key page was not reached.' },
      ),
    ],
    observations: facts.map((fact) => ({ check: checkOf('observes-key-life'), fact, exchanges: [] })),
  };
};

/** The findings of a run that was not asked to look at the key page. */
export const excludedKeyPage = (reason: string): Finding[] =>
  keyPageChecks.map(({ rule }) => finding(rule, { outcome: 'excluded', reason }));
