import { type Answer, judgeKinds, things } from '../support/document-server.js';
import { expect, test } from '../support/test.js';

/** Public operations of a service that refuses a query that it does not know. */

const kinds = ['Run', 'Row', 'Swim'].map((name, at) => ({ id: 7_100 + at * 13, name, since: `2021-0${at + 2}-11` }));

let refusals = 0;
/** A refusal in a 2xx body that is another one each time. */
const inBody = (): Answer => {
  refusals += 1;
  return { status: 200, body: { ok: false, message: `No key (${refusals * 7_919}).` } };
};
const byStatus = (): Answer => ({ status: 401, body: { detail: 'No key.' } });

const judged = (refusal: () => Answer, isPublic: boolean) =>
  judgeKinds(({ path, query, hasKey }) => {
    if (query.size > 0) return { status: 400, body: { detail: 'Unknown parameter.' } };
    if (hasKey || (path === '/kinds' && isPublic)) return { status: 200, body: path === '/kinds' ? kinds : things };
    return refusal();
  });

for (const [how, refusal] of [
  ['by status', byStatus],
  ['in the body of a success', inBody],
] as const) {
  test(`one that needs a key is found: refused ${how}`, async () => {
    expect((await judged(refusal, false)).check('opens-without-credentials').outcome).toBe('failed');
  });

  test(`one that needs none passes where others are refused ${how}`, async () => {
    expect((await judged(refusal, true)).check('opens-without-credentials').outcome).toBe('passed');
  });
}
