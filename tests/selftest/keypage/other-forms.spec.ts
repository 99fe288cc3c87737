import type { OutgoingHttpHeaders } from 'node:http';
import { findLoginForm, type LoginForm } from '../../../src/keypage/log-in/log-in-form.js';
import { loginForm, startHostilePage } from '../support/hostile-page.js';
import { judgeAt, password } from '../support/key-page.js';
import { expect, inFull, rowsInCi, test } from '../support/test.js';

/** Forms beside the log-in, or instead of it, in words that the suite does not know. */

const field = (label: string, attributes = ''): string => `<label>${label} <input ${attributes}></label>`;
const mail = field('Cyfeiriad', 'type="email" name="email"');
const secret = (attributes = ''): string => field('Cyfrinair', `type="password" name="password" ${attributes}`);
const form = (fields: string, button: string, attributes = ''): string =>
  `<form method="post" ${attributes}>${fields}<button>${button}</button></form>`;
const logIn = form(mail + secret(), 'Mewngofnodi', 'action="/log-in" id="in"');
const registration = form(mail + secret() + field('Enw', 'name="who"'), 'Creu cyfrif', 'action="/register"');

/** What is found: `none`, or what shows that the form logs in. */
const forms: Record<string, readonly [html: string, found: 'nothing' | LoginForm['sign']]> = {
  'a name and a password': [logIn, 'none'],
  'a name and the current password': [form(mail + secret('autocomplete="current-password"'), 'Mewngofnodi'), 'marked'],
  'a button that says so': [form(mail + secret(), 'Log in'), 'says'],
  'a button that says by what': [form(mail + secret(), 'Sign in with your account'), 'says'],
  'a button of many forms': [form(mail + secret(), 'Continue'), 'none'],
  'a button that says something else': [form(mail + secret(), 'Create account'), 'nothing'],
  'a new password': [form(mail + secret('autocomplete="new-password"'), 'Mewngofnodi'), 'nothing'],
  'two passwords': [form(mail + secret() + secret(), 'Mewngofnodi'), 'nothing'],
  'a further name': [registration, 'nothing'],
  'a further name that is there': [form(mail + secret() + field('Cwmni', 'value="acme"'), 'Mewngofnodi'), 'none'],
  'a code, and the current password': [
    form(mail + secret('autocomplete="current-password"') + field('Cod', 'name="code"'), 'Parhau'),
    'marked',
  ],
  'a code of a second factor': [
    form(mail + secret() + field('Cod', 'autocomplete="one-time-code"'), 'Mewngofnodi'),
    'none',
  ],
  'a further code, where the button says that it logs in': [
    form(mail + secret() + field('Code', 'name="code"'), 'Log in'),
    'says',
  ],
  'terms to agree to': [form(`${mail}${secret()}<input type="checkbox" required>`, 'Parhau'), 'nothing'],
  'a box that may stay empty': [form(`${mail}${secret()}<input type="checkbox">`, 'Parhau'), 'none'],
  'a choice to make': [form(`${mail}${secret()}<select required><option></option></select>`, 'Parhau'), 'nothing'],
  'a form that asks for more beside it': [`${registration}${logIn}`, 'marked'],
  'a hidden form that asks for more': [`${logIn}<div hidden>${registration}</div>`, 'marked'],
  'a hidden form that asks for the same': [
    `${form(mail + secret(), 'Creu cyfrif', 'action="/register"')}<div hidden>${logIn}</div>`,
    'nothing',
  ],
  'a hidden copy of itself': [`${logIn}<div hidden>${logIn}</div>`, 'none'],
  'a heading of a log-in': [`<h1>Sign in to Acme</h1>${form(mail + secret(), 'Parhau')}`, 'marked'],
  'a heading of a log-in without markup': [
    `<div style="font-size: 2em">Sign in to Acme</div>${form(mail + secret(), 'Parhau')}`,
    'marked',
  ],
  'a text of a log-in': [`<div>Sign in to Acme</div>${form(mail + secret(), 'Parhau')}`, 'none'],
  'a button that may say so': [form(mail + secret(), 'Anmelden'), 'says'],
  'a button that may say so, below another heading': [
    `<h1>Konto erstellen</h1>${form(mail + secret(), 'Anmelden')}`,
    'none',
  ],
  'a selected tab of a log-in': [
    `<p role="tab" aria-selected="true">Log in</p><p role="tab">Sign up</p>${form(mail + secret(), 'Parhau')}`,
    'marked',
  ],
  'a heading of a log-in, before another form': [
    `<h1>Log in</h1>${form(mail, 'Anfon')}${form(mail + secret(), 'Parhau')}`,
    'none',
  ],
  'a heading of two things': [`<h1>Log in or sign up</h1>${form(mail + secret(), 'Parhau')}`, 'none'],
  'a button without a name': [`<form>${mail}${secret()}<input type="submit"></form>`, 'none'],
  'an icon before the name of its button': [form(mail + secret(), '→ Log in'), 'says'],
  'a button outside of it': [`<form id="in">${mail}${secret()}</form><p><button form="in">Log in</button></p>`, 'says'],
  'fields without a form, beside a form for something else': [
    `${mail}${secret()}<button>Parhau</button>${form('<textarea></textarea>', 'Anfon')}`,
    'none',
  ],
  'a name alone': [form(mail, 'Parhau'), 'none'],
  'a name alone, beside a registration': [`${registration}${form(mail, 'Archebu')}`, 'nothing'],
  'a message to write': [form(`${mail}<textarea></textarea>`, 'Anfon'), 'nothing'],
};

test('a form that asks for more than a log-in does is none', async ({ chromium }) => {
  const page = await chromium.newPage();
  try {
    for (const [title, [html, expected]] of Object.entries(forms)) {
      await page.setContent(html);
      const found = await findLoginForm(page);
      expect(found.username ? found.sign : 'nothing', title).toBe(expected);
    }
  } finally {
    await page.close();
  }
});

/** A page that the key page leads to, and another one at `/form`. */
const startAt = (login: string, also = logIn, status = 302) =>
  startHostilePage({
    login: '',
    handle: ({ method, url = '' }, response, { requests }) => {
      const html: OutgoingHttpHeaders = { 'content-type': 'text/html; charset=utf-8' };
      const shown = { '/start': login, '/form': also }[url];
      if (method !== 'GET') return false;
      const isOut = url === '/key' && requests.every(({ path }) => path !== '/log-in');
      if (isOut && status === 302) response.writeHead(302, { location: '/start' }).end();
      else if (isOut) response.writeHead(status, html).end(login);
      else if (shown === undefined) return false;
      else response.writeHead(200, html).end(shown);
      return true;
    },
  });

const marked = form(mail + secret('autocomplete="current-password"'), 'Parhau', 'action="/log-in"');
const folded = `<button type="button">Log in</button>${logIn}<div hidden>${form(mail + secret(), 'Creu', 'action="/register"')}</div>`;
const headed = `<h2>Create account</h2>${form(mail + secret(), 'Continue', 'action="/register"')}<h2>Log in</h2>${form(mail + secret(), 'Continue', 'action="/log-in"')}`;
const english = form(mail + secret(), 'Continue', 'action="/register"');
const radios = `<label><input type="radio" name="way" checked>Un</label><label><input type="radio" name="way" onchange="panel.hidden = false">Dau</label><div id="panel" hidden>${form(mail + secret(), 'Log in', 'action="/log-in"')}</div>`;
const german = `${form(mail + secret(), 'Anmelden', 'action="/register"')}${form(mail + secret(), 'Einloggen', 'action="/log-in"')}`;
const tabs = `<div role="tablist"><button role="tab" aria-selected="true">Creu cyfrif</button><button role="tab" aria-selected="false" aria-controls="panel" onclick="panel.hidden = false; other.hidden = true">Mewngofnodi</button></div><div id="other">${registration}</div><div id="panel" hidden>${logIn}</div>`;

type Start = readonly [login: string, settings: { readonly loginUrl?: string; readonly status?: number }, why?: string];

/** Pages, and the reason why nothing is typed; without one, the suite logs in. */
const pages: Record<string, Start> = {
  'a registration that looks like a log-in': [
    form(mail + secret(), 'Creu cyfrif', 'action="/register"'),
    {},
    'set LOGIN_URL to this address',
  ],
  'a registration alone': [registration, {}, 'asks for a name and a password and no more'],
  'a registration with a link to the log-in': [`${english}<a href="/form">Log in</a>`, {}],
  'a log-in behind a tab': [tabs, {}],
  'a log-in behind a radio button': [radios, {}],
  'one of two forms, whose name has one sense': [german, {}],
  'a log-in that its page is named after': [`<title>Log in · Acme</title>${logIn}`, {}],
  'a page that is named after a log-in and a registration': [
    `<title>Log in or sign up · Acme</title>${logIn}`,
    {},
    'set LOGIN_URL to this address',
  ],
  'a log-in in the place of the key page, by its markup and the title': [
    `<title>Log in</title>${marked}`,
    { status: 200 },
  ],
  'a form in the place of the key page, by its markup': [marked, { status: 200 }, 'set LOGIN_URL to this address'],
  'one of two equal forms, by its heading': [headed, {}],
  'one of two equal forms, which nothing tells apart': [folded, {}, 'asks for a name and a password and no more'],
  'a log-in that LOGIN_URL names': [logIn, { loginUrl: '/start' }],
  'a log-in elsewhere, that LOGIN_URL names': [registration, { loginUrl: '/form' }],
  'a log-in that comes with the status 401': [logIn, { status: 401 }],
};

const row = rowsInCi();
for (const [title, [login, { loginUrl, status }, why]] of Object.entries(pages))
  test(`a password is typed into the log-in form alone: ${title}`, row(), async ({ chromium }) => {
    const page = await startAt(login, logIn, status);
    try {
      const settings = loginUrl === undefined ? {} : { loginUrl: `${page.baseUrl}${loginUrl}` };
      const judged = await judgeAt(page, chromium, { ...settings, username: 'bo@example.com' }, { patienceMs: 300 });
      const posts = page.state.requests.filter(({ method }) => method === 'POST').map(({ path }) => path);
      if (why === undefined) {
        expect(judged.outcomes['makes-a-key'], judged.everything).toBe('passed');
        expect(posts).not.toContain('/register');
      } else {
        expect(posts).toEqual([]);
        expect(judged.findings[0]?.reason, judged.everything).toContain(why);
      }
    } finally {
      await page.close();
    }
  });

const one = '<input type="password" name="a">';
const continues = '<button>Continue</button>';

/** What the action leads to, and whether the password is typed there. */
const afterThePress: Record<string, readonly [form: string, isTyped: boolean]> = {
  'the password': [one + continues, true],
  'the current password and a name for the key': [
    `<input type="password" name="a" autocomplete="current-password"><input name="b">${continues}`,
    true,
  ],
  'a password and a new one': [`${one}<input type="password" name="b">${continues}`, false],
  'a number of a card and its code': [`<input name="card">${one}${continues}`, false],
  'the password, to confirm access': [`<h2>Confirm access</h2>${one}${continues}`, true],
  'the password, in a sentence': [
    `<p>This is a secure area of the application. Please confirm your password before continuing.</p>${one}${continues}`,
    true,
  ],
  'the password, to make a key': [`<h2>New API key</h2><p>Anything.</p>${one}<button>Confirm</button>`, true],
  'the password, by a button that makes a key': [`<h2>Anything</h2>${one}<button>Generate API key</button>`, true],
  'the password, in a text of parts': [`<p>Confirm <b>your</b> password <i>now</i>.</p>${one}${continues}`, true],
  'the password, in German': [`<legend>Passwort bestätigen</legend>${one}<button>Weiter</button>`, true],
  'the password, to delete an account': [`<h2>Delete my account</h2>${one}${continues}`, false],
  'the password, to delete an account, in a title without markup': [
    `<div>Delete my account</div>${one}${continues}`,
    false,
  ],
  'the password, to delete a key': [`<h2>Delete the API key</h2>${one}${continues}`, false],
  'the password, to delete an account, in its label': [
    `<label>Your password, to delete your account ${one}</label>${continues}`,
    false,
  ],
  'the password, to delete an account, in a text of the form itself': [`Delete my account ${one}${continues}`, false],
  'the password, for something unknown': [`<h2>Transfer the ownership</h2>${one}${continues}`, false],
  'whether to delete an account': [`<h2>Delete my account</h2><input type="hidden" name="a">${continues}`, false],
};

for (const [title, [content, isTyped]] of Object.entries(afterThePress))
  test(`the action asks for ${title}`, inFull, async ({ chromium }) => {
    const page = await startHostilePage({
      login: loginForm(),
      page: ({ keys }) =>
        `<h1>API key</h1><p>${keys.at(-1) ?? 'You have no key yet.'}</p><button type="button" onclick="d.showModal()">Generate API key</button><dialog id="d"><form method="post" action="/key">${content}</form></dialog>`,
    });
    try {
      const judged = await judgeAt(page, chromium, {}, { patienceMs: 300, lateMs: 300 });
      const bodies = page.state.requests.flatMap(({ method, path, body }) =>
        method === 'POST' && path === '/key' ? [new URLSearchParams(body).get('a')] : [],
      );
      expect(bodies, judged.everything).toEqual(isTyped ? [password] : []);
      expect(judged.outcomes['makes-a-key'], judged.everything).toBe(isTyped ? 'passed' : 'inconclusive');
    } finally {
      await page.close();
    }
  });

/** Pages of their own that answer the press, and whether the password is typed there. */
const pagesApart: Record<string, readonly [heading: string, isRedirect: boolean, isTyped: boolean]> = {
  'in the answer': ['Confirm your password', false, true],
  'behind a redirect': ['Confirm access', true, true],
  'for something else': ['Transfer the ownership', true, false],
  'for something unsaid': ['', true, false],
};

const apartRow = rowsInCi();
for (const [title, [heading, isRedirect, isTyped]] of Object.entries(pagesApart))
  test(`a page at another path asks for the password after the action: ${title}`, apartRow(), async ({ chromium }) => {
    const sudo = `<h1>${heading}</h1><form method="post" action="/sudo"><input type="password" name="a"><button>Continue</button></form>`;
    const page = await startHostilePage({
      login: loginForm(),
      page: ({ keys }) =>
        `<h1>API key</h1><p>${keys.at(-1) ?? 'You have no key yet.'}</p><form method="post" action="/make"><button>Generate API key</button></form>`,
      handle: ({ method, url }, response, { keys }, body) => {
        const isSent = method === 'POST' && url === '/sudo';
        if (isSent && new URLSearchParams(body).get('a') === password)
          keys.push('0123456789abcdef0123456789abcdef01234567');
        if (isSent) response.writeHead(303, { location: '/key' }).end();
        else if (url === '/make' && isRedirect) response.writeHead(303, { location: '/sudo' }).end();
        else if (url === '/make' || url === '/sudo')
          response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(sudo);
        else return false;
        return true;
      },
    });
    try {
      const judged = await judgeAt(page, chromium, {}, { patienceMs: 300, lateMs: 300 });
      expect(page.state.requests.some(({ method, path }) => method === 'POST' && path === '/sudo')).toBe(isTyped);
      expect(judged.outcomes['makes-a-key'], judged.everything).toBe(isTyped ? 'passed' : 'inconclusive');
    } finally {
      await page.close();
    }
  });

test('the password is typed into a field that the action showed', inFull, async ({ chromium }) => {
  const page = await startHostilePage({
    login: loginForm(),
    page: ({ keys }) =>
      `<h1>API key</h1><p>${keys.at(-1) ?? 'You have no key yet.'}</p><button type="button" onclick="ask.hidden = false">Generate API key</button>
       <div id="ask" hidden><div>Confirm password</div><input type="password" id="a"><button type="button" id="go">Confirm</button></div>
       <script>go.onclick = async () => { await fetch('/key', { method: 'POST', body: new URLSearchParams({ a: a.value }) }); location.reload(); }</script>`,
  });
  try {
    const judged = await judgeAt(page, chromium, {}, { patienceMs: 300, lateMs: 300 });
    const bodies = page.state.requests.flatMap(({ method, path, body }) =>
      method === 'POST' && path === '/key' ? [new URLSearchParams(body).get('a')] : [],
    );
    expect(bodies, judged.everything).toEqual([password]);
    expect(judged.outcomes['makes-a-key'], judged.everything).toBe('passed');
  } finally {
    await page.close();
  }
});
