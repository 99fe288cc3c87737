import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { withoutKeys } from '../../../src/keypage/reading/key-candidates.js';
import { pictureOf } from '../../../src/keypage/window/screenshot.js';
import { judgeAt, noAccount } from '../support/key-page.js';
import { type OddPage, startOddPage } from '../support/odd-page.js';
import { expect, inCi, rowsInCi, sample, test } from '../support/test.js';

/** Colours of a part of a PNG, `r,g,b`. */
const coloursIn = async (page: Page, png: Buffer, selector: string): Promise<string[]> => {
  const box = await page.locator(selector).boundingBox();
  if (!box) throw new Error(`${selector} has no box`);
  return page.evaluate(
    async ({ data, x, y, width, height }) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.width, image.height];
      const context = canvas.getContext('2d');
      context?.drawImage(image, 0, 0);
      const all = context?.getImageData(x, y, width, height).data ?? [];
      const colours = new Set<string>();
      for (let at = 0; at < all.length; at += 4) colours.add([...all.slice(at, at + 3)].join());
      return [...colours];
    },
    {
      data: png.toString('base64'),
      x: Math.ceil(box.x) + 1,
      y: Math.ceil(box.y) + 1,
      width: Math.floor(box.width) - 3,
      height: Math.floor(box.height) - 3,
    },
  );
};

/** A key in forms in which nobody recognises it. */
const forms: Readonly<Record<string, (key: string) => string>> = {
  'in fours': (key) => `<p id="key">${key.replace(/.{4}/g, '$& ')}</p>`,
  'in fours, each an element': (key) => `<div id="key">${key.replace(/.{4}/g, '<div>$&</div>')}</div>`,
  'one letter an element': (key) =>
    `<p id="key">${[...key].map((one) => `<b style="display:inline-block">${one}</b>`).join(' ')}</p>`,
  'in a closed shadow tree': (key) =>
    `<div id="key" style="height:20px"></div><script>document.querySelector('#key').attachShadow({ mode: 'closed' }).textContent = '${key.replace(/.{4}/g, '$& ')}';</script>`,
  'on a canvas': (key) =>
    `<canvas id="key" width="600" height="30"></canvas><script>{ const context = document.querySelector('#key').getContext('2d'); context.font = '20px sans-serif'; context.fillText('${key}', 5, 20); }</script>`,
  'in an image': (key) =>
    `<img id="key" alt="" src="data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="600" height="30"><text y="20">${key}</text></svg>`)}">`,
  'in a background': (key) =>
    `<div id="key" style="height:30px; background: url(&quot;data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="600" height="30"><text y="20">${key}</text></svg>`)}&quot;)"></div>`,
  'in a style': (key) => `<style>#key::before { content: '${key}' }</style><p id="key" style="height:20px"></p>`,
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

const pageWith = (form: (key: string) => string): OddPage => ({
  page: ({ keys }) =>
    `<h1>API key</h1>${keys.length > 0 ? form(keys.at(-1) ?? '') : '<p>You have no key yet.</p>'}<form method="post" action="/key"><button>Generate API key</button></form>`,
});

const row = rowsInCi();
for (const [name, form] of Object.entries(forms))
  test(
    `after the action no picture shows a key that was not recognised: ${name}`,
    row(),
    async ({ chromium }, testInfo) => {
      const page = await startOddPage(pageWith(form));
      try {
        const screenshotsDir = testInfo.outputPath('pictures');
        const judged = await judgeAt(page, chromium, noAccount, { screenshotsDir, patienceMs: 300 });
        expect(page.state.keys, judged.everything).toHaveLength(1);
        expect(await exists(join(screenshotsDir, 'key-page.png')), judged.everything).toBe(false);
        if (judged.outcomes['makes-a-key'] !== 'passed') expect(judged.everything).toContain('No picture was kept');
      } finally {
        await page.close();
      }
    },
  );

test(
  'a picture of a page where no key was recognised has names of controls, and nothing of a key',
  inCi,
  async ({ chromium }) => {
    const page = await chromium.newPage();
    try {
      const keys = ['9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b', 'XkPqRtWzLmNbVcYsDfGhJkQwErTyUiOpAsZxCvBn'];
      for (const [row, [name, form]] of Object.entries(forms).entries())
        for (const key of row % 2 === 0 ? sample(keys, 2) : sample(keys.toReversed(), 2)) {
          await page.setContent(
            `<h1 id="title">Access</h1>${form(key)}<button id="make" data-csrf="${crypto.randomUUID()}" class="Button_x8Fj3k29Lq">Issue credential</button>`,
          );
          const png = await pictureOf(page, [], 'names');
          if (!png) throw new Error('no picture');
          // Letters have grey edges.
          const colours = await coloursIn(page, png, '#key');
          expect(
            colours.filter((colour) => colour !== '0,0,0' && colour !== '255,255,255'),
            `${name}: ${key}`,
          ).toEqual([]);
          for (const readable of ['#title', '#make'])
            expect((await coloursIn(page, png, readable)).length, `${name}: ${readable}`).toBeGreaterThan(2);
        }
    } finally {
      await page.close();
    }
  },
);

test('what the page says is not quoted with a key in groups', inCi, async ({ chromium }) => {
  const key = '9944 b091 99c6 2bcf 9418 ad84 6dd0 e4bb dfc6 ee4b';
  const page = await startOddPage({
    page: ({ requests }) =>
      `<h1>API key</h1>${requests.at(-2)?.method === 'POST' ? `<p role="alert">The key is: ${key}</p>` : ''}<form method="post" action="/key"><button>Generate API key</button></form>`,
  });
  try {
    const judged = await judgeAt(page, chromium, noAccount, { patienceMs: 300 });
    expect(judged.everything).toContain('The key is: <key>');
    expect(judged.everything).not.toContain('bcf');
    for (const text of ['You have that keys from here', 'Call 0800 1234 5678 9012', '2026-11-22 12:30'])
      expect(withoutKeys(text)).toBe(text);
  } finally {
    await page.close();
  }
});

test('a page does not learn from its picture what the suite knows', async ({ chromium }) => {
  const page = await chromium.newPage();
  try {
    await page.setContent(`<p>Hello there</p><script>
      window.heard = '';
      for (const [type, names] of [[String, ['includes', 'indexOf', 'split', 'replace', 'match']], [Array, ['some', 'map', 'filter', 'includes']]])
        for (const name of names) { const old = type.prototype[name]; type.prototype[name] = function (...given) { window.heard += this + ' ' + given; return old.apply(this, given); }; }
    </script>`);
    expect(await pictureOf(page, ['a-secret-of-the-suite'])).toBeDefined();
    expect(await page.evaluate('window.heard')).not.toContain('secret-of-the-suite');
  } finally {
    await page.close();
  }
});
