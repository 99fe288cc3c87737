import { judgeAt, noAccount } from '../support/key-page.js';
import { type OddPage, startOddPage } from '../support/odd-page.js';
import { expect, inFull, rowsInCi, test } from '../support/test.js';

const shows = (keys: readonly string[], none = 'You have no key yet.'): string =>
  `<h1>API key</h1><p>${keys.at(-1) ?? none}</p>`;
const button = '<button type="button" id="make">Generate API key</button>';
const posts = `fetch('/key', { method: 'POST' }).then(() => location.reload())`;

/** A page of its own that asks for something before the key is made. */
const formAt =
  (fields: string, attributes = ''): NonNullable<OddPage['handle']> =>
  ({ url }, response) => {
    if (url !== '/new') return false;
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<h1>New key</h1><form method="post" action="/key" ${attributes}>${fields}<button>Generate</button></form>`);
    return true;
  };

const submit = '<button>Generate API key</button>';

const dialogIn = (make: string, yes: string, no: string): string =>
  `<button type="button" onclick="ask.showModal()">${make}</button><dialog id="ask"><button type="button" onclick="ask.close()">${no}</button><button type="button" onclick="${posts}">${yes}</button></dialog>`;

/** A page that answers the press with a form, until the form has sent a field. */
const asksFor =
  (field: string, fields: string): NonNullable<OddPage['handle']> =>
  ({ method, url }, response, _state, body) => {
    if (method !== 'POST' || url !== '/key' || new URLSearchParams(body).get(field)) return false;
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<h1>Are you sure?</h1><form method="post" action="/key">${fields}<button>Confirm</button></form>`);
    return true;
  };

const rowsOf = (...labels: string[]): string =>
  `<h2>Access</h2><table>${labels.map((label) => `<tr><td>${label}</td><td>not set</td><td><a href="#" onclick="fetch('/key?${label}', { method: 'POST' }).then(() => location.reload())">Create</a></td></tr>`).join('')}</table>`;
const makesFor: NonNullable<OddPage['handle']> = ({ method, url }, response, { keys }) => {
  if (method !== 'POST') return false;
  if (url === '/key?API%20key') keys.push(crypto.randomUUID());
  response.writeHead(204).end();
  return true;
};

interface Case extends OddPage {
  /** Outcome of PAGE-1. */
  readonly makes: string;
  /** Requests that make a key. */
  readonly posts: number;
  readonly username?: string;
  readonly password?: string;
  /** KEY_PAGE_ACTION. */
  readonly action?: string;
  /** Words of the reason. */
  readonly reason?: string;
}

const cases: Record<string, Case> = {
  'a button without a script': { page: ({ keys }) => shows(keys) + button, makes: 'failed', posts: 0 },
  'a button of another page, to which the key page leads': {
    page: () => '',
    handle: ({ url = '' }, response) => {
      if (!/^\/(key|terms)$/.test(url)) return false;
      response
        .writeHead(url === '/key' ? 302 : 200, { location: '/terms', 'content-type': 'text/html' })
        .end('<h1>New terms</h1><form method="post" action="/key"><button>Accept and continue</button></form>');
      return true;
    },
    makes: 'inconclusive',
    posts: 0,
    reason: '/terms: see in a browser what that page asks for.',
  },
  'a link to nothing': {
    page: ({ keys }) => `${shows(keys)}<a href="#">Generate API key</a>`,
    makes: 'failed',
    posts: 0,
  },
  'a button without a script, on a page that asks for news all the time': {
    page: ({ keys }) =>
      `${shows(keys)}${button}<script>fetch('/news'); setInterval(() => fetch('/news'), 300)</script>`,
    makes: 'failed',
    posts: 0,
  },
  'a button without a script, on a page that changes by itself': {
    page: ({ keys }) =>
      `${shows(keys)}${button}<p id="n">1</p><script>setInterval(() => { n.textContent = Number(n.textContent) + 1 }, 100)</script>`,
    makes: 'inconclusive',
    posts: 0,
  },
  'a button that waits for a box to be ticked': {
    page: ({ keys }) =>
      `${shows(keys)}<label><input type="checkbox" id="agree"> I agree</label>${button}<script>make.onclick = () => { if (agree.checked) ${posts} }</script>`,
    makes: 'inconclusive',
    posts: 0,
  },
  'a button that is disabled until a box is ticked': {
    page: ({ keys }) =>
      `${shows(keys)}<form><label><input type="checkbox" id="agree"> I agree</label><button type="button" id="make" disabled>Generate API key</button></form><script>agree.onchange = () => { make.disabled = !agree.checked }; make.onclick = () => { ${posts} }</script>`,
    makes: 'passed',
    posts: 1,
  },
  'a dialog whose button is disabled until everything is filled in': {
    page: ({ keys }) =>
      `${shows(keys)}${button}<dialog id="ask"><form method="post" action="/key"><input id="name"><label><input type="checkbox" id="read"> Read</label><button id="create" disabled>Create</button></form></dialog>
       <script>make.onclick = () => ask.showModal(); ask.oninput = () => { create.disabled = !(document.querySelector('#name').value && read.checked) }</script>`,
    makes: 'passed',
    posts: 1,
  },
  'a button that has to be held': {
    page: ({ keys }) =>
      `${shows(keys)}${button}<script>let held; make.onpointerdown = () => { held = setTimeout(() => { ${posts} }, 300) }; make.onpointerup = () => clearTimeout(held)</script>`,
    makes: 'passed',
    posts: 1,
  },
  'an element that heeds the Enter key alone': {
    page: ({ keys }) =>
      `${shows(keys)}<div role="button" tabindex="0" id="make">Generate API key</div><script>make.onkeydown = ({ key }) => { if (key === 'Enter') ${posts} }</script>`,
    makes: 'passed',
    posts: 1,
  },
  'a button without a name but its title, that heeds a double click alone': {
    page: ({ keys }) =>
      `${shows(keys)}<button type="button" id="make" title="Generate API key">+</button><script>make.ondblclick = () => ${posts}</script>`,
    makes: 'passed',
    posts: 1,
  },
  'a button that makes a key of plain words, with an id': {
    page: ({ keys }) =>
      `<h1>API key</h1>${keys.length === 0 ? '<p>You have no key yet.</p>' : `<p>Key ID: <code>f3a9c1d07e5b48a2960fd1c3b7e8245a</code></p><p>Key: ${keys.at(-1)}</p>`}<form method="post" action="/key">${submit}</form>`,
    make: ({ keys }) => keys.push('horse-lantern-copper'),
    makes: 'passed',
    posts: 1,
  },
  'an element that is dropped somewhere': {
    page: ({ keys }) =>
      `${shows(keys)}<div role="button" draggable="true">Generate API key</div><div style="height: 50px; border: 1px solid" ondragover="event.preventDefault()" ondrop="${posts}"></div>`,
    makes: 'inconclusive',
    posts: 0,
  },
  'an element that heeds nothing': {
    page: ({ keys }) => `${shows(keys)}<div role="button" tabindex="0">Generate API key</div>`,
    makes: 'failed',
    posts: 0,
  },
  'a link to its own address, which a script sends as a form': {
    page: ({ keys }) =>
      `${shows(keys)}<a href="/key" data-method="post">Generate API key</a><script>document.onclick = (event) => { event.preventDefault(); if (event.target.matches('[data-method]')) ${posts} }</script>`,
    makes: 'passed',
    posts: 1,
  },
  'a link to its own address': {
    page: ({ keys }) => `${shows(keys)}<a href="/key">Generate API key</a>`,
    makes: 'inconclusive',
    posts: 0,
  },
  'a button that becomes another one under the pointer': {
    page: ({ keys }) =>
      `${shows(keys)}${button}<script>make.onmouseenter = () => { make.textContent = 'Delete account' }; make.onclick = () => { ${posts} }</script>`,
    makes: 'inconclusive',
    posts: 0,
  },
  'a button that is named more fully under the pointer': {
    page: ({ keys }) =>
      `${shows(keys)}${button}<script>make.onfocus = () => { make.textContent = 'Generate API key →' }; make.onclick = () => { ${posts} }</script>`,
    makes: 'passed',
    posts: 1,
  },
  'a button that heeds the second press alone': {
    page: ({ keys }) =>
      `${shows(keys)}${button}<script>let n = 0; make.onclick = () => { n += 1; if (n === 2) ${posts} }</script>`,
    makes: 'passed',
    posts: 1,
  },
  'a form that is not sent without a name': {
    page: ({ keys }) =>
      `${shows(keys)}<form method="post" action="/key"><label>Name <input name="name" required></label><button>Generate API key</button></form>`,
    makes: 'passed',
    posts: 1,
  },
  'a link to a form with a choice': {
    page: ({ keys }) => `${shows(keys)}<a href="/new">Generate API key</a>`,
    handle: formAt('<select name="days" required><option value="">Choose</option><option>30</option></select>'),
    makes: 'passed',
    posts: 1,
  },
  'a button in each row, for a user or a key of its own': {
    page: ({ keys }) =>
      `${shows(keys)}<table>${['ada', 'bo'].map((user) => `<tr><td>${user}</td><td><form method="post" action="/key"><input type="hidden" name="user" value="${user}">${submit}</form></td></tr>`).join('')}</table>`,
    makes: 'inconclusive',
    posts: 0,
    reason: 'CSS selector',
  },
  'a button in one row, and another one above': {
    page: ({ keys }) =>
      `${shows(keys)}<form method="post" action="/key">${submit}</form><ul><li>Keys</li><li><form method="post" action="/key">${submit}</form></li></ul>`,
    makes: 'passed',
    posts: 1,
  },
  'a button that moves to the field that it needs, and marks it': {
    page: ({ keys }) =>
      `${shows(keys)}<input id="name" aria-label="Name">${button}<script>make.onclick = () => { if (document.querySelector('#name').value) ${posts}; else { document.querySelector('#name').focus(); document.querySelector('#name').className = 'wrong' } }</script>`,
    makes: 'passed',
    posts: 1,
  },
  'a button below a banner that blocks the page': {
    page: ({ keys }) =>
      `<dialog id="banner"><p>Cookies?</p><button type="button">Manage</button></dialog><main inert>${shows(keys)}${button}</main><script>banner.show(); make.onclick = () => ${posts}</script>`,
    makes: 'passed',
    posts: 1,
  },
  'a link to a form with a date and a number': {
    page: ({ keys }) => `${shows(keys)}<a href="/new">Generate API key</a>`,
    handle: formAt('<input type="date" name="until" required><input type="number" name="rate" required min="10">'),
    makes: 'passed',
    posts: 1,
  },
  'a link to a form with an address': {
    page: ({ keys }) => `${shows(keys)}<a href="/new">Generate API key</a>`,
    handle: formAt('<input type="email" name="to" required>'),
    makes: 'inconclusive',
    posts: 0,
  },
  'a link to a form that a script checks': {
    page: ({ keys }) => `${shows(keys)}<a href="/new">Generate API key</a>`,
    handle: formAt('<input type="date" id="until">', 'onsubmit="return until.value !== \'\'"'),
    makes: 'inconclusive',
    posts: 0,
  },
  'a link that makes nothing': {
    page: ({ keys }) =>
      `${shows(keys)}<a href="/key?new=1">Generate API key</a><form method="post" action="/password"><input type="password" required><button>Change</button></form>`,
    makes: 'failed',
    posts: 0,
  },
  'a button that says what is missing': {
    page: ({ keys }) =>
      `${shows(keys)}${button}<p id="said"></p><script>make.onclick = () => { said.textContent = 'Confirm your address first.' }</script>`,
    makes: 'inconclusive',
    posts: 0,
  },
  'a button that marks what is missing by colour alone': {
    page: ({ keys }) =>
      `${shows(keys)}${button}<script>make.onclick = () => { document.body.className = 'wrong' }</script>`,
    makes: 'inconclusive',
    posts: 0,
  },
  'a page that asks whether it is meant, in answer to the press': {
    page: ({ keys }) => `${shows(keys)}<form method="post" action="/key">${submit}</form>`,
    handle: asksFor('yes', '<p>A new key replaces the old one.</p><input type="hidden" name="yes" value="1">'),
    makes: 'passed',
    posts: 2,
  },
  'a page that asks for the password, in answer to the press': {
    page: ({ keys }) => `${shows(keys)}<form method="post" action="/key">${submit}</form>`,
    handle: asksFor('password', '<label>Password <input type="password" name="password"></label>'),
    password: 'evening-harbour-lantern',
    makes: 'passed',
    posts: 2,
  },
  'a page that asks for a password that nobody gave, in answer to the press': {
    page: ({ keys }) => `${shows(keys)}<form method="post" action="/key">${submit}</form>`,
    handle: asksFor('password', '<label>Password <input type="password" name="password"></label>'),
    makes: 'inconclusive',
    posts: 2,
  },
  'a page that answers the press itself, with the form from before': {
    page: ({ keys }) =>
      `<h1>API key</h1><p>${keys.length > 0 ? '••••••••' : 'You have no key yet.'}</p><form method="post" action="/key">${submit}</form>`,
    handle: ({ method, url }, response, { keys }) => {
      if (method !== 'POST' || url !== '/key') return false;
      keys.push(crypto.randomUUID());
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<h1>API key</h1><p>••••••••</p><form method="post" action="/key">${submit}</form>`);
      return true;
    },
    makes: 'inconclusive',
    posts: 1,
  },
  'a request that is refused until a dialog is confirmed': {
    page: ({ keys }) =>
      `${shows(keys)}${button}<dialog id="ask"><p>Old keys end.</p><button type="button" id="sure">Yes, I am sure</button></dialog>
       <script>const send = (body) => fetch('/key', { method: 'POST', body });
       make.onclick = async () => { if ((await send('')).status === 409) ask.showModal() };
       sure.onclick = async () => { await send('yes=1'); location.reload() }</script>`,
    handle: ({ method }, response, _state, body) => {
      if (method !== 'POST' || body !== '') return false;
      response.writeHead(409).end();
      return true;
    },
    makes: 'passed',
    posts: 2,
  },
  'a question that another control asks too': {
    page: ({ keys }) =>
      `${shows(keys, '')}<button type="button" aria-haspopup="dialog" onclick="confirm('Are you sure?')">Delete account</button>${button}<script>make.onclick = () => { if (confirm('Are you sure?')) ${posts} }</script>`,
    makes: 'passed',
    posts: 1,
  },
  'a dialog that takes a certain word': {
    page: ({ keys }) =>
      `${shows(keys)}<button type="button" onclick="ask.showModal()">Generate API key</button><dialog id="ask"><p>Type GENERATE.</p><input oninput="yes.disabled = this.value !== 'GENERATE'"><button type="button" id="yes" disabled onclick="${posts}">Confirm</button></dialog>`,
    makes: 'inconclusive',
    reason: 'the page may wait for fields',
    posts: 0,
  },
  'a dialog in a language that nobody knows': {
    page: ({ keys }) => shows(keys) + dialogIn('Luo avain', 'Jatka', 'Peruuta'),
    action: 'Luo avain',
    makes: 'inconclusive',
    posts: 0,
  },
  'a dialog in a language that nobody knows, that shares a word with the setting': {
    page: ({ keys }) => shows(keys) + dialogIn('Luo avain', 'Kyllä, luo', 'Peruuta'),
    action: 'luo',
    makes: 'passed',
    posts: 1,
  },
  'rows of which one begins with the key and no more': {
    page: ({ keys }) =>
      shows(keys).replace('API key', 'Settings') + rowsOf('API key (read-only)', 'API key', 'Ping key'),
    handle: makesFor,
    makes: 'passed',
    posts: 1,
  },
  'rows of which the user named the name that they share': {
    page: ({ keys }) => shows(keys) + rowsOf('Ada', 'Bo'),
    handle: makesFor,
    action: 'Create',
    makes: 'inconclusive',
    reason: 'Several rows have “Create”',
    posts: 0,
  },
  'a form that only the server checks': {
    page: ({ keys }) =>
      `${shows(keys)}<form method="post" action="/key" novalidate><select name="user" required><option value="">-</option><option value="1">bo</option><option value="2">ada</option></select>${submit}</form>`,
    handle: ({ method }, response, _state, body) => {
      if (method !== 'POST' || body === 'user=2') return false;
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Choose a user.</h1>');
      return true;
    },
    username: 'ada',
    makes: 'passed',
    posts: 1,
  },
  'a request that is refused for an empty field': {
    page: ({ keys }) =>
      `${shows(keys).replace('API key', 'API keys')}<form id="f" novalidate><label>Name <input id="name"></label><label>Scopes</label><label><input type="checkbox"> delete</label><button>Create</button></form>
       <script>f.onsubmit = async (event) => { event.preventDefault(); if ((await fetch('/key', { method: 'POST', body: name.value })).ok) location.reload() }</script>`.replace(
        'name.value',
        "document.getElementById('name').value",
      ),
    handle: ({ method }, response, _state, body) => {
      if (method !== 'POST' || body !== '') return false;
      response.writeHead(422).end();
      return true;
    },
    makes: 'passed',
    posts: 2,
  },
  'a request that is refused, with nothing to fill in': {
    page: ({ keys }) =>
      `${shows(keys)}${button}<script>make.onclick = () => fetch('/key', { method: 'POST' })</script>`,
    handle: ({ method }, response) => {
      if (method !== 'POST') return false;
      response.writeHead(422).end();
      return true;
    },
    makes: 'inconclusive',
    posts: 1,
  },
  'a form that ignores an empty name': {
    page: ({ keys }) => `${shows(keys)}<form method="post" action="/key"><input name="name">${submit}</form>`,
    make: () => {},
    makes: 'inconclusive',
    posts: 1,
    reason: 'may take other entries',
  },
  'a form that ignores the name that the suite makes up, in a dialog': {
    page: ({ keys }) =>
      `${shows(keys)}<button type="button" onclick="ask.showModal()">Generate API key</button><dialog id="ask"><form method="post" action="/key"><input name="host"><button>Create</button></form></dialog>`,
    make: () => {},
    makes: 'inconclusive',
    posts: 1,
    reason: 'may take other entries',
  },
  'a form that ignores a box that is not ticked, and a field in a component': {
    page: ({ keys }) =>
      `${shows(keys)}<x-name><template shadowrootmode="open"><input aria-label="Name"></template></x-name><form method="post" action="/key"><label><input type="checkbox" name="terms"> Terms</label>${submit}</form>`,
    make: () => {},
    makes: 'inconclusive',
    posts: 1,
  },
  'a form that makes nothing, beside a field of another form': {
    page: ({ keys }) =>
      `${shows(keys)}<form><input name="search"></form><form method="post" action="/key">${submit}</form>`,
    make: () => {},
    makes: 'failed',
    posts: 1,
  },
  'a reason in a bubble alone': {
    page: ({ keys }) =>
      `${shows(keys)}<button id="make">Generate API key</button><script>make.onclick = () => { make.setCustomValidity('Confirm your address first.'); make.reportValidity() }</script>`,
    makes: 'inconclusive',
    posts: 0,
  },
  'a reason in a bubble alone, after a request': {
    page: ({ keys }) =>
      `${shows(keys)}<button id="make">Generate API key</button><script>make.onclick = async () => { await fetch('/key', { method: 'POST' }); make.setCustomValidity('Confirm your address first.'); make.reportValidity() }</script>`,
    make: () => {},
    makes: 'inconclusive',
    posts: 1,
    reason: '“Confirm your address first.”',
  },
  'a reason in the title alone, for a moment': {
    page: ({ keys }) =>
      `${shows(keys)}${button}<script>make.onclick = async () => { await fetch('/key', { method: 'POST' }); document.title = 'Confirm your address first'; setTimeout(() => { document.title = 'Key' }, 1_500) }</script>`,
    make: () => {},
    makes: 'inconclusive',
    posts: 1,
    reason: '“Confirm your address first”',
  },
  'a reason in a picture alone': {
    page: ({ keys, requests }) =>
      `${requests.at(-1)?.url === '/key?no' ? '<img src="data:," width="90" height="20">' : ''}${shows(keys)}<form method="post" action="/key">${submit}</form>`,
    handle: ({ method, url }, response) => {
      if (method !== 'POST' || url !== '/key') return false;
      response.writeHead(303, { location: '/key?no' }).end();
      return true;
    },
    makes: 'inconclusive',
    posts: 1,
    reason: 'a picture',
  },
  'a key in a file alone': {
    page: ({ keys }) => `${shows(keys.slice(1))}<form method="post" action="/key">${submit}</form>`,
    handle: ({ method }, response, { keys }) => {
      if (method !== 'POST') return false;
      keys.push(crypto.randomUUID());
      response.writeHead(200, { 'content-disposition': 'attachment; filename=key.txt' }).end(keys[0]);
      return true;
    },
    makes: 'inconclusive',
    posts: 1,
  },
  'a wizard of four steps': {
    page: ({ keys }) =>
      `${shows(keys)}${button}<section id="steps" hidden><h2 id="title"></h2><div id="ask"></div><button type="button" id="next">Continue</button></section>
       <script>let step = 0; const draw = () => { make.hidden = true; steps.hidden = false; title.textContent = ['Scopes', 'Name', 'Terms', 'Review'][step]; ask.innerHTML = step === 1 ? '<input id="name" aria-label="Name">' : 'What it is about' + 'Go on'.repeat(step) };
       make.onclick = draw; next.onclick = () => { if (step === 1 && !document.querySelector('#name').value) return; step += 1; if (step < 4) draw(); else ${posts} }</script>`,
    makes: 'passed',
    posts: 1,
  },
  'a button that sends a beacon': {
    page: ({ keys }) =>
      `${shows(keys)}${button}<script>make.onclick = () => navigator.sendBeacon('/elsewhere', 'x')</script>`,
    makes: 'inconclusive',
    posts: 0,
  },
};

const row = rowsInCi(100);
for (const [title, { makes, posts: expected, username, password, action, reason = '', ...page }] of Object.entries(
  cases,
)) {
  test(`an action is pressed again only when nothing came of it: ${title}`, row(), async ({ chromium }) => {
    const odd = await startOddPage(page);
    try {
      const none = { username, password, action };
      const judged = await judgeAt(odd, chromium, none, expected === 0 ? { patienceMs: 1_000, lateMs: 1_000 } : {});
      expect(judged.outcomes['makes-a-key'], judged.everything).toBe(makes);
      expect(judged.findings[0]?.reason).toContain(reason);
      const made = odd.state.requests.filter(({ method, path }) => method === 'POST' && path === '/key');
      expect(made).toHaveLength(expected);
    } finally {
      await odd.close();
    }
  });
}

test('a key that opened the API before the press was not made by it', inFull, async ({ chromium }) => {
  const key = 'f3a9c1d07e5b48a2960fd1c3b7e8245a6d90f1be';
  let pressed = false;
  const odd = await startOddPage({
    page: ({ keys }) =>
      `${shows(pressed ? keys : [])}<form method="post" action="/key"><button>Generate API key</button></form>`,
    make: () => {
      pressed = true;
    },
  });
  odd.state.keys.push(key);
  try {
    const given = { setting: 'API_KEY', is: (text: string) => text === key, opens: async () => 'granted' as const };
    const judged = await judgeAt(odd, chromium, noAccount, { given });
    expect(judged.outcomes, judged.everything).toMatchObject({
      'makes-a-key': 'inconclusive',
      'shows-the-current-key': 'inconclusive',
      'says-when-there-is-none': 'inconclusive',
    });
    expect(judged.everything).toContain('opened the API before');
    expect(judged.everything).not.toContain(key);
  } finally {
    await odd.close();
  }
});

test('where every view shows another key, a new one tells nothing of the action', inFull, async ({ chromium }) => {
  const { startWithPages } = await import('../support/key-page.js');
  const service = await startWithPages({ fault: 'new-key-with-each-view' });
  try {
    const judged = await judgeAt(service, chromium, { username: 'ada' }, { patienceMs: 500 });
    expect(judged.outcomes, judged.everything).toMatchObject({
      'makes-a-key': 'inconclusive',
      'shows-the-current-key': 'inconclusive',
    });
  } finally {
    await service.close();
  }
});

test('what a page says for a moment after the press may be why it makes no key', inFull, async ({ chromium }) => {
  const odd = await startOddPage({
    page: ({ keys }) =>
      `${shows(keys)}${button}<p id="toast"></p><script>make.onclick = async () => { await fetch('/none', { method: 'POST' }); toast.textContent = 'Confirm your address first.'; setTimeout(() => { toast.textContent = '' }, 3_000) }</script>`,
    handle: ({ url }, response) => {
      if (url !== '/none') return false;
      response.writeHead(204).end();
      return true;
    },
  });
  try {
    const judged = await judgeAt(odd, chromium, noAccount, { patienceMs: 6_000, lateMs: 1_000 });
    expect(judged.outcomes['makes-a-key'], judged.everything).toBe('inconclusive');
    expect(judged.findings[0]?.reason).toContain('“Confirm your address first.”');
  } finally {
    await odd.close();
  }
});
