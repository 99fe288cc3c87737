import { guardingOnePath, lettingIn, type Override, paths, resourceAt } from '../behaviour.js';
import { combine, type FaultDefinition, faultsOf, type Unnamed, withNames } from '../definitions.js';
import { undo } from '../messages.js';

/** Faults where the access check compares the path as text, and the router normalises it. */

/** The router applies `meaningOf` to all paths; the access check guards some of them. */
const routing =
  (meaningOf: (path: string) => string, isGuarded: (path: string) => boolean): Override =>
  (base) => ({
    route: (call) => base.route(call) ?? (call.path === null ? undefined : resourceAt(meaningOf(call.path))),
    guards: (call, resource) => base.guards(call, resource) && isGuarded(call.path ?? ''),
  });

/** The access check knows only the documented path; the router applies `meaningOf` first. */
const routerUndoes = (meaningOf: (path: string) => string): Override =>
  routing(meaningOf, (path) => path === paths.workout);

/**
 * The router replaces what fits the pattern before it looks the path up; the access check does not.
 */
const replaces = (pattern: RegExp, replacement: string): Override =>
  routerUndoes((path) => path.replace(pattern, replacement));

/** The access check leaves out some paths; the router applies `meaningOf` to all. */
const leavesOut = (isLeftOut: (path: string) => boolean, meaningOf: (path: string) => string): Override =>
  routing(meaningOf, (path) => !isLeftOut(path));

const isStyleSheet = (path: string): boolean => path.endsWith('.css');

const fault = faultsOf('AUTH-3', 'refuses-other-spellings');
const unlikeGuard = (does: string, override: Override): Unnamed<FaultDefinition> =>
  fault(`The router ${does}, the guard does not.`, override);
const replacing = (does: string, pattern: RegExp, replacement = ''): Unnamed<FaultDefinition> =>
  unlikeGuard(does, replaces(pattern, replacement));

/**
 * The guard lets through whatever begins with a public path; the router resolves that afterwards.
 */
const behindPublicPath = (does: string, meaningOf: (path: string) => string): Unnamed<FaultDefinition> =>
  fault(
    `The guard lets through whatever begins with a public path, and the router ${does}.`,
    routerUndoes((path) => (path.startsWith(paths.exercise) ? meaningOf(path) : path)),
  );

const decodePercent = (path: string): string => path.replace(/%25/g, '%');

const letterOf = (code: number): string => String.fromCharCode(code);

const dropParents = (path: string): string => path.replace(/\/[^/]+\/\.\.(?=\/)/g, '');

/** Segments such as `(S(lit3py55t21z5v55vlm25s55))`. */
const sessionSegments = /\/\([A-Z]\([^/()]*\)\)(?=\/)/g;

export const pathSpellingFaults = withNames<FaultDefinition>({
  'double-slash-opens': unlikeGuard('merges slashes', routerUndoes(undo.mergeSlashes)),
  'older-version-opens': fault(
    'The version before is still served, and without a guard.',
    routerUndoes((path) => path.replace('/api/v1/', '/api/v2/')),
  ),
  'dot-segment-opens': replacing('drops `/./`', /(?:\/\.)+(?=\/)/g),
  'parent-segment-opens': unlikeGuard('resolves `/x/../`', routerUndoes(dropParents)),
  'encoded-dot-segment-opens': replacing('decodes `/%2e/` and drops it', /(?:\/%2e)+(?=\/)/gi),
  'encoded-parent-segment-opens': replacing('decodes `%2e%2e` and resolves it', /\/[^/]+\/%2e%2e(?=\/)/gi),
  'parent-of-public-opens': fault(
    'The guard lets through whatever begins with a public path, and the router resolves `..` afterwards.',
    routerUndoes((path) =>
      path.startsWith(paths.exercise) || path.startsWith(paths.ingredient) ? dropParents(path) : path,
    ),
  ),
  'parent-behind-public-name-opens': fault(
    'The proxy makes `/exercise/..` of `/exercise..` for what begins with a public name, and asks for no key there.',
    routerUndoes((path) => {
      const open = paths.exercise.replace(/\/$/, '');
      return path.startsWith(`${open}..`) ? dropParents(path.replace(open, `${open}/`)) : path;
    }),
  ),
  'parent-of-static-files-opens': fault(
    'The guard lets through whatever begins with the folder of static files, and the router resolves `..` afterwards.',
    routerUndoes((path) => (path.startsWith('/static/') ? path.replaceAll(/\/[^/]+\/\.\.(?=\/)/g, '') : path)),
  ),
  'parent-in-name-opens': fault(
    'The file server removes every `../`, and no more, from a path that the guard has compared before.',
    replaces(/\.\.\//g, ''),
  ),
  'encoded-parent-opens': behindPublicPath('decodes `%2e%2e` and resolves it afterwards', (path) =>
    dropParents(path.replace(/%2e/gi, '.')),
  ),
  'twice-encoded-parent-of-public-opens': behindPublicPath('decodes twice before it resolves `..`', (path) =>
    path.replace(/\/[^/]+\/\.\.%252f/gi, '/'),
  ),
  'encoded-parent-and-slash-of-public-opens': behindPublicPath('decodes `%2e%2e%2f` and resolves it', (path) =>
    path.replace(/\/[^/]+\/%2e%2e%2f/gi, '/'),
  ),
  'utf16-parent-of-public-opens': {
    ...behindPublicPath('decodes `%u002e` and resolves the dots', (path) =>
      dropParents(path.replaceAll(/%u002e/gi, '.')),
    ),
    counterpart: {
      name: 'decodes-dots-in-any-form',
      title: 'Decodes dots in UTF-16 and in overlong UTF-8, resolves them, and guards what is found.',
      override: (base) => ({
        route: (call) =>
          base.route(call) ?? resourceAt(dropParents((call.path ?? '').replaceAll(/%u002e|%c0%ae/gi, '.'))),
      }),
    },
  },
  'overlong-parent-of-public-opens': behindPublicPath('decodes overlong UTF-8 and resolves the dots', (path) =>
    dropParents(path.replaceAll(/%c0%ae/gi, '.')),
  ),
  'parent-with-semicolon-opens': fault(
    'The router takes `..;` for `..`, the guard for a name.',
    routerUndoes((path) => path.replace(/\/[^/]+\/\.\.;[^/]*(?=\/)/g, '').replace(/^(?:\/\.\.;[^/]*)+(?=\/)/, '')),
  ),
  'path-parameter-opens': unlikeGuard(
    'drops what follows a semicolon in a segment',
    routerUndoes((path) => path.replace(/;[^/]*/g, '').replace(/\/{2,}$/, '/')),
  ),
  'path-parameter-at-end-opens': replacing(
    'drops what follows a semicolon right after the last slash',
    /\/;[^/]*$/,
    '/',
  ),
  'session-in-path-opens': fault(
    'A session in the path counts as one that is logged in, and the router drops it.',
    replaces(/;jsessionid=[^/]+$/, ''),
  ),
  'session-segment-opens': {
    ...replacing('takes a session out of the path', sessionSegments),
    counterpart: {
      name: 'takes-sessions-out-of-paths',
      title: 'Takes a session out of the path, and guards what is found without it.',
      override: (base) => ({
        route: (call) => base.route(call) ?? resourceAt((call.path ?? '').replace(sessionSegments, '')),
      }),
    },
  },
  'path-parameter-segment-opens': replacing('drops a segment that begins with a semicolon', /\/;[^/]*(?=\/)/g),
  'encoded-path-parameter-opens': replacing('drops what follows an encoded semicolon in a segment', /%3b[^/]*/gi),
  'encoded-path-parameter-at-end-opens': replacing(
    'cuts the path at an encoded semicolon behind the last slash',
    /(?<=\/)%3b.*$/i,
  ),
  'dot-at-end-opens': replacing('drops `/.` at the end of the path', /\/\.$/, '/'),
  'encoded-dot-at-end-opens': replacing('decodes `/%2e` at the end of the path and drops it', /\/%2e$/i, '/'),
  'parent-at-end-opens': replacing('resolves `/x/..` at the end of the path', /\/[^/]+\/\.\.$/, '/'),
  'fragment-at-end-opens': fault(
    'The router drops a fragment, the guard compares the target with it.',
    replaces(/#.*$/, ''),
  ),
  'encoded-query-at-end-opens': replacing('decodes `%3f` and takes what follows for the query', /%3f.*$/i),
  'tab-at-end-opens': replacing('trims a tab from the path', /(?:%09)+$/),
  'space-at-end-opens': replacing('trims the path', /(?:%20)+$/),
  'nul-at-end-opens': fault(
    'For the router the path ends at a NUL byte, for the guard it does not.',
    replaces(/%00.*$/, ''),
  ),
  'line-break-at-end-opens': fault(
    'The guard’s pattern ends with `$`, and so fits in front of a line break; the router trims the path.',
    replaces(/(?:%0a)+$/i, ''),
  ),
  'dot-after-name-opens': fault(
    'The file system drops a dot at the end of a name, the guard does not.',
    replaces(/(?<=[^/])\.(?=\/?$)/, ''),
  ),
  'fullwidth-letter-opens': unlikeGuard(
    'normalises letters (NFKC)',
    routerUndoes((path) => path.replace(/%ef%b[cd]%[0-9a-f]{2}/gi, decodeURIComponent).normalize('NFKC')),
  ),
  'empty-query-opens': fault(
    'The guard compares the whole target, and a question mark at its end makes another one.',
    lettingIn(({ target }) => target.endsWith('?')),
  ),
  'encoded-slash-opens': replacing('decodes `%2f`', /%2f/gi, '/'),
  'encoded-slash-in-front-opens': replacing('decodes a slash behind the first one and merges both', /^\/%2f/i, '/'),
  'twice-encoded-slash-opens': fault(
    'The router decodes `%252f` twice, the guard once.',
    replaces(/(?<=\w)%252f(?=\w)/gi, '/'),
  ),
  'overlong-letter-opens': unlikeGuard(
    'decodes overlong UTF-8',
    routerUndoes((path) =>
      path.replace(/%c1%([89ab][0-9a-f])/gi, (_all, low) => letterOf(Number.parseInt(low, 16) - 0x40)),
    ),
  ),
  'encoded-letter-opens': unlikeGuard('decodes letters', routerUndoes(undo.decodeLetters)),
  'twice-encoded-letter-opens': fault(
    'The path is decoded once in front of the guard and once more behind it.',
    routerUndoes((path) => (path.includes('%25') ? undo.decodeLetters(decodePercent(path)) : path)),
  ),
  'upper-case-opens': fault('The router does not care about case, the guard does.', routerUndoes(undo.ignoreCase)),
  'no-slash-opens': unlikeGuard('also finds the path without its last slash', routerUndoes(undo.addLastSlash)),
  'json-suffix-opens': fault(
    'The router takes `.json` for a wish about the format, the guard for another path.',
    replaces(/\/?\.json\/?$/, '/'),
  ),
  'format-query-opens': fault(
    'With `?format=json` an old export answers, which asks for no key.',
    lettingIn(({ query }) => query.get('format') === 'json'),
  ),
  'public-path-in-query-opens': fault(
    'The guard lets through every request in whose target it finds the path of something public, be it in the query.',
    lettingIn(({ target }) => target.includes(paths.ingredient)),
  ),
  'style-sheet-suffix-opens': fault(
    'The guard lets through what ends like a style sheet, and the router drops what follows a semicolon.',
    leavesOut(isStyleSheet, (path) => path.replace(/;.*$/, '')),
  ),
  'style-sheet-below-opens': fault(
    'The guard lets through what ends like a style sheet, and the router gives the list for whatever stands below it.',
    leavesOut(isStyleSheet, (path) => path.replace(/(?<=\/)\w+\.css$/, '')),
  ),
  'style-sheet-name-opens': fault(
    'The guard lets through what ends like a style sheet, and the router takes what follows a dot for a format.',
    leavesOut(isStyleSheet, (path) => path.replace(/(?<=[^/])\.\w+$/, '/')),
  ),
  'style-sheet-query-opens': fault(
    'The guard lets through every target that ends like a static file, and counts the query in.',
    lettingIn(({ target }) => /\.(?:css|js|png)$/.test(target)),
    // The read that a cache may keep has such a target too, and is sent first.
    { checks: ['refuses-leftovers'] },
  ),
  'backslash-opens': unlikeGuard(
    'takes a backslash for a slash',
    routerUndoes((path) => path.replaceAll('\\', '/')),
  ),
  'backslashes-open': fault(
    'The guard stops what begins with `/api/`, and the router takes a backslash for a slash.',
    leavesOut(
      (path) => !path.startsWith('/api/'),
      (path) => path.replaceAll('\\', '/'),
    ),
  ),
  'absolute-form-opens': fault(
    'The guard compares the whole request target, so that its absolute form is no path that it knows.',
    lettingIn(({ target }) => /^https?:/i.test(target)),
  ),
  'index-file-opens': fault(
    'The guard sits on the folder, and the file in it is served under its own name as well.',
    replaces(/\/index\.json$/, '/'),
  ),
  'public-path-behind-opens': fault(
    'The guard leaves out what ends like a public path, and the router takes everything below the workouts.',
    leavesOut(
      (path) => path.endsWith(paths.exercise),
      (path) => (path.startsWith(paths.workout) ? paths.workout : path),
    ),
  ),
  'behind-script-opens': fault(
    'The guard looks at the path, in front of which the name of the script may stand that serves all paths.',
    replaces(/^\/index\.php(?=\/)/, ''),
  ),
  'path-in-query-opens': fault(
    'A script takes the path from the query, and the guard looks at the path.',
    combine(guardingOnePath, (base) => ({
      route: (call) => base.route(call) ?? (call.path === '/' ? resourceAt(call.query.get('url')) : undefined),
    })),
  ),
});
