import { judgeAt, noAccount } from '../support/key-page.js';
import { type OddPage, type OddState, startOddPage } from '../support/odd-page.js';
import { expect, inCi, inFull, launchTrusting, rowsInCi, test } from '../support/test.js';

const form = '<form method="post" action="/key"><button>Generate API key</button></form>';

/** The key is shown right after it was made, and `hidden` stands in its place later. */
const hides =
  (hidden: (state: OddState) => string) =>
  (state: OddState): string => {
    const [key, requests] = [state.keys.at(-1), state.requests];
    const shown = requests.at(-2)?.method === 'POST' ? `<code>${key}</code>` : hidden(state);
    return `<h1>API key</h1>${key === undefined ? '<p>You have no key yet.</p>' : shown}${form}`;
  };

const mask = '<span id="k">••••••••</span>';
const script = `fetch('/secret').then((answer) => answer.text()).then((text) => { k.textContent = text; })`;
const secret: OddPage['handle'] = ({ url }, response, { keys }) => {
  if (url !== '/secret') return false;
  response.writeHead(200, { 'content-type': 'text/plain' }).end(keys.at(-1));
  return true;
};

interface Case extends OddPage {
  /** Outcome of PAGE-2. */
  readonly shows: string;
}

const cases: Record<string, Case> = {
  'a link that shows it': {
    page: hides(({ keys, requests }) =>
      requests.at(-1)?.url.includes('show=1') ? `<code>${keys.at(-1)}</code>` : `${mask} <a href="?show=1">Show</a>`,
    ),
    shows: 'passed',
  },
  'a link to another page whose script shows it here': {
    page: hides(
      () =>
        `${mask} <a href="/secret" id="s">Show</a><script>s.onclick = (event) => { event.preventDefault(); ${script} }</script>`,
    ),
    handle: secret,
    shows: 'passed',
  },
  'a link that leads to it': {
    page: hides(() => `${mask} <a href="/secret">Show</a>`),
    handle: secret,
    shows: 'inconclusive',
  },
  'a form that shows it': {
    page: hides(() => `${mask}<form method="post" action="/reveal"><button>Show key</button></form>`),
    shows: 'inconclusive',
  },
  'a button that asks for the password first': {
    page: hides(
      () =>
        `${mask}<button type="button" onclick="d.showModal()">Show key</button><dialog id="d"><form method="post" action="/reveal"><input type="password" name="p"><button>Go</button></form></dialog>`,
    ),
    shows: 'inconclusive',
  },
  'a button with a name in a language nobody here knows': {
    page: hides(() => `${mask} <button type="button" onclick="${script}">Mutasd</button>`),
    handle: secret,
    shows: 'inconclusive',
  },
  'a button without a name': {
    page: hides(() => `${mask} <button type="button" onclick="${script}"><svg width="9" height="9"></svg></button>`),
    handle: secret,
    shows: 'inconclusive',
  },
  'a button without a name, and no mask': {
    page: hides(
      () =>
        `<span id="k">Hidden for your safety.</span> <button type="button" onclick="${script}"><svg width="9" height="9"></svg></button>`,
    ),
    handle: secret,
    shows: 'inconclusive',
  },
  'a box to tick that shows the dots of a field': {
    page: hides(
      ({ keys }) =>
        `<input type="password" id="k" readonly value="${keys.at(-1)}"><label><input type="checkbox" onchange="k.type = this.checked ? 'text' : 'password'"> Show key</label>`,
    ),
    shows: 'passed',
  },
  'a switch that asks for it': {
    page: hides(
      () => `${mask} <span role="switch" aria-checked="false" aria-label="Show" onclick="${script}">○</span>`,
    ),
    handle: secret,
    shows: 'passed',
  },
  'a box to tick with a name in a language nobody here knows': {
    page: hides(() => `${mask} <label><input type="checkbox" onchange="${script}"> Mutasd</label>`),
    handle: secret,
    shows: 'inconclusive',
  },
  'a list to choose from': {
    page: hides(() => `${mask}<select onchange="${script}"><option>Hidden</option><option>Visible</option></select>`),
    handle: secret,
    shows: 'inconclusive',
  },
  'a mask that is pointed at': {
    page: hides(() => `${mask}<script>k.onmouseenter = () => ${script}</script>`),
    handle: secret,
    shows: 'passed',
  },
  'a mask that shows a new key where it is clicked': {
    page: ({ keys }) =>
      `<h1>API key</h1>${keys.length === 0 ? '<p>You have no key yet.</p>' : `${mask}<script>k.onclick = () => ${script}</script>`}${form}`,
    handle: secret,
    shows: 'passed',
  },
  'a key that takes the place of a mask that is pointed at': {
    page: hides(
      ({ keys }) =>
        `<p id="k"><i>••••••••</i><b>${keys.at(-1)}</b></p><style>b, #k:hover i { display: none } #k:hover b { display: inline }</style>`,
    ),
    shows: 'passed',
  },
  'a mask that takes a double click': {
    page: hides(() => `${mask}<script>k.ondblclick = () => ${script}</script>`),
    handle: secret,
    shows: 'passed',
  },
  'a field of dots that gets the focus': {
    page: hides(
      () =>
        `<input id="k" readonly value="••••••••" size="50"><script>k.addEventListener('focus', () => ${script.replace('textContent', 'value')})</script>`,
    ),
    handle: secret,
    shows: 'passed',
  },
  'an icon beside the mask': {
    page: hides(
      () =>
        `${mask}<i id="e" style="display: inline-block; width: 1em; height: 1em; background: grey"></i><script>e.addEventListener('click', () => ${script})</script>`,
    ),
    handle: secret,
    shows: 'passed',
  },
  'a mask that reacts, and shows no key': {
    page: hides(() => `${mask}<script>k.onclick = () => { k.textContent = 'Ask your administrator.' }</script>`),
    shows: 'inconclusive',
  },
  'a button that copies by the old command': {
    page: hides(
      () =>
        `${mask}<button type="button" id="c">Copy</button><script>c.onclick = () => fetch('/secret').then((answer) => answer.text()).then((text) => {
          const field = document.createElement('textarea'); field.value = text; document.body.append(field); field.select(); document.execCommand('copy'); field.remove(); })</script>`,
    ),
    handle: secret,
    shows: 'passed',
  },
  'a button that copies what is still to come': {
    page: hides(
      () =>
        `${mask}<button type="button" id="c">Copy</button><script>c.onclick = () => navigator.clipboard.write([new ClipboardItem({ 'text/plain': fetch('/secret').then((answer) => answer.blob()) })])</script>`,
    ),
    handle: secret,
    shows: 'passed',
  },
  'a file': {
    page: hides(({ keys }) => `<a download="key.txt" href="data:text/plain;base64,${btoa(keys.at(-1) ?? '')}">Key</a>`),
    shows: 'inconclusive',
  },
  'a box of the action’s own form': {
    page: (state) =>
      hides(() => mask)(state).replace('<button>', '<label><input type="checkbox" name="w"> May write</label><button>'),
    shows: 'failed',
  },
  'a text to click that is no button': {
    page: hides(
      () =>
        `<span id="k" style="cursor: pointer">Click to reveal</span><script>k.addEventListener('click', () => ${script})</script>`,
    ),
    handle: secret,
    shows: 'passed',
  },
  'an attribute that a button copies': {
    page: hides(({ keys }) => `${mask} <button type="button" data-clipboard-text="${keys.at(-1)}">Copy</button>`),
    shows: 'passed',
  },
  'a style that writes it in capitals': {
    page: ({ keys }) =>
      keys.length === 0
        ? hides(() => '')({ keys, requests: [] })
        : `<h1>API key</h1><code style="text-transform: uppercase">${keys.at(-1)}</code>${form}`,
    shows: 'inconclusive',
  },
  'a style that writes its first letter as a capital': {
    page: ({ keys }) =>
      keys.length === 0
        ? hides(() => '')({ keys, requests: [] })
        : `<h1>API key</h1><code style="text-transform: capitalize">${keys.at(-1)}</code>${form}`,
    make: ({ keys }) => void keys.push('f3a9c1d07e5b48a2960fd1c3b7e8245a6d90f1be'),
    shows: 'inconclusive',
  },
  'a style that writes it in capitals, and a button that copies it': {
    page: ({ keys }) =>
      keys.length === 0
        ? hides(() => '')({ keys, requests: [] })
        : `<h1>API key</h1><code style="text-transform: uppercase">${keys.at(-1)}</code><button type="button">Copy</button>${form}`,
    shows: 'passed',
  },
  'a style that writes dots': {
    page: hides(({ keys }) => `<code style="-webkit-text-security: disc">${keys.at(-1)}</code>`),
    shows: 'inconclusive',
  },
  'an attribute that nothing copies': {
    page: hides(({ keys }) => `<p data-key="${keys.at(-1)}">You have a key.</p>`),
    shows: 'inconclusive',
  },
  'a mask, and nothing but other actions': {
    page: hides(() => `${mask} <button type="button">Copy</button> <button type="button">Revoke</button>`),
    shows: 'failed',
  },
  'a dialog of the browser that showed it once': {
    page: ({ keys, requests }) =>
      `<h1>API key</h1><p>${keys.length > 0 ? 'You have a key.' : 'You have no key yet.'}</p>${form}${requests.at(-2)?.method === 'POST' ? `<script>alert('Your key: ${keys.at(-1)}')</script>` : ''}`,
    shows: 'failed',
  },
  'a form for another password beside it': {
    page: hides(() => '<p>Your key was shown once.</p><form><input type="password"><button>Change</button></form>'),
    shows: 'failed',
  },
};

const row = rowsInCi();
for (const [title, { shows, ...page }] of Object.entries(cases)) {
  test(`a key that the page hides later: ${title}`, row(), async ({ chromium }) => {
    const odd = await startOddPage(page);
    try {
      const judged = await judgeAt(odd, chromium, noAccount, { patienceMs: 1_000 });
      expect(judged.outcomes['shows-the-current-key'], judged.everything).toBe(shows);
      expect(judged.outcomes['makes-a-key']).toBe('passed');
    } finally {
      await odd.close();
    }
  });
}

const endsOfList: Record<string, readonly [end: string, shows: string]> = {
  'a link to its next page': ['<nav><a href="?page=2">2</a></nav>', 'inconclusive'],
  'a button that shows more': ['<button type="button">Load more</button>', 'inconclusive'],
  'nothing more': ['', 'failed'],
};

const listRow = rowsInCi();
for (const [title, [end, shows]] of Object.entries(endsOfList))
  test(`a new key is not in a list of keys that ends with ${title}`, listRow(), async ({ chromium }) => {
    const odd = await startOddPage({
      page: ({ keys, requests }) =>
        `<h1>API keys</h1><p>${requests.at(-2)?.method === 'POST' ? keys.at(-1) : ''}</p><ul><li>${keys[0]}</li></ul>${end}${form}`,
    });
    odd.state.keys.push('f3a9c1d07e5b48a2960fd1c3b7e8245a6d90f1be');
    try {
      const judged = await judgeAt(odd, chromium, noAccount, { patienceMs: 1_000 });
      expect(judged.outcomes, judged.everything).toMatchObject({
        'makes-a-key': 'passed',
        'shows-the-current-key': shows,
      });
    } finally {
      await odd.close();
    }
  });

test('an account whose key a link shows has a key, and is not asked for the message', inFull, async ({ chromium }) => {
  const odd = await startOddPage({
    page: ({ keys, requests }) =>
      `<h1>API key</h1>${requests.at(-1)?.url.includes('show=1') ? `<code>${keys.at(-1)}</code>` : `${mask} <a href="?show=1">Show</a>`}${form}`,
  });
  odd.state.keys.push(crypto.randomUUID().replaceAll('-', ''));
  try {
    const judged = await judgeAt(odd, chromium, { ...noAccount, generate: false });
    expect(judged.outcomes['shows-the-current-key'], judged.everything).toBe('passed');
    expect(judged.outcomes['says-when-there-is-none'], judged.everything).toBe('inconclusive');
  } finally {
    await odd.close();
  }
});

const id = '9b4e61f0c2d75a38'.repeat(2);
const idAnd = (control: string): string => `<p>API key ID: <code>${id}</code></p><p>${mask} ${control}</p>`;
const withId = (control: string): OddPage => ({
  page: ({ keys }) =>
    `<h1>API key</h1>${keys[0] === undefined ? '<p>You have no key yet.</p>' : `<p>API key ID: <code>${id}</code></p><p>${control}</p>`}${form}`,
});
/** Shows the key to who points at it. */
const hovered: OddPage = {
  ...withId(`<span id="k">Point here</span><script>k.onmouseenter = () => ${script}</script>`),
  handle: secret,
};
const copyButton = `<button type="button" onclick="fetch('/secret').then((answer) => answer.text()).then((text) => navigator.clipboard.writeText(text))">Copy</button>`;

/** Outcomes of PAGE-1 and PAGE-2 for pages that never show the key by themselves. */
const neverShown: Record<string, readonly [page: OddPage, makes: string, shows: string]> = {
  'a form shows it, and its id stands there': [
    {
      page: ({ keys }) =>
        `<h1>API key</h1>${keys[0] === undefined ? '<p>You have no key yet.</p>' : idAnd('<form method="post" action="/reveal"><button>Show</button></form>')}${form}`,
    },
    'inconclusive',
    'inconclusive',
  ],
  'a form with another name shows it, and its id stands there': [
    withId('<form method="post" action="/reveal"><button>Unlock</button></form>'),
    'inconclusive',
    'inconclusive',
  ],
  'a button that is held shows it, and its id stands there': [
    withId('<button type="button">Hold to view</button>'),
    'inconclusive',
    'inconclusive',
  ],
  'a double click on its mask shows it, and its id stands there': [withId(mask), 'inconclusive', 'inconclusive'],
  'it is shown where it is pointed at, and its id stands there': [hovered, 'inconclusive', 'inconclusive'],
  'it is mailed, and the number of the mail stands there': [
    {
      page: ({ keys }) =>
        `<h1>API key</h1>${keys[0] === undefined ? '<p>You have no key yet.</p>' : `<p>Your key was mailed.</p><p>Reference: <code>${id}</code></p>`}${form}`,
    },
    'inconclusive',
    'inconclusive',
  ],
  'it has signs that no key has, and parts of it look like one': [
    {
      page: ({ keys }) =>
        `<h1>API key</h1>${keys[0] === undefined ? '<p>You have no key yet.</p>' : `<p>Your key</p><code>ada@service/${id}</code>`}${form}`,
    },
    'inconclusive',
    'inconclusive',
  ],
  'nothing shows it, and its id stands there': [withId('<button type="button">Revoke</button>'), 'failed', 'failed'],
  'a button copies it, and another text stands in its place': [
    {
      page: ({ keys }) =>
        `<h1>API key</h1>${keys[0] === undefined ? '<p>You have no key yet.</p>' : `<code>${id}</code> ${copyButton}`}${form}`,
      handle: secret,
    },
    'passed',
    'inconclusive',
  ],
  'a button copies it, and its id stands there': [
    {
      page: ({ keys }) =>
        `<h1>API key</h1>${keys[0] === undefined ? '<p>You have no key yet.</p>' : idAnd(copyButton)}${form}`,
      handle: secret,
    },
    'passed',
    'passed',
  ],
};

for (const [title, [page, makes, shows]] of Object.entries(neverShown)) {
  test(`a key that a page never shows by itself: ${title}`, inFull, async ({ chromium }) => {
    const odd = await startOddPage(page);
    try {
      const judged = await judgeAt(odd, chromium, noAccount, { patienceMs: 1_000 });
      expect(judged.outcomes, judged.everything).toMatchObject({
        'makes-a-key': makes,
        'shows-the-current-key': shows,
        'says-when-there-is-none': 'passed',
      });
    } finally {
      await odd.close();
    }
  });
}

/** Without these features, a document learns where the mouse stood over the one before it. */
const leavesTheMouse = ['RenderDocument', 'ProactivelySwapBrowsingInstance', 'BackForwardCache'];

test('a page is not loaded under the mouse, which might show a key there by chance', inCi, async () => {
  const odd = await startOddPage(hovered);
  const browser = await launchTrusting(leavesTheMouse);
  try {
    const judged = await judgeAt(odd, browser, noAccount, { patienceMs: 1_000 });
    expect(judged.outcomes['shows-the-current-key'], judged.everything).toBe('inconclusive');
  } finally {
    await browser.close();
    await odd.close();
  }
});

test('a key that was only to be copied before the action was not made by it', inFull, async ({ chromium }) => {
  const odd = await startOddPage({
    page: () => `<h1>API key</h1><p>${mask} ${copyButton}</p>${form}`,
    make: () => {},
    handle: secret,
  });
  odd.state.keys.push(crypto.randomUUID().replaceAll('-', ''));
  try {
    const judged = await judgeAt(odd, chromium, noAccount, { patienceMs: 1_000 });
    expect(judged.outcomes['makes-a-key'], judged.everything).toBe('inconclusive');
    expect(judged.outcomes['shows-the-current-key'], judged.everything).toBe('passed');
  } finally {
    await odd.close();
  }
});

/** A control whose script asks for the key with POST, as a page with a token of its own does. */
const asksWithPost = (name: string): string =>
  `${mask} <button type="button" onclick="${script.replace("'/secret'", "'/secret', { method: 'POST' }")}">${name}</button>`;

for (const [name, { shows, writes, tagged }] of Object.entries({
  'Show key': { shows: 'passed', writes: true, tagged: inFull },
  Reveal: { shows: 'passed', writes: true, tagged: inCi },
  'View credentials': { shows: 'inconclusive', writes: false, tagged: inFull },
}))
  test(
    `a request that may change something is sent by a control that names a key or nothing: ${name}`,
    tagged,
    async ({ chromium }) => {
      const odd = await startOddPage({ page: hides(() => asksWithPost(name)), handle: secret });
      try {
        const judged = await judgeAt(odd, chromium, noAccount, { patienceMs: 1_000 });
        expect(judged.outcomes['shows-the-current-key'], judged.everything).toBe(shows);
        const sent = odd.state.requests.some(({ method, path }) => method === 'POST' && path === '/secret');
        expect(sent).toBe(writes);
      } finally {
        await odd.close();
      }
    },
  );

test('what shows something else is not pressed before what shows the key', inFull, async ({ chromium }) => {
  const odd = await startOddPage({
    page: hides(
      ({ keys }) =>
        `<button type="button" onclick="fetch('/public', { method: 'POST' })">Show me on the leaderboard</button><input id="k" type="password" readonly value="${keys.at(-1)}"><button type="button" onclick="k.type = 'text'">Show key</button>`,
    ),
  });
  try {
    const judged = await judgeAt(odd, chromium, noAccount, { patienceMs: 1_000 });
    expect(judged.outcomes['shows-the-current-key'], judged.everything).toBe('passed');
    expect(odd.state.requests.filter(({ path }) => path === '/public')).toEqual([]);
  } finally {
    await odd.close();
  }
});
