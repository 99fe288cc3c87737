import { paths } from './layout.js';

/** Scripts of the variants. A page has at most one, allowed by the nonce of its policy. */

export const swapScript = `document.querySelector('#generate').addEventListener('click', async (event) => {
  const answer = await fetch('${paths.key}', { method: 'POST', headers: { 'X-Part': 'place' }, body: new URLSearchParams({ csrf: event.target.dataset.csrf }) });
  document.querySelector('#place').outerHTML = await answer.text();
});`;

export const dialogScript = `document.querySelector('#ask').addEventListener('click', () => document.querySelector('dialog').showModal());
document.querySelector('#cancel').addEventListener('click', () => document.querySelector('dialog').close());`;

export const confirmScript = `document.querySelector('#make').addEventListener('submit', (event) => {
  if (!confirm(document.querySelector('#make').dataset.sure)) event.preventDefault();
});`;

export const copyScript = `document.querySelector('#copy')?.addEventListener('click', () => navigator.clipboard.writeText(document.querySelector('#key').value));`;

export const showScript = `document.querySelector('#show')?.addEventListener('click', async (event) => {
  const { keys } = await (await fetch('${paths.state}')).json();
  document.querySelector('#masked').textContent = keys[0];
  event.target.remove();
});`;

export const menuScript = `document.querySelector('#more').addEventListener('click', (event) => {
  const menu = document.querySelector('#menu');
  menu.hidden = !menu.hidden;
  event.target.setAttribute('aria-expanded', String(!menu.hidden));
});`;

export const toastScript = `setTimeout(() => document.querySelector('#toast')?.remove(), 600);`;

export const componentScript = `customElements.define('key-place', class extends HTMLElement {
  connectedCallback() {
    this.attachShadow({ mode: 'open' }).append(document.querySelector('template').content.cloneNode(true));
  }
});`;

export const lateScript = `const render = async () => {
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

export const tabsScript = `for (const tab of document.querySelectorAll('[role=tab]')) tab.addEventListener('click', async () => {
  for (const other of document.querySelectorAll('[role=tab]')) {
    other.setAttribute('aria-selected', String(other === tab));
    document.getElementById(other.getAttribute('aria-controls')).hidden = other !== tab;
  }
  const panel = document.getElementById(tab.getAttribute('aria-controls'));
  if (panel.dataset.from) panel.innerHTML = await (await fetch(panel.dataset.from)).text();
});`;

export const accordionScript = `for (const title of document.querySelectorAll('.title')) title.addEventListener('click', () => {
  const { style } = title.nextElementSibling;
  style.display = style.display === 'block' ? 'none' : 'block';
});`;

export const lateListenerScript = `const make = async (event) => {
  const answer = await fetch('${paths.key}', { method: 'POST', headers: { 'X-Part': 'place' }, body: new URLSearchParams({ csrf: event.target.dataset.csrf }) });
  document.querySelector('#place').outerHTML = await answer.text();
};
setTimeout(() => document.querySelector('#generate').addEventListener('click', make), 2500);`;

export const nameFirstScript = `document.querySelector('#generate').addEventListener('click', async (event) => {
  if (document.querySelector('#name').value === '') return;
  await fetch('${paths.key}', { method: 'POST', headers: { 'X-Part': 'state' }, body: new URLSearchParams({ csrf: event.target.dataset.csrf }) });
  location.reload();
});`;

/** Inserts the log-in form from its template after three seconds, without a request. */
export const lateLogInScript = `setTimeout(() => document.querySelector('main').append(document.querySelector('template').content.cloneNode(true)), 3000);`;
