import { html, raw } from 'hono/html';
import type { PageVariantName } from './definitions.js';
import {
  action,
  csrfField,
  curl,
  currentKey,
  example,
  type Html,
  type KeyView,
  message,
  type PagePart,
  paths,
  place,
  postForm,
} from './layout.js';

/** Scripts of the variants. A page has at most one, allowed by the nonce of its policy. */

/** Makes a key, and replaces the place of the key on the page. */
const makeInPlace = `const make = async (event) => {
  const answer = await fetch('${paths.key}', { method: 'POST', headers: { 'X-Part': 'place' }, body: new URLSearchParams({ csrf: event.target.dataset.csrf }) });
  document.querySelector('#place').outerHTML = await answer.text();
};`;

const swapScript = `${makeInPlace}
document.querySelector('#generate').addEventListener('click', make);`;

const dialogScript = `document.querySelector('#ask').addEventListener('click', () => document.querySelector('dialog').showModal());
document.querySelector('#cancel').addEventListener('click', () => document.querySelector('dialog').close());`;

const confirmScript = `document.querySelector('#make').addEventListener('submit', (event) => {
  if (!confirm(document.querySelector('#make').dataset.sure)) event.preventDefault();
});`;

const copyScript = `document.querySelector('#copy')?.addEventListener('click', () => navigator.clipboard.writeText(document.querySelector('#key').value));`;

const showScript = `document.querySelector('#show')?.addEventListener('click', async (event) => {
  const { keys } = await (await fetch('${paths.state}')).json();
  document.querySelector('#masked').textContent = keys[0];
  event.target.remove();
});`;

const menuScript = `document.querySelector('#more').addEventListener('click', (event) => {
  const menu = document.querySelector('#menu');
  menu.hidden = !menu.hidden;
  event.target.setAttribute('aria-expanded', String(!menu.hidden));
});`;

const toastScript = `setTimeout(() => document.querySelector('#toast')?.remove(), 600);`;

const componentScript = `customElements.define('key-place', class extends HTMLElement {
  connectedCallback() {
    this.attachShadow({ mode: 'open' }).append(document.querySelector('template').content.cloneNode(true));
  }
});`;

const lateScript = `const render = async () => {
  if (location.hash !== '#/api-key') { document.querySelector('#app').textContent = 'Home'; return; }
  await new Promise((done) => setTimeout(done, 500));
  const { keys, none, csrf, texts } = await (await fetch('${paths.state}')).json();
  const app = document.querySelector('#app');
  app.replaceChildren();
  const add = (tag, text) => { const made = document.createElement(tag); made.textContent = text; app.append(made); return made; };
  if (none) add('p', none);
  if (keys[0]) { add('h2', texts.current); add('code', keys[0]); }
  add('p', '').append(add('button', texts.generate));
  app.querySelector('button').addEventListener('click', async () => {
    await fetch('${paths.key}', { method: 'POST', headers: { 'X-Part': 'state' }, body: new URLSearchParams({ csrf }) });
    await render();
  });
};
addEventListener('hashchange', render);
render();`;

const tabsScript = `for (const tab of document.querySelectorAll('[role=tab]')) tab.addEventListener('click', async () => {
  for (const other of document.querySelectorAll('[role=tab]')) {
    other.setAttribute('aria-selected', String(other === tab));
    document.getElementById(other.getAttribute('aria-controls')).hidden = other !== tab;
  }
  const panel = document.getElementById(tab.getAttribute('aria-controls'));
  if (panel.dataset.from) panel.innerHTML = await (await fetch(panel.dataset.from)).text();
});`;

const accordionScript = `for (const title of document.querySelectorAll('.title')) title.addEventListener('click', () => {
  const { style } = title.nextElementSibling;
  style.display = style.display === 'block' ? 'none' : 'block';
});`;

const lateListenerScript = `${makeInPlace}
setTimeout(() => document.querySelector('#generate').addEventListener('click', make), 2500);`;

const nameFirstScript = `document.querySelector('#generate').addEventListener('click', async (event) => {
  if (document.querySelector('#name').value === '') return;
  await fetch('${paths.key}', { method: 'POST', headers: { 'X-Part': 'state' }, body: new URLSearchParams({ csrf: event.target.dataset.csrf }) });
  location.reload();
});`;

/** Inserts the log-in form from its template after three seconds, without a request. */
export const lateLogInScript = `setTimeout(() => document.querySelector('main').append(document.querySelector('template').content.cloneNode(true)), 3000);`;

/** The parts in which a variant differs from `plain`. */
interface VariantParts {
  readonly place?: PagePart;
  readonly action?: PagePart;
  readonly example?: PagePart;
  readonly script?: string;
  /** A script renders the whole body. */
  readonly rendered?: true;
}

const field: PagePart = ({ keys: [key], texts }) =>
  key === undefined
    ? ''
    : html`<label>${texts.current} <input id="key" readonly value="${key}"></label><button type="button" id="copy">Copy</button>`;

const examples: PagePart = ({ keys: [key], example: url, texts }) => html`<h2>${texts.example}</h2>
<p>Every request names its key. With the key of somebody else it looks like this:</p>
<pre tabindex="0">curl -H "Authorization: Token 1234567890abcde..." ${url}
curl -H "Authorization: Token 9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b" ${url}</pre>
${key === undefined ? '' : html`<p>And with yours:</p><pre tabindex="0">$ ${curl(url, key)}\n{"count": 0, "results": []}</pre>`}
<p>Build 3f786850e387550fdab836ed7e6dc881de23001b, request ${crypto.randomUUID()}.</p>`;

const lookAlikes: PagePart = (
  view,
) => html`<nav aria-label="Sections"><a href="/user/api-key-help">How to generate an API key</a> <a href="#none">New personal record</a></nav>
<form method="post" action="${paths.refresh}">${csrfField(view)}<button>Generate refresh token</button></form>
<form method="post" action="${paths.remove}">${csrfField(view)}<button>Delete API key</button></form>
<form method="post" action="/user/password">${csrfField(view)}<button>Create new password</button></form>
${postForm(view, html`<button>${view.keys.length > 0 ? 'Create a new API key' : view.texts.generate}</button>`)}`;

const masked: PagePart = (view) =>
  view.keys.length === 0
    ? message(view)
    : html`<p>${view.texts.current}: <code id="masked">••••••••••••••••</code> <button type="button" id="show">Show key</button></p>`;

const table: PagePart = (view) =>
  view.keys.length === 0
    ? html`<table><caption>${view.texts.heading}</caption><tbody><tr><td>${view.none ?? ''}</td></tr></tbody></table>`
    : html`<table><caption>${view.texts.heading}</caption><thead><tr><th>Key</th><th>Created</th><th></th></tr></thead><tbody>${view.keys.map(
        (key) =>
          html`<tr><td>${key}</td><td>${new Date().toISOString()}</td><td><form method="post" action="${paths.remove}">${csrfField(view)}<button>Delete</button></form></td></tr>`,
      )}</tbody></table>${message(view)}`;

const none: PagePart = () => '';

/** Message, key and action: everything that the contract requires of the page. */
const whole: PagePart = (view) => html`${place(view)}${action(view)}`;

const inTabs = (panel: Html | string, from = ''): Html => html`<div role="tablist" aria-label="Settings">
<button type="button" role="tab" id="tab-1" aria-selected="true" aria-controls="panel-1">Profile</button>
<button type="button" role="tab" id="tab-2" aria-selected="false" aria-controls="panel-2">Developer</button></div>
<div role="tabpanel" id="panel-1" aria-labelledby="tab-1"><p>Your name and address.</p></div>
<div role="tabpanel" id="panel-2" aria-labelledby="tab-2" data-from="${from}" hidden>${panel}</div>`;

const scripted: PagePart = ({ csrf, texts }) =>
  html`<button type="button" id="generate" data-csrf="${csrf}">${texts.generate}</button>`;

/** Variants that are not here have the parts of `plain`, or other texts or another log-in. */
const variants: Partial<Record<PageVariantName, VariantParts>> = {
  link: { action: ({ texts }) => html`<p><a href="${paths.make}">${texts.generate}</a></p>` },
  swap: { action: scripted, example: none, script: swapScript },
  confirm: {
    action: (view) =>
      html`<form id="make" method="post" action="${paths.key}" data-sure="${view.texts.sure}">${csrfField(view)}<button>${view.texts.generate}</button></form>`,
    script: confirmScript,
  },
  dialog: {
    action: (view) => html`<button type="button" id="ask">${view.texts.generate}</button>
<dialog aria-label="${view.texts.generate}"><p>${view.texts.sure}</p>${postForm(view, html`<button type="button" id="cancel">${view.texts.cancel}</button> <button>${view.texts.yes}</button>`)}</dialog>`,
    script: dialogScript,
  },
  'ask-again': { action: ({ texts }) => html`<p><a class="button" href="${paths.form}">${texts.generate}</a></p>` },
  named: { action: () => html`<p><a class="button" href="${paths.form}">New API key</a></p>` },
  field: {
    place: (view) => html`<div id="place">${message(view)}${field(view)}</div>`,
    action: (view) =>
      postForm(
        view,
        html`<button aria-label="${view.texts.generate}"><svg width="16" height="16" aria-hidden="true"><circle cx="8" cy="8" r="7"/></svg></button>`,
      ),
    example: none,
    script: copyScript,
  },
  placeholder: {
    place: ({ keys: [key], none, texts }) =>
      html`<label>${texts.heading} <input readonly value="${key ?? ''}" placeholder="${none ?? ''}"></label>`,
    example: none,
  },
  'among-examples': { place: message, action: lookAlikes, example: examples },
  masked: { place: masked, example: none, script: showScript },
  details: { action: (view) => html`<details><summary>More</summary>${action(view)}</details>` },
  menu: {
    action: (
      view,
    ) => html`<button type="button" id="more" aria-haspopup="true" aria-expanded="false" aria-controls="menu">Manage</button>
<div id="menu" hidden>${action(view)}</div>`,
    script: menuScript,
  },
  toast: {
    place: (view) =>
      html`${view.fresh === undefined ? '' : html`<div id="toast" role="status">Your new key is ${view.fresh}</div>`}${place(view)}`,
    script: toastScript,
  },
  table: { place: table },
  component: {
    place: (view) =>
      html`<template>${message(view)}${currentKey(view)}${action(view)}</template><key-place></key-place>`,
    action: none,
    script: componentScript,
  },
  tabs: { place: (view) => inTabs(whole(view)), action: none, example: none, script: tabsScript },
  'fetched-tab': { place: () => inTabs('', paths.part), action: none, example: none, script: tabsScript },
  'all-in-details': {
    place: (view) => html`<details><summary>Developer settings</summary>${whole(view)}</details>`,
    action: none,
    example: none,
  },
  accordion: {
    place: (
      view,
    ) => html`<button type="button" class="title">Address</button><div class="part"><p>Where you live.</p></div>
<button type="button" class="title">Access</button><div class="part">${whole(view)}</div>`,
    action: none,
    example: none,
    script: accordionScript,
  },
  modal: {
    place: (view) => html`<button type="button" id="ask" aria-haspopup="dialog">API access</button>
<dialog aria-label="API access">${whole(view)}<button type="button" id="cancel">${view.texts.cancel}</button></dialog>`,
    action: none,
    example: none,
    script: dialogScript,
  },
  'late-listener': { action: scripted, example: none, script: lateListenerScript },
  'name-first': {
    action: (view) => html`<label>Name of the key <input id="name"></label> ${scripted(view)}`,
    example: none,
    script: nameFirstScript,
  },
  late: { rendered: true, script: lateScript },
};

const deadAction: PagePart = ({ texts }) => html`<button type="button">${texts.generate}</button>`;

/** The part of a page that its script fetches. */
export const partBody: PagePart = whole;

export const keyBody = (name: PageVariantName, view: KeyView): { body: Html; script?: Html } => {
  const variant: VariantParts = { ...variants[name], ...(view.dead ? { action: deadAction } : {}) };
  const flash = view.flash === undefined ? '' : html`<p role="status">${view.flash}</p>`;
  const body = variant.rendered
    ? html`<div id="app">…</div>`
    : html`${flash}${(variant.place ?? place)(view)}${(variant.action ?? action)(view)}${(variant.example ?? example)(view)}`;
  return { body, ...(variant.script === undefined ? {} : { script: html`${raw(variant.script)}` }) };
};

/** The page between action and key, in variants that have one. */
export const formBody = (name: PageVariantName, view: KeyView): Html =>
  name === 'named'
    ? postForm(view, html`<label>Name of the key <input name="name" required></label><button>Create</button>`)
    : html`<p>${view.texts.sure}</p>${postForm(view, html`<button>${view.texts.yes}</button> <a href="${paths.key}">${view.texts.cancel}</a>`)}`;
