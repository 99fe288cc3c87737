import { expect, test } from '../support/test.js';
import { judgeAccounts, type Row, rowsOf, type Who } from '../support/two-accounts.js';

/** Ids of own rows are found in lists of other formats than JSON. */

const inXml = (rows: readonly Row[]): string => {
  const cells = (row: Row) => Object.entries(row).map(([name, value]) => `<${name}>${value}</${name}>`);
  return `<?xml version="1.0"?><things>${rows.map((row) => `<thing>${cells(row).join('')}</thing>`).join('')}</things>`;
};
/** A row with its owner, who is named in its id. */
const owned = (row: Row): Row => ({ ...row, owner: `${row.id.slice(0, 3)}@example.org` });
const service = {
  list: (who: Who) => ({ status: 200, type: 'application/xml', body: inXml(rowsOf(who, 5).map(owned)) }),
  seen: (_who: Who, row: Row) => owned(row),
  owner: '/owner',
  owns: true,
};

test('items whose ids stand in lists of XML are kept apart', async () => {
  const { outcome, reason } = (await judgeAccounts(service)).check('keeps-items-apart@item');
  expect(outcome, reason).toBe('passed');
});

test('an item that opens to a peer is found by its id in a list of XML', async () => {
  const { outcome, reason } = (await judgeAccounts({ ...service, opens: () => true })).check('keeps-items-apart@item');
  expect(outcome, reason).toBe('failed');
});
