import { loadContract } from '../../../src/contract/load.js';
import { keyPageChecksOf } from '../../../src/engine/key-page.js';
import type { KeyPageRecord } from '../../../src/keypage/index.js';
import { withoutNewWords } from '../../../src/keypage/key/walk-record.js';
import { saysNoKey } from '../../../src/keypage/reading/no-key-words.js';
import { asset } from '../../../src/package.js';
import { rules } from '../../../src/rules/index.js';
import { defineRule } from '../../../src/rules/rule.js';
import { because, inconclusive, passed } from '../../../src/rules/support/judgement.js';
import { judgeRecord } from '../support/key-page.js';
import { expect, test } from '../support/test.js';

const wording = (...statements: string[]) => ({
  statements,
  others: [],
  hidden: [],
  shown: statements,
  saysNone: statements.filter((text) => saysNoKey(text)),
  pictures: 0,
});
const message = wording('No key exists yet.');
const before = {
  ...{ refused: 0, replaced: 0, unknown: false, wording: message, whole: true },
  emptyText: 'absent' as 'absent' | 'shown' | 'hidden',
};
const action = {
  name: 'Generate API key',
  pressed: true,
  certain: true,
  steps: [],
  request: { method: 'POST', path: '/key' },
  status: 200,
};
const reloaded = { unchanged: false, wording: wording(), whole: true, emptyText: 'absent' as const };
const after = { made: '<KEY_PAGE_KEY_1>', refused: 0, unknown: false, said: [], reloaded };

/** A walk where everything went well. */
const good: KeyPageRecord = {
  asked: { generate: true, emptyText: false },
  before,
  action,
  after,
  reloaded: { shows: 'shown' },
  loggedInAgain: { shows: 'shown' },
  facts: [],
};
const { made: _made, ...nothingMade } = after;
const { reloaded: _reloaded, loggedInAgain: _again, ...nothingShown } = good;

const judged = (record: KeyPageRecord): string =>
  judgeRecord(record)
    .slice(0, 3)
    .map(({ outcome }) => outcome)
    .join(' ');

const cases: readonly (readonly [title: string, record: KeyPageRecord, outcomes: string])[] = [
  ['everything holds', good, 'passed passed passed'],
  [
    'the account without a key is shown the same key',
    { ...good, withoutKey: { before: { ...before, key: after.made } } },
    'passed inconclusive passed',
  ],
  [
    'nothing was reached',
    { asked: good.asked, trouble: 'The page answers 404.', facts: [] },
    'inconclusive inconclusive inconclusive',
  ],
  [
    'no key, the page as before',
    {
      ...nothingShown,
      after: { ...nothingMade, reloaded: { ...reloaded, unchanged: true, wording: message } },
    },
    'failed blocked passed',
  ],
  [
    'no key, the page as before, by an action that may be another one',
    {
      ...nothingShown,
      action: { ...action, certain: false },
      after: { ...nothingMade, reloaded: { ...reloaded, unchanged: true } },
    },
    'inconclusive inconclusive passed',
  ],
  ['no key, another page', { ...nothingShown, after: nothingMade }, 'inconclusive inconclusive passed'],
  [
    'no key, status 503',
    { ...nothingShown, action: { ...action, status: 503 }, after: nothingMade },
    'inconclusive inconclusive passed',
  ],
  ['a text that the API refuses', { ...nothingShown, after: { ...nothingMade, refused: 1 } }, 'failed failed passed'],
  [
    'the API is silent',
    { ...nothingShown, after: { ...nothingMade, unknown: true } },
    'inconclusive inconclusive passed',
  ],
  ['gone after a new log-in', { ...good, loggedInAgain: { shows: 'absent' } }, 'passed failed passed'],
  [
    'replaced by another one, and refused, at the new log-in',
    { ...good, loggedInAgain: { shows: 'absent', instead: 'granted' }, stillOpens: 'refused' },
    'passed inconclusive passed',
  ],
  [
    'not shown beside another one, and not refused',
    { ...good, loggedInAgain: { shows: 'absent', instead: 'granted' }, stillOpens: 'granted' },
    'passed failed passed',
  ],
  ['shown and refused at the end', { ...good, stillOpens: 'refused' }, 'passed inconclusive passed'],
  ['once there and once not', { ...good, reloaded: { shows: 'unsteady' } }, 'passed inconclusive passed'],
  [
    'only for a copy button',
    { ...good, reloaded: { shows: 'hidden' }, loggedInAgain: { shows: 'hidden' } },
    'passed passed passed',
  ],
  [
    'only for a copy button, beside another text in its place',
    { ...good, reloaded: { shows: 'hidden', instead: 'refused' }, loggedInAgain: { shows: 'hidden' } },
    'passed inconclusive passed',
  ],
  [
    'the second log-in fails',
    { ...good, loggedInAgain: { shows: 'unseen', trouble: 'Too many log-ins.' } },
    'passed inconclusive passed',
  ],
  ['no message', { ...good, before: { ...before, wording: wording() } }, 'passed passed failed'],
  [
    'no message, but a picture that went away',
    { ...good, before: { ...before, wording: { ...wording(), pictures: 1 } } },
    'passed passed inconclusive',
  ],
  [
    'no message, but the page may hide a key',
    { ...good, before: { ...before, wording: wording() }, reloaded: { shows: 'absent' } },
    'passed failed blocked',
  ],
  [
    'no message, where a dead key stood',
    { ...good, before: { ...before, wording: wording(), replaced: 1 } },
    'passed passed inconclusive',
  ],
  [
    'the message stays',
    { ...good, after: { ...after, reloaded: { ...reloaded, wording: message } } },
    'passed passed failed',
  ],
  [
    'the message stays in other words',
    { ...good, after: { ...after, reloaded: { ...reloaded, wording: wording('You have no API key yet.') } } },
    'passed passed inconclusive',
  ],
  ['the named text is missing', { ...good, asked: { generate: true, emptyText: true } }, 'passed passed failed'],
  [
    'the named text beside a key',
    {
      ...good,
      asked: { generate: true, emptyText: true },
      before: { ...before, key: '<KEY_PAGE_KEY_1>', emptyText: 'shown' },
    },
    'passed passed failed',
  ],
  ['an account with a key', { ...good, before: { ...before, key: '<KEY_PAGE_KEY_1>' } }, 'passed passed inconclusive'],
  [
    'stopped after the action',
    {
      ...nothingShown,
      after: { made: '<KEY_PAGE_KEY_1>', refused: 0, unknown: false, said: [] },
      trouble: 'The run was stopped before the end.',
    },
    'passed inconclusive inconclusive',
  ],
];

for (const [title, record, outcomes] of cases)
  test(`a walk is judged: ${title}`, () => {
    expect(judged(record)).toBe(outcomes);
    for (const { reason } of judgeRecord(record)) expect(reason).toMatch(/\S[.”]$/);
  });

test('where no key was made, the reason has what the page answered, said and offered', () => {
  const reasonOf = (more: Partial<typeof action> & { offers?: string[] }, said: readonly string[]): string => {
    const record = {
      ...nothingShown,
      action: { ...action, ...more },
      after: { ...nothingMade, said, reloaded: { ...reloaded, unchanged: true } },
    };
    return judgeRecord(record)[0]?.reason ?? '';
  };
  expect(reasonOf({ status: 429 }, ['Too many requests'])).toContain('Run this again later.');
  expect(reasonOf({ status: 422 }, ['Choose a scope'])).toContain('The page said “Choose a scope”');
  expect(reasonOf({ offers: ['Continue'] }, ['Step 2 of 4'])).toContain('“Step 2 of 4” and offered “Continue”');
});

test('not asked for, everything is excluded with the reason', async () => {
  const contract = await loadContract(asset('openapi', 'fitness-data-service.yaml'));
  const checks = keyPageChecksOf(contract, rules, { excluded: 'Not asked for.' });
  expect(checks.map(({ id }) => id)).toEqual([
    'makes-a-key@key-page',
    'shows-the-current-key@key-page',
    'says-when-there-is-none@key-page',
    'observes-key-life@key-page',
  ]);
  for (const { excluded } of checks) expect(excluded).toBe('Not asked for.');
});

test('a rule of one’s own judges the same walk', async () => {
  const contract = await loadContract(asset('openapi', 'fitness-data-service.yaml'));
  const [shown] = rules.filter((rule) => rule.id === 'shows-the-current-key');
  if (!shown) throw new Error('it is one of the rules');
  const mine = defineRule({
    scope: 'key-page',
    id: 'makes-a-key-by-post',
    clauses: ['PAGE-1'],
    title: 'makes a key by POST',
    explanation: shown.explanation,
    judge: ({ action }) =>
      action?.request?.method === 'POST'
        ? passed('The form was sent by POST.', [])
        : inconclusive(because('x-no-post'), 'No form was sent by POST.', []),
  });
  const [check] = keyPageChecksOf(contract, [mine], { excluded: 'never' }, ['PAGE-1']);
  expect(check?.id).toBe('makes-a-key-by-post@key-page');
  expect(check?.judge({ walk: good, exchanges: [] }).outcome).toBe('passed');
  expect(
    check?.judge({
      walk: { ...good, action: { name: 'Generate', pressed: true, certain: true, steps: [] } },
      exchanges: [],
    }).outcome,
  ).toBe('inconclusive');
});

test('what came with the action has only ordinary words, unless the key is known', () => {
  const said = [
    'Created: qwhzkxjvplmr',
    'Your key: qwhzk.',
    'Your plan has no access',
    'Order tango-velvet-orbit of PV#a',
    'Key ##:## exists',
    'qwhzk',
  ];
  const record = withoutNewWords({ ...good, after: { ...nothingMade, said } });
  // The last one is quoted: it has words.
  expect(record.after?.said).toEqual([
    '…',
    'Created: …',
    'Your key: …',
    'Your plan has no access',
    'Order … of …',
    'Key ##:## exists',
  ]);
  const known = { ...good, before: { ...before, wording: wording('qwhzkxjvplmr') }, after: { ...nothingMade, said } };
  expect(withoutNewWords(known).after?.said).toContain('Created: qwhzkxjvplmr');
  expect(withoutNewWords({ ...good, after: { ...after, said } }).after?.said).toEqual(said);
});
