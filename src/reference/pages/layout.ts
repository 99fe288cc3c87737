import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import type { PageVariantName } from './definitions.js';

const languages = ['english', 'german', 'french', 'spanish'];

/** The texts of the pages, in the order of `languages`. */
const texts = {
  language: ['en', 'de', 'fr', 'es'],
  logIn: ['Log in', 'Anmelden', 'Se connecter', 'Iniciar sesión'],
  username: ['Username', 'Benutzername', 'Nom d’utilisateur', 'Usuario'],
  password: ['Password', 'Passwort', 'Mot de passe', 'Contraseña'],
  next: ['Next', 'Weiter', 'Suivant', 'Siguiente'],
  wrong: [
    'Username or password is wrong.',
    'Benutzername oder Passwort ist falsch.',
    'Identifiant ou mot de passe incorrect.',
    'El usuario o la contraseña no son correctos.',
  ],
  logOut: ['Log out', 'Abmelden', 'Se déconnecter', 'Cerrar sesión'],
  heading: ['API key', 'API-Schlüssel', 'Clé d’API', 'Clave de API'],
  none: [
    'No API key exists yet.',
    'Du hast noch keinen API-Schlüssel.',
    'Aucune clé d’API n’existe pour l’instant.',
    'Todavía no tienes ninguna clave de API.',
  ],
  current: [
    'Your current API key',
    'Dein aktueller API-Schlüssel',
    'Votre clé d’API actuelle',
    'Tu clave de API actual',
  ],
  generate: ['Generate API key', 'API-Schlüssel erzeugen', 'Générer une clé d’API', 'Generar clave de API'],
  example: ['How to use it', 'So wird er benutzt', 'Exemple', 'Ejemplo'],
  sure: [
    'The current key stops working. Go on?',
    'Der jetzige Schlüssel wird ungültig. Fortfahren?',
    'La clé actuelle sera révoquée. Continuer ?',
    'La clave actual dejará de funcionar. ¿Continuar?',
  ],
  yes: ['Yes, generate it', 'Ja, erzeugen', 'Oui, générer', 'Sí, generar'],
  cancel: ['Cancel', 'Abbrechen', 'Annuler', 'Cancelar'],
} as const;

/** The texts of the pages in one language. */
type Texts = Readonly<Record<keyof typeof texts, string>>;

/** The texts in the language that a variant is named after; English for other variants. */
export const textsOf = (variant: string): Texts => {
  const language = Math.max(0, languages.indexOf(variant));
  return Object.fromEntries(Object.entries(texts).map(([name, all]) => [name, all[language]])) as Texts;
};

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

interface PageFrame {
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
export const document = ({ texts, nonce, title, body, script, csrf }: PageFrame): Html => html`<!doctype html>
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

export const postForm = (view: KeyView, content: Html): Html =>
  html`<form id="make" method="post" action="${paths.key}">${csrfField(view)}${content}</form>`;

export const action: PagePart = (view) => postForm(view, html`<button>${view.texts.generate}</button>`);

interface LoginView {
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
