import { startBrowser } from '../../../src/keypage/window/browser.js';
import { judgeAt, noAccount } from '../support/key-page.js';
import { type OddPage, startOddPage } from '../support/odd-page.js';
import { expect, inCi, inFull, rowsInCi, test } from '../support/test.js';

/** Pages that never come to rest: a visit ends at its deadline, and says what it waited for. */

const form =
  '<h1>API key</h1><p>You have no key yet.</p><form method="post" action="/key"><button>Generate API key</button></form>';
const script = (text: string): string => `${form}<script>${text}</script>`;
/** Nothing of the driver's own texts, which say nothing to a person. */
const rawTexts = /Timeout|\d{4,}ms|Error:|elementHandle|locator\.|page\.|Call log|net::/;

const endless: Record<string, string | OddPage> = {
  'a script that never ends': script('setTimeout(() => { for (;;); }, 300)'),
  'a press whose script never ends': script('document.forms[0].onsubmit = () => { for (;;); }'),
  'a document that floods itself': script(
    'setInterval(() => { for (let n = 0; n < 2000; n += 1) document.body.append(Object.assign(document.createElement("p"), { textContent: "row " + Math.random() })) }, 10)',
  ),
  'alerts for ever': script('for (;;) alert("again")'),
  'history for ever': script(
    'let n = 0; setInterval(() => { for (let i = 0; i < 100; i += 1) history.pushState({}, "", "/key?" + n++) }, 5)',
  ),
  'workers for ever': script('setInterval(() => new Worker(URL.createObjectURL(new Blob(["for(;;);"]))), 50)'),
  'windows for ever': script('setInterval(() => open("/key"), 100)'),
  'reloads for ever': script('setTimeout(() => location.reload(), 50)'),
  'a document that never ends': {
    page: () => form,
    handle: ({ url }, response) => {
      if (url !== '/key') return false;
      response.writeHead(200, { 'content-type': 'text/html' });
      const timer = setInterval(() => response.write('<p>more</p>'), 20);
      response.once('close', () => clearInterval(timer));
      return true;
    },
  },
  'a page that never answers': { page: () => form, handle: ({ url }) => url === '/key' },
};

const row = rowsInCi(10);
for (const [title, page] of Object.entries(endless)) {
  test(`a visit ends at its deadline: ${title}`, row(), async () => {
    const odd = await startOddPage(typeof page === 'string' ? { page: () => page } : page);
    const deadlineMs = 8_000;
    const started = performance.now();
    try {
      const judged = await judgeAt(odd, undefined, noAccount, { patienceMs: 500, deadlineMs });
      // Some are ended before. A busy machine takes its time to close the browser.
      expect(performance.now() - started).toBeLessThan(deadlineMs + 60_000);
      expect(judged.outcomes['makes-a-key'], judged.everything).toBe('inconclusive');
      expect(Object.values(judged.outcomes)).not.toContain('failed');
      const reasons = judged.findings.map(({ reason }) => reason).join('\n');
      expect(reasons).not.toMatch(rawTexts);
      expect(reasons).toMatch(/Open (it|the page) in a browser|Look at the page|Set |set |check /);
    } finally {
      await odd.close();
    }
  });
}

test('a browser that does not close is killed', inCi, async () => {
  const own = await startBrowser({ url: 'https://127.0.0.1:9/', generate: false, insecureTls: false }, String);
  const session = await own.browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const id = processInfo.find(({ type }) => type === 'browser')?.id ?? 0;
  process.kill(id, 'SIGSTOP');
  await own.close();
  await expect
    .poll(() => {
      try {
        return process.kill(id, 0);
      } catch {
        return false;
      }
    })
    .toBe(false);
});

test('a log-in form in a frame of another origin is named at once', inCi, async ({ chromium }) => {
  const other = await startOddPage({
    page: () =>
      '<form method="post" action="/in"><label>Username <input name="username"></label><label>Password <input type="password" name="password"></label><button>Log in</button></form>',
  });
  const odd = await startOddPage({
    page: () => `<h1>Account</h1><iframe src="${other.url}" width="600" height="400"></iframe>`,
  });
  try {
    const judged = await judgeAt(odd, chromium);
    expect(judged.findings[0]?.reason, judged.everything).toContain(`in a frame of the page, from ${other.url}`);
    expect(judged.findings[0]?.reason).toContain('set LOGIN_URL');
    expect(other.state.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  } finally {
    await odd.close();
    await other.close();
  }
});

const shows = (key: string | undefined): string =>
  `<h1>API key</h1><p>${key ?? 'You have no key yet.'}</p><form method="post" action="/key"><button>Generate API key</button></form>`;

test('words that change for ever are waited for once', inFull, async ({ chromium }) => {
  const odd = await startOddPage({
    page: ({ keys }) =>
      `${shows(keys.at(-1))}<p id="word"></p><script>setInterval(() => { word.textContent = Math.random().toString(36).replace(/[\\d.]/g, ''); fetch('/' + word.textContent) }, 50)</script>`,
  });
  try {
    const judged = await judgeAt(odd, chromium, noAccount);
    expect(Object.values(judged.outcomes), judged.everything).toEqual(['passed', 'passed', 'passed', 'observed']);
  } finally {
    await odd.close();
  }
});

/** The press answers with an error so often, and then makes a key. */
const failing = (times: number, status: number): OddPage => {
  let presses = 0;
  return {
    page: ({ keys }) => shows(keys.at(-1)),
    handle: ({ method, url }, response) => {
      if (method !== 'POST' || url !== '/key') return false;
      presses += 1;
      if (presses > times) return false;
      response.writeHead(status, { 'content-type': 'text/plain' }).end('Trouble');
      return true;
    },
  };
};

test('a server error that passes accuses nobody: the action is pressed once more', inFull, async ({ chromium }) => {
  for (const status of [500, 503]) {
    const odd = await startOddPage(failing(1, status));
    try {
      const judged = await judgeAt(odd, chromium, noAccount, { patienceMs: 600 });
      expect(judged.outcomes, judged.everything).toMatchObject({
        'makes-a-key': 'passed',
        'shows-the-current-key': 'passed',
        'says-when-there-is-none': 'passed',
      });
      expect(judged.everything).toContain(`The first press was answered with ${status}.`);
      expect(odd.state.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
    } finally {
      await odd.close();
    }
  }
});

test('a server error that stays fails, where it says that the server is broken', inFull, async ({ chromium }) => {
  for (const [status, outcome] of [
    [500, 'failed'],
    [503, 'inconclusive'],
  ] as const) {
    const odd = await startOddPage(failing(9, status));
    try {
      const judged = await judgeAt(odd, chromium, noAccount, { patienceMs: 600 });
      expect(judged.outcomes['makes-a-key'], judged.everything).toBe(outcome);
      expect(odd.state.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
    } finally {
      await odd.close();
    }
  }
});
