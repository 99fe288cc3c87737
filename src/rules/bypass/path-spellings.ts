import { withQuery } from '../../urls.js';
import type { Deployment } from '../rule.js';
import { nonce } from '../support/nonce.js';
import { splitBase, splitTarget, withoutSlash } from '../support/targets.js';
import { spellingsWithOpenPaths } from './open-paths.js';
import { endingsOf, withLastSlash, withoutLastSlash } from './path-endings.js';
import {
  encodeFirst,
  encodeFirstOverlong,
  encodeFirstTwice,
  insertBefore,
  pathSpelling,
  rewriteLastName,
  rewriteSegment,
  type Spelling,
  segmentIndexes,
  spellPath,
  withBackslash,
  withBackslashes,
  withFullwidthLetter,
  withParentInNames,
} from './path-rewrites.js';

/** Other spellings of a path. A guard may not recognise them although the service does. */

const suffixes = ['.json', '.json/', '.csv', '.xml'] as const;
const formats = ['json', 'csv', 'xml', 'html'] as const;

/** Suffixes and queries by which frameworks choose the format: other code may answer. */
const otherFormats = (path: string, deployment: Deployment): readonly Spelling[] =>
  [
    // The root has no name that a suffix could follow.
    ...(segmentIndexes(path).length === 0 ? [] : suffixes).map((suffix) => ({
      words: `the path with ${suffix.replace(/\/$/, ' and a slash')} at its end`,
      how: `with ${suffix} at the end of the path`,
      spell: spellPath((all) => `${withoutSlash(all)}${suffix}`),
    })),
    ...formats.map((format) => ({
      words: `the query ?format=${format}`,
      how: `with ?format=${format}`,
      spell: (target: string) => withQuery(target, [`format=${format}`]),
    })),
    {
      words: 'the query ?callback=, ?jsonp= and ?cb=',
      how: 'with ?callback=, ?jsonp= and ?cb=',
      spell: (target: string) =>
        withQuery(
          target,
          ['callback', 'jsonp', 'cb'].map((name) => `${name}=f${nonce(deployment, 'callback')}`),
        ),
    },
  ].map((spelling) => ({ ...spelling, changesForm: true }));

/**
 * All spellings of a target.
 * @param publicTargets targets that anybody may read
 */
export const spellingsOf = (
  target: string,
  deployment: Deployment,
  publicTargets: readonly string[],
): readonly Spelling[] => {
  const [path] = splitTarget(target);
  return [
    ...inSegments(path),
    ...inNames,
    ...endingsOf(path),
    ...otherFormats(path, deployment),
    behindScript(deployment),
    inQueryAlone(deployment),
    {
      words: 'the absolute form of the request target',
      how: 'with the whole URL in the request line',
      spell: (all: string) => `${deployment.origin}${all}`,
    },
    ...spellingsWithOpenPaths(publicTargets, path),
  ].filter(changesTarget(target));
};

/** Scripts that serve all paths find the one behind their name (RFC 3875, section 4.1.5). */
const behindScript = (deployment: Pick<Deployment, 'basePath'>): Spelling =>
  pathSpelling('the path behind the name of a script', 'behind /index.php', (path) =>
    splitBase(path, deployment).join('/index.php'),
  );

/** Names under which scripts that serve all paths take one from the query. */
const pathParameters = ['rest_route', 'route', 'url', '_url', 'q', 'r', 'path'] as const;

const inQueryAlone = (deployment: Pick<Deployment, 'basePath'>): Spelling => ({
  words: 'the base path with the path in the query',
  how: 'with the path in the query alone',
  leadsElsewhere: true,
  spell: (target) => {
    const [, below] = splitBase(splitTarget(target)[0], deployment);
    const path = below.replaceAll('&', '%26');
    return withQuery(
      `${deployment.basePath}/`,
      pathParameters.map((name) => `${name}=${path}`),
    );
  },
});

/** One spelling of each kind, for rules that send only few. */
export const fewSpellingsOf = (target: string): readonly Pick<Spelling, 'how' | 'spell'>[] => {
  const [path] = splitTarget(target);
  const [first, ...more] = segmentIndexes(path);
  // The slash is not doubled at the start: `//path` in a Location would name a host.
  const last = more.at(-1);
  const few = [
    ...(last === undefined ? [] : [{ how: 'with // in the path', spell: insertBefore(last, '') }]),
    ...(first === undefined
      ? []
      : [
          { how: 'with ;x in the path', spell: rewriteSegment(first, withParameter) },
          { how: 'with an encoded letter in the path', spell: rewriteSegment(first, encodeFirst) },
        ]),
  ];
  const end = path.endsWith('/') ? withoutLastSlash : withLastSlash;
  return [...few, inUpperCase, end].filter(changesTarget(target));
};

/** The path with a second slash in front. As a reference, it would name a host. */
export const withTwoSlashes = spellPath((path) => `/${path}`);

/** Whether a spelling changes the target: digits have no upper case. Its path must not be empty. */
const changesTarget =
  (target: string) =>
  ({ spell }: Pick<Spelling, 'spell'>): boolean => {
    const spelled = spell(target);
    return spelled !== target && splitTarget(spelled)[0] !== '';
  };

const withParameter = (segment: string): string => `${segment};x`;
const upperCased = (text: string): string => text.toUpperCase();

const inUpperCase = pathSpelling('the whole path in upper case', 'with the path in upper case', upperCased);

/** Spellings of letters that decoders take for the letter itself, and of the slash. */
const inNames: readonly Spelling[] = [
  inUpperCase,
  pathSpelling(
    'the path with a letter in its fullwidth form',
    'with a fullwidth letter in the path',
    withFullwidthLetter,
  ),
  // RFC 3629, section 3, forbids it, and lax decoders take it.
  pathSpelling(
    'the path with a letter in overlong UTF-8',
    'with a letter in overlong UTF-8 in the path',
    rewriteLastName(encodeFirstOverlong),
  ),
  // An encoded path parameter.
  pathSpelling(
    'the path with %3bx after its last name',
    'with %3bx in the path',
    rewriteLastName((name) => `${name}%3bx`),
  ),
  pathSpelling('the path with a backslash for a slash', 'with a backslash in the path', withBackslash),
  pathSpelling('the path with backslashes for its slashes', 'with backslashes in the path', withBackslashes),
  pathSpelling('the path with ../ inside its names', 'with ../ inside the names of the path', withParentInNames),
];

/** Puts this code in place of the slash before a segment, or behind the first slash. */
const encodeSlash = (code: string, first: number | undefined) => (index: number) =>
  spellPath((path) => {
    const segments = path.split('/');
    return index === first
      ? segments.with(index, `${code}${segments[index]}`).join('/')
      : segments.toSpliced(index - 1, 2, `${segments[index - 1]}${code}${segments[index]}`).join('/');
  });

const insert = (inserted: string) => (index: number) => insertBefore(index, inserted);

const rewrite = (change: (segment: string) => string) => (index: number) => rewriteSegment(index, change);

/** Spellings of one segment, for each segment where they are possible. */
const inSegments = (path: string): readonly Spelling[] => {
  const every = segmentIndexes(path);
  const [first, ...later] = every;
  // A guard that compares strings looks at how a path begins, or at how it ends.
  const [beginning, end] = [every.slice(0, 1), every.slice(-1)];
  /** A spelling for each of these segments, which stands for `{}` in the words. */
  const at = (
    where: readonly number[],
    words: string,
    spell: (index: number) => Spelling['spell'],
    how = `with ${words.replace(/ \w+ \{\}$/, '')} in the path`,
  ): Spelling[] =>
    where.map((index) => {
      const named = (segment: string): string => `the path with ${words.replace('{}', () => segment)}`;
      return {
        words: named(`"${path.split('/')[index] ?? ''}"`),
        // Segments are numbered from the front, where operations of one gate are alike.
        trick: named(`segment ${every.indexOf(index) + 1}`),
        way: named('a segment'),
        how,
        spell: spell(index),
      };
    });
  return [
    at(every, '// before {}', insert('')),
    at(every, '/./ before {}', insert('.')),
    at(beginning, '/%2e/ before {}', insert('%2e')),
    at(every, '/x/../ before {}', insert('x/..')),
    at(end, '/x/%2e%2e/ before {}', insert('x/%2e%2e')),
    at(every, '/x/..;/ before {}', insert('x/..;')),
    at(beginning, '/;/ before {}', insert(';')),
    // A session that ASP.NET takes out of the path.
    at(beginning, '/(S(x))/ before {}', insert('(S(x))')),
    at(every, ';x after {}', rewrite(withParameter)),
    at(every, 'an encoded letter in {}', rewrite(encodeFirst)),
    at(every, 'a twice encoded letter in {}', rewrite(encodeFirstTwice)),
    at(every, '{} in upper case', rewrite(upperCased), 'with the path in upper case'),
    at(every, 'an encoded slash before {}', encodeSlash('%2f', first)),
    at(later.slice(-1), 'a twice encoded slash before {}', encodeSlash('%252f', first)),
  ].flat();
};
