import { judgeAt } from '../support/key-page.js';
import { type OddPage, startOddPage } from '../support/odd-page.js';
import { acceptWebSocket } from '../support/recorder.js';
import { expect, inCi, inFull, test } from '../support/test.js';

/**
 * Pages whose key may be lost by what is pressed to see more. The user did not ask for the action.
 */

const masked = '<h1>API key</h1><p>f3a9••••••••••••</p>';
const write = `fetch('/danger', { method: 'POST' })`;
const again = `const again = async () => { for (;;) try { await ${write}; return } catch { await new Promise((next) => setTimeout(next, 300)) } }`;
const button = (onclick: string, name = 'Details'): string =>
  `${masked}<p><button type="button" onclick="${onclick}">${name}</button><span hidden>Done</span></p>`;
const socket = `const socket = new WebSocket(location.origin.replace('https', 'wss') + '/live')`;

const cases: Record<string, string> = {
  'a WebSocket': `${button(`socket.send('rotate')`)}<script>${socket}</script>`,
  'a WebSocket that a button named like a reveal uses': `${button(`socket.send('rotate')`, 'Show new key')}<script>${socket}</script>`,
  'a retry': `${button('again()')}<script>${again}</script>`,
  'a retry of a button named like a reveal': `${button('again()', 'Show')}<script>${again}</script>`,
  'a timer': button(`setTimeout(() => ${write}, 2500)`),
  'a last word': `${button(`addEventListener('pagehide', () => navigator.sendBeacon('/danger'))`)}`,
  'an outbox': `${button(`localStorage.outbox = 1; send()`)}<script>const send = async () => { if (localStorage.outbox) { await ${write}; delete localStorage.outbox } }; send()</script>`,
  'a worker that pages share': button(
    `new SharedWorker(URL.createObjectURL(new Blob(['fetch(&quot;' + location.origin + '/danger&quot;, { method: &quot;POST&quot;, mode: &quot;no-cors&quot; })'])))`,
  ),
  'a window of its own': button(`const one = open(''); one.setTimeout(() => one.${write}, 2500)`),
  'a control that revokes': `${masked}<button type="button" aria-haspopup="dialog" onclick="fetch('/danger')">Revoke</button>`,
};

for (const [title, html] of Object.entries(cases))
  test(`nothing is written by a page that is only looked through: ${title}`, inFull, async ({ chromium }) => {
    let frames = 0;
    const odd: OddPage = {
      page: () => html,
      upgrade: (request, tcp) => {
        acceptWebSocket(request, tcp);
        // A text, and no close.
        tcp.on('data', (bytes: Buffer) => (frames += bytes[0] === 0x81 ? 1 : 0));
      },
    };
    const page = await startOddPage(odd);
    try {
      const judged = await judgeAt(page, chromium, { generate: false });
      expect(page.state.requests.filter(({ path }) => path === '/danger')).toEqual([]);
      expect(frames).toBe(0);
      expect(judged.outcomes['shows-the-current-key'], judged.everything).toBe('inconclusive');
    } finally {
      await page.close();
    }
  });

test('what a page says by itself before anything is pressed is let through', inCi, async ({ chromium }) => {
  const key = 'f3a9c1d07e5b48a2960fd1c3b7e8245a6d90f1be';
  const page = await startOddPage({
    page: () =>
      `<h1>API key</h1><p id="key">Please wait</p><details><summary>More</summary>Our API.</details><script>${socket}; socket.onopen = () => socket.send('key'); socket.onmessage = ({ data }) => { key.textContent = data }</script>`,
    upgrade: (request, tcp) => {
      acceptWebSocket(request, tcp);
      tcp.once('data', () => tcp.write(Buffer.concat([Buffer.from([0x81, key.length]), Buffer.from(key)])));
    },
  });
  page.state.keys.push(key);
  try {
    const judged = await judgeAt(page, chromium, { generate: false });
    expect(judged.outcomes['shows-the-current-key'], judged.everything).toBe('passed');
  } finally {
    await page.close();
  }
});

test('the action in a menu whose button also writes is not pressed', inCi, async ({ chromium }) => {
  const page = await startOddPage({
    page: ({ keys }) =>
      `<h1>API key</h1><p>${keys.at(-1) ?? 'You have no key yet.'}</p><button type="button" aria-expanded="false" onclick="menu.hidden = false; ${write}">More</button><form id="menu" hidden method="post" action="/key"><button>Generate API key</button></form>`,
  });
  try {
    const judged = await judgeAt(page, chromium);
    expect(page.state.requests.filter(({ path }) => path === '/danger')).toEqual([]);
    expect(judged.outcomes['makes-a-key'], judged.everything).toBe('inconclusive');
    expect(judged.everything).toContain('set KEY_PAGE_URL to an address where the action is visible');
  } finally {
    await page.close();
  }
});
