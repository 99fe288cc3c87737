import { judgeAt } from '../support/key-page.js';
import { type OddPage, startOddPage } from '../support/odd-page.js';
import { expect, rowsInCi, test } from '../support/test.js';

/** Pages that do other things than to make a key: none of these is done. */

const none = '<h1>API key</h1><p>You have no key yet.</p>';
const shown = (keys: readonly string[]): string => (keys.length > 0 ? `<h1>API key</h1><p>${keys.at(-1)}</p>` : none);
const button = '<button type="button" id="make">Generate API key</button>';
const makes = `fetch('/key', { method: 'POST' }).then(() => location.reload())`;
const danger = `fetch('/danger', { method: 'POST' })`;

interface Case extends OddPage {
  /** Outcome of PAGE-1. */
  readonly makes: string;
}

const cases: Record<string, Case> = {
  'a form that deletes the account, with name and password': {
    page: ({ keys }) =>
      `${shown(keys)}${button}<form method="post" action="/danger"><input name="username"><input type="password" name="password"><button>Delete account</button></form><script>make.onclick = () => { ${makes} }</script>`,
    makes: 'passed',
  },
  'a form that changes the e-mail address, with the password': {
    page: ({ keys }) =>
      `${shown(keys)}${button}<form method="post" action="/danger"><input type="email" name="email"><input type="password" name="password"><button>Change e-mail address</button></form><script>make.onclick = () => { ${makes} }</script>`,
    makes: 'passed',
  },
  'a dialog that offers to revoke all keys': {
    page: ({ keys }) =>
      `${shown(keys)}${button}<dialog id="d"><p>You reached the limit of one key.</p><button onclick="${danger}">Yes, revoke all keys</button><button>Keep them</button></dialog><script>make.onclick = () => d.showModal()</script>`,
    makes: 'inconclusive',
  },
  'a dialog that sells something': {
    page: ({ keys }) =>
      `${shown(keys)}${button}<dialog id="d"><p>Keys come with Pro.</p><button onclick="${danger}">Continue with Pro, 9 a month</button></dialog><script>make.onclick = () => d.showModal()</script>`,
    makes: 'inconclusive',
  },
  'a dialog of its own that was there before': {
    page: ({ keys }) =>
      `${shown(keys)}${button}<div role="dialog"><p>Our news?</p><button onclick="${danger}">Yes</button></div><script>make.onclick = () => setTimeout(() => { ${makes} }, 500)</script>`,
    makes: 'passed',
  },
  'fields beside a confirmation without a form': {
    page: ({ keys }) =>
      `${shown(keys)}<label>Nickname <input id="nick" oninput="${danger}"></label><label>New password <input type="password" autocomplete="new-password" oninput="${danger}"></label>${button}<p id="ask" hidden><button id="yes">Yes, generate</button></p><script>make.onclick = () => { ask.hidden = false }; yes.onclick = () => { ${makes} }</script>`,
    makes: 'passed',
  },
  'a menu that sends a form to a new window': {
    page: ({ keys }) =>
      `${keys.length > 0 ? shown(keys) : '<h1>API key</h1>'}<button type="button" aria-haspopup="true" aria-expanded="false" onclick="f.submit()">More</button><form id="f" method="post" action="/danger" target="_blank"></form>${button}<script>make.onclick = () => { ${makes} }</script>`,
    makes: 'passed',
  },
  'a question that the page asks by itself': {
    page: ({ keys }) =>
      `${shown(keys)}${button}<script>make.onclick = () => { ${makes} }; setInterval(() => { if (confirm('Delete the account?')) ${danger} }, 200)</script>`,
    makes: 'passed',
  },
  'another function with the words of the action': {
    page: ({ keys }) =>
      `${shown(keys)}<button type="button" onclick="${danger}">Request deletion of API key and data</button><button type="button" id="make">Generate</button><script>make.onclick = () => { ${makes} }</script>`,
    makes: 'passed',
  },
};

const row = rowsInCi();
for (const [title, { makes: outcome, ...page }] of Object.entries(cases))
  test(`nothing else is done on a key page: ${title}`, row(), async ({ chromium }) => {
    const odd = await startOddPage(page);
    try {
      const judged = await judgeAt(odd, chromium, {}, { patienceMs: 5_000, lateMs: 1_500 });
      expect(odd.state.requests.filter(({ path }) => path === '/danger')).toEqual([]);
      expect(judged.outcomes['makes-a-key'], judged.everything).toBe(outcome);
    } finally {
      await odd.close();
    }
  });
