import { randomUUID } from 'node:crypto';
import { empty, html, json, redirect, text } from '../answer.js';
import { type Behaviour, type Override, paths } from '../behaviour.js';
import type { Call } from '../call.js';
import type { Exercise } from '../data.js';
import type { VariantDefinition } from '../definitions.js';
import { combine, type Page, refusing, shownAs, variant } from './helpers.js';

/** The contract leaves open how requests without a key are refused. These are ways to do it. */

const shell = html(
  200,
  'Fitness',
  '<div id="app"></div><noscript>This page needs a script.</noscript><script src="/assets/app.3f9c.js" defer></script>',
);

const loginPage = () =>
  html(
    200,
    'Log in',
    `<form method="post"><input type="hidden" name="csrf" value="${randomUUID()}"><input name="user"><input name="password" type="password"><button>Log in</button></form>`,
  );

/** Adds pages that need no key. */
const withPages =
  (pages: Readonly<Record<string, () => ReturnType<Behaviour['missing']>>>): Override =>
  (base) => ({ missing: (call) => pages[call.path ?? '']?.() ?? base.missing(call) });

const redirectsTo =
  (location: (call: Call) => string): Override =>
  (_, { basePath }) => ({
    refuse: (call) => redirect(302, /^https:/.test(location(call)) ? location(call) : basePath + location(call)),
  });

const messages = [
  'Anmeldedaten fehlen.',
  'Informations d’authentification non fournies.',
  'Er is geen sleutel meegestuurd.',
  '認証情報が含まれていません。',
];

export const refusalVariants: readonly VariantDefinition[] = [
  refusing('refuses-403', 'Refuses with 403.', () => json(403, { detail: 'Forbidden.' })),
  variant('refuses-404', 'Hides what it refuses: 404, as for any missing path.', (_, { self }) => ({
    refuse: (call) => self.missing(call),
  })),
  refusing('refuses-404-by-name', 'Refuses with a 404 that names the resource.', () =>
    json(404, { detail: 'No workout found.' }),
  ),
  refusing('refuses-400', 'Refuses with 400.', () =>
    json(400, { errors: { Authorization: ['This field is required.'] } }),
  ),
  refusing('refuses-402', 'Refuses with 402.', () => json(402, { detail: 'A plan with API access is needed.' })),
  refusing('refuses-empty-401', 'Refuses with 401 and an empty body.', () =>
    empty(401, [['WWW-Authenticate', 'Token']]),
  ),
  refusing('refuses-204', 'Refuses with 204: there is nothing to see.', () => empty(204)),
  refusing('refuses-500', 'Has no answer to a missing key but 500, every time.', () =>
    json(500, { detail: 'Internal server error.' }),
  ),
  refusing('refuses-501', 'Answers 501 to what has no key.', () =>
    json(501, { detail: 'Anonymous access is not implemented.' }),
  ),
  variant(
    'refuses-with-login-redirect',
    'Redirects to a log-in page.',
    combine(
      redirectsTo(({ target }) => `/login/?next=${encodeURIComponent(target)}`),
      withPages({ '/login/': loginPage }),
    ),
  ),
  variant(
    'refuses-with-redirect-elsewhere',
    'Redirects to the log-in of another host.',
    redirectsTo(() => 'https://login.fitness.example/authorize?client=api'),
  ),
  variant(
    'refuses-with-redirect-to-front',
    'Redirects to its front page.',
    redirectsTo(() => '/'),
  ),
  variant(
    'refuses-with-redirect-to-public',
    'Redirects to a public list whose records have a counter, and much in common with the workouts.',
    (base, { basePath }) => {
      let views = 1_000;
      return {
        refuse: () => redirect(302, basePath + paths.exercise),
        represent: (call, resource, owner) => {
          const answer = base.represent(call, resource, owner);
          if (resource !== 'exercise' || answer.status !== 200) return answer;
          views += 7;
          const page = JSON.parse(answer.body.toString()) as Page & { readonly results: readonly Exercise[] };
          const results = page.results.map(({ id, uuid, name }) => ({ id, uuid, name, date: null, sets: [], views }));
          return json(200, { ...page, results });
        },
      };
    },
  ),
  variant('refuses-with-redirect-loop', 'Redirects to itself.', (_, { basePath }) => ({
    refuse: ({ path }) => redirect(302, basePath + path),
  })),
  refusing('refuses-with-login-page', 'Shows a log-in page, with status 200, at the same address.', loginPage),
  variant(
    'refuses-with-app-shell',
    'Answers everything that it does not serve with the shell of its web app, status 200.',
    () => ({
      refuse: () => shell,
      missing: () => shell,
      front: () => shell,
    }),
  ),
  refusing('refuses-with-200-error', 'Refuses in a JSON body, with status 200.', () =>
    json(200, { error: { code: 'unauthorized' } }),
  ),
  variant(
    'result-code-envelope',
    'Wraps everything in code, message and data; a refusal is status 200, another code and no data.',
    combine(
      shownAs(({ results }) => ({ code: 0, message: 'ok', data: results })),
      () => ({ refuse: () => json(200, { code: 40101, message: 'token required', data: [] }) }),
    ),
  ),
  variant(
    'success-flag-envelope',
    'Wraps everything in success, data and error; a refusal is status 200, success false and data null.',
    combine(
      shownAs((page) => ({ success: true, data: page, error: null })),
      () => ({ refuse: () => json(200, { success: false, data: null, error: 'A key is needed.' }) }),
    ),
  ),
  variant(
    'graphql-envelope',
    'Answers as a GraphQL server: data, or null and errors, always status 200.',
    combine(
      shownAs((page, _call, resource) => ({ data: { [resource]: page } })),
      () => ({
        refuse: () => json(200, { data: null, errors: [{ message: 'Not authenticated', path: ['workout'] }] }),
      }),
    ),
  ),
  refusing(
    'refuses-with-own-members',
    'Refuses with 401 in the envelope of the data: the same members, nothing in them, and a detail.',
    () => json(401, { count: 0, next: null, previous: null, results: [], detail: 'A key is needed.' }),
  ),
  refusing(
    'refuses-with-own-members-200',
    'Refuses with status 200 in the envelope of the data, with an error beside it.',
    () => json(200, { count: 0, next: null, previous: null, results: [], error: 'A key is needed.' }),
  ),
  variant('refuses-in-many-languages', 'Words its refusals in one language after another.', () => {
    let turn = 0;
    return {
      refuse: () => {
        turn += 1;
        return json(401, { detail: messages[turn % messages.length] }, [
          ['Content-Language', ['de', 'fr', 'nl', 'ja'][turn % 4] ?? 'de'],
        ]);
      },
    };
  }),
  variant('refuses-with-either', 'Refuses with 401 and 403 in turn.', () => {
    let turn = 0;
    return {
      refuse: () => {
        turn += 1;
        return json(turn % 2 === 0 ? 401 : 403, { detail: 'No.' });
      },
    };
  }),
  variant(
    'refuses-with-request-ids',
    'Puts a moment and an identifier of the request into every refusal and every 404.',
    () => {
      const stamped = (status: number, error: string) =>
        json(status, { error, timestamp: new Date().toISOString(), requestId: randomUUID() });
      return { refuse: () => stamped(401, 'Unauthorized'), missing: () => stamped(404, 'Not Found') };
    },
  ),
  variant('refusals-echo-the-request', 'Repeats the whole request in refusals and 404s, its key included.', () => {
    const echo = (status: number, detail: string, call: Call) =>
      json(status, { detail, you_sent: { method: call.method, target: call.target, headers: call.headers } });
    return {
      refuse: (call) => echo(401, 'A key is needed.', call),
      missing: (call) => echo(404, 'Not found.', call),
    };
  }),
  refusing('refuses-as-problem', 'Refuses with application/problem+json.', ({ target }) => ({
    ...json(401, { type: 'about:blank', title: 'Unauthorized', status: 401, instance: target }),
    headers: [['Content-Type', 'application/problem+json']],
  })),
  refusing('refuses-in-text', 'Refuses in plain text.', () => text(401, 'No key, no workouts.\n')),
  refusing('refuses-with-basic-challenge', 'Asks for HTTP Basic in its refusals.', () =>
    json(401, { detail: 'Log in.' }, [['WWW-Authenticate', 'Basic realm="fitness"']]),
  ),
];
