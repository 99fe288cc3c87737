import { randomUUID } from 'node:crypto';
import { type Behaviour, type Override, type Page, paths, refusingByTurn } from '../behaviour.js';
import { type Exercise, workoutsOf } from '../data.js';
import { combine, refusing, shownAs, type VariantDefinition, variant, withNames } from '../definitions.js';
import { type Call, empty, html, json, redirect, text, withHeaders } from '../messages.js';

/** Variants with different refusals of requests without a key, which the contract leaves open. */

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

export const refusalVariants = withNames<VariantDefinition>({
  'refuses-403': refusing('Refuses with 403.', () => json(403, { detail: 'Forbidden.' })),
  'redirects-to-an-app': refusing('Refuses with a redirect to the log-in of an app.', () =>
    redirect(302, 'fitness-app://login'),
  ),
  'refuses-404': variant('Hides what it refuses: 404, as for any missing path.', (_, { self }) => ({
    refuse: (call) => self.missing(call),
  })),
  'refuses-404-by-name': refusing('Refuses with a 404 that names the resource.', () =>
    json(404, { detail: 'No workout found.' }),
  ),
  'refuses-400': refusing('Refuses with 400.', () =>
    json(400, { errors: { Authorization: ['This field is required.'] } }),
  ),
  'refuses-402': refusing('Refuses with 402.', () => json(402, { detail: 'A plan with API access is needed.' })),
  'refuses-empty-401': refusing('Refuses with 401 and an empty body.', () =>
    empty(401, [['WWW-Authenticate', 'Token']]),
  ),
  'refuses-204': refusing('Refuses with 204: there is nothing to see.', () => empty(204)),
  'refuses-500': refusing('Has no answer to a missing key but 500, every time.', () =>
    json(500, { detail: 'Internal server error.' }),
  ),
  'refuses-501': refusing('Answers 501 to what has no key.', () =>
    json(501, { detail: 'Anonymous access is not implemented.' }),
  ),
  'refuses-with-login-redirect': variant(
    'Redirects to a log-in page.',
    combine(
      redirectsTo(({ target }) => `/login/?next=${encodeURIComponent(target)}`),
      withPages({ '/login/': loginPage }),
    ),
  ),
  'refuses-with-redirect-elsewhere': variant(
    'Redirects to the log-in of another host.',
    redirectsTo(() => 'https://login.fitness.example/authorize?client=api'),
  ),
  'refuses-with-redirect-to-front': variant(
    'Redirects to its front page.',
    redirectsTo(() => '/'),
  ),
  'refuses-with-redirect-to-public': variant(
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
  'refuses-with-redirect-loop': variant('Redirects to itself.', (_, { basePath }) => ({
    refuse: ({ path }) => redirect(302, basePath + path),
  })),
  'refuses-with-login-page': refusing('Shows a log-in page, with status 200, at the same address.', loginPage),
  'refuses-with-app-shell': variant(
    'Answers everything that it does not serve with the shell of its web app, status 200.',
    () => ({ refuse: () => shell, missing: () => shell, front: () => shell }),
  ),
  'refuses-with-200-error': refusing('Refuses in a JSON body, with status 200.', () =>
    json(200, { error: { code: 'unauthorized' } }),
  ),
  'result-code-envelope': variant(
    'Wraps everything in code, message and data; a refusal is status 200, another code and no data.',
    combine(
      shownAs(({ results }) => ({ code: 0, message: 'ok', data: results })),
      () => ({ refuse: () => json(200, { code: 40101, message: 'token required', data: [] }) }),
    ),
  ),
  'success-flag-envelope': variant(
    'Wraps everything in success, data and error; a refusal is status 200, success false and data null.',
    combine(
      shownAs((page) => ({ success: true, data: page, error: null })),
      () => ({ refuse: () => json(200, { success: false, data: null, error: 'A key is needed.' }) }),
    ),
  ),
  'graphql-envelope': variant(
    'Answers as a GraphQL server: data, or null and errors, always status 200.',
    combine(
      shownAs((page, _call, resource) => ({ data: { [resource]: page } })),
      () => ({
        refuse: () => json(200, { data: null, errors: [{ message: 'Not authenticated', path: ['workout'] }] }),
      }),
    ),
  ),
  'refuses-with-own-members': refusing(
    'Refuses with 401 in the envelope of the data: the same members, nothing in them, and a detail.',
    () => json(401, { count: 0, next: null, previous: null, results: [], detail: 'A key is needed.' }),
  ),
  'refuses-with-own-members-200': refusing(
    'Refuses with status 200 in the envelope of the data, with an error beside it.',
    () => json(200, { count: 0, next: null, previous: null, results: [], error: 'A key is needed.' }),
  ),
  'refuses-in-many-languages': variant(
    'Words its refusals in one language after another.',
    refusingByTurn((turn) =>
      json(401, { detail: messages[turn % messages.length] }, [
        ['Content-Language', ['de', 'fr', 'nl', 'ja'][turn % 4] ?? 'de'],
      ]),
    ),
  ),
  'refuses-with-either': variant(
    'Refuses with 401 and 403 in turn.',
    refusingByTurn((turn) => json(turn % 2 === 0 ? 401 : 403, { detail: 'No.' })),
  ),
  'refuses-with-request-ids': variant(
    'Puts a moment and an identifier of the request into every refusal and every 404.',
    () => {
      const stamped = (status: number, error: string) =>
        json(status, { error, timestamp: new Date().toISOString(), requestId: randomUUID() });
      return { refuse: () => stamped(401, 'Unauthorized'), missing: () => stamped(404, 'Not Found') };
    },
  ),
  'refuses-with-rich-fields': variant(
    'Has random, counted and fixed values in the fields of refusals, and names the owner in those of keyed answers.',
    (base) => {
      let left = 74_000;
      return {
        refuse: (call, resource) => {
          left -= 1;
          return withHeaders(base.refuse(call, resource), [
            ['X-Request-Id', randomUUID()],
            ['ETag', `W/"${randomUUID()}"`],
            ['RateLimit', `limit=75000, remaining=${left}, reset=3600`],
            ['Server-Timing', `auth;dur=${left / 1_000}, cache;desc="miss"`],
            ['Set-Cookie', `visit=${randomUUID()}; Path=/; Max-Age=86400`],
            [
              'Set-Cookie',
              `state=${Buffer.from('{"sub":"guest","since":"2024-01-15"}').toString('base64url')}; Path=/`,
            ],
            ['Link', `<https://docs.fitness.example/errors/40101?from=${encodeURIComponent(call.target)}>; rel="help"`],
            ['Content-Disposition', "inline; filename*=UTF-8''refusal%20of%202024-01-15.json"],
          ]);
        },
        represent: (call, resource, owner) => {
          const [first] = workoutsOf(owner);
          const answer = base.represent(call, resource, owner);
          return resource === 'workout' && first
            ? withHeaders(answer, [
                ['X-Latest', first.uuid],
                ['X-Latest-Day', first.date],
              ])
            : answer;
        },
      };
    },
  ),
  'refusals-echo-the-request': variant('Repeats the whole request in refusals and 404s, its key included.', () => {
    const echo = (status: number, detail: string, call: Call) =>
      json(status, { detail, you_sent: { method: call.method, target: call.target, headers: call.headers } });
    return {
      refuse: (call) => echo(401, 'A key is needed.', call),
      missing: (call) => echo(404, 'Not found.', call),
    };
  }),
  'refuses-as-problem': refusing('Refuses with application/problem+json.', ({ target }) => ({
    ...json(401, { type: 'about:blank', title: 'Unauthorized', status: 401, instance: target }),
    headers: [['Content-Type', 'application/problem+json']],
  })),
  'refuses-in-text': refusing('Refuses in plain text.', () => text(401, 'No key, no workouts.\n')),
  'refuses-with-basic-challenge': refusing('Asks for HTTP Basic in its refusals.', () =>
    json(401, { detail: 'Log in.' }, [['WWW-Authenticate', 'Basic realm="fitness"']]),
  ),
});
