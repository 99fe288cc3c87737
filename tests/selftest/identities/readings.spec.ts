import { randomUUID } from 'node:crypto';
import { unauthorized } from '../support/document-server.js';
import { expect, someOfTable, test } from '../support/test.js';
import { type Accounts, judgeAccounts, page, plan, type Row, rowsOf, type Who } from '../support/two-accounts.js';

/**
 * What is said of accounts that the embedded service does not have: lists without owners, keys that
 * ended, refusals that tell.
 */

/** A row with its owner, which is its account's or nobody's. */
const named = (row: Row): Row => ({ ...row, by: row === plan ? null : `${row.id.slice(0, 3)}@example.org` });

const own = (who: Who): readonly Row[] => rowsOf(who, who === 'ada' ? 2 : 3);
const everybodys: readonly Row[] = [...rowsOf('ada', 2), ...rowsOf('ben', 3)];
const apart: Accounts = { list: (who) => page(own(who)) };

interface Said {
  readonly what: string;
  readonly service: Accounts;
  readonly check: string;
  readonly outcome: string;
  /** What the reason or the note says. */
  readonly words: RegExp;
  readonly headline?: string;
}

const said: readonly Said[] = [
  {
    what: 'one record for both, beside an id of each request',
    service: { list: () => page({ ...plan, request: randomUUID() }) },
    check: 'keeps-lists-apart@list',
    outcome: 'inconclusive',
    words: /ada and ben both get a row of theirs/,
  },
  {
    what: 'a row in both lists, whose owner cannot be read',
    service: { list: (who) => page([plan, ...own(who)]) },
    check: 'keeps-lists-apart@list',
    outcome: 'inconclusive',
    words: /ada and ben both get a row of theirs: a catalogue for everybody, or rows of an account\./,
    headline: '{operation} gives ada and ben rows that do not say whose they are',
  },
  {
    what: 'one list for both, in whose rows each has a member of its own',
    service: { list: (who) => page(everybodys.map((row) => ({ ...row, viewer: who === 'ada' ? 7_031 : 7_074 }))) },
    check: 'keeps-lists-apart@list',
    outcome: 'inconclusive',
    words: /ada and ben get 5 rows with values in common: other rows that have these by chance, a catalogue for/,
  },
  {
    what: 'rows of everybody, beside a key that is written in groups',
    service: {
      list: (who) => page(who === 'ada' ? own(who) : { rows: everybodys, of: 'ben-key-02d9-e6a1-b75c-4f83' }),
    },
    check: 'keeps-lists-apart@list',
    outcome: 'inconclusive',
    words: /what ben gets was not kept, for its length or for a secret in it: rows of the other may stand in it/i,
  },
  {
    what: 'rows of each, in which numbers happen to be equal',
    service: {
      list: (who) => page(own(who).map(({ id }, at) => ({ no: who === 'ada' ? at : at + 7, id, from: 1_000 + at }))),
    },
    check: 'keeps-lists-apart@list',
    outcome: 'inconclusive',
    words: /ada and ben get 2 rows with values in common: other rows that have these by chance/,
  },
  {
    what: 'a row in both lists that says that it is nobody’s',
    service: { list: (who) => page([plan, ...own(who)].map(named)), seen: (_who, row) => named(row), owner: '/by' },
    check: 'keeps-lists-apart@list',
    outcome: 'passed',
    words: /neither gets the other’s/,
  },
  {
    what: 'one list for both, and identities that say how rows name them',
    service: { list: () => page(everybodys.map(named)), owns: true },
    check: 'keeps-lists-apart@list',
    outcome: 'failed',
    words: /ada gets 3 rows of ben and ben gets 2 rows of ada/,
    headline: '{operation} gives ada and ben what belongs to another account',
  },
  {
    what: 'one list for both, and a document that says where the owner stands',
    service: { list: () => page(everybodys.map(named)), owner: '/by' },
    check: 'keeps-lists-apart@list',
    outcome: 'failed',
    words: /both get 5 rows of 2 owners/,
    headline: '{operation} gives ada and ben what belongs to another account',
  },
  ...[false, true].map(
    (owns): Said => ({
      what: `a row of a third account in both lists, and identities that ${owns ? '' : 'do not '}say how rows name them`,
      service: {
        list: (who) => page([{ ...named(plan), by: 'cy@example.org' }, ...own(who).map(named)]),
        owner: '/by',
        owns,
      },
      check: 'keeps-lists-apart@list',
      outcome: 'inconclusive',
      words: owns
        ? /both get a row of theirs: they name an owner that is neither of these: a team or a catalogue, or another/
        : /both get a row of theirs: they name one owner, which may be one of these\. owns in IDENTITIES says who/,
    }),
  ),
  {
    what: 'a row of a peer inside a row',
    service: {
      list: (who) =>
        page(own(who).map((row) => ({ ...named(row), like: own(who === 'ada' ? 'ben' : 'ada').map(named) }))),
      owner: '/by',
      owns: true,
    },
    check: 'keeps-lists-apart@list',
    outcome: 'failed',
    words: /ada gets 3 rows of ben and ben gets 2 rows of ada/,
  },
  {
    what: 'a remark of a peer inside a row',
    service: {
      list: (who) =>
        page(own(who).map((row) => ({ ...named(row), remarks: [{ by: 'ben@example.org', text: 'Well done' }] }))),
      owner: '/by',
      owns: true,
    },
    check: 'keeps-lists-apart@list',
    outcome: 'passed',
    words: /neither gets the other’s/,
  },
  {
    what: 'accounts without rows',
    service: { list: () => page({ count: 0, results: [] }) },
    check: 'keeps-lists-apart@list',
    outcome: 'inconclusive',
    words: /get no rows: give their accounts some/,
    headline: '{operation} gives no rows to ada and ben',
  },
  {
    what: 'a refusal unlike that of an id that names nothing',
    service: { ...apart, refused: { status: 403, body: { detail: 'This is not yours.' } } },
    check: 'keeps-items-apart@item',
    outcome: 'passed',
    words: /refused otherwise \(403\) than an id that names nothing \(404\), which tells that it exists/,
  },
  {
    what: 'items that open to everybody but their owner',
    service: { ...apart, opens: (who, id) => !id.startsWith(who) },
    check: 'keeps-items-apart@item',
    outcome: 'inconclusive',
    words: /value for id is made up, since those that were read .* 404\. So no peer was asked for an item of another/,
  },
  {
    what: 'a peer whose key has ended',
    service: {
      ...apart,
      list: (who) => (who === 'ben' ? unauthorized : page(own(who))),
      opens: (who) => who === 'ada',
    },
    check: 'keeps-items-apart@item',
    outcome: 'inconclusive',
    words: /The key of ben opens nothing that it was tried on/,
  },
  {
    what: 'one who lacks the scope, and whose key opens nothing',
    service: {
      list: (who) => (who === 'ben' ? unauthorized : page(own(who))),
      scopes: ['read'],
      ben: ', scopes: [other]',
    },
    check: 'refuses-other-scopes@list',
    outcome: 'inconclusive',
    words: /The key of ben opens nothing that it was tried on, so its refusal says nothing of scopes/,
  },
  {
    what: 'one who holds nothing, and whose key opens nothing',
    service: { list: (who) => (who === 'ben' ? unauthorized : page(own(who))), scopes: ['read'], ben: ', scopes: []' },
    check: 'refuses-other-scopes@list',
    outcome: 'passed',
    words: /Refused to ben \(401\)/,
  },
  {
    what: 'one who lacks the scope, and gets an item of its own list',
    service: { ...apart, scopes: ['read'], ben: ', scopes: [other]' },
    check: 'refuses-other-scopes@item',
    outcome: 'failed',
    words: /It opens to ben \(200, a row of its own list\)/,
  },
  {
    what: 'one who holds the scope, and whose key opens nothing',
    service: {
      list: (who) => (who === 'ben' ? unauthorized : page(own(who))),
      scopes: ['read'],
      ben: ', scopes: [read]',
    },
    check: 'opens-to-stated-scopes@list',
    outcome: 'inconclusive',
    words: /the key may be wrong or have ended/,
  },
  {
    what: 'one who holds the scope, and gets what one gets who lacks it, with 200',
    service: {
      list: () => page({ status: 'error', message: 'Your plan does not have this.' }),
      scopes: ['read'],
      ben: ', scopes: [other]',
    },
    check: 'opens-to-stated-scopes@list',
    outcome: 'inconclusive',
    words: /ada, who holds read, gets what ben gets, who does not \(200\): it opens to both, or refuses both/,
  },
  {
    what: 'rows that one who holds the scope gets, and one who lacks it',
    service: { list: () => page(everybodys), scopes: ['read'], ben: ', scopes: [other]' },
    check: 'opens-to-stated-scopes@list',
    outcome: 'passed',
    words: /Opens to ada/,
  },
  {
    what: 'rows of equal content, each with its owner',
    service: {
      list: (who) => page(rowsOf('ada', 2).map((row) => ({ ...row, by: `${who}@example.org` }))),
      owner: '/by',
    },
    check: 'keeps-lists-apart@list',
    outcome: 'passed',
    words: /neither gets the other’s/,
  },
];

const row = someOfTable();
for (const { what, service, check, outcome, words, headline } of said)
  test(`${what}: ${check.split('@')[0]} is ${outcome}`, row(), async () => {
    const found = (await judgeAccounts(service)).check(check);
    expect(found.outcome, found.reason).toBe(outcome);
    expect(`${found.reason} ${found.note ?? ''}`).toMatch(words);
    if (headline !== undefined) expect(found.headline?.one).toBe(headline);
  });

for (const rule of ['refuses-other-scopes', 'keeps-lists-apart'])
  test(`${rule} waits for the request without a key where that opens too`, async () => {
    const run = await judgeAccounts({
      list: () => page(everybodys.map(named)),
      owner: '/by',
      guest: 'ada',
      scopes: ['read'],
      ben: ', scopes: [other]',
    });
    expect(run.check(`${rule}@list`)).toMatchObject({ outcome: 'blocked', blockedBy: ['refuses-missing-key@list'] });
  });
