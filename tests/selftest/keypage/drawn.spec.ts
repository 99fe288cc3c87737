import { limitsOf } from '../../../src/keypage/input.js';
import { readPage } from '../../../src/keypage/reading/read-page.js';
import { withoutUndrawn } from '../../../src/keypage/window/drawn.js';
import { expect, rowsOfTable, test } from '../support/test.js';

const key = '9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b';
const code = (style: string): string =>
  `<p>Your key</p><div style="position: relative"><code style="${style}">${key}</code></div>`;
const cover = (style: string, inner = ''): string =>
  `<div style="position: relative"><code>${key}</code><div style="position: absolute; inset: 0; ${style}">${inner}</div></div>`;
const tall = '<div style="height: 3000px"></div>';

/** How a page writes a key, and whether a person sees it. */
const written: Record<string, readonly [html: string, drawn: boolean]> = {
  'as it is': [code(''), true],
  'in the colour of its background': [code('color: #fff; background: #fff'), false],
  'in the colour of its own background, which is not the page’s': [
    `<body style="background: #888">${code('color: #fff; background: #fff')}`,
    false,
  ],
  'in a colour close to that of its background': [code('color: #fdfdfd'), false],
  'in light grey': [code('color: #bbb'), true],
  transparent: [code('color: transparent'), false],
  'nearly transparent': [code('opacity: 0.01'), false],
  'as half transparent': [code('opacity: 0.5'), true],
  'left of the page': [code('position: absolute; left: -9999px'), false],
  'above the page': [code('position: absolute; top: -9999px'), false],
  'far right, where one can scroll': [code('position: absolute; left: 2500px'), true],
  'far down, where one can scroll': [`${tall}${code('')}${tall}`, true],
  'in letters without a size': [code('font-size: 0'), false],
  'in letters of a pixel': [code('font-size: 1px'), false],
  'in small letters': [code('font-size: 8px'), true],
  'clipped away': [code('position: absolute; clip-path: inset(50%)'), false],
  'for screen readers': [
    code('position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0, 0, 0, 0); white-space: nowrap'),
    false,
  ],
  'in a box of one pixel': [
    code('position: absolute; width: 1px; height: 1px; overflow: hidden; white-space: nowrap'),
    false,
  ],
  'in a box without a height': [code('display: block; height: 0; overflow: hidden'), false],
  'indented out of its box': [code('display: block; text-indent: -9999px; overflow: hidden'), false],
  'scaled to nothing': [code('display: inline-block; transform: scale(0)'), false],
  'turned around': [code('display: inline-block; transform: rotate(180deg)'), true],
  blurred: [code('filter: blur(12px)'), false],
  'with a filter that blurs nothing': [code('filter: blur(0px) brightness(0.9)'), true],
  'under an opaque part': [cover('background: #eee', 'Upgrade to see it'), false],
  'under a transparent part': [cover('', '<a href="#x" style="position: absolute; inset: 0"></a>'), true],
  'under a part that darkens': [cover('background: #0006'), true],
  'under a banner that can be closed': [
    `${code('')}<div style="position: fixed; inset: 0; background: #fff">We use cookies <button>OK</button></div>`,
    true,
  ],
  'under a head that stays': [
    `<div style="position: sticky; top: 0; height: 900px; background: #fff"></div>${code('')}`,
    true,
  ],
  'cut off, not to be selected': [
    `<p style="width: 80px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; user-select: none">${key}</p>`,
    false,
  ],
  'cut off, to be selected': [
    `<p style="width: 80px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap">${key}</p>`,
    true,
  ],
  'below what a box shows': [
    `<div style="position: relative; height: 30px; overflow: hidden"><p style="position: absolute; top: 60px">${key}</p></div>`,
    false,
  ],
  'below what a box shows that scrolls down only': [
    `<div style="height: 30px; overflow: hidden auto"><p style="margin-top: 60px">${key}</p></div>`,
    true,
  ],
  'in a box that scrolls': [`<pre style="width: 80px; overflow: auto; user-select: none">${key}</pre>`, true],
  'in a field': [`<input readonly value="${key}">`, true],
  'in a field that is too short': [`<input readonly size="4" value="${key}">`, true],
  'in a field, in the colour of its background': [`<input readonly style="color: #fff" value="${key}">`, false],
  'in a text area': [`<textarea readonly>${key}</textarea>`, true],
  'in a list': [`<select><option>${key}</option></select>`, true],
  'in white on a dark page': [`<body style="background: #111; color: #eee">${code('')}`, true],
  'in white on a dark ground that does not scroll': [
    `<div style="position: fixed; inset: 0; z-index: -1; background: #111"></div>${code('color: #fff')}`,
    true,
  ],
  'on a picture': [code('color: #fff; background: linear-gradient(90deg, #309, #903)'), true],
  'as a gradient': [
    code('color: transparent; background: linear-gradient(90deg, #309, #903); background-clip: text'),
    true,
  ],
  'as its shadow': [code('color: transparent; text-shadow: 0 0 0 #000'), true],
  'blended with what is below': [
    `<div style="background: #fff">${code('mix-blend-mode: difference; color: #fff')}</div>`,
    true,
  ],
  'in a colour that changes slowly': [code('transition: all 2s'), true],
  'where it is drawn late': [`${tall}<section style="content-visibility: auto">${code('')}</section>`, true],
  'in a large zoom': [`<div style="zoom: 3">${code('')}</div>`, true],
  'in a box without one of its own': [`<div><span style="display: contents">${key}</span></div>`, true],
  'in a slot': [
    `<x-code>${key}</x-code><script>document.querySelector('x-code').attachShadow({ mode: 'open' }).innerHTML = '<code><slot></slot></code>'</script>`,
    true,
  ],
  'in a slot that is not drawn': [
    `<x-code>${key}</x-code><script>document.querySelector('x-code').attachShadow({ mode: 'open' }).innerHTML = '<code style="color: transparent"><slot></slot></code>'</script>`,
    false,
  ],
  'in SVG': [`<svg width="500" height="40"><text y="20">${key}</text></svg>`, true],
  'by its style': [`<style>code::before { content: "${key}" }</style><code></code>`, true],
  'in parts': [`<code>${key.replace(/.{8}/g, '<span>$&</span><wbr>')}</code>`, true],
  'after a label, not drawn itself': [`<p>Your key: <span style="color: transparent">${key}</span></p>`, false],
  'after a label in its own colour': [`<p><span style="color: transparent">Your key:</span> ${key}</p>`, true],
  'twice, once drawn': [`${code('color: transparent')}${code('')}`, true],
  'in a frame': [`<iframe style="width: 500px" srcdoc="<p>${key}</p>"></iframe>`, true],
  'in a frame, not drawn': [`<iframe style="width: 500px" srcdoc="<p style='color: #fff'>${key}</p>"></iframe>`, false],
};

const row = rowsOfTable(24);
for (const [title, [html, isDrawn]] of Object.entries(written))
  test(`a key that stands in a page is seen or not: ${title}`, row(), async ({ chromium }) => {
    const page = await chromium.newPage({ viewport: { width: 1280, height: 1000 } });
    try {
      await page.setContent(`<!doctype html>${html}`);
      // Written as the browser writes it.
      await page.evaluate(() => {
        for (const each of document.querySelectorAll('[style]')) (each as HTMLElement).style.cssText += ';';
      });
      const before = await page.content();
      const contents = await Promise.all(page.frames().map((frame) => frame.evaluate(readPage, { mostPieces: 100 })));
      const pieces = contents.flatMap((content) => content.pieces);
      const holds = ({ text }: { readonly text: string }): boolean => text.includes(key);
      expect(pieces.some((piece) => piece.visible && holds(piece))).toBe(true);
      const limits = limitsOf(20_000);
      const left = await withoutUndrawn({ page, limits }, pieces, (piece) => (holds(piece) ? key : undefined));
      expect(left.some((piece) => piece.visible && holds(piece))).toBe(isDrawn);
      expect(await page.content()).toBe(before);
    } finally {
      await page.close();
    }
  });
