import { randomUUID } from 'node:crypto';
import { answering, hasField, type Override, pagesForBrowsers, resourceAt, wantsPage } from '../behaviour.js';
import { combine, shownAs, type VariantDefinition, variant, withNames } from '../definitions.js';
import {
  type Answer,
  type Call,
  empty,
  fieldOf,
  type HeaderPair,
  html,
  json,
  redirect,
  text,
  withHeaders,
} from '../messages.js';

/** Variants that answer as common frameworks and proxies do. */

/** Sets the answers to refused requests and to missing paths. */
const says =
  (refuse: (call: Call) => Answer, missing: (call: Call) => Answer): Override =>
  () => ({ refuse, missing });

const hasKey = hasField('Authorization');

const problem = (status: number, title: string): Answer => ({
  ...json(status, {
    type: `https://tools.ietf.org/html/rfc9110#section-15.5.${status - 399}`,
    title,
    status,
    traceId: `00-${randomUUID().replaceAll('-', '')}-01`,
  }),
  headers: [['Content-Type', 'application/problem+json; charset=utf-8']],
});

const spring = ({ path }: Call, status: number, error: string): Answer =>
  json(status, { timestamp: new Date().toISOString(), status, error, path });

/** Redirects the path without its trailing slash to the one with it. */
const addsSlash =
  (status: number): Override =>
  (base, { basePath }) => ({
    missing: (call) =>
      resourceAt(`${call.path}/`) ? redirect(status, `${basePath}${call.path}/`) : base.missing(call),
  });

const inFront =
  (name: string, page: (status: number) => Answer): Override =>
  (base) => ({
    answer: async (call) => {
      if (call.path === null || /\.\.|%00/.test(call.path)) return page(400);
      return withHeaders(await base.answer(call), [
        ['Server', name],
        ['X-Request-Id', randomUUID()],
      ]);
    },
  });

const nginxPage = (status: number): Answer => html(status, `${status}`, '<hr><center>nginx/1.27.1</center>');

export const frameworkVariants = withNames<VariantDefinition>({
  'like-django-rest': variant(
    'Like Django REST framework: trims and folds the scheme, adds slashes, refuses bad keys on public resources, shows pages to browsers.',
    combine(addsSlash(301), pagesForBrowsers, (base, service) => ({
      identify: (call) => {
        const [scheme, key, ...more] = (fieldOf(call, 'Authorization') ?? '').trim().split(/\s+/);
        return scheme?.toLowerCase() === 'token' && more.length === 0 ? service.keys.get(key ?? '') : undefined;
      },
      represent: (call, resource, owner) =>
        hasKey(call) && owner === undefined
          ? service.self.refuse(call, resource)
          : base.represent(call, resource, owner),
    })),
    { outcomes: { 'takes-no-other-format': 'lenient' } },
  ),
  'like-rails': variant(
    'Like Rails: “HTTP Token: Access denied.”, a page for what is missing, `.json` as a wish about the format (guarded).',
    combine(
      says(
        () =>
          text(401, 'HTTP Token: Access denied.\n', 'text/html; charset=utf-8', [
            ['WWW-Authenticate', 'Token realm="Application"'],
          ]),
        () => html(404, 'The page you were looking for doesn’t exist.', ''),
      ),
      (base) => ({
        route: (call) => base.route(call) ?? resourceAt((call.path ?? '').replace(/\/?(?:\.json)?$/, '/')),
      }),
    ),
  ),
  'like-spring': variant(
    'Like Spring: moment, status, error and path in every error.',
    says(
      (call) => spring(call, 401, 'Unauthorized'),
      (call) => spring(call, 404, 'Not Found'),
    ),
  ),
  'like-spring-security': variant(
    'Like Spring Security: whatever is not public is refused before anybody looks whether it exists.',
    (base) => {
      const refuse = (call: Call) => spring(call, 401, 'Unauthorized');
      return {
        refuse,
        missing: (call) => (call.path?.startsWith('/api/') || call.path === null ? refuse(call) : base.missing(call)),
      };
    },
  ),
  'like-express': variant(
    'Like Express: bare words, “Cannot GET /…”, paths in any case and with or without a slash, guarded.',
    combine(
      says(
        () => text(401, 'Unauthorized'),
        ({ method, path }) => html(404, 'Error', `<pre>Cannot ${method} ${(path ?? '').replaceAll('<', '&lt;')}</pre>`),
      ),
      (base) => ({
        route: (call) => base.route(call) ?? resourceAt(`${(call.path ?? '').toLowerCase().replace(/\/$/, '')}/`),
      }),
    ),
  ),
  'like-jetty': variant(
    'Like Jetty: reads a field value as an earlier one of its connection that differs in case alone.',
    (base) => {
      const seen = new WeakMap<object, Map<string, string>>();
      return {
        identify: (call) => {
          const values = seen.get(call.connection) ?? new Map<string, string>();
          seen.set(call.connection, values);
          const headers = call.headers.map(([name, value]): HeaderPair => {
            const folded = `${name}: ${value}`.toLowerCase();
            values.set(folded, values.get(folded) ?? value);
            return [name, values.get(folded) ?? value];
          });
          return base.identify({ ...call, headers });
        },
      };
    },
    { outcomes: { 'takes-no-other-format': 'passed', 'takes-key-nowhere-else': 'passed' } },
  ),
  'like-laravel': variant(
    'Like Laravel: sends who does not ask for JSON to the log-in.',
    says(
      (call) =>
        /json/.test(fieldOf(call, 'Accept') ?? '')
          ? json(401, { message: 'Unauthenticated.' })
          : redirect(302, '/login'),
      ({ path }) => json(404, { message: `The route ${path} could not be found.` }),
    ),
  ),
  'like-asp-net': variant(
    'Like ASP.NET Core: an empty 401, problem details with a trace for what is missing.',
    says(
      () => empty(401, [['WWW-Authenticate', 'Token']]),
      () => problem(404, 'Not Found'),
    ),
  ),
  'like-go': variant(
    'Like Go’s mux: cleans paths with a redirect, errors in plain text.',
    combine(
      says(
        () => text(401, 'unauthorized\n'),
        () => text(404, '404 page not found\n'),
      ),
      (base, { basePath }) => ({
        missing: (call) => {
          const clean = `${new URL((call.path ?? '/').replace(/\/{2,}/g, '/'), 'http://x').pathname.replace(/\/$/, '')}/`;
          return clean !== call.path && resourceAt(clean) ? redirect(307, basePath + clean) : base.missing(call);
        },
      }),
    ),
  ),
  'like-fastapi': variant(
    'Like FastAPI: “Not authenticated” with 403, adds slashes with 307.',
    combine(
      says(
        (call) =>
          json(hasKey(call) ? 401 : 403, { detail: hasKey(call) ? 'Invalid credentials' : 'Not authenticated' }),
        () => json(404, { detail: 'Not Found' }),
      ),
      addsSlash(307),
    ),
  ),
  'like-wordpress': variant(
    'Like WordPress: code, message and data in every error.',
    says(
      () =>
        json(401, { code: 'rest_forbidden', message: 'Sorry, you are not allowed to do that.', data: { status: 401 } }),
      () => json(404, { code: 'rest_no_route', message: 'No route was found.', data: { status: 404 } }),
    ),
  ),
  'like-firebase': variant(
    'Like Firebase: null, with status 200, where nothing is.',
    says(
      () => json(401, { error: 'Permission denied' }),
      () => json(200, null),
    ),
  ),
  'like-nginx': variant(
    'Behind nginx: pages for errors, slashes merged before the guard.',
    combine(
      says(
        () => nginxPage(401),
        () => nginxPage(404),
      ),
      (base) => ({ route: (call) => base.route({ ...call, path: call.path?.replace(/\/{2,}/g, '/') ?? null }) }),
      inFront('nginx/1.27.1', nginxPage),
    ),
  ),
  'like-cloudflare': variant(
    'Behind a content network: identifiers in every answer, a page with its own for every error.',
    combine(
      says(
        () => html(401, 'Access denied', `<p>Ray ${randomUUID().slice(0, 16)}</p>`),
        () => html(404, 'Not found', `<p>Ray ${randomUUID().slice(0, 16)}</p>`),
      ),
      inFront('cloudflare', (status) => html(status, 'Bad request', `<p>Ray ${randomUUID().slice(0, 16)}</p>`)),
    ),
  ),
  'like-a-web-app': variant(
    'Like an app of one page: browsers get its shell at every path, with status 200.',
    answering(wantsPage, () => html(200, 'Fitness', '<div id="app"></div><script src="/app.js"></script>')),
  ),
  'like-kong': variant(
    'Behind Kong: one message for a missing key, another for a wrong one.',
    says(
      (call) =>
        json(401, {
          message: hasKey(call) ? 'Unauthorized' : 'No API key found in request',
          request_id: randomUUID(),
        }),
      () => json(404, { message: 'no Route matched with those values', request_id: randomUUID() }),
    ),
  ),
  'like-sharepoint': variant(
    'Answers XML errors, and data in an envelope of its own.',
    combine(
      says(
        () =>
          text(
            403,
            '<?xml version="1.0"?><error><code>-2147024891</code><message>Access denied.</message></error>',
            'application/xml',
          ),
        () => text(404, '<?xml version="1.0"?><error><code>-1</code></error>', 'application/xml'),
      ),
      shownAs((page) => ({ d: page })),
    ),
  ),
});
