import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { type Context, Hono, type Next } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { html, raw } from 'hono/html';
import { NONCE, type SecureHeadersVariables, secureHeaders } from 'hono/secure-headers';
import type { Keys } from '../behaviour.js';
import { Accounts, type PageUser, type WebSession } from './accounts.js';
import type { PageFaultName, PageVariantName } from './definitions.js';
import { document, type Html, type KeyView, loginBody, paths, place, textsOf } from './layout.js';
import { formBody, keyBody, lateLogInScript, partBody } from './variants.js';

export type { PageUser } from './accounts.js';
export {
  type PageFaultName,
  type PageVariantName,
  pageFaults,
  pageVariants,
} from './definitions.js';

export interface PagesOptions {
  /** Shared with the service, which accepts the keys in it. */
  readonly keys: Keys;
  readonly users: readonly PageUser[];
  readonly variant?: PageVariantName | undefined;
  readonly fault?: PageFaultName | undefined;
}

export interface Pages {
  /** Answers a request for `/user/…`; resolves with `false` for any other path, without writing. */
  (request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Path of the API-key page, with a fragment where the variant has one. */
  readonly path: string;
}

type Env = { Variables: { session: WebSession; user: string } & SecureHeadersVariables };

const cookie = '__Host-session';
const cookieOptions = { path: '/', secure: true, httpOnly: true, sameSite: 'Lax' } as const;

/** Prevents open redirects: a log-in leads only to paths of these pages. */
const safeNext = (next: string | undefined): string => (next?.startsWith('/user/') ? next : paths.key);

const textField = (value: unknown): string => (typeof value === 'string' ? value : '');

const policy = {
  defaultSrc: ["'none'"],
  connectSrc: ["'self'"],
  styleSrc: ["'unsafe-inline'"],
  scriptSrc: [NONCE],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
};

const forged = (c: Context<Env>) => c.text('The form has expired: load the page again.', 403);

const begin = (c: Context<Env>, session: WebSession) => setCookie(c, cookie, session.id, cookieOptions);

/** Creates the web interface in which a user logs in and creates an API key. */
export const createPages = (options: PagesOptions): Pages => {
  const site = new Site(options);
  return Object.assign((request: IncomingMessage, response: ServerResponse) => site.handle(request, response), {
    path: options.variant === 'late' ? `${paths.key}#/api-key` : paths.key,
  });
};

class Site {
  readonly #variant: PageVariantName;
  readonly #fault: PageFaultName | undefined;
  readonly #texts: ReturnType<typeof textsOf>;
  readonly #accounts: Accounts;
  readonly #app = new Hono<Env>();
  readonly #listen = getRequestListener(this.#app.fetch, { overrideGlobalObjects: false });

  constructor({ users, keys, variant = 'plain', fault }: PagesOptions) {
    this.#variant = variant;
    this.#fault = fault;
    this.#texts = textsOf(variant);
    this.#accounts = new Accounts({ users, keys, fault, keepsOldKeys: variant === 'table' });
    this.#app.use(secureHeaders({ contentSecurityPolicy: policy }));
    this.#app.use(bodyLimit({ maxSize: 16 * 1024 }));
    this.#app.use(async (c, next) => {
      await next();
      c.header('Cache-Control', 'no-store');
    });
    this.#app.get(paths.login, (c) => this.#showLogin(c));
    this.#app.post(paths.login, (c) => this.#logIn(c));
    this.#app.use('/user/*', (c, next) => this.#asUser(c, next));
    this.#routeKeys();
    this.#routeOthers();
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    this.#swapBareKey(request);
    if (!request.url?.startsWith('/user/')) return false;
    await this.#listen(request, response);
    return true;
  }

  /** For the fault `works-without-token`: rewrites a bare key to the form with `Token`. */
  #swapBareKey(request: IncomingMessage): void {
    const key = this.#accounts.behind(request.headers.authorization);
    if (key === undefined) return;
    const at = request.rawHeaders.findIndex((text, index) => index % 2 === 0 && /^authorization$/i.test(text));
    request.rawHeaders[at + 1] = `Token ${key}`;
  }

  #page(c: Context<Env>, title: string, content: { body: Html; script?: Html }, csrf?: string) {
    const nonce = c.get('secureHeadersNonce') ?? '';
    return c.html(document({ texts: this.#texts, nonce, title, ...content, ...(csrf === undefined ? {} : { csrf }) }));
  }

  #showLogin(c: Context<Env>) {
    const session = this.#accounts.session(getCookie(c, cookie)) ?? this.#accounts.open();
    begin(c, session);
    const texts = this.#texts;
    const next = safeNext(c.req.query('next'));
    const body = loginBody(this.#variant, { texts, csrf: session.csrf, next, wrong: false });
    return this.#page(
      c,
      texts.logIn,
      this.#variant === 'late-log-in'
        ? { body: html`<template>${body}</template>`, script: html`${raw(lateLogInScript)}` }
        : { body },
    );
  }

  async #logIn(c: Context<Env>) {
    const before = this.#accounts.session(getCookie(c, cookie));
    const form = await c.req.parseBody();
    if (!before || form.csrf !== before.csrf) return forged(c);
    const texts = this.#texts;
    const next = safeNext(textField(form.next));
    const name = textField(form.username);
    const login = { texts, csrf: before.csrf, next };
    if (this.#variant === 'two-step' && form.password === undefined)
      return this.#page(c, texts.logIn, {
        body: loginBody(this.#variant, { ...login, wrong: false, asked: name }),
      });
    if (!this.#accounts.knows(name, textField(form.password))) {
      c.status(422);
      return this.#page(c, texts.logIn, { body: loginBody(this.#variant, { ...login, wrong: true }) });
    }
    // A new session id with every log-in prevents session fixation.
    this.#accounts.close(before);
    begin(c, this.#accounts.open(name));
    return c.redirect(next, 303);
  }

  /** Lets a user pass who has logged in, and whose form is of this session. */
  async #asUser(c: Context<Env>, next: Next) {
    const session = this.#accounts.session(getCookie(c, cookie));
    if (!session?.user) return c.redirect(`${paths.login}?next=${encodeURIComponent(paths.key)}`, 303);
    c.set('session', session);
    c.set('user', session.user);
    if (c.req.method === 'POST' && (await c.req.parseBody()).csrf !== session.csrf) return forged(c);
    return next();
  }

  #view(c: Context<Env>): KeyView {
    const { session, user } = c.var;
    const { fresh, flash } = session;
    delete session.flash;
    const texts = this.#texts;
    const fault = this.#fault;
    const keys = this.#accounts.shown(session, user);
    const none =
      fault === 'no-message' ? undefined : fault === 'message-beside-key' || keys.length === 0 ? texts.none : undefined;
    const hidesOldKey = fault === 'shown-once' && this.#accounts.keysOf(user).length > 0;
    return {
      texts,
      csrf: session.csrf,
      keys,
      fresh: keys.find((key) => key === fresh),
      none: hidesOldKey ? undefined : none,
      dead: fault === 'dead-action',
      flash: hidesOldKey && keys.length === 0 ? 'You have an API key. For your safety it was shown only once.' : flash,
      example: `${new URL(c.req.url).origin}/api/v2/workout/`,
    };
  }

  /** The page of the keys, its parts, and the ways to make a key. */
  #routeKeys(): void {
    const app = this.#app;
    const texts = this.#texts;
    const variant = this.#variant;
    app.get(paths.key, (c) => this.#page(c, texts.heading, keyBody(variant, this.#view(c)), c.var.session.csrf));
    app.post(paths.key, (c) => {
      if (!this.#makes(c)) return c.text('Internal Server Error', 500);
      const part = c.req.header('X-Part');
      if (part === 'state') return c.body(null, 204);
      if (part === 'place') return c.html(place(this.#view(c)));
      return c.redirect(paths.key, 303);
    });
    app.get(paths.make, (c) => {
      if (variant !== 'link') return c.notFound();
      return this.#makes(c) ? c.redirect(paths.key, 303) : c.text('Internal Server Error', 500);
    });
    app.get(paths.form, (c) =>
      this.#page(c, texts.generate, { body: formBody(variant, this.#view(c)) }, c.var.session.csrf),
    );
    app.get(paths.state, (c) => {
      const { keys, none } = this.#view(c);
      return c.json({ keys, none, csrf: c.var.session.csrf, texts });
    });
    app.get(paths.part, (c) => c.html(partBody(this.#view(c))));
  }

  #makes(c: Context<Env>): boolean {
    if (this.#fault === 'broken-action') return false;
    this.#accounts.make(c.var.session, c.var.user);
    return true;
  }

  /** What a user can do besides making a key. */
  #routeOthers(): void {
    this.#app.post(paths.logout, (c) => {
      this.#accounts.close(c.var.session);
      deleteCookie(c, cookie, cookieOptions);
      return c.redirect(paths.login, 303);
    });
    this.#app.post(paths.remove, (c) => {
      this.#accounts.remove(c.var.user);
      return c.redirect(paths.key, 303);
    });
    this.#app.post(paths.refresh, (c) => {
      c.var.session.flash = `Your refresh token: ${crypto.randomUUID().replaceAll('-', '')}`;
      return c.redirect(paths.key, 303);
    });
  }
}
