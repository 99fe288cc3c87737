import type { Probe } from '../../src/wire/types.js';

/** Requests as deployments read them: how the key is sent, and which of them a front passes on. */

export const workouts = '/api/v2/workout/';
export const plans = '/api/v2/plan/';
export const exercises = '/api/v2/exercise/';
export const apiRequest = /^\/api\/v2\/(?:workout|plan|exercise)\/$/;

interface Fields {
  /** The values of Authorization. */
  readonly keys: readonly string[];
  readonly get: (name: string) => string | undefined;
}

export interface ReadRequest extends Fields {
  readonly method: string;
  readonly host: string;
  readonly isBrowser: boolean;
  readonly target: string;
  /** The path as it was sent. */
  readonly raw: string;
  /** The path as the application reads it. */
  readonly path: string;
}

export type Routing = 'strict' | 'lenient';

const lenient = (raw: string): string => {
  const plain = raw
    .replaceAll(/%[46]1/gi, 'a')
    .replaceAll(/\/{2,}/g, '/')
    .replaceAll(/;[^/]*/g, '')
    .toLowerCase();
  return new URL(plain, 'http://api.example').pathname;
};

const strict = (raw: string): string => new URL(raw.replace(/^\/\/+/, '/%2f'), 'http://api.example').pathname;

export const readRequest = ({ method, origin, target, headers }: Probe, routing: Routing): ReadRequest => {
  const get = (name: string): string | undefined => headers.find(([field]) => field.toLowerCase() === name)?.[1];
  const [raw = ''] = target.replace(/^https?:\/\/[^/]+/, '').split('?');
  return {
    keys: headers.filter(([name]) => name.toLowerCase() === 'authorization').map(([, value]) => value),
    get,
    method,
    host: (get('host') ?? new URL(origin).host).replace(/:\d+$/, '').toLowerCase(),
    isBrowser: /^Mozilla/.test(get('user-agent') ?? ''),
    target,
    raw,
    path: routing === 'lenient' ? lenient(raw) : strict(raw),
  };
};

/** How an application may take the key. All of these are the whole, right key. */
export const placements = {
  documented: ({ keys }: Fields) => keys.length === 1 && keys[0] === 'Token <API_KEY>',
  anyCase: ({ keys }: Fields) => keys.some((key) => /^token <API_KEY>$/i.test(key)),
  anySpace: ({ keys }: Fields) => keys.some((key) => /^Token\s+<API_KEY>\s*$/.test(key)),
  lowerCase: ({ keys }: Fields) => keys.includes('token <API_KEY>'),
  bearer: ({ keys }: Fields) => keys.some((key) => /^bearer <API_KEY>$/i.test(key)),
  apiKey: ({ keys }: Fields) => keys.includes('ApiKey <API_KEY>'),
  bare: ({ keys }: Fields) => keys.includes('<API_KEY>'),
  ownField: ({ get }: Fields) => get('x-api-key') === '<API_KEY>',
  otherField: ({ get }: Fields) => get('x-auth-token') === '<API_KEY>',
} as const satisfies Readonly<Record<string, (fields: Fields) => boolean>>;

export type Placement = keyof typeof placements;

/**
 * Other formats (AUTH-2) and other places (AUTH-1) that an application may take in place of the
 * documented one.
 */
export const otherFormats: readonly Placement[] = ['lowerCase', 'bearer', 'apiKey', 'bare'];
export const otherPlaces: readonly Placement[] = ['ownField', 'otherField'];

export const sendsKey = ({ keys, get }: Fields): boolean => keys.length > 0 || get('x-api-key') !== undefined;

/** Requests over plain HTTP that a front passes on to the application. */
export const leaks = {
  everything: () => true,
  api: ({ path }: ReadRequest) => path.startsWith('/api/'),
  one: ({ path }: ReadRequest) => path.startsWith(workouts),
  publics: ({ path }: ReadRequest) => path.startsWith(exercises),
  vouched: ({ get }: ReadRequest) => get('x-forwarded-proto') === 'https',
  vouchedOtherwise: ({ get }: ReadRequest) => get('x-forwarded-ssl') === 'on' || get('forwarded') === 'proto=https',
  frontEnd: ({ get }: ReadRequest) => get('front-end-https') === 'on',
  loopback: ({ get }: ReadRequest) => get('x-forwarded-for') === '127.0.0.1',
  withKey: (request: ReadRequest) => sendsKey(request),
  otherHost: ({ host }: ReadRequest) => host !== 'api.example' && host !== 'www.api.example',
  browsers: ({ isBrowser }: ReadRequest) => isBrowser,
  scripts: ({ get }: ReadRequest) => get('x-requested-with') === 'XMLHttpRequest',
  sessions: ({ get }: ReadRequest) => get('cookie') !== undefined,
  parts: ({ get }: ReadRequest) => get('range') !== undefined,
  sockets: ({ get }: ReadRequest) => get('upgrade') === 'websocket',
  jsonClients: ({ get }: ReadRequest) => get('accept') === 'application/json',
  queries: ({ target }: ReadRequest) => target.includes('?'),
  slashes: ({ raw }: ReadRequest) => raw.startsWith('//'),
  upperCase: ({ raw }: ReadRequest) => raw.startsWith('/API/'),
  encoded: ({ raw }: ReadRequest) => /%[46]1/i.test(raw),
  challenges: ({ raw }: ReadRequest) => raw.startsWith('/.well-known/acme-challenge/'),
  heads: ({ method }: ReadRequest) => method === 'HEAD',
} as const satisfies Readonly<Record<string, (request: ReadRequest) => boolean>>;

export type Leak = keyof typeof leaks;

/** To a strict application these are other paths. */
export const spellings: readonly Leak[] = ['slashes', 'upperCase', 'encoded', 'challenges'];
