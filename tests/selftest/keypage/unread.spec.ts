import { judgeAt, noAccount } from '../support/key-page.js';
import { type OddPage, startOddPage } from '../support/odd-page.js';
import { expect, rowsInCi, test } from '../support/test.js';

const none = 'No API key exists yet.';
/** Shows a text in a part that is not running text of the page. */
const within = (part: (text: string) => string): OddPage => ({
  page: ({ keys }) =>
    `<h1>API key</h1>${part(keys[0] ?? none)}<form method="post" action="/key"><button>Generate API key</button></form>`,
});

const held = { 'makes-a-key': 'passed', 'shows-the-current-key': 'passed', 'says-when-there-is-none': 'passed' };
const open = {
  'makes-a-key': 'inconclusive',
  'shows-the-current-key': 'inconclusive',
  'says-when-there-is-none': 'inconclusive',
};

const cases: Record<string, readonly [page: OddPage, outcomes: Record<string, string>]> = {
  'a closed shadow tree': [
    within(
      (text) =>
        `<div id="host"></div><script>host.attachShadow({ mode: 'closed' }).innerHTML = '<p>${text}</p>'</script>`,
    ),
    held,
  ],
  'a canvas': [
    within(
      (text) =>
        `<canvas id="drawn" width="600" height="30"></canvas><script>drawn.getContext('2d').fillText('${text}', 5, 20)</script>`,
    ),
    open,
  ],
  'a frame of another origin': [within((text) => `<iframe src="data:text/html,<p>${text}</p>"></iframe>`), open],
  'a canvas, for the message alone': [
    {
      page: ({ keys }) =>
        `<h1>API key</h1>${keys[0] === undefined ? '<canvas width="600" height="30"></canvas>' : `<p>${keys[0]}</p>`}<form method="post" action="/key"><button>Generate API key</button></form>`,
    },
    { ...held, 'says-when-there-is-none': 'inconclusive' },
  ],
};

const row = rowsInCi();
for (const [title, [page, outcomes]] of Object.entries(cases)) {
  test(`what a page shows in a part that is hard to read is no fault: ${title}`, row(), async ({ chromium }) => {
    const odd = await startOddPage(page);
    try {
      const judged = await judgeAt(odd, chromium, noAccount, { patienceMs: 1_000 });
      expect(judged.outcomes, judged.everything).toMatchObject(outcomes);
    } finally {
      await odd.close();
    }
  });
}
