import { html } from 'hono/html';
import { type Html, paths } from './layout.js';
import type { Texts } from './texts.js';

export interface KeyView {
  readonly texts: Texts;
  readonly csrf: string;
  /** Newest first; the first one is the current key. */
  readonly keys: readonly string[];
  /** The message, where it is to be shown. */
  readonly none: string | undefined;
  /** The key that was made by the request before this one. */
  readonly fresh: string | undefined;
  /** One line about what happened. */
  readonly flash: string | undefined;
  /** The action does nothing. */
  readonly dead: boolean;
  /** URL of the operation in the curl example. */
  readonly example: string;
}

export type Part = (view: KeyView) => Html | string;

export const message: Part = ({ none }) => (none === undefined ? '' : html`<p>${none}</p>`);

export const currentKey: Part = ({ keys: [key], texts }) =>
  key === undefined ? '' : html`<p>${texts.current}: <code>${key}</code></p>`;

export const place: Part = (view) => html`<div id="place">${message(view)}${currentKey(view)}</div>`;

export const curl = (url: string, key: string): string => `curl -H "Authorization: Token ${key}" ${url}`;

export const example: Part = ({ keys: [key], example, texts }) => html`<h2>${texts.example}</h2>
<pre tabindex="0"><code>${curl(example, key ?? '1234567890abcde...')}</code></pre>`;

export const csrfField: Part = ({ csrf }) => html`<input type="hidden" name="csrf" value="${csrf}">`;

/** A form that posts to the action. */
export const postForm = (view: KeyView, content: Html): Html =>
  html`<form id="make" method="post" action="${paths.key}">${csrfField(view)}${content}</form>`;

export const action: Part = (view) => postForm(view, html`<button>${view.texts.generate}</button>`);
