import { splitTarget, withoutSlash, withQuery } from '../support/requests.js';

/** Rewrites of the path of a request target. */

/** The indexes of the segments that are not empty. */
export const places = (path: string): number[] =>
  path.split('/').flatMap((segment, index) => (index > 0 && segment !== '' ? [index] : []));

export const spellPath =
  (rewrite: (path: string) => string) =>
  (target: string): string => {
    const [path, query] = splitTarget(target);
    return `${rewrite(path)}${query}`;
  };

/** Inserts a segment before the one at `index`. */
export const insertBefore = (index: number, inserted: string) =>
  spellPath((path) => {
    const segments = path.split('/');
    return [...segments.slice(0, index), inserted, ...segments.slice(index)].join('/');
  });

export const rewriteSegment = (index: number, rewrite: (segment: string) => string) =>
  spellPath((path) => {
    const segments = path.split('/');
    return segments.with(index, rewrite(segments[index] ?? '')).join('/');
  });

/** Rewrites the last segment that is not empty. */
export const rewriteLastName =
  (rewrite: (segment: string) => string) =>
  (path: string): string => {
    const last = places(path).at(-1);
    return last === undefined ? path : rewriteSegment(last, rewrite)(path);
  };

/**
 * Encodes the first letter or digit that is not encoded yet (`%C3%A9x` becomes `%C3%A9%78`). A
 * placeholder (`<ID>`) stays as it is: the letters in it are not those of the path.
 */
const encodingFirst =
  (encode: (code: number) => string) =>
  (segment: string): string =>
    segment.startsWith('<')
      ? segment
      : segment.replace(/(?<!%[0-9a-f]?)[a-z0-9]/i, (letter) => encode(letter.charCodeAt(0)));

const hex = (code: number): string => code.toString(16);

export const encodeFirst = encodingFirst((code) => `%${hex(code)}`);

/** The same with the percent sign encoded too. */
export const encodeFirstTwice = encodingFirst((code) => `%25${hex(code)}`);

/** In two bytes of UTF-8 where one would do. */
export const encodeFirstOverlong = encodingFirst((code) => `%${hex(0xc0 | (code >> 6))}%${hex(0x80 | (code & 0x3f))}`);

/**
 * Replaces the first letter of the last name by its fullwidth form (U+FF01 to U+FF5E), which is the
 * letter again after the normalisation NFKC. Placeholders stay as they are.
 */
export const withFullwidthLetter = (path: string): string =>
  path.replace(/\/([a-z])([^/<>]*\/?)$/i, (_all, letter: string, rest: string) => {
    const fullwidth = String.fromCharCode(letter.charCodeAt(0) + 0xfee0);
    return `/${encodeURIComponent(fullwidth)}${rest}`;
  });

/**
 * Replaces the slash before the last segment. Everything before it stays, so that a proxy still
 * finds the service. The first slash of a target cannot be replaced, so a path of one segment uses
 * its last slash.
 */
export const withBackslash = (path: string): string => {
  const last = places(path).at(-1) ?? 0;
  if (last <= 1) return path.replace(/(.)\/$/, '$1\\');
  const segments = path.split('/');
  return `${segments.slice(0, last).join('/')}\\${segments.slice(last).join('/')}`;
};

/** Replaces every slash but the first. */
export const withBackslashes = (path: string): string => `/${path.slice(1).replaceAll('/', '\\')}`;

/**
 * Puts `../` inside every name. What removes these three characters, and does no more, makes the
 * path out of it.
 */
export const withParentInNames = (path: string): string =>
  path.replaceAll(/(?<=\/)[a-z0-9](?=[^/<>]*(?:\/|$))/gi, '$&../');

/** Another spelling of a request target, which may get past a guard that compares strings. */
export interface Spelling {
  readonly words: string;
  /** Its name in the battery, if `words` name a segment. */
  readonly trick?: string;
  /** What it does, whatever the segment, if `words` name one. */
  readonly way?: string;
  /** The end of a title, without names of segments: `with // in the path`. */
  readonly how: string;
  /** Rewrites a target in that way: the operation's, or that of a missing path. */
  readonly spell: (target: string) => string;
  /** It leads to the path of another resource, where only what the key gets at the own one counts. */
  readonly leadsElsewhere?: true;
  /** The answer may have another format. */
  readonly changesForm?: true;
}

/** A spelling that rewrites the path as a whole. */
export const whole = (words: string, how: string, rewrite: (path: string) => string): Spelling => ({
  words,
  how,
  spell: spellPath(rewrite),
});

/** Other ends of a path or a target, which a router, a file system or a server may drop. */

export const withLastSlash = whole(
  'the path with a slash at its end',
  'with a slash at the end of the path',
  (path) => `${path}/`,
);
export const withoutLastSlash = whole(
  'the path without its last slash',
  'without the last slash of the path',
  withoutSlash,
);

/** Other endings of a path that ends with a slash. */
const lastSlash: readonly Spelling[] = [
  withoutLastSlash,
  whole('the path with an encoded last slash', 'with an encoded slash in the path', (path) =>
    path.replace(/\/$/, '%2f'),
  ),
  whole('the path with two slashes at its end', 'with // in the path', (path) => `${path}/`),
  whole('the path with /./ at its end', 'with /./ in the path', (path) => `${path}./`),
  // A path parameter that servlet containers take for a session.
  whole('the path with ;jsessionid=x at its end', 'with ;jsessionid=x in the path', (path) => `${path};jsessionid=x`),
];

/** One that begins with a slash stands in place of the last slash. */
const ending = (end: string): Spelling =>
  whole(
    `the path with ${end} at its end`,
    `with ${end} at the end of the path`,
    (path) => `${end.startsWith('/') ? withoutSlash(path) : path}${end}`,
  );

/**
 * A dot segment at the end is removed as any other (RFC 3986, section 5.2.4). Many guards let
 * through what names a log-in.
 */
const dotSegments = ['/.', '/%2e', '/login/..'].map(ending);

/**
 * White space, which servers trim, and what may end a path: NUL, what is decoded to a `?` or `;`,
 * and a fragment, which no request target has (RFC 9112, section 3.2). A guard may take what follows
 * for the end of the name of a static file. A pattern that ends with `$` also fits in front of a
 * line break.
 */
const characters = ['%20', '%09', '%0a', '%00.css', '%3fx.css', '%3bx.css', '#x.css'].map(ending);

/** What a server reads where the path names a folder. A guard of that path alone does not see it. */
const indexFiles = ['/index.php', '/index.json'].map(ending);

/** Some guards allow targets that end with the name of a static file. */
const staticFiles: readonly Spelling[] = [
  ...[';x.css', '/x.css'].map(ending),
  { words: 'the query ?x.css', how: 'with ?x.css', spell: (target) => withQuery(target, ['x.css']) },
];

/** The same behind a name, where a router takes what follows a dot for a format. */
const asStaticFile = whole(
  'the path with .css after its last name',
  'with .css at the end of the path',
  (path) => `${withoutSlash(path)}.css`,
);

/** Windows drops a dot at the end of a name. */
const dotAfterName = whole(
  'the path with a dot after its last name',
  'with a dot after the last name of the path',
  (path) => path.replace(/\/?$/, '.$&'),
);

const emptyQuery: Spelling = {
  words: 'an empty query',
  how: 'with an empty query',
  spell: (target) => (target.includes('?') ? target : `${target}?`),
};

/** Other ends of a path that has a name, or of the root. */
export const endingsOf = (path: string): readonly Spelling[] => [
  ...(path.endsWith('/') ? lastSlash : [withLastSlash]),
  ...dotSegments,
  ...characters,
  emptyQuery,
  ...(/[^/]/.test(path) ? [dotAfterName, asStaticFile, ...indexFiles] : []),
  ...staticFiles,
];

/** Spellings that name an open path, which a guard may look for in the target. */

/** Paths that go from a public path up to the common prefix, and down to the operation. */
const outOf = (publicPath: string, path: string): Spelling[] => {
  const open = withoutSlash(publicPath);
  const from = open.split('/');
  const common = Math.max(
    1,
    from.findIndex((segment, index) => segment !== path.split('/')[index]),
  );
  const climb = from.length - common;
  const down = (all: string): string => all.split('/').slice(common).join('/');
  const up = (step: string, slash = '/'): string => Array.from({ length: climb }, () => step).join(slash);
  const climbing = (words: string, steps: string, slash = '/'): Spelling =>
    whole(
      `a path that leads out of a public one with ${words}`,
      `by way of a public path and ${words}`,
      (all) => `${open}/${steps}${slash}${down(all)}`,
    );
  return [
    climbing('..', up('..')),
    climbing('..;', up('..;')),
    climbing('..%2f', up('..'), '%2f'),
    climbing('..%252f', up('..', '%252f'), '%252f'),
    climbing('%2e%2e', up('%2e%2e')),
    climbing('%2e%2e%2f', up('%2e%2e', '%2f'), '%2f'),
    // A proxy that maps `/open` to `/files/` turns `/open..` into `/files/..`.
    whole(
      'a path that leads out of a public one with .. behind its name',
      'by way of a public path and .. behind its name',
      (all) => `${open}${up('..')}/${down(all)}`,
    ),
  ];
};

/** Folders that many guards leave open, whatever the contract says. */
const openFolders = ['/static', '/public', '/login', '/health', '/docs', '/.well-known'] as const;

/** Number of public paths of the contract that one query names. */
const mostNamed = 4;

/**
 * Spellings that name folders that are often open, and those that name the public paths.
 * @param publicTargets targets that anybody may read
 */
export const spellingsWithOpenPaths = (publicTargets: readonly string[], path: string): readonly Spelling[] => {
  const open = [...new Set(publicTargets.map((target) => splitTarget(target)[0]))];
  const [first] = open;
  const named = [...openFolders.map((one) => `${one}/`), ...open.slice(0, mostNamed)];
  return [
    {
      words: 'public paths in the query',
      how: 'with public paths in the query',
      spell: (target) =>
        withQuery(
          target,
          named.map((one, index) => `x${index + 1}=${one}`),
        ),
    },
    whole(
      'a path that leads out of folders that are often open with ..',
      'by way of a folder that is often open and ..',
      (all) => `${openFolders.map((one) => `${one}/..`).join('')}${all}`,
    ),
    ...(first === undefined ? [] : [...outOf(first, path), withPathBehind(first)]),
  ];
};

/** A router may take everything below a path, and a guard leave out what ends like a public one. */
const withPathBehind = (publicPath: string): Spelling => ({
  ...whole(
    'the path with a public path behind it',
    'with a public path behind the path',
    (all) => `${withoutSlash(all)}${publicPath}`,
  ),
  leadsElsewhere: true,
});
