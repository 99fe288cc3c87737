import type { Finding } from '../engine/results.js';
import type { KeyPageObservation } from './input.js';
import { messageAmong, saysNoKey } from './message.js';
import type { Again, KeyPageRecord } from './record.js';

/** The checks of the key page, in the order of a report. */
export const keyPageChecks = [
  { rule: 'makes-a-key', clauses: ['PAGE-1'], title: 'makes a key that opens the protected operation' },
  {
    rule: 'shows-the-current-key',
    clauses: ['PAGE-2'],
    title: 'shows the current key, after a reload and a new log-in too',
  },
  { rule: 'says-when-there-is-none', clauses: ['PAGE-3'], title: 'says that no key exists when there is none' },
  {
    rule: 'observes-key-life',
    clauses: [],
    gaps: ['GAP-KEY-LIFE'],
    title: 'life of a key: regeneration, transport, caching',
  },
] as const;

type RuleId = (typeof keyPageChecks)[number]['rule'];
type Judged = Pick<Finding, 'outcome' | 'reason' | 'note' | 'expected' | 'seen' | 'blockedBy'>;

/** Check id of a rule on the key page. */
export const checkOf = (rule: RuleId): string => `${rule}@key-page`;

const finding = (rule: RuleId, judged: Judged): Finding => {
  const check = keyPageChecks.find((each) => each.rule === rule);
  return {
    id: checkOf(rule),
    rule,
    clauses: check?.clauses ?? [],
    operation: 'key-page',
    title: check?.title ?? rule,
    ...judged,
    exchanges: [],
    comparedWith: [],
    durationMs: 0,
  };
};

const quote = (text: string): string => `“${text.length > 160 ? `${text.slice(0, 157)}…` : text}”`;

const pressedOnce = ({ action }: KeyPageRecord): string =>
  action?.name === undefined ? 'The action' : `${quote(action.name)} was pressed once`;

const apiSilent =
  'The API gave no usable answer about a key from the page: see the findings of the protected operation.';

/** PAGE-1. Tried once: a second key might take away the first. */
const makesAKey = (record: KeyPageRecord): Judged => {
  const { action, after, before } = record;
  if (!record.asked.generate)
    return {
      outcome: 'excluded',
      reason:
        'The action that makes a key was not pressed, since it may revoke the current key. Set KEY_PAGE_GENERATE=true to have it pressed once.',
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
    return {
      outcome: 'inconclusive',
      reason: action?.pressed ? `${pressedOnce(record)}; then: ${record.trouble}` : record.trouble,
    };
  if (action === undefined || after === undefined || action.trouble !== undefined)
    return { outcome: 'inconclusive', reason: action?.trouble ?? 'The action was not reached.' };
  if (after.unknown) return { outcome: 'inconclusive', reason: apiSilent };
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
  const current = after?.made ?? before?.key;
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
        blockedBy: [checkOf('makes-a-key')],
      };
    if (record.trouble !== undefined) return { outcome: 'inconclusive', reason: record.trouble };
    if (before?.unknown) return { outcome: 'inconclusive', reason: apiSilent };
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

/** PAGE-3 */
const saysWhenThereIsNone = (record: KeyPageRecord, made: Judged, shown: Judged): Judged => {
  const { before, after, asked } = record;
  if (before === undefined) return { outcome: 'inconclusive', reason: record.trouble ?? 'The page was not reached.' };
  if (before.key !== undefined) {
    if (before.emptyText)
      return {
        outcome: 'failed',
        reason: 'The page shows KEY_PAGE_EMPTY_TEXT beside a key that opens the protected operation.',
        expected: 'The message only when no key exists.',
        seen: 'Message and key at once.',
      };
    return {
      outcome: 'inconclusive',
      reason: 'The account has a key, which is never deleted: use an account without one to have the message judged.',
    };
  }
  if (before.unknown) return { outcome: 'inconclusive', reason: apiSilent };
  if (asked.emptyText && !before.emptyText) {
    if (before.refused > 0)
      return {
        outcome: 'inconclusive',
        reason:
          'KEY_PAGE_EMPTY_TEXT is not on the page, and something on it looks like a key that the API refuses: whether the account has a key cannot be told.',
      };
    if (shown.outcome !== 'passed')
      return {
        outcome: 'inconclusive',
        reason: 'KEY_PAGE_EMPTY_TEXT is not on the page, and whether the account has a key cannot be told.',
      };
    return {
      outcome: 'failed',
      reason: 'The page shows no key and not KEY_PAGE_EMPTY_TEXT either.',
      expected: 'The message, as KEY_PAGE_EMPTY_TEXT gives it.',
      seen: 'No such text.',
    };
  }
  const spoken = before.statements.find(saysNoKey);
  if (after?.made === undefined) {
    if (asked.emptyText)
      return { outcome: 'passed', reason: 'The page shows KEY_PAGE_EMPTY_TEXT and no key.', note: notTried };
    return spoken === undefined
      ? {
          outcome: 'inconclusive',
          reason:
            made.outcome === 'excluded'
              ? 'The page shows no key, and which of its texts says so cannot be told: set KEY_PAGE_EMPTY_TEXT, or KEY_PAGE_GENERATE=true to see which one goes away.'
              : 'The page shows no key; which of its texts says so could only be told once a key is made.',
        }
      : { outcome: 'passed', reason: `With no key the page says ${quote(spoken)}`, note: notTried };
  }
  if (after.reloaded === undefined)
    return {
      outcome: 'inconclusive',
      reason: `The page could not be loaded again: ${record.trouble ?? 'the walk ended before.'}`,
    };
  const { emptyText, statements } = after.reloaded;
  if (asked.emptyText)
    return emptyText
      ? {
          outcome: 'failed',
          reason: 'KEY_PAGE_EMPTY_TEXT is still on the page now that a key exists.',
          expected: 'The message only when no key exists.',
          seen: 'Message and key at once.',
        }
      : {
          outcome: 'passed',
          reason: 'The page shows KEY_PAGE_EMPTY_TEXT while there is no key, and no longer when there is one.',
        };
  const gone = before.statements.filter((text) => !statements.includes(text));
  const message = messageAmong(gone);
  if (message !== undefined)
    return {
      outcome: 'passed',
      reason: `With no key the page says ${quote(message)} and, once there is one, no longer.`,
      ...(saysNoKey(message)
        ? {}
        : { note: 'This text was taken for the message since it went away when a key was made.' }),
    };
  if (shown.outcome !== 'passed')
    // Where a current key may go unshown, nobody can tell whether the account had one.
    return {
      outcome: 'blocked',
      reason: 'No message was seen, but the page may not show a key that exists.',
      blockedBy: [checkOf('shows-the-current-key')],
    };
  if ((before.replaced ?? 0) > 0)
    return {
      outcome: 'inconclusive',
      reason:
        'No message was seen, but a text that looks like a key and that the API refuses stood there before: the account may have had a key.',
    };
  return spoken === undefined
    ? {
        outcome: 'failed',
        reason: 'With no key the page shows neither a key nor a text that goes away once there is one.',
        expected: 'A message saying that no key exists yet.',
        seen: 'No such text.',
      }
    : {
        outcome: 'failed',
        reason: `The page says ${quote(spoken)} with and without a key.`,
        expected: 'The message only when no key exists.',
        seen: 'Message and key at once.',
      };
};

const notTried = 'That it goes away when a key is made was not seen.';

const factsOf = ({ action, after, oldKey, facts }: KeyPageRecord): string[] => [
  ...(action?.pressed
    ? [
        `The action ${action.name === undefined ? '' : `${quote(action.name)} `}was pressed once${after?.made === undefined ? '' : ' and made a key'}.`,
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

/** Judges a recorded walk. Pure. */
export const judgeRecord = (record: KeyPageRecord): { findings: Finding[]; observations: KeyPageObservation[] } => {
  const made = makesAKey(record);
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
