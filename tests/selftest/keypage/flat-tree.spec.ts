import type { Browser, ElementHandle, Page } from '@playwright/test';
import { controlsOf } from '../../../src/keypage/controls/controls.js';
import { eachFieldBeside } from '../../../src/keypage/controls/fill-fields.js';
import { findLoginForm } from '../../../src/keypage/log-in/log-in-form.js';
import { readPage } from '../../../src/keypage/reading/read-page.js';
import type { Visit } from '../../../src/keypage/window/visit.js';
import { expect, test } from '../support/test.js';

/** What runs inside a page sees fields, names and texts where they are rendered. */

const elements = `<script>
  const define = (name, html) => customElements.define(name, class extends HTMLElement {
    constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = html; }
  });
  define('x-text', '<label>User name <input id="name"></label>');
  define('x-secret', '<label>Password <input type="password" id="secret"></label>');
  define('x-button', '<button type="button"><slot></slot></button>');
  define('x-fallback', '<slot>Sign in</slot>');
  define('x-form', '<div role="form"><slot name="fields"></slot><button id="go">Log in</button></div>');
  define('x-labelled', '<form><b id="a">User</b><input id="name" aria-labelledby="a"><input type="password" id="secret"><b id="c">Log in</b><button type="button" id="go" aria-labelledby="c">→</button></form>');
  define('x-card', '<section><slot name="body"></slot></section><section><slot name="actions"></slot></section>');
  define('x-search', '<input type="email" name="term">');
  define('x-trap', '<input id="trap">');
  define('x-plot', '<canvas width="200" height="100"></canvas>');
</script>`;

const withPage = async (browser: Browser, html: string, check: (page: Page) => Promise<void>): Promise<void> => {
  const page = await browser.newPage();
  try {
    await page.setContent(`<!doctype html>${html}${elements}`);
    await check(page);
  } finally {
    await page.close();
  }
};

const idOf = (element: ElementHandle<HTMLElement>): Promise<string> =>
  element.evaluate((node) => node.id || (node.getRootNode() instanceof ShadowRoot ? 'in a shadow tree' : ''));

const account = '<input name="user" id="name"><input type="password" id="secret">';
const decoy = '<input name="user"><input type="password"><button>Log in</button>';

/** Each has the fields `name` and `secret`. */
const logIns: Record<string, readonly [html: string, submit: string]> = {
  'fields and button in shadow trees of a form': [
    '<form><x-text></x-text><x-secret></x-secret><x-button>Log in</x-button></form>',
    'in a shadow tree',
  ],
  'fields in slots, beside the button of the shadow tree': [
    '<x-form><input slot="fields" id="name"><input slot="fields" type="password" id="secret"></x-form>',
    'go',
  ],
  'fields and button in two sections of a shadow tree': [
    `<x-card><p slot="body">${account}</p><button slot="actions" id="go">Log in</button></x-card>`,
    'go',
  ],
  'labels of a shadow tree, whose ids are others outside': [
    '<p id="a">Search</p><p id="c">Register</p><x-labelled></x-labelled>',
    'go',
  ],
  'a search beside it, whose role the host has': [
    `<x-search role="search"></x-search>${account}<button id="go">Log in</button>`,
    'go',
  ],
  'a text in a slot without a box, which only a script hears': [
    `${account}<x-fallback id="go" style="cursor: pointer"></x-fallback>`,
    'go',
  ],
  'a form without a box, after one that is transparent': [
    `<form style="opacity: 0">${decoy}</form><form style="display: contents">${account}<button id="go">Log in</button></form>`,
    'go',
  ],
  'a form after one that is inert': [
    `<div inert><form>${decoy}</form></div><form>${account}<button id="go">Log in</button></form>`,
    'go',
  ],
};

for (const [title, [html, submit]] of Object.entries(logIns))
  test(`a log-in form is read where it is rendered: ${title}`, async ({ chromium }) =>
    withPage(chromium, html, async (page) => {
      const form = await findLoginForm(page);
      expect(form).toMatchObject({ username: true, password: true, submit: true, sign: 'says' });
      expect(await idOf(await form.element('username'))).toBe('name');
      expect(await idOf(await form.element('password'))).toBe('secret');
      expect(await idOf(await form.element('submit'))).toBe(submit);
    }));

/** The ids of the fields beside the button `go`. */
const beside: Record<string, readonly [html: string, fields: readonly string[]]> = {
  'in another section of a shadow tree': [
    '<x-card><input slot="body" id="name"><button slot="actions" id="go" type="button">Generate</button></x-card>',
    ['name'],
  ],
  'outside its form': [
    '<form id="f"><button id="go">Generate</button></form><p><input form="f" id="name"><input></p>',
    ['name'],
  ],
  'and not one in a transparent host': [
    '<form><input id="name"><x-trap style="opacity: 0"></x-trap><button id="go">Generate</button></form>',
    ['name'],
  ],
};

for (const [title, [html, fields]] of Object.entries(beside))
  test(`a field belongs to a button: ${title}`, async ({ chromium }) =>
    withPage(chromium, html, async (page) => {
      const button = (await page.$('#go')) as ElementHandle<HTMLElement>;
      expect(await Promise.all((await eachFieldBeside(button)).map(idOf))).toEqual(fields);
    }));

test('a closed part without a box is hidden, and its text too', async ({ chromium }) =>
  withPage(
    chromium,
    `<details><summary style="display: contents">API key</summary>No key yet.
       <div style="display: contents">None.<button style="display: contents"><i>Generate</i></button></div></details>`,
    async (page) => {
      const shown = async (): Promise<readonly string[]> => {
        const controls = await controlsOf({ page } as Visit);
        const { pieces } = await page.evaluate(readPage, { mostPieces: 100 });
        return [
          ...controls.filter(({ visible }) => visible).map(({ name }) => name),
          ...pieces.filter(({ visible }) => visible).map(({ text }) => text.replace(/\s+/g, ' ')),
        ];
      };
      expect(await shown()).toEqual(['API key', 'API key']);
      await page.locator('details').evaluate((details) => details.setAttribute('open', ''));
      expect(await shown()).toEqual(['API key', 'Generate', 'API key', 'No key yet. None.', 'Generate']);
    },
  ));

test('a picture in a host that floats over the page is not a part of it', async ({ chromium }) =>
  withPage(
    chromium,
    '<x-plot style="position: fixed; right: 0; bottom: 0"></x-plot><x-plot></x-plot>',
    async (page) => {
      const { pieces } = await page.evaluate(readPage, { mostPieces: 100 });
      expect(pieces.filter(({ unread }) => unread)).toHaveLength(1);
    },
  ));

test('each of nested elements asks once for what is around it', async ({ chromium }) =>
  withPage(chromium, '<form id="f"></form>', async (page) => {
    await page.evaluate(() => {
      let inner: Element = document.getElementById('f') as HTMLElement;
      for (let depth = 0; depth < 300; depth += 1) {
        const next = document.createElement('div');
        next.style.display = 'contents';
        inner.append(next);
        inner = next;
      }
      inner.innerHTML = '<input id="name"><input type="password" id="secret"><button id="go">Log in</button>';
      const { matches } = Element.prototype;
      Object.assign(window, { asked: 0 });
      Object.assign(Element.prototype, {
        matches(this: Element, selector: string): boolean {
          Reflect.set(window, 'asked', Number(Reflect.get(window, 'asked')) + 1);
          return matches.call(this, selector);
        },
      });
    });
    const { sign } = await findLoginForm(page);
    expect(sign).toBe('says');
    // Each of 300 elements for each of 300 would be 90,000.
    expect(await page.evaluate(() => Reflect.get(window, 'asked') as number)).toBeLessThan(300 * 60);
  }));
