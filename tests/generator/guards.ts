import { type Random, randomOf } from './random.js';

/**
 * Guards that compare a path, in front of routers that normalise it. Where the two read a target in
 * different ways, a request may get past the guard and still reach the resource.
 */

export interface Gateway {
  /** What it is made of. */
  readonly words: string;
  /** The router takes this target for the resource, and the guard lets it through. */
  readonly opens: (target: string) => boolean;
}

const path = '/api/v2/workout/';
const names = ['api', 'v2', 'workout'] as const;

const decoded = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'));

const withoutDots = (text: string): string => {
  const kept: string[] = [];
  const segments = text.split('/').slice(1);
  for (const [index, segment] of segments.entries()) {
    const isDot = segment === '.' || segment === '..';
    if (segment === '..') kept.pop();
    if (!isDot) kept.push(segment);
    else if (index === segments.length - 1) kept.push('');
  }
  return `/${kept.join('/')}`;
};

const overlong = /%c([01])%([89ab][0-9a-f])/gi;

const charOf = (high: string, low: string): string =>
  String.fromCharCode((Number(high) << 6) | (Number.parseInt(low, 16) & 0x3f));

/** What guards and routers do with a path before they compare it. */
const steps: Readonly<Record<string, (text: string) => string>> = {
  decodes: decoded,
  decodesTwice: (text) => decoded(decoded(text)),
  decodesOverlong: (text) => decoded(text.replace(overlong, (_all, high, low) => charOf(high, low))),
  decodesLetters: (text) => text.replace(/%(?:[46][1-9a-f]|[57][0-9a])/gi, decoded),
  mergesSlashes: (text) => text.replace(/\/{2,}/g, '/'),
  resolvesDots: withoutDots,
  dropsParameters: (text) => text.replace(/;[^/]*/g, ''),
  cutsAtSemicolon: (text) => text.replace(/;.*$/s, ''),
  cutsAtHash: (text) => text.replace(/#.*$/s, ''),
  cutsAtNul: (text) => text.replace(/\0.*$/s, ''),
  cutsAtQuestionMark: (text) => text.replace(/\?.*$/s, ''),
  ignoresCase: (text) => text.toLowerCase(),
  dropsLastSlash: (text) => text.replace(/(.)\/+$/, '$1'),
  addsLastSlash: (text) => text.replace(/\/?$/, '/'),
  turnsBackslashes: (text) => text.replaceAll('\\', '/'),
  dropsFormat: (text) => text.replace(/\.(?:json|xml|csv|html)\/?$/, '/'),
  dropsSuffix: (text) => text.replace(/\.\w+\/?$/, ''),
  dropsDotsOfNames: (text) => text.replace(/[. ]+(?=\/|$)/g, ''),
  dropsSingleDots: (text) => text.replaceAll('/./', '/'),
  dropsParents: (text) => text.replaceAll('../', ''),
  dropsScript: (text) => text.replace(/^\/index\.php/, ''),
  normalisesLetters: (text) => text.normalize('NFKC'),
  trims: (text) => text.trim(),
};

const contains =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text);

/** What a guard stops. */
const stopped = [
  contains(/^\/api\/v2\/workout\/$/),
  contains(/^\/api\/v2\/workout$|^\/api\/v2\/workout\/$/),
  contains(/^\/api\/v2\/workout/),
  contains(/^\/api\/v\d\/workout\/?$/),
  contains(/^\/api\//),
  contains(/^\/api\/v2/),
  contains(/\/workout/),
  contains(/\/workout\/?$/),
  contains(/\/(?:workout|plan)s?\b/),
  contains(/^\/[^/]*\/[^/]*\/workout(?:\/|$)/),
] as const;

/** What a guard lets through, where it stops everything else. */
const allowed = [
  contains(/^\/(?:static|public|assets)\//),
  contains(/^\/static\//),
  contains(/\.(?:css|js|png|ico|svg)$/),
  contains(/\/exercise/),
  contains(/^\/api\/v2\/exercise/),
  contains(/\/(?:login|health|docs|status)/),
  contains(/\/\.well-known\//),
] as const;

/** What a router takes for the resource. */
const routed = [
  (text: string) => text === path,
  (text: string) => text === path,
  (text: string) => text.replace(/\/$/, '') === '/api/v2/workout',
  (text: string) => text.startsWith(path),
] as const;

const someSteps = (random: Random, share: number): readonly string[] =>
  random.shuffled(Object.keys(steps)).filter(() => random.chance(share));

const pathIn = (target: string, readsAbsolute: boolean): readonly [path: string, query: string] => {
  const [all = '', ...query] = (readsAbsolute ? target.replace(/^https?:\/\/[^/]+/i, '') : target).split('?');
  return [all, query.map((part) => `?${part}`).join('')];
};

/** The gateway of a number, or undefined where it is open, or serves nothing, at the documented path. */
export const gatewayOf = (seed: string, index: number): Gateway | undefined => {
  const random = randomOf(`${seed} ${index}`);
  const [ofGuard, ofRouter] = [someSteps(random, 0.12), someSteps(random, 0.18)];
  const stops = random.chance(0.7);
  const pattern = random.int(0, (stops ? stopped : allowed).length - 1);
  const compare = (stops ? stopped : allowed)[pattern];
  const route = random.pick(routed);
  const [seesQuery, guardReadsAbsolute, routerReadsAbsolute] = [0.2, 0.6, 0.9].map((share) => random.chance(share));
  const after = (text: string, done: readonly string[]): string =>
    done.reduce((made, step) => steps[step]?.(made) ?? made, text);
  const isGuarded = (target: string): boolean => {
    const [own, query] = pathIn(target, guardReadsAbsolute === true);
    return compare?.(after(`${own}${seesQuery ? query : ''}`, ofGuard)) === stops;
  };
  const isRouted = (target: string): boolean => route(after(pathIn(target, routerReadsAbsolute === true)[0], ofRouter));
  if (!isGuarded(path) || !isRouted(path)) return undefined;
  return {
    words: `${stops ? 'stops' : 'stops all but'} ${pattern}${seesQuery ? ' of targets' : ''} [${ofGuard}], routes [${ofRouter}]`,
    opens: (target) => !isGuarded(target) && isRouted(target),
  };
};

const segments = [
  ...['', '.', '..', '%2e', '%2e%2e', 'x/..', 'x/%2e%2e', 'x/..;', '.;', ';', ';x', '%20', '%09', '%00', '%2f'],
  ...['\\', '%5c', 'x%2f..', 'x/.%2e', '%252e', 'x/%252e%252e', '...', 'static/..', 'login/..', 'health/..'],
] as const;

const endings = [
  ...['/', '.', '/.', '/..;/', '%20', '%09', '%0a', '%00', '%00.css', '?', '#', '#x', '%23', '%3f', '%3fx', '%3bx'],
  ...[';', ';x', ';x=y', ';.css', '.json', '.xml', '.csv', '.html', '.css', '.js', '/x', '/index.html', '/index.php'],
  ...['/x.css', '%2e', '/%2e', '/x/..', '%2f', '%5c', '\\', '?x.css', '?/static/', '?x=/api/v2/exercise/', '?/login'],
] as const;

const beginnings = [
  ...[
    '/',
    '/.',
    '/%2e',
    '/;',
    '/%2f',
    '/x/..',
    '/static/..',
    '/login/..',
    '/.well-known/..',
    '/api/v2/exercise/../../..',
  ],
  ...[
    '\\',
    '/\\',
    '/%5c',
    '/..',
    '/%2e%2e',
    '/..;',
    '/x/..;',
    '/static/..;',
    '/index.php',
    '/static/%2e%2e',
    '/api/..',
  ],
  ...['https://api.example', 'HTTP://api.example', 'http://localhost'],
] as const;

const slashes = ['%2f', '%252f', '\\', '%5c', '//', '/%2f', '%c0%af'] as const;

/** A character in other spellings. */
const spellings: readonly ((letter: string, hex: string) => string)[] = [
  (_letter, hex) => `%${hex}`,
  (_letter, hex) => `%25${hex}`,
  (letter) => letter.toUpperCase(),
  (letter) => encodeURIComponent(String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
  (_letter, hex) => `%c1%${(0x80 | (Number.parseInt(hex, 16) & 0x3f)).toString(16)}`,
  (letter) => `${letter}../`,
];

const joined = (all: readonly string[]): string => `/${all.join('/')}/`;

const around = (between: readonly string[]): string[] =>
  between.flatMap((one) =>
    [0, 1, 2, 3].flatMap((at) => {
      const all = [...names.slice(0, at), one, ...names.slice(at)];
      return [joined(all), `/${all.join('/')}`];
    }),
  );

/** Targets that one change makes of the documented one: what a person with time would try. */
export const changedTargets: readonly string[] = [
  ...new Set([
    ...around(segments),
    ...endings.flatMap((end) => [`/api/v2/workout${end}`, `${path}${end}`, `/api/v2/workout${end}/`]),
    ...beginnings.map((start) => `${start}${path}`),
    ...slashes.flatMap((slash) => [
      ...[1, 2, 3].map((at) =>
        ['', ...names, ''].reduce((made, name, index) => `${made}${index === at + 1 ? slash : '/'}${name}`),
      ),
      `/${names.join(slash)}${slash}`,
    ]),
    ...names.flatMap((name, at) =>
      [...name].flatMap((letter, index) =>
        spellings.map((spell) => {
          const spelled = spell(letter, letter.charCodeAt(0).toString(16));
          return joined(
            names.map((own, place) => (place === at ? own.slice(0, index) + spelled + own.slice(index + 1) : own)),
          );
        }),
      ),
    ),
    ...names.map((name, at) => joined(names.map((own, place) => (place === at ? name.toUpperCase() : own)))),
    path.toUpperCase(),
    '/api/v2/workout',
  ]),
].filter((target) => target !== path);
