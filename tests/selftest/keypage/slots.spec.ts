import { loginForm, startHostilePage } from '../support/hostile-page.js';
import { judgeAt, noAccount } from '../support/key-page.js';
import { type OddPage, type OddState, startOddPage } from '../support/odd-page.js';
import { expect, inFull, test } from '../support/test.js';

/**
 * Pages whose texts and controls a user sees in another place, or for less time, than the markup
 * says.
 */

const none = 'You have no key yet.';
const form = '<form method="post" action="/key"><button>Generate API key</button></form>';
const post = `fetch('/key', { method: 'POST' }).then(() => location.reload())`;

const elements = `<script>
  const define = (name, html) => customElements.define(name, class extends HTMLElement {
    constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = html; }
  });
  define('x-alert', '<div role="alert"><slot></slot></div>');
  define('x-code', '<style>code { color: green }</style><code><slot></slot></code>');
  define('x-button', '<style>button { color: green }</style><button type="button"><slot></slot></button>');
  define('x-dialog', '<div role="dialog" hidden><button type="button">Close</button><slot></slot></div>');
</script>`;

const written =
  (message: (text: string) => string, code: (key: string) => string, action = form) =>
  ({ keys }: OddState): string => {
    const key = keys.at(-1);
    return `<h1>API key</h1>${key === undefined ? message(none) : code(key)}${action}${elements}`;
  };

const paragraph = (text: string): string => `<p>${text}</p>`;
const code = (text: string): string => `<code>${text}</code>`;

const conforming: Record<string, OddPage> = {
  'the message and the key in slots': {
    page: written(
      (text) => `<x-alert>${text}</x-alert>`,
      (key) => `<x-code>${key}</x-code>`,
    ),
  },
  'the message and the key in elements without a box': {
    page: written(
      (text) => `<div style="display: contents">${text}</div>`,
      (key) => `<div><span style="display: contents">${key}</span></div>`,
    ),
  },
  'the message and the key in a closed shadow tree of the markup': {
    page: ({ keys }) =>
      `<h1>API key</h1><x-key><template shadowrootmode="closed"><p>${keys.at(-1) ?? none}</p></template></x-key>${form}`,
  },
  'the message and the key in a closed shadow tree of a script': {
    page: ({ keys }) =>
      `<h1>API key</h1><div id="place"></div>${form}<script>const mode = 'closed'; place.setHTMLUnsafe('<p><template shadowrootmode="' + mode + '"><b>${keys.at(-1) ?? none}</b></template></p>')</script>`,
  },
  'the name of the action in a slot': {
    page: written(paragraph, code, `<x-button onclick="${post}">Generate API key</x-button>`),
  },
  'a question in the slot of a dialog': {
    page: written(
      paragraph,
      code,
      `<button type="button" onclick="document.querySelector('x-dialog').shadowRoot.querySelector('div').hidden = false">Generate API key</button>
       <x-dialog><p>Are you sure?</p>${form.replace(' API key', '')}</x-dialog>`,
    ),
  },
  'a button that is replaced all the time': {
    page: ({ keys }) =>
      `<h1>API key</h1><div id="place"></div><script>
        const draw = () => { place.innerHTML = '<p>${keys.at(-1) ?? none}</p><button type="button">Generate API key</button>' };
        setInterval(draw, 300);
        draw();
        place.addEventListener('pointerdown', ({ target }) => { if (target.matches('button')) ${post} });
      </script>`,
  },
  'a key whose letters are drawn from right to left': {
    page: written(
      paragraph,
      (key) => `<p style="direction: rtl; unicode-bidi: bidi-override">${[...key].reverse().join('')}</p>`,
    ),
  },
};

for (const [title, page] of Object.entries(conforming))
  test(`a conforming page is seen as its users see it: ${title}`, inFull, async ({ chromium }) => {
    const odd = await startOddPage(page);
    try {
      const judged = await judgeAt(odd, chromium, noAccount);
      expect(Object.values(judged.outcomes).slice(0, 3), judged.everything).toEqual(['passed', 'passed', 'passed']);
    } finally {
      await odd.close();
    }
  });

const notDrawn: Record<string, readonly [page: OddPage, outcomes: readonly string[]]> = {
  'the key': [
    { page: written(paragraph, (key) => `<code style="color: transparent">${key}</code>`) },
    ['passed', 'inconclusive', 'passed'],
  ],
  'the key, which a button copies': [
    {
      page: written(
        paragraph,
        (key) => `<code style="color: transparent">${key}</code><button type="button">Copy</button>`,
      ),
    },
    ['passed', 'passed', 'passed'],
  ],
  'the message': [
    { page: written((text) => `<p style="position: absolute; left: -9999px">${text}</p>`, code) },
    ['passed', 'passed', 'inconclusive'],
  ],
  'the message beside a key': [
    {
      page: ({ keys }) =>
        `<h1>API key</h1><p style="${keys.length > 0 ? 'position: absolute; left: -9999px' : ''}">${none}</p><code>${keys.at(-1) ?? ''}</code>${form}`,
    },
    ['passed', 'passed', 'passed'],
  ],
};

for (const [title, [page, outcomes]] of Object.entries(notDrawn))
  test(`what a page holds and does not draw is not shown: ${title}`, inFull, async ({ chromium }) => {
    const odd = await startOddPage(page);
    try {
      const judged = await judgeAt(odd, chromium, noAccount, { patienceMs: 1_000 });
      expect(Object.values(judged.outcomes).slice(0, 3), judged.everything).toEqual(outcomes);
    } finally {
      await odd.close();
    }
  });

test('the form that is drawn is the one to log in with', inFull, async ({ chromium }) => {
  const bait = loginForm('method="post" action="https://other.test/" style="position: absolute; left: -999px"');
  const page = await startHostilePage({ login: `${bait}${loginForm()}` });
  try {
    const judged = await judgeAt(page, chromium);
    expect(judged.outcomes['makes-a-key'], judged.everything).toBe('passed');
  } finally {
    await page.close();
  }
});
