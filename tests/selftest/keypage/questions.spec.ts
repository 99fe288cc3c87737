import { judgeAt, noAccount } from '../support/key-page.js';
import { type OddPage, startOddPage } from '../support/odd-page.js';
import { expect, rowsInCi, test } from '../support/test.js';

const password = '<label>Password <input type="password" name="p"></label>';
const heading = '<h1>API key</h1><p>You have no key yet.</p>';
/** A form that a script sends, and so has no method. */
const form = `<form id="f">${password}<button>Confirm</button></form><script>f.onsubmit = () => false</script>`;
const challenge: OddPage['handle'] = ({ method, url }, response) => {
  if (method !== 'POST') return false;
  response
    .writeHead(200, { 'content-type': 'text/html' })
    .end(url === '/sudo' ? `<h1>Confirm access</h1>${form}` : '{"need":"password"}');
  return true;
};
const asking = (question: string): OddPage => ({
  page: () =>
    `${heading}<button type="button" id="make">Generate API key</button><div id="place"></div>
     <script>make.onclick = async () => { await fetch('/challenge', { method: 'POST' }); ${question} }</script>`,
  handle: challenge,
});

/** Pages that ask for something once the action has sent a request. */
const questions: Record<string, OddPage> = {
  'in a dialog': asking(`place.innerHTML = '<div role="dialog">${form.split('<script>')[0]}</div>'`),
  'in a shadow root': asking(`place.attachShadow({ mode: 'open' }).innerHTML = '${password}'`),
  'on a page of its own': {
    page: () => `${heading}<form method="post" action="/sudo"><button>Generate API key</button></form>`,
    handle: challenge,
  },
};

const row = rowsInCi();
for (const [title, page] of Object.entries(questions))
  test(
    `a page that asks for the password, by a form without a method, makes no key yet: ${title}`,
    row(),
    async ({ chromium }) => {
      const odd = await startOddPage(page);
      try {
        const judged = await judgeAt(odd, chromium, noAccount, { patienceMs: 1_000 });
        expect(judged.outcomes['makes-a-key'], judged.everything).toBe('inconclusive');
        expect(judged.everything).toContain('the page may wait for fields');
      } finally {
        await odd.close();
      }
    },
  );
