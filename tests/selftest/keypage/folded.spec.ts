import type { Browser } from '@playwright/test';
import { judgeAt, noAccount } from '../support/key-page.js';
import { type OddPage, type OddState, startOddPage } from '../support/odd-page.js';
import { expect, inCi, inFull, rowsInCi, test } from '../support/test.js';

/** What a place shows: message or key, and the action. */
const place = ({ keys }: OddState, none = 'No API key exists yet.'): string =>
  `<p>${keys.at(-1) ?? none}</p><form method="post" action="/key"><button>Generate API key</button></form>`;

/** A page whose script asks for the place only when it is to be shown. */
const fetched = (page: string, none?: string): OddPage => ({
  page: () => page,
  handle: (request, response, state) => {
    if (request.url !== '/place') return false;
    response.writeHead(200, { 'content-type': 'text/html' }).end(place(state, none));
    return true;
  },
});

const tabs = (panel: string, attributes: string): string =>
  `<div role="tablist"><button role="tab" aria-selected="true">Profile</button><button role="tab" aria-selected="false" ${attributes}>Developer</button></div>
   <div role="tabpanel">Your name and address.</div><div role="tabpanel" id="developer" hidden>${panel}</div>`;

/**
 * Ways to fold a place away, each of which takes what is folded away. That pages that fold in
 * one of these ways pass, page-variants.spec.ts shows.
 */
const plainFolds: Record<string, (panel: string) => string> = {
  'a tab': (panel) => tabs(panel, `onclick="document.querySelector('#developer').hidden = false"`),
  details: (panel) => `<details><summary>Developer settings</summary>${panel}</details>`,
  'a tab of an application': () =>
    tabs(
      '',
      `onclick="fetch('/place').then((answer) => answer.text()).then((text) => { developer.innerHTML = text; developer.hidden = false; })"`,
    ),
};

/** Other ways. */
const folds: Record<string, (panel: string) => string> = {
  'an accordion that says what it does': (panel) =>
    `<h3><button type="button" aria-expanded="false" onclick="this.setAttribute('aria-expanded', 'true'); document.querySelector('#api').hidden = false">Access</button></h3><div id="api" hidden>${panel}</div>`,
  'details inside details': (panel) =>
    `<details><summary>Settings</summary><details><summary>Other</summary>${panel}</details></details>`,
  'an accordion that shows one part at a time': (panel) =>
    ['Address', 'Access', 'Newsletter']
      .map(
        (name) =>
          `<button type="button" aria-expanded="false" onclick="document.querySelectorAll('section').forEach((each) => { each.hidden = each.previousElementSibling !== this })">${name}</button><section hidden>${name === 'Access' ? panel : `About the ${name}.`}</section>`,
      )
      .join(''),
  'buttons that name what they show': (panel) =>
    `<button type="button" onclick="show('one')">Profile</button><button type="button" onclick="show('two')">Access</button><div class="part" id="one">Your name.</div><div class="part" id="two" style="display:none">${panel}</div>
     <script>const show = (id) => { for (const part of document.querySelectorAll('.part')) part.style.display = part.id === id ? 'block' : 'none'; }</script>`,
  'radio buttons and style alone': (panel) =>
    `<style>input { position: absolute; opacity: 0; width: 0; height: 0 } .part { display: none } #t1:checked ~ .p1, #t2:checked ~ .p2 { display: block }</style>
     <input type="radio" name="t" id="t1" checked><label for="t1">Profile</label><input type="radio" name="t" id="t2"><label for="t2">Access</label><div class="part p1">Your name.</div><div class="part p2">${panel}</div>`,
  'a drawer that a button in the header of the page shows': (panel) =>
    `<header><button type="button" aria-controls="drawer" aria-expanded="false" onclick="drawer.hidden = false">Developer</button></header><p>Your name.</p><aside id="drawer" hidden>${panel}</aside>`,
  'a popover': (panel) =>
    `<button type="button" popovertarget="pop">Access</button><div id="pop" popover>${panel}</div>`,
};

const isFetched = (fold: string): boolean => fold.startsWith('a tab of');

/** Judges the page of an account without a key, folded away; `message` says that there is none. */
const judgeFolded = async (fold: string, chromium: Browser, message?: string) => {
  const folded = { ...folds, ...plainFolds }[fold] ?? String;
  const page = isFetched(fold)
    ? fetched(folded(''), message)
    : { page: (state: OddState) => folded(place(state, message)) };
  const odd = await startOddPage(page);
  try {
    const judged = await judgeAt(odd, chromium, noAccount);
    return { ...judged, writes: odd.state.requests.filter(({ method }) => method === 'POST').length };
  } finally {
    await odd.close();
  }
};

const keepingRow = rowsInCi();
for (const fold of Object.keys(folds)) {
  test(
    `a page that keeps the contract passes: everything folded away in ${fold}`,
    keepingRow(),
    async ({ chromium }) => {
      const judged = await judgeFolded(fold, chromium);
      expect(judged.outcomes, judged.everything).toMatchObject({
        'makes-a-key': 'passed',
        'shows-the-current-key': 'passed',
        'says-when-there-is-none': 'passed',
      });
      expect(judged.writes).toBe(1);
    },
  );
}

for (const fold of ['a tab', 'details', 'an accordion that says what it does', 'a tab of an application']) {
  test(
    `a page that says nothing when there is no key fails, also folded away in ${fold}`,
    inFull,
    async ({ chromium }) => {
      const judged = await judgeFolded(fold, chromium, '');
      expect(judged.outcomes, judged.everything).toMatchObject({
        'makes-a-key': 'passed',
        'shows-the-current-key': 'passed',
        'says-when-there-is-none': 'failed',
      });
    },
  );
}

test(
  'what unfolds a part of the page changes nothing on the server, and a message that takes a write is not said to be missing',
  inCi,
  async ({ chromium }) => {
    const odd = await startOddPage({
      page: ({ keys }) =>
        `<h1>API key</h1><p>${keys.at(-1) ?? ''}</p><form method="post" action="/key"><button>Generate API key</button></form>
       <button type="button" aria-expanded="false" onclick="fetch('/opened', { method: 'POST' })">State</button>`,
    });
    try {
      const judged = await judgeAt(odd, chromium, noAccount);
      expect(judged.outcomes, judged.everything).toMatchObject({
        'makes-a-key': 'passed',
        'says-when-there-is-none': 'inconclusive',
      });
      expect(odd.state.requests.filter(({ path }) => path === '/opened')).toEqual([]);
    } finally {
      await odd.close();
    }
  },
);

test(
  'a message that always stands in another tab than the key is no proof, since both are never seen at once',
  inFull,
  async ({ chromium }) => {
    const tab = (name: string, shown: string, hidden: string): string =>
      `<button role="tab" aria-selected="${name === 'Key'}" onclick="${shown}.hidden = false; ${hidden}.hidden = true">${name}</button>`;
    const odd = await startOddPage({
      page: (state) =>
        `<div role="tablist">${tab('Key', 'one', 'two')}${tab('State', 'two', 'one')}</div>
       <div role="tabpanel" id="one">${place(state, '')}</div><div role="tabpanel" id="two" hidden>No API key exists yet.</div>`,
    });
    try {
      const judged = await judgeAt(odd, chromium, noAccount);
      expect(judged.outcomes, judged.everything).toMatchObject({
        'makes-a-key': 'passed',
        'shows-the-current-key': 'passed',
        'says-when-there-is-none': 'inconclusive',
      });
    } finally {
      await odd.close();
    }
  },
);

test('an action that nothing is known to unfold is said to be in the page', inFull, async ({ chromium }) => {
  const odd = await startOddPage({
    page: (state) =>
      `<button type="button" id="way">Integrations</button><p>Your name.</p><section hidden>${place(state)}</section>
       <script>way.addEventListener('click', () => { document.querySelector('section').hidden = false })</script>`,
  });
  try {
    const judged = await judgeAt(odd, chromium, noAccount);
    expect(judged.outcomes, judged.everything).toMatchObject({ 'makes-a-key': 'inconclusive' });
    expect(judged.everything).toContain('“Generate API key” is in the page, but not visible');
  } finally {
    await odd.close();
  }
});
