import { randomInt, randomUUID } from 'node:crypto';
import { answering, type Override, paths, resourceAt, type ServiceContext } from '../behaviour.js';
import { combine, type VariantDefinition, variant, withNames } from '../definitions.js';
import { type Call, empty, fieldOf, hangUp, html, isForAnotherHost, json, redirect, text } from '../messages.js';

/** Variants with other answers for missing paths and for unusual spellings of paths. */

const isOdd = ({ target, path }: Call): boolean =>
  /\/\/|\/\.|[;%\\]|\.(?:json|css)|^https?:/i.test(target) || (path !== null && path !== path.toLowerCase());

const isForOther = (call: Call, _base: unknown, { httpsOrigin }: ServiceContext): boolean =>
  isForAnotherHost(call, httpsOrigin);

/** Normalises every spelling that the routers of `faults/path-spellings.ts` accept. */
const normal = (path: string): string => {
  const decoded = path
    .replace(/%25/g, '%')
    .replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  const clean = decoded
    .toLowerCase()
    .replaceAll('\\', '/')
    .replace(/;[^/]*/g, '')
    .replace(/\/?\.json\/?$/, '/')
    .replace(/(?:\/\.?)+\//g, '/');
  const up = clean.replace(/\/[^/]+\/\.\.(?=\/)/g, '');
  return up.endsWith('/') ? up : `${up}/`;
};

const stepsOf = ({ target }: Call) => {
  const exception = randomInt(1_000, 9_999);
  const steps = ['debug_exceptions.rb:33', 'show_exceptions.rb:33', 'logger.rb:37', 'remote_ip.rb:81'];
  return {
    exception: `No route matches "${target}"`,
    steps: steps.map((step, id) => ({ exception, id, step: `lib/middleware/${step}:in call` })),
  };
};

const gateway =
  (status: number, message: string): Override =>
  () => {
    const no = () => json(status, { message }, [['x-amzn-ErrorType', 'MissingAuthenticationTokenException']]);
    return { missing: no, front: no, refuse: no };
  };

const moved: Override = (base) => ({
  route: ({ path, ...call }) => {
    const documented = { '/api/v2/exercises/search/': paths.exercise, '/api/v2/food/': paths.ingredient }[path ?? ''];
    if (documented !== undefined) return resourceAt(documented);
    return path === paths.workout ? base.route({ ...call, path }) : undefined;
  },
});

export const pathVariants = withNames<VariantDefinition>({
  'steps-at-missing-files': variant(
    'Like Rails in development: a missing path gets a page, and the name of a file the steps of the error as rows.',
    (base) => ({
      missing: (call) => (/\.(?:css|js)$/.test(call.target) ? json(404, stepsOf(call)) : base.missing(call)),
    }),
  ),
  'base-path': { title: 'Lives below a path.', basePath: '/fitness/backend' },
  'base-path-repeats': { title: 'Lives below a path that begins as its own paths do.', basePath: '/api/v2' },
  'no-front-page': variant('Has nothing at its base path.', (_, { self }) => ({ front: (call) => self.missing(call) })),
  'front-lists-resources': variant('Lists its resources at its base path, as JSON.', (_, { httpsOrigin }) => ({
    front: () =>
      json(200, Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, `${httpsOrigin}${path}`]))),
  })),
  'front-redirects': variant('Redirects its base path to its documentation.', (base) => ({
    front: () => redirect(302, '/docs/'),
    missing: (call) => (call.path === '/docs/' ? html(200, 'Documentation', '<p>Read me.</p>') : base.missing(call)),
  })),
  'soft-404': variant('Says that a page does not exist, with status 200.', () => ({
    missing: () => html(200, 'Page not found', '<p>Perhaps it never existed.</p>'),
  })),
  'soft-404-in-json': variant('Says that a path does not exist in JSON, with status 200.', () => ({
    missing: ({ path }) => json(200, { ok: false, error: `no such path: ${path}` }),
  })),
  'missing-redirects-home': variant('Redirects every missing path to its front page.', (_, { basePath }) => ({
    missing: () => redirect(302, `${basePath}/`),
  })),
  'missing-lists-nothing': variant('Answers every missing path with an empty page of results.', () => ({
    missing: () => json(200, { items: [], total: 0 }),
  })),
  'missing-hangs-up': variant('Closes the connection on every path that it does not serve.', () => ({
    missing: () => hangUp,
  })),
  'missing-503': variant('A gateway that knows no backend for a path answers it with 503.', () => ({
    missing: () => text(503, 'No server is available to handle this request.'),
    front: () => text(503, 'No server is available to handle this request.'),
  })),
  'nothing-of-mine-is-404': variant(
    'Answers an owner who has none with 404, as a missing path; without a key it answers 401.',
    combine(
      (base) => ({
        represent: (call, resource, owner) =>
          resource === 'workout' ? base.missing(call) : base.represent(call, resource, owner),
      }),
      answering(
        ({ method }) => method === 'OPTIONS',
        () => empty(204),
      ),
    ),
    { verdict: 'incomplete' },
  ),
  'missing-closes': variant('Answers a missing path with 410.', () => ({ missing: () => empty(410) })),
  'gateway-403': variant(
    'A gateway answers 403 to every unknown path and to every request without a key.',
    gateway(403, 'Missing Authentication Token'),
  ),
  'gateway-401': variant(
    'A gateway answers 401 to every unknown path and to every request without a key.',
    gateway(401, 'Unauthorized'),
  ),
  'gateway-redirects': variant(
    'A gateway sends every unknown path and every request without a key to its log-in.',
    () => {
      const login = () => redirect(302, 'https://sso.fitness.example/?from=api');
      return { missing: login, front: login, refuse: login };
    },
  ),
  'paths-outside-lead-to-a-ticket': variant(
    'Sends every path outside the API to its log-in, at another address each time, whose page names a popular plan.',
    (base, { basePath }) => ({
      missing: (call) => {
        const ticket = randomUUID();
        if (call.path === '/login/')
          return html(200, 'Log in', `<input type="hidden" value="${ticket}"><p>Popular: Deadlift test</p>`);
        return call.path?.startsWith('/api/') ? base.missing(call) : redirect(302, `${basePath}/login/?to=${ticket}`);
      },
    }),
  ),
  'normalises-then-guards': variant('Understands every spelling of a path, in the guard as in the router.', (base) => ({
    route: (call) => base.route(call) ?? (call.path === null ? undefined : resourceAt(normal(call.path))),
  })),
  'redirects-odd-paths': variant('Redirects odd spellings of a path to the usual one.', (base, { basePath }) => ({
    missing: (call) => {
      const usual = call.path === null ? '' : normal(call.path);
      return resourceAt(usual) ? redirect(301, basePath + usual) : base.missing(call);
    },
  })),
  'firewall-hangs-up': variant(
    'A firewall closes the connection on odd requests.',
    answering(isOdd, () => hangUp),
  ),
  'firewall-403': variant(
    'A firewall answers odd requests with a page and 403.',
    answering(isOdd, () => html(403, 'Request blocked', '<p>Incident 4711.</p>')),
  ),
  'firewall-200': variant(
    'A firewall answers odd requests with a page and 200.',
    answering(isOdd, () => html(200, 'One moment', '<p>Checking your browser.</p>')),
  ),
  'default-host-welcomes': variant(
    'A request for another host gets the default one, which welcomes everybody at every path.',
    answering(isForOther, () => html(200, 'Welcome', '<p>It works!</p>')),
  ),
  'default-host-is-a-demo': variant(
    'A request for another host gets the default one, a demo of the same kind whose workouts anybody may read.',
    answering(
      (call, base, service) => isForOther(call, base, service) && base.route(call) === 'workout',
      (call, base) => base.represent(call, 'workout', 'tomas'),
    ),
    { verdict: 'incomplete', outcomes: { 'refuses-proxy-fields': 'inconclusive' } },
  ),
  'default-host-redirects': variant(
    'A request for another host is sent to that host, over https.',
    answering(isForOther, (call) => redirect(301, `https://${fieldOf(call, 'Host')}${call.target}`)),
  ),
  'style-sheets-for-all': variant(
    'A server of static files in front answers every target that ends like one.',
    answering(
      ({ target }) => /\.(?:css|js|png)$/.test(target),
      () => text(200, 'body { margin: 0 }', 'text/css'),
    ),
  ),
  'odd-paths-500': variant(
    'Answers 500 to paths that it cannot read.',
    answering(isOdd, () => text(500, 'cannot read path')),
  ),
  'refuses-proxy-fields-with-400': variant(
    'Answers 400 to fields that only its own proxy may set.',
    answering(
      ({ headers }) => headers.some(([name]) => /^(?:x-(?!api)|forwarded|remote-user|true-client-ip)/i.test(name)),
      () => json(400, { detail: 'This field is not yours to set.' }),
    ),
  ),
  'refuses-unknown-queries': variant(
    'Answers 400 to a query that it does not know, with the key too.',
    answering(
      ({ query }) => [...query.keys()].some((name) => name !== 'page'),
      () => json(400, { detail: 'Unknown query parameter.' }),
    ),
  ),
  'refuses-two-fields-with-400': variant(
    'Answers 400 to two Authorization fields.',
    answering(
      ({ headers }) => headers.filter(([name]) => name.toLowerCase() === 'authorization').length > 1,
      () => empty(400, [['Connection', 'close']]),
    ),
  ),
  'other-versions-too': variant('Serves version 1 and the path without a slash as well, guarded.', (base) => ({
    route: (call) =>
      base.route(call) ?? (call.path === '/api/v1/workout/' || call.path === '/api/v2/workout' ? 'workout' : undefined),
  })),
  'public-elsewhere': variant('Exercises and ingredients are at other paths, which the settings say.', moved, {
    settings: { EXERCISE_PATH: '/api/v2/exercises/search/', INGREDIENT_PATH: '/api/v2/food/' },
  }),
  'public-not-found': variant('Exercises and ingredients are at other paths, and nobody says where.', moved, {
    verdict: 'incomplete',
    outcomes: { 'opens-without-credentials': 'inconclusive' },
  }),
  'public-redirects': variant(
    'Exercises and ingredients redirect to other paths.',
    combine(moved, (base) => ({
      missing: (call) =>
        call.path === paths.exercise
          ? redirect(301, '/api/v2/exercises/search/')
          : call.path === paths.ingredient
            ? redirect(301, '/api/v2/food/')
            : base.missing(call),
    })),
    { outcomes: { 'opens-without-credentials': 'passed' } },
  ),
});
