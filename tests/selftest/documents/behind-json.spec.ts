import { type Answer, judgeDocument, newKey, notFound, things } from '../support/document-server.js';
import { protectedList as document } from '../support/documents.js';
import { expect, test } from '../support/test.js';

/** A program that goes on after a refusal writes its page behind it. */

const key = newKey();
const cells = things.results.map((each) => `<td>${Object.values(each).join('</td><td>')}</td>`).join('</tr><tr>');

for (const [what, page, outcome] of [
  ['the rows of the key', `<table><tr>${cells}</tr></table>`, ['failed', 'inconclusive']],
  ['a page to log in', '<p>Log in</p>', ['passed']],
] as const)
  test(`${what} behind the JSON of a refusal is read`, async () => {
    const refusal: Answer = { status: 401, type: 'text/html', body: `{"detail":"no"}${page}` };
    const run = await judgeDocument(
      document,
      ({ path, headers }) => {
        if (path !== '/things/') return notFound;
        return headers.authorization === `Bearer ${key}` ? { status: 200, body: things } : refusal;
      },
      { settings: { API_KEY: key }, only: ['refuses-missing-key'] },
    );
    expect(outcome).toContain(run.check('refuses-missing-key').outcome);
  });
