import { loginForm, startHostilePage } from '../support/hostile-page.js';
import { judgeAt, logsIn, password } from '../support/key-page.js';
import { startOddPage } from '../support/odd-page.js';
import { expect, inFull, rowsInCi, test } from '../support/test.js';

/** Ways by which a page leads to its log-in form. */

const provider =
  '<button type="button" onclick="location = \'https://provider.test/\'">Continue with Provider</button>';

/** A document that goes on to another one. */
const goesOn = (to: string): string =>
  `<p>Please wait…</p><script>setTimeout(() => location.replace('${to}'), 400)</script>`;

/** Documents between the key page and its log-in form. */
const mostHops = 6;

const ways: Record<string, string> = {
  'documents that go on by themselves': goesOn('/hop?1'),
  'a button that opens a dialog': `<header><button type="button" onclick="ask.showModal()">Log in</button></header><h1>Developers</h1><dialog id="ask">${loginForm()}</dialog>`,
  'one button among those of others': `${provider}<button type="button" onclick="place.hidden = false">Continue with email</button><div id="place" hidden>${loginForm()}</div>`,
  'a link among those of others': `<a href="https://provider.test/">Continue with Provider</a><a href="/form">Sign in with email and password</a>`,
  'a button that leads to another page': `<button type="button" onclick="location = '/form'">Log in</button>`,
  'a name first, in a dialog of a script': `${provider}<button type="button" onclick="ask()">Use e-mail instead</button><div id="place"></div>
    <script>const ask = () => { place.innerHTML = '<form id="f"><input type="email" placeholder="Email"><button>Continue</button></form>'; place.querySelector('input').type = 'text'; f.onsubmit = (event) => { event.preventDefault(); place.innerHTML = ${JSON.stringify(loginForm())} } }</script>`,
  'fields that are drawn when the focus is in them': `<style>input:not(:focus, :not(:placeholder-shown)) { opacity: 0 }</style>${loginForm().replaceAll('<input', '<input placeholder=" "')}`,
  'a link beside a form that sends an e-mail': `<form method="post" action="/mail"><label>E-mail or user name <input name="mail"></label><button>Send me a link</button></form><a href="/form">Use a password instead</a>`,
  'a link of a script in the place of its button': loginForm(
    'method="post" action="/log-in"',
    '<a href="javascript:document.forms[0].submit()">Log in</a>',
  ),
};

const row = rowsInCi();
for (const [title, login] of Object.entries(ways))
  test(`a log-in form is found behind, or with, ${title}`, row(), async ({ chromium }) => {
    const page = await startHostilePage({
      login,
      handle: ({ url = '' }, response) => {
        const hop = Number(/^\/hop\?(\d+)$/.exec(url)?.[1] ?? 0);
        if (url !== '/form' && hop === 0) return false;
        const next = hop < mostHops ? `/hop?${hop + 1}` : '/form';
        response.writeHead(200, { 'content-type': 'text/html' }).end(hop > 0 ? goesOn(next) : loginForm());
        return true;
      },
    });
    try {
      const judged = await judgeAt(page, chromium, logsIn);
      expect(judged.outcomes['says-when-there-is-none'], judged.everything).toBe('passed');
    } finally {
      await page.close();
    }
  });

/** Pages to which the key page leads after the log-in, and what is typed into them. */
const beforeThePage: Record<string, readonly [field: string, button: string, opens: string]> = {
  'the password once more': ['<input type="password" name="password">', 'Bestätige', 'passed'],
  'the password, to end the account': ['<input type="password" name="password">', 'Delete my account', 'inconclusive'],
  'a code of a second factor': [
    '<input type="password" name="password" autocomplete="one-time-code">',
    'Confirm',
    'inconclusive',
  ],
  'a new password': ['<input type="password" name="password" autocomplete="new-password">', 'Confirm', 'inconclusive'],
};

const beforeRow = rowsInCi();
for (const [title, [field, button, opens]] of Object.entries(beforeThePage))
  test(`the key page asks after the log-in for ${title}`, beforeRow(), async ({ chromium }) => {
    let confirmed = '';
    const page = await startHostilePage({
      login: loginForm(),
      handle: ({ method, url }, response, { requests }, body) => {
        const isLoggedIn = requests.some(({ path }) => path === '/log-in');
        if (url === '/key' && isLoggedIn && confirmed === '') response.writeHead(302, { location: '/again' }).end();
        else if (url !== '/again') return false;
        else if (method === 'POST') {
          confirmed = new URLSearchParams(body).get('password') ?? '';
          response.writeHead(303, { location: '/key' }).end();
        } else
          response
            .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
            .end(`<h1>Before you go on</h1><form method="post">${field}<button>${button}</button></form>`);
        return true;
      },
    });
    try {
      const judged = await judgeAt(page, chromium, logsIn);
      expect(judged.outcomes['says-when-there-is-none'], judged.everything).toBe(opens);
      expect(confirmed).toBe(opens === 'passed' ? password : '');
    } finally {
      await page.close();
    }
  });

const outside: Record<string, string> = {
  'outside the page': 'position: absolute; left: -9999px',
  'without a size': 'position: fixed; right: 0; width: 0; height: 0; opacity: 0',
};

for (const [title, style] of Object.entries(outside))
  test(`a password is not typed into a field ${title}, where the name is asked first`, inFull, async ({ chromium }) => {
    const page = await startHostilePage({
      login: `<form id="f" method="post" action="/log-in"><label>Username <input name="username"></label><input type="password" name="password" aria-label="Password" style="${style}"><button>Next</button></form>
      <script>const field = f.querySelector('[type=password]');
      f.onsubmit = (event) => { if (field.style.length === 0) return; event.preventDefault(); f.reset(); field.style = '' }</script>`,
    });
    try {
      const judged = await judgeAt(page, chromium, { loginUrl: page.url });
      expect(judged.outcomes['makes-a-key'], judged.everything).toBe('passed');
    } finally {
      await page.close();
    }
  });

const registration = (more = ''): string =>
  `<form method="post" action="/register"><label>Enw <input name="username"></label>${more}<label>Cyfrinair <input type="password" name="password"></label><button>Creu cyfrif</button></form>`;
const welsh = loginForm(undefined, '<button>Mewngofnodi</button>');
const besideRegistration: Record<string, readonly [login: string, makes: string]> = {
  'that asks for more': [`${registration('<label>Cyfeiriad <input name="to"></label>')}${welsh}`, 'passed'],
  'that asks for the same': [`${registration()}${welsh}`, 'inconclusive'],
  'that asks for the password twice, where the log-in is folded away': [
    `${registration('<label>Cyfrinair <input type="password" name="again"></label>')}<div hidden>${welsh}</div>`,
    'inconclusive',
  ],
};

for (const [title, [login, makes]] of Object.entries(besideRegistration))
  test(`nobody is registered where the words are unknown, by a form ${title}`, inFull, async ({ chromium }) => {
    const page = await startHostilePage({ login });
    try {
      const judged = await judgeAt(page, chromium, { loginUrl: page.url });
      expect(judged.outcomes['makes-a-key'], judged.everything).toBe(makes);
      expect(page.state.requests.map(({ path }) => path)).not.toContain('/register');
    } finally {
      await page.close();
    }
  });

test('a page without a name for its action is told with what it has', inFull, async ({ chromium }) => {
  const odd = await startOddPage({
    page: () => '<h1>API</h1><form method="post" action="/key"><button>Luo avain</button></form>',
  });
  try {
    const judged = await judgeAt(odd, chromium, {}, { patienceMs: 500 });
    expect(judged.findings[0]?.reason, judged.everything).toContain('KEY_PAGE_ACTION');
    expect(judged.findings[0]?.reason).toContain('It has “Luo avain”.');
  } finally {
    await odd.close();
  }
});

/** Pages that have the focus in another field than the log-in's; all that gets there is sent. */
const elsewhere: Record<string, string> = {
  'a dialog over the page, which asks for an address': `${loginForm()}<dialog id="d"><input id="other"><button onclick="d.close()">No, thank you</button></dialog><script>d.showModal()</script>`,
  'a script that moves the focus': `${loginForm()}<input id="other"><script>document.forms[0].addEventListener('focusin', ({ target }) => { if (target.matches('input')) other.focus() })</script>`,
};

const elsewhereRow = rowsInCi();
for (const [title, login] of Object.entries(elsewhere))
  test(`name and password get into the log-in form alone, beside ${title}`, elsewhereRow(), async ({ chromium }) => {
    const page = await startHostilePage({
      login: `${login}<script>other.focus(); other.oninput = () => fetch('/other', { method: 'POST', body: other.value })</script>`,
    });
    try {
      const judged = await judgeAt(page, chromium, logsIn);
      expect(judged.outcomes['says-when-there-is-none'], judged.everything).toBe('passed');
      expect(page.state.requests.map(({ path }) => path)).not.toContain('/other');
    } finally {
      await page.close();
    }
  });
