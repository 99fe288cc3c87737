import { withQuery } from '../../urls.js';
import { withoutSlash } from '../support/targets.js';
import { pathSpelling, type Spelling } from './path-rewrites.js';

/** Other ends of a path or a target, which a router, a file system or a server may drop. */

export const withLastSlash = pathSpelling(
  'the path with a slash at its end',
  'with a slash at the end of the path',
  (path) => `${path}/`,
);
export const withoutLastSlash = pathSpelling(
  'the path without its last slash',
  'without the last slash of the path',
  withoutSlash,
);

/** The last slash encoded, or an encoded slash at the end of a path without one. */
const withEncodedLastSlash = pathSpelling(
  'the path with an encoded last slash',
  'with an encoded slash in the path',
  (path) => `${withoutSlash(path)}%2f`,
);

/** Other endings of a path that ends with a slash. */
const lastSlash: readonly Spelling[] = [
  withoutLastSlash,
  withEncodedLastSlash,
  pathSpelling('the path with two slashes at its end', 'with // in the path', (path) => `${path}/`),
  pathSpelling('the path with /./ at its end', 'with /./ in the path', (path) => `${path}./`),
  // A path parameter that servlet containers take for a session.
  pathSpelling(
    'the path with ;jsessionid=x at its end',
    'with ;jsessionid=x in the path',
    (path) => `${path};jsessionid=x`,
  ),
];

/** An ending that begins with a slash replaces the last slash. */
const ending = (end: string): Spelling =>
  pathSpelling(
    `the path with ${end} at its end`,
    `with ${end} at the end of the path`,
    (path) => `${end.startsWith('/') ? withoutSlash(path) : path}${end}`,
  );

/** Dot segments, which are removed (RFC 3986, section 5.2.4), also behind a log-in. */
const dotSegments = ['/.', '/%2e', '/login/..'].map(ending);

/**
 * Characters that may end a path: white space, which servers trim; NUL; an encoded `?` or `;`; and
 * a fragment, which no request target has (RFC 9112, section 3.2). A guard may take what follows
 * for the end of a static file's name. A pattern that ends with `$` also matches before a line
 * break.
 */
const characters = ['%20', '%09', '%0a', '%00.css', '%3fx.css', '%3bx.css', '#x.css'].map(ending);

/**
 * Files that a server reads if the path names a folder. A guard of the folder's path does not see
 * them.
 */
const indexFiles = ['/index.php', '/index.json'].map(ending);

/** Some guards allow targets that end with the name of a static file. */
const staticFiles: readonly Spelling[] = [
  ...[';x.css', '/x.css'].map(ending),
  { words: 'the query ?x.css', how: 'with ?x.css', spell: (target) => withQuery(target, ['x.css']) },
];

/** The same after a name, where a router takes the text after a dot for a format. */
const asStaticFile = pathSpelling(
  'the path with .css after its last name',
  'with .css at the end of the path',
  (path) => `${withoutSlash(path)}.css`,
);

/** Windows drops a dot at the end of a name. */
const dotAfterName = pathSpelling(
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
  ...(path.endsWith('/') ? lastSlash : [withLastSlash, withEncodedLastSlash]),
  ...dotSegments,
  ...characters,
  emptyQuery,
  ...(/[^/]/.test(path) ? [dotAfterName, asStaticFile, ...indexFiles] : []),
  ...staticFiles,
];
