import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { type Context, Hono } from 'hono';
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

/** Creates the web interface in which a user logs in and creates an API key. */
export const createPages = (options: PagesOptions): Pages => {
  const variant = options.variant ?? 'plain';
  const { fault } = options;
  const texts = textsOf(variant);
  const accounts = new Accounts({ users: options.users, keys: options.keys, fault, keepsOldKeys: variant === 'table' });
  const app = new Hono<Env>();

  const page = (c: Context<Env>, title: string, content: { body: Html; script?: Html }, csrf?: string) =>
    c.html(
      document({
        texts,
        nonce: c.get('secureHeadersNonce') ?? '',
        title,
        ...content,
        ...(csrf === undefined ? {} : { csrf }),
      }),
    );

  const begin = (c: Context<Env>, session: WebSession) => setCookie(c, cookie, session.id, cookieOptions);

  const forged = (c: Context<Env>) => c.text('The form has expired: load the page again.', 403);

  const view = (c: Context<Env>): KeyView => {
    const { session, user } = c.var;
    const { fresh, flash } = session;
    delete session.flash;
    const keys = accounts.shown(session, user);
    const none =
      fault === 'no-message' ? undefined : fault === 'message-beside-key' || keys.length === 0 ? texts.none : undefined;
    const hidesOldKey = fault === 'shown-once' && accounts.keysOf(user).length > 0;
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
  };

  app.use(
    secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'none'"],
        connectSrc: ["'self'"],
        styleSrc: ["'unsafe-inline'"],
        scriptSrc: [NONCE],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    }),
  );
  app.use(bodyLimit({ maxSize: 16 * 1024 }));
  app.use(async (c, next) => {
    await next();
    c.header('Cache-Control', 'no-store');
  });

  app.get(paths.login, (c) => {
    const session = accounts.session(getCookie(c, cookie)) ?? accounts.open();
    begin(c, session);
    const next = safeNext(c.req.query('next'));
    const body = loginBody(variant, { texts, csrf: session.csrf, next, wrong: false });
    return page(
      c,
      texts.logIn,
      variant === 'late-log-in'
        ? { body: html`<template>${body}</template>`, script: html`${raw(lateLogInScript)}` }
        : { body },
    );
  });

  app.post(paths.login, async (c) => {
    const before = accounts.session(getCookie(c, cookie));
    const form = await c.req.parseBody();
    if (!before || form.csrf !== before.csrf) return forged(c);
    const next = safeNext(textField(form.next));
    const name = textField(form.username);
    const login = { texts, csrf: before.csrf, next };
    if (variant === 'two-step' && form.password === undefined) {
      return page(c, texts.logIn, { body: loginBody(variant, { ...login, wrong: false, asked: name }) });
    }
    if (!accounts.knows(name, textField(form.password))) {
      c.status(422);
      return page(c, texts.logIn, { body: loginBody(variant, { ...login, wrong: true }) });
    }
    // A new session id with every log-in prevents session fixation.
    accounts.close(before);
    begin(c, accounts.open(name));
    return c.redirect(next, 303);
  });

  app.use('/user/*', async (c, next) => {
    const session = accounts.session(getCookie(c, cookie));
    if (!session?.user) return c.redirect(`${paths.login}?next=${encodeURIComponent(paths.key)}`, 303);
    c.set('session', session);
    c.set('user', session.user);
    if (c.req.method === 'POST' && (await c.req.parseBody()).csrf !== session.csrf) return forged(c);
    return next();
  });

  app.post(paths.logout, (c) => {
    accounts.close(c.var.session);
    deleteCookie(c, cookie, cookieOptions);
    return c.redirect(paths.login, 303);
  });

  app.get(paths.key, (c) => page(c, texts.heading, keyBody(variant, view(c)), c.var.session.csrf));

  app.post(paths.key, (c) => {
    if (fault === 'broken-action') return c.text('Internal Server Error', 500);
    accounts.make(c.var.session, c.var.user);
    const part = c.req.header('X-Part');
    if (part === 'state') return c.body(null, 204);
    if (part === 'place') return c.html(place(view(c)));
    return c.redirect(paths.key, 303);
  });

  app.get(paths.make, (c) => {
    if (variant !== 'link') return c.notFound();
    if (fault === 'broken-action') return c.text('Internal Server Error', 500);
    accounts.make(c.var.session, c.var.user);
    return c.redirect(paths.key, 303);
  });

  app.get(paths.form, (c) => page(c, texts.generate, { body: formBody(variant, view(c)) }, c.var.session.csrf));

  app.get(paths.state, (c) => {
    const { keys, none } = view(c);
    return c.json({ keys, none, csrf: c.var.session.csrf, texts });
  });

  app.get(paths.part, (c) => c.html(partBody(view(c))));

  app.post(paths.remove, (c) => {
    accounts.remove(c.var.user);
    return c.redirect(paths.key, 303);
  });

  app.post(paths.refresh, (c) => {
    c.var.session.flash = `Your refresh token: ${crypto.randomUUID().replaceAll('-', '')}`;
    return c.redirect(paths.key, 303);
  });

  const listen = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  /** For the fault `works-without-token`: rewrites a bare key to the form with `Token`. */
  const swapBareKey = (request: IncomingMessage): void => {
    const key = accounts.behind(request.headers.authorization);
    if (key === undefined) return;
    const at = request.rawHeaders.findIndex((text, index) => index % 2 === 0 && /^authorization$/i.test(text));
    request.rawHeaders[at + 1] = `Token ${key}`;
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    swapBareKey(request);
    if (!request.url?.startsWith('/user/')) return false;
    await listen(request, response);
    return true;
  };
  return Object.assign(handle, { path: variant === 'late' ? `${paths.key}#/api-key` : paths.key });
};
