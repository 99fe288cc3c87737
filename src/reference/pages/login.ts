import { html } from 'hono/html';
import type { PageVariantName } from './definitions.js';
import { type Html, paths } from './layout.js';
import type { Texts } from './texts.js';

export interface LoginView {
  readonly texts: Texts;
  readonly csrf: string;
  readonly next: string;
  readonly wrong: boolean;
  /** User name given in the first of two steps. */
  readonly asked?: string;
}

const hidden = ({ csrf, next }: LoginView): Html => html`<input type="hidden" name="csrf" value="${csrf}">
<input type="hidden" name="next" value="${next}">`;

const alert = ({ wrong, texts }: LoginView): Html | string => (wrong ? html`<p role="alert">${texts.wrong}</p>` : '');

const nameField = (texts: Texts): Html =>
  html`<label>${texts.username} <input name="username" autocomplete="username" required></label>`;

const passwordField = (texts: Texts): Html =>
  html`<label>${texts.password} <input type="password" name="password" autocomplete="current-password" required></label>`;

const oneForm = (view: LoginView): Html => html`${alert(view)}
<form method="post">${hidden(view)}
${nameField(view.texts)}
${passwordField(view.texts)}
<button>${view.texts.logIn}</button>
</form>`;

const twoSteps = (view: LoginView): Html => html`${alert(view)}
<form method="post">${hidden(view)}
${
  view.asked === undefined
    ? nameField(view.texts)
    : html`<p>${view.asked}</p><input type="hidden" name="username" value="${view.asked}">${passwordField(view.texts)}`
}
<button>${view.asked === undefined ? view.texts.next : view.texts.logIn}</button>
</form>`;

/** A log-in form with five controls and no `autocomplete`, among forms for other purposes. */
const manyButtons = (view: LoginView): Html => html`<form role="search" action="${paths.login}">
<label>Search <input name="q" type="search"></label><button>Search</button></form>
${alert(view)}
<section><h2>New here?</h2><form method="post" action="/user/register">
<label>Email <input type="email" name="new-email"></label>
<label>Choose a password <input type="password" name="new-password-1"></label>
<label>Repeat the password <input type="password" name="new-password-2"></label>
<button>Sign up</button></form></section>
<section><h2>Welcome back</h2>
<form method="post">${hidden(view)}
<button name="with" value="example-id" formaction="/user/sso" formnovalidate>Sign in with Example ID</button>
<div>Your user name</div><div><input id="field-1" name="username" aria-label="User name"></div>
<div><input id="field-2" name="password" type="password" placeholder="Password"></div>
<button type="button">Show password</button>
<button name="forgot" value="1" formaction="/user/forgot" formnovalidate>Forgot your password?</button>
<input type="submit" value="Sign in">
</form></section>
<form method="post" action="/user/newsletter"><label>Newsletter <input type="email" name="newsletter"></label><button>Subscribe</button></form>`;

/** The log-in form of a variant. */
export const loginBody = (variant: PageVariantName, view: LoginView): Html =>
  variant === 'two-step' ? twoSteps(view) : variant === 'many-buttons' ? manyButtons(view) : oneForm(view);
