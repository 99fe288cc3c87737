import {
  json,
  type MissingStyle,
  missing,
  moved,
  page,
  type RefusalStyle,
  refusals,
  type Told,
  unanswered,
  type WireAnswer,
} from './deployment-answers.js';
import { apiRequest, type ReadRequest } from './deployment-requests.js';

/** What answers plain HTTP of its own accord, without the application. */

interface Seen extends Told, Pick<ReadRequest, 'host' | 'isBrowser'> {
  /** How the application behind HTTPS refuses, and what it says where nothing is. */
  readonly refusal: RefusalStyle;
  readonly missing: MissingStyle;
}

export const fronts = {
  closed: () => unanswered('reset'),
  refused: () => unanswered('refused'),
  silent: () => unanswered('headers-timeout'),
  noHttp: () => unanswered('not-http'),
  toHttps: ({ path }: Seen) => moved(`https://api.example${path}`),
  toHttpsRoot: () => moved('https://api.example/'),
  toOtherHost: ({ path }: Seen) => moved(`https://www.example.org${path}`),
  byOtherName: ({ path, host }: Seen) =>
    moved(host === 'www.api.example' ? `https://api.example${path}` : `http://www.api.example${path}`),
  bySlash: ({ path }: Seen) => moved(path.endsWith('/') ? `https://api.example${path}` : `${path}/`),
  forbidden: () => page(403, '403 Forbidden', '<h1>Forbidden</h1>'),
  upgrade: () => json(426, { error: 'Use https.' }, [['Upgrade', 'TLS/1.2']]),
  told: ({ path }: Seen) => json(400, { error: 'HTTPS is required', path }),
  told200: () => json(200, { ok: false, error: 'HTTPS is required' }),
  toldOfApi: ({ path }: Seen) =>
    path.startsWith('/api/') ? json(403, { error: 'HTTPS is required' }) : missing.html(),
  toldInApp: (seen: Seen) =>
    apiRequest.test(seen.path) ? json(403, { detail: 'HTTPS is required' }) : missing[seen.missing](seen),
  refusedAll: (seen: Seen) => refusals[seen.refusal](seen),
  refusedApi: (seen: Seen) =>
    seen.path.startsWith('/api/') ? refusals[seen.refusal](seen) : missing[seen.missing](seen),
  missingAll: (seen: Seen) => missing[seen.missing](seen),
  notFound: () => page(404, '404 Not Found', '<h1>Not Found</h1>'),
  notFoundJson: () => json(404, { detail: 'Not found.' }),
  welcome: ({ path }: Seen) => (path === '/' ? page(200, 'Welcome', '<h1>It works!</h1>') : missing.html()),
  parked: ({ path }: Seen) => page(200, 'api.example', `<h1>This domain is parked</h1><p>${path}</p>`),
  shell: () => missing.shell(),
  unavailable: () => page(503, '503', '<h1>Service Unavailable</h1>'),
  withNonce: ({ moment }: Seen) => page(200, 'Hosting', `<p nonce="${moment.int(1e9, 9e9)}">Nothing here yet</p>`),
  byAgent: ({ isBrowser }: Seen) =>
    isBrowser ? page(200, 'Welcome', '<h1>Welcome</h1>') : json(403, { error: 'No robots' }),
  byHost: ({ host, path }: Seen) => (host === 'api.example' ? moved(`https://api.example${path}`) : missing.html()),
  login: (seen: Seen) => refusals.login(seen),
  refresh: ({ path }: Seen) =>
    page(200, 'Moved', `<meta http-equiv="refresh" content="0; url=https://api.example${path}">`),
} as const satisfies Readonly<Record<string, (seen: Seen) => WireAnswer>>;

export type Front = keyof typeof fronts;
