import { loginForm, startHostilePage } from '../support/hostile-page.js';
import { judgeAt, noAccount } from '../support/key-page.js';
import { type OddPage, startOddPage } from '../support/odd-page.js';
import { acceptWebSocket } from '../support/recorder.js';
import { expect, inFull, rowsInCi, test } from '../support/test.js';

const form = (button: string): string => `<form method="post" action="/key">${button}</form>`;
const latest = (keys: readonly string[]): string | undefined => keys.at(-1);
const plain = (keys: readonly string[], button = '<button>Generate API key</button>'): string =>
  `<h1>API key</h1><p>${latest(keys) ? `<code>${latest(keys)}</code>` : 'You have no key yet.'}</p>${form(button)}`;

/** Answers 429 to the first reads of a path after the press, which say how long to wait. */
const limits =
  (path: string, times: number, seconds: number): NonNullable<OddPage['handle']> =>
  ({ method, url }, response, { requests }) => {
    const press = requests.findIndex((one) => one.method === 'POST');
    if (method !== 'GET' || url !== path || press < 0) return false;
    if (requests.slice(press).filter((one) => one.method === 'GET' && one.path === path).length > times) return false;
    response.writeHead(429, { 'retry-after': String(seconds) }).end('Too many requests.');
    return true;
  };

/** A page that asks for its key by script. */
const asksForKey = (handle: NonNullable<OddPage['handle']>): OddPage => ({
  page: () =>
    `<h1>API key</h1><p id="key"></p>${form('<button>Generate API key</button>')}<script>fetch('/data').then(async (answer) => { key.textContent = answer.ok ? await answer.text() : 'It could not be loaded.' })</script>`,
  handle: (request, response, state, body) => {
    if (handle(request, response, state, body)) return true;
    if (request.url !== '/data') return false;
    response.writeHead(200, { 'content-type': 'text/plain' }).end(latest(state.keys) ?? 'You have no key yet.');
    return true;
  },
});

const held = ['passed', 'passed', 'passed'];

/** Pages as other frameworks make them: each keeps the contract. */
const conforming: Record<string, OddPage> = {
  'keys with a number and a bar in front (Laravel Sanctum)': {
    page: ({ keys }) => plain(keys),
    make: ({ keys }) => void keys.push(`${keys.length + 1}|Zk3uXq9${crypto.randomUUID().replaceAll('-', '')}Tq`),
  },
  'keys that are UUIDs': {
    page: ({ keys }) => plain(keys),
    make: ({ keys }) => void keys.push(crypto.randomUUID()),
  },
  'a button that says it opens a dialog': {
    page: ({ keys }) =>
      `${plain(keys, '').replace(/<form.*/, '')}<button type="button" aria-haspopup="dialog" aria-expanded="false" onclick="document.querySelector('#ask').style.display='block'">Generate API key</button>
       <div id="ask" style="display:none"><p>Are you sure?</p><button type="button" onclick="document.querySelector('#ask').style.display='none'">Cancel</button>${form('<button>Generate API key</button>')}</div>`,
  },
  'a cookie banner over everything': {
    page: ({ keys }) =>
      `${plain(keys)}<div style="position:fixed;inset:0;background:#0008"><p>We use cookies</p><button>Accept</button></div>`,
  },
  'a key of a thousand characters': {
    page: ({ keys }) => plain(keys),
    make: ({ keys }) => void keys.push(Array.from({ length: 31 }, () => crypto.randomUUID().slice(4)).join('.')),
  },
  'a dialog that asks for a short name, with a trap for programs beside it': {
    page: ({ keys }) =>
      `${plain(keys, '').replace(/<form.*/, '')}<button type="button" onclick="ask.showModal()">Create API key</button><dialog id="ask">${form('<label>Name <input name="name" required pattern="[a-z]{3,12}"></label><input name="url" aria-label="Leave this empty" style="position: absolute; left: -9999px"><input name="site" aria-label="And this" style="opacity: 0"><div style="opacity: 0.001"><input name="faint"></div><div style="height: 0; overflow: hidden"><input name="cut"></div><div style="position: fixed; left: 200vw"><input name="right"></div><button>Create</button>')}</dialog>`,
    make: ({ keys, requests }) => {
      if (/&url=&site=&faint=&cut=&right=$/.test(requests.at(-1)?.body ?? '')) keys.push(crypto.randomUUID());
    },
  },
  'a key in pieces': {
    page: ({ keys }) =>
      plain(keys).replace(
        /<code>(\w+)<\/code>/,
        (_all, key: string) => `<code>${key.replace(/.{8}/g, '<span>$&</span><wbr>')}</code>`,
      ),
  },
  'a key in groups that are not part of it': {
    page: ({ keys }) => plain(keys).replace(/(?<=<code>)\w+/, (key) => key.replace(/.{4}(?=.)/g, '$& ')),
    make: ({ keys }) => void keys.push(crypto.randomUUID().replaceAll('-', '').toUpperCase()),
  },
  'a key in groups that are, each in an element of its own': {
    page: ({ keys }) =>
      plain(keys).replace(
        /(?<=<code)>([\w-]+)/,
        (_all, key: string) => ` style="display: flex"><b>${key.split('-').join('</b><i>-</i><b>')}</b>`,
      ),
    make: ({ keys }) =>
      void keys.push(crypto.randomUUID().replaceAll('-', '').toUpperCase().match(/.{4}/g)?.join('-') ?? ''),
  },
  'a key that is broken into two lines': {
    page: ({ keys }) => plain(keys).replace(/(?<=<code>)\w{32}/, '$&<br>'),
    make: ({ keys }) => void keys.push(`${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll('-', '')),
  },
  'a key in two elements': {
    page: ({ keys }) => plain(keys).replace(/(?<=<code)>(\w{32})/, '><div>$1</div>'),
    make: ({ keys }) => void keys.push(`${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll('-', '')),
  },
  'a key in groups, each in a field of its own': {
    page: ({ keys }) =>
      plain(keys).replace(
        /<code>([\w-]+)<.code>/,
        (_all, key: string) => `<input readonly value="${key.split('-').join('"> – <input readonly value="')}">`,
      ),
    make: ({ keys }) =>
      void keys.push(crypto.randomUUID().replaceAll('-', '').toUpperCase().match(/.{8}/g)?.join('-') ?? ''),
  },
  'a key that is shown once, and only copied afterwards': {
    page: ({ keys, requests }) =>
      keys.length === 0
        ? plain(keys)
        : `<h1>API key</h1>${requests.at(-2)?.method === 'POST' ? `<p>Your new key: ${latest(keys)}</p>` : ''}<p>••••••••</p>
           <button type="button" onclick="fetch('/secret').then((answer) => answer.text()).then((text) => navigator.clipboard.writeText(text))">Copy</button>${form('<button>Regenerate API key</button>')}`,
    handle: (request, response, { keys }) => {
      if (request.url !== '/secret') return false;
      response.writeHead(200, { 'content-type': 'text/plain' }).end(latest(keys));
      return true;
    },
  },
  'everything in a frame': {
    page: () => '<h1>Account</h1><iframe src="/frame" width="600" height="400"></iframe>',
    handle: (request, response, { keys }) => {
      if (request.url !== '/frame') return false;
      response.writeHead(200, { 'content-type': 'text/html' }).end(plain(keys));
      return true;
    },
  },
  'everything in a frame that stands in the page itself': {
    page: ({ keys }) =>
      `<h1>Account</h1><iframe width="600" height="400" srcdoc="${plain(keys).replace('<form', "<form target='_top'").replaceAll('"', '&quot;')}"></iframe>`,
  },
  'a key in a list to choose from': {
    page: ({ keys }) =>
      plain(keys).replace(
        /<code>(\w+)<.code>/,
        '<select><option>Choose…</option><option selected>$1</option></select>',
      ),
  },
  'the action in a new tab': { page: ({ keys }) => plain(keys).replace('<form', '<form target="_blank"') },
  'an action named by the word beside it': { page: ({ keys }) => plain(keys, '<button>Generate</button>') },
  'numbers that change with every view': {
    page: ({ keys }) =>
      `${plain(keys)}<p>Request ${crypto.randomUUID()}</p><p>Token for support: ${crypto.randomUUID().replaceAll('-', '')}</p><p>It is ${new Date().toISOString()}.</p>`,
  },
  'a key that comes by WebSocket': {
    page: ({ keys }) =>
      `<h1>API key</h1><p id="key">${keys.length > 0 ? '' : 'You have no key yet.'}</p>${form('<button>Generate API key</button>')}
       <script>new WebSocket(location.origin.replace('https', 'wss') + '/key').onmessage = ({ data }) => { document.querySelector('#key').textContent = data; }</script>`,
    upgrade: (request, socket, { keys }) => {
      acceptWebSocket(request, socket);
      const key = latest(keys);
      if (key !== undefined) socket.write(Buffer.concat([Buffer.from([0x81, key.length]), Buffer.from(key)]));
    },
  },
  'answers with fields that nobody should send': {
    page: ({ keys }) => plain(keys),
    handle: (request, response, { keys }) => {
      if (request.url !== '/key' || request.method !== 'GET') return false;
      const body = `<!doctype html><title>Key</title>${plain(keys)}`;
      request.socket.end(
        `HTTP/1.1 200 \xfcber\r\nContent-Type: text/html\r\nX-Odd: \x01\xe4\r\nX-Name: \xc3\xa4\r\nConnection: close\r\n\r\n${body}`,
        'latin1',
      );
      response.detachSocket(request.socket);
      return true;
    },
  },
  'a page that limits how often it may be asked': { page: ({ keys }) => plain(keys), handle: limits('/key', 2, 1) },
  'data that are limited': asksForKey(limits('/data', 2, 1)),
  'a page that asks for news without a pause': {
    page: ({ keys }) =>
      `${plain(keys)}<p id="now"></p><script>(async () => { for (;;) await fetch('/news') })(); setInterval(() => { now.textContent = new Date().toISOString() }, 50)</script>`,
  },
  'a part that is loaded when somebody scrolls to it': {
    page: ({ keys }) =>
      `<h1>Account</h1><div style="height: 5000px"></div><div id="part" style="min-height: 50px"></div>
       <script>new IntersectionObserver(([entry]) => { if (entry.isIntersecting && part.innerHTML === '') part.innerHTML = ${JSON.stringify(plain(keys))} }).observe(part)</script>`,
  },
  'a key in a definition list, behind a tab': {
    page: ({ keys }) =>
      `<div role="tablist"><button role="tab" aria-selected="true">Profile</button><button role="tab" aria-selected="false" onclick="document.querySelector('#p').hidden=false">Developer</button></div>
       <dl><dt>API key</dt><dd>${latest(keys) ?? 'None yet'}</dd></dl><div id="p" hidden>${form('<input type="submit" value="Create API key">')}</div>`,
  },
};

test('a log-in that a script sends passes, whatever the form says', inFull, async ({ chromium }) => {
  const page = await startHostilePage({
    login: `${loginForm('action="javascript:void(0)"')}<script>document.forms[0].onsubmit = async (event) => { event.preventDefault(); await fetch('/log-in', { method: 'POST', body: new FormData(document.forms[0]) }); location.reload(); };</script>`,
  });
  try {
    const judged = await judgeAt(page, chromium);
    expect(judged.outcomes['makes-a-key'], judged.everything).toBe('passed');
  } finally {
    await page.close();
  }
});

test('a log-in that may be repeated later is repeated', inFull, async ({ chromium }) => {
  let refused = false;
  const page = await startHostilePage({
    login: loginForm(),
    handle: ({ url }, response) => {
      if (url !== '/log-in' || refused) return false;
      refused = true;
      response.writeHead(429, { 'retry-after': '1' }).end('Too many attempts.');
      return true;
    },
  });
  try {
    const judged = await judgeAt(page, chromium);
    expect(judged.outcomes['makes-a-key'], judged.everything).toBe('passed');
  } finally {
    await page.close();
  }
});

const conformingRow = rowsInCi();
for (const [title, page] of Object.entries(conforming)) {
  test(`an unusual page that keeps the contract passes: ${title}`, conformingRow(), async ({ chromium }) => {
    const odd = await startOddPage(page);
    try {
      const judged = await judgeAt(odd, chromium, noAccount, { patienceMs: 30_000 });
      expect(
        judged.findings.slice(0, 3).map(({ outcome }) => outcome),
        judged.everything,
      ).toEqual(held);
      expect(odd.state.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    } finally {
      await odd.close();
    }
  });
}

const asksToVerify: NonNullable<OddPage['handle']> = ({ url }, response) => {
  if (url !== '/verify') return false;
  response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Verify</title><h1>Confirm your address</h1>');
  return true;
};

/**
 * Pages of which the suite may not say that they fail, since somebody else might make them work.
 */
const unclear: Record<string, OddPage> = {
  'the only action is another one': { page: ({ keys }) => plain(keys, '<button>Generate refresh token</button>') },
  'two actions that could be meant': {
    page: ({ keys }) => plain(keys, '<button>Generate API key A</button><button>Generate API key B</button>'),
  },
  'the password is asked for again': {
    page: ({ keys }) => plain(keys).replaceAll('action="/key"', 'action="/key/new"'),
    handle: (request, response) => {
      if (request.url !== '/key/new') return false;
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(form('<label>Password <input type="password" name="password"></label><button>Confirm</button>'));
      return true;
    },
  },
  'the page is limited to the end': { page: ({ keys }) => plain(keys), handle: limits('/key', 1_000, 100) },
  'its data are limited to the end': asksForKey(limits('/data', 1_000, 100)),
  'the account lacks something': {
    page: ({ requests, keys }) =>
      `${requests.at(-2)?.method === 'POST' ? '<p role="alert">Confirm your address first.</p>' : ''}${plain(keys)}`,
    make: () => {},
  },
  'the account lacks something, and another page asks for it': {
    page: ({ keys }) => plain(keys).replace('action="/key"', 'action="/verify"'),
    handle: asksToVerify,
  },
  'the account lacks something, and another window asks for it': {
    page: ({ keys }) => `${plain(keys)}<script>document.forms[0].onsubmit = () => { window.open('/verify') }</script>`,
    make: () => {},
    handle: asksToVerify,
  },
  'the account lacks something, and the button says so': {
    page: ({ keys }) =>
      `${plain(keys)}<script>document.forms[0].onsubmit = async (event) => { event.preventDefault(); await fetch('/key', { method: 'POST' }); document.querySelector('button').textContent = 'Confirm your address first' }</script>`,
    make: () => {},
  },
  'the account lacks something, and a dialog of the browser says so': {
    page: ({ requests, keys }) =>
      `${requests.at(-2)?.method === 'POST' ? `<script>alert('Confirm your address first.')</script>` : ''}${plain(keys)}`,
    make: () => {},
  },
};

const unclearRow = rowsInCi();
for (const [title, page] of Object.entries(unclear)) {
  test(`a page that cannot be judged is not accused: ${title}`, unclearRow(), async ({ chromium }) => {
    const odd = await startOddPage(page);
    try {
      const judged = await judgeAt(odd, chromium, noAccount);
      expect(judged.outcomes['makes-a-key'], judged.everything).toBe('inconclusive');
      expect(Object.values(judged.outcomes)).not.toContain('failed');
    } finally {
      await odd.close();
    }
  });
}
