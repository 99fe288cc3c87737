import type { HeaderPair, WireErrorCode } from '../../src/wire/types.js';
import { mediaTypes, pageOf } from './formats.js';
import type { Random } from './random.js';
import type { Answer } from './refusals.js';

/** What deployments say. */

export interface WireAnswer extends Answer {
  /** No answer came. */
  readonly error?: WireErrorCode;
}

/** What an answer is made of. */
export interface Told {
  /** As it was asked for. */
  readonly path: string;
  /** Of this request alone. */
  readonly moment: Random;
}

export const json = (status: number, body: unknown, headers: readonly HeaderPair[] = []): WireAnswer => ({
  status,
  contentType: mediaTypes.json,
  body: JSON.stringify(body),
  headers,
});

export const page = (status: number, title: string, body: string): WireAnswer => ({
  status,
  contentType: mediaTypes.html,
  body: pageOf(title, body),
});

export const moved = (location: string): WireAnswer => ({ status: 301, location, body: '' });

export const unanswered = (error: WireErrorCode): WireAnswer => ({ status: 0, body: '', error });

export const invalidKey = json(401, { detail: 'Invalid token.' });

export const missing = {
  json: () => json(404, { detail: 'Not found.' }),
  echo: ({ path }: Told) => json(404, { statusCode: 404, message: `Cannot GET ${path}`, error: 'Not Found' }),
  html: () => page(404, '404 Not Found', '<h1>Not Found</h1>'),
  empty: () => ({ status: 404, body: '' }),
  shell: () => page(200, 'Fitness', '<div id="root"></div><script src="/static/main.js"></script>'),
} as const satisfies Readonly<Record<string, (told: Told) => WireAnswer>>;

export type MissingStyle = keyof typeof missing;

export const refusals = {
  json401: () =>
    json(401, { detail: 'Authentication credentials were not provided.' }, [['WWW-Authenticate', 'Token']]),
  json403: () => json(403, { error: { code: 'forbidden', message: 'No access.' } }),
  echo: ({ path }: Told) => json(401, { status: 401, error: 'Unauthorized', path }),
  html403: () => page(403, '403 Forbidden', '<h1>Forbidden</h1>'),
  text401: () => ({ status: 401, contentType: mediaTypes.text, body: 'Unauthorized' }),
  empty401: () => ({ status: 401, body: '' }),
  traced: ({ moment }: Told) => json(401, { message: 'Unauthorized', trace: moment.int(1e9, 9e9).toString(36) }),
  envelope: () => json(200, { ok: false, error: 'no key' }),
  login: ({ path }: Told) => ({ status: 302, location: `/login/?next=${encodeURIComponent(path)}`, body: '' }),
  likeMissing: () => missing.json(),
} as const satisfies Readonly<Record<string, (told: Told) => WireAnswer>>;

export type RefusalStyle = keyof typeof refusals;
