import { expect, test } from '../support/test.js';
import { type Accounts, judgeAccounts, page, plan, type Row, rowsOf, type Who } from '../support/two-accounts.js';

/**
 * What an item that opens to a peer shows, where the list of the peer may be one page of more:
 * items for everybody are in the list of each, perhaps on another page.
 */

const judgedAs = async (service: Accounts): Promise<readonly [outcome: string, reason: string]> => {
  const { outcome, reason } = (await judgeAccounts(service)).check('keeps-items-apart@item');
  return [outcome, reason];
};

/** A row as one of everybody's sees it: with a member of one's own. */
const withProgress = (who: Who, row: Row): Row => ({ ...row, progress: who === 'ada' ? 31 : 74 });

/** Services that let nobody see what is another's. */
const conforming: readonly (readonly [what: string, service: Accounts])[] = [
  [
    'pages of three, and what is for everybody is on the first of one and on the second of the other',
    { list: (who) => page(who === 'ada' ? [plan, ...rowsOf(who, 1)] : rowsOf(who, 3)) },
  ],
  ['full pages for both', { list: (who) => page(who === 'ada' ? [plan, ...rowsOf(who, 2)] : rowsOf(who, 3)) }],
  [
    'a page that was filtered after it was cut, and a cursor',
    {
      list: (who) =>
        page(
          who === 'ada'
            ? { items: [plan, ...rowsOf(who, 3)], after: '' }
            : { items: rowsOf(who, 2), after: 'ZnJvbToyNjE' },
        ),
    },
  ],
  [
    'the same, and a flag',
    {
      list: (who) =>
        page(who === 'ada' ? { items: [plan, ...rowsOf(who, 3)], more: false } : { items: rowsOf(who, 2), more: true }),
    },
  ],
  [
    'the same, and a Link field',
    {
      list: (who) =>
        who === 'ada'
          ? page([plan, ...rowsOf(who, 3)])
          : page(rowsOf(who, 2), { link: '</things?page=2>; rel="next", </things>; rel="first"' }),
    },
  ],
  [
    'a list that is out of order for one of them',
    { list: (who) => (who === 'ada' ? page([plan, ...rowsOf(who, 3)]) : { status: 500, body: { detail: 'Oops' } }) },
  ],
  [
    'rows for everybody in which each has something of its own',
    {
      list: (who) => page([withProgress(who, plan), ...rowsOf(who, who === 'ada' ? 3 : 2)]),
      seen: (who, row) => (row === plan ? withProgress(who, row) : row),
    },
  ],
];

for (const [what, service] of conforming)
  test(`conforming: ${what}`, async () => {
    const [outcome, reason] = await judgedAs(service);
    expect(['passed', 'inconclusive'], reason).toContain(outcome);
  });

const open = (): boolean => true;

/** Services that look items up by their ids alone. */
const faulty: readonly (readonly [what: string, service: Accounts, outcome: 'failed' | 'inconclusive'])[] = [
  ['bare lists of other lengths', { list: (who) => page(rowsOf(who, who === 'ada' ? 2 : 5)), opens: open }, 'failed'],
  [
    'lists with their counts',
    {
      list: (who) => {
        const rows = rowsOf(who, who === 'ada' ? 11 : 12);
        return page({ count: rows.length, next: null, results: rows });
      },
      opens: open,
    },
    'failed',
  ],
  [
    'full pages of rows that name their owner',
    {
      list: (who) => page(rowsOf(who, 10).map((row) => ({ ...row, by: `${who}@example.org` }))),
      opens: open,
      seen: (_who, row) => ({ ...row, by: `${row.id.slice(0, 3)}@example.org` }),
      owns: true,
    },
    'failed',
  ],
  [
    'items alone that name their owner',
    {
      list: (who) => page(rowsOf(who, 10)),
      opens: open,
      seen: (_who, row) => ({ ...row, by: `${row.id.slice(0, 3)}@example.org` }),
      owns: true,
    },
    'failed',
  ],
  ['bare lists of one length', { list: (who) => page(rowsOf(who, 4)), opens: open }, 'inconclusive'],
];

for (const [what, service, outcome] of faulty)
  test(`items open by their id alone, ${what}: ${outcome}`, async () => {
    const [found, reason] = await judgedAs(service);
    expect(found, reason).toBe(outcome);
    if (outcome === 'inconclusive') expect(reason).toContain('which was not seen whole');
  });
