import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import type { Texts } from './texts.js';

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** Paths of the pages, all below `/user/`. */
export const paths = {
  login: '/user/login',
  logout: '/user/logout',
  key: '/user/api-key',
  make: '/user/api-key/generate',
  form: '/user/api-key/new',
  state: '/user/api-key/state',
  part: '/user/api-key/part',
  remove: '/user/api-key/delete',
  refresh: '/user/refresh-token',
} as const;

export interface Frame {
  readonly texts: Texts;
  /** Nonce of the Content-Security-Policy, for the single script of a page. */
  readonly nonce: string;
  readonly title: string;
  readonly body: Html;
  readonly script?: Html;
  /** Token of the log-out form; set when a user is logged in. */
  readonly csrf?: string;
}

const style = html`<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1f; background: #fff }
header { display: flex; justify-content: space-between; align-items: center }
label { display: block; margin: .8rem 0 }
input { font: inherit; padding: .4rem; width: 100%; box-sizing: border-box }
button, .button { font: inherit; padding: .4rem .8rem }
.part { display: none }
pre { background: #f4f4f6; padding: .8rem; overflow: auto }
</style>`;

/** A whole page: landmarks, one `h1`, and a log-out form for logged-in users. */
export const document = ({ texts, nonce, title, body, script, csrf }: Frame): Html => html`<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${style}
</head>
<body>
<header><a href="${paths.key}">${texts.heading}</a>
${
  csrf
    ? html`<form method="post" action="${paths.logout}"><input type="hidden" name="csrf" value="${csrf}"><button>${texts.logOut}</button></form>`
    : ''
}</header>
<main>
<h1>${title}</h1>
${body}
</main>
${script ? html`<script nonce="${nonce}">${script}</script>` : ''}
</body>
</html>`;

export interface KeyView {
  readonly texts: Texts;
  readonly csrf: string;
  /** Newest first; the first one is the current key. */
  readonly keys: readonly string[];
  /** The message that no key exists, if it is shown. */
  readonly none: string | undefined;
  /** The key that the previous request created. */
  readonly fresh: string | undefined;
  /** A message about the previous request. */
  readonly flash: string | undefined;
  /** The action does nothing when pressed. */
  readonly dead: boolean;
  /** URL of the operation in the curl example. */
  readonly example: string;
}

export type PagePart = (view: KeyView) => Html | string;

export const message: PagePart = ({ none }) => (none === undefined ? '' : html`<p>${none}</p>`);

export const currentKey: PagePart = ({ keys: [key], texts }) =>
  key === undefined ? '' : html`<p>${texts.current}: <code>${key}</code></p>`;

export const place: PagePart = (view) => html`<div id="place">${message(view)}${currentKey(view)}</div>`;

export const curl = (url: string, key: string): string => `curl -H "Authorization: Token ${key}" ${url}`;

export const example: PagePart = ({ keys: [key], example, texts }) => html`<h2>${texts.example}</h2>
<pre tabindex="0"><code>${curl(example, key ?? '1234567890abcde...')}</code></pre>`;

export const csrfField: PagePart = ({ csrf }) => html`<input type="hidden" name="csrf" value="${csrf}">`;

/** A form that posts to the action. */
export const postForm = (view: KeyView, content: Html): Html =>
  html`<form id="make" method="post" action="${paths.key}">${csrfField(view)}${content}</form>`;

export const action: PagePart = (view) => postForm(view, html`<button>${view.texts.generate}</button>`);
