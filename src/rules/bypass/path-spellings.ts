import type { Deployment } from '../rule.js';
import { nonce, splitTarget, withQuery } from '../support/targets.js';
import {
  encodeFirst,
  encodeFirstTwice,
  insertBefore,
  places,
  rewriteSegment,
  spellPath,
  withBackslash,
  withFullwidthLetter,
} from './path-rewrites.js';

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
  /** The answer may have another format. */
  readonly changesForm?: true;
}

/** The segment at `index`, quoted: `"workout"`. */
const at = (path: string, index: number): string => `"${path.split('/')[index] ?? ''}"`;

/** All spellings of a target. `publicPath` is a path that anybody may read, if there is one. */
export const spellingsOf = (
  target: string,
  deployment: Deployment,
  publicPath: string | undefined,
): readonly Spelling[] => allSpellings(target, deployment, publicPath).filter(changesTarget(target));

/** One spelling of each kind, for rules that ask for few. */
export const fewSpellingsOf = (target: string): readonly Pick<Spelling, 'how' | 'spell'>[] => {
  const [path] = splitTarget(target);
  const [first, ...more] = places(path);
  // The slash is not doubled at the start: `//path` in a Location would name a host.
  const last = more.at(-1);
  const inSegments = [
    ...(last === undefined ? [] : [{ how: 'with // in the path', spell: insertBefore(last, '') }]),
    ...(first === undefined
      ? []
      : [{ how: 'with an encoded letter in the path', spell: rewriteSegment(first, encodeFirst) }]),
  ];
  const end = path.endsWith('/') ? withoutLastSlash : withLastSlash;
  return [...inSegments, inUpperCase, end].filter(changesTarget(target));
};

/** The path with a second slash in front of it. As a reference, it would name a host. */
export const withTwoSlashes = spellPath((path) => `/${path}`);

/** Whether a spelling changes the target: digits have no upper case. Its path must not be empty. */
const changesTarget =
  (target: string) =>
  ({ spell }: Pick<Spelling, 'spell'>): boolean => {
    const spelled = spell(target);
    return spelled !== target && splitTarget(spelled)[0] !== '';
  };

const suffixes = ['.json', '.json/', '.csv', '.xml'] as const;
const formats = ['json', 'csv', 'xml', 'html'] as const;

/**
 * Suffixes and queries by which frameworks choose the format. An export or a renderer may lack a
 * guard.
 */
const otherForms = (path: string, deployment: Deployment): readonly Spelling[] =>
  [
    // The root has no name that a suffix could follow.
    ...(places(path).length === 0 ? [] : suffixes).map((suffix) => ({
      words: `the path with ${suffix.replace(/\/$/, ' and a slash')} at its end`,
      how: `with ${suffix} at the end of the path`,
      spell: spellPath((whole) => `${whole.replace(/\/$/, '')}${suffix}`),
    })),
    ...formats.map((format) => ({
      words: `the query ?format=${format}`,
      how: `with ?format=${format}`,
      spell: (whole: string) => withQuery(whole, [`format=${format}`]),
    })),
    {
      words: 'the query ?callback=',
      how: 'with ?callback=',
      spell: (whole: string) => withQuery(whole, [`callback=f${nonce(deployment, 'callback')}`]),
    },
  ].map((spelling) => ({ ...spelling, changesForm: true }));

const allSpellings = (target: string, deployment: Deployment, publicPath: string | undefined): readonly Spelling[] => {
  const [path] = splitTarget(target);
  const where = places(path);
  // Segments are numbered from the front, where operations of one gate are alike.
  const each = (make: (index: number) => Spelling): Spelling[] =>
    where.map((index, place) => {
      const spelling = make(index);
      const named = (segment: string): string => spelling.words.replace(at(path, index), segment);
      return { ...spelling, trick: named(`segment ${place + 1}`), way: named('a segment') };
    });
  const inserting = (what: string, inserted: string): Spelling[] =>
    each((index) => ({
      words: `the path with ${what} before ${at(path, index)}`,
      how: `with ${what} in the path`,
      spell: insertBefore(index, inserted),
    }));
  const rewriting = (
    words: (segment: string) => string,
    how: string,
    rewrite: (segment: string) => string,
  ): Spelling[] =>
    each((index) => ({ words: `the path with ${words(at(path, index))}`, how, spell: rewriteSegment(index, rewrite) }));
  return [
    ...inserting('//', ''),
    ...inserting('/./', '.'),
    ...inserting('/x/../', 'x/..'),
    ...inserting('/x/..;/', 'x/..;'),
    ...rewriting(
      (named) => `;x after ${named}`,
      'with ;x in the path',
      (segment) => `${segment};x`,
    ),
    ...rewriting((named) => `an encoded letter in ${named}`, 'with an encoded letter in the path', encodeFirst),
    ...rewriting(
      (named) => `a twice encoded letter in ${named}`,
      'with a twice encoded letter in the path',
      encodeFirstTwice,
    ),
    ...rewriting(
      (named) => `${named} in upper case`,
      'with the path in upper case',
      (segment) => segment.toUpperCase(),
    ),
    inUpperCase,
    ...where.slice(1).map((index, place) => ({
      words: `the path with an encoded slash before ${at(path, index)}`,
      trick: `the path with an encoded slash before segment ${place + 2}`,
      way: 'the path with an encoded slash before a segment',
      how: 'with an encoded slash in the path',
      spell: spellPath((all) => {
        const segments = all.split('/');
        return segments.toSpliced(index - 1, 2, `${segments[index - 1]}%2f${segments[index]}`).join('/');
      }),
    })),
    ...(path.endsWith('/') ? lastSlash : [withLastSlash]),
    ...ends,
    ...(where.length === 0 ? [] : [withDotAfterName]),
    whole('the path with a letter in its fullwidth form', 'with a fullwidth letter in the path', withFullwidthLetter),
    whole('the path with a backslash for a slash', 'with a backslash in the path', withBackslash),
    ...otherForms(path, deployment),
    {
      words: 'the absolute form of the request target',
      how: 'with the whole URL in the request line',
      spell: (all) => `${deployment.origin}${all}`,
    },
    // Some guards allow targets that end with the name of a static file, or that contain a public
    // path.
    whole('the path with ;x.css at its end', 'with ;x.css at the end of the path', (all) => `${all};x.css`),
    whole('the path with /x.css at its end', 'with /x.css at the end of the path', (all) =>
      all.replace(/\/?$/, '/x.css'),
    ),
    { words: 'the query ?x.css', how: 'with ?x.css', spell: (all) => withQuery(all, ['x.css']) },
    ...(publicPath === undefined
      ? []
      : [
          {
            words: 'a public path in the query',
            how: 'with a public path in the query',
            spell: (all: string) => withQuery(all, [`x=${splitTarget(publicPath)[0]}`]),
          },
          ...outOf(splitTarget(publicPath)[0], path),
        ]),
  ];
};

const whole = (words: string, how: string, rewrite: (path: string) => string): Spelling => ({
  words,
  how,
  spell: spellPath(rewrite),
});

const inUpperCase = whole('the whole path in upper case', 'with the path in upper case', (path) => path.toUpperCase());
/** Windows drops a dot at the end of a name. */
const withDotAfterName = whole(
  'the path with a dot after its last name',
  'with a dot after the last name of the path',
  (path) => path.replace(/\/?$/, '.$&'),
);
const withLastSlash = whole(
  'the path with a slash at its end',
  'with a slash at the end of the path',
  (path) => `${path}/`,
);
const withoutLastSlash = whole('the path without its last slash', 'without the last slash of the path', (path) =>
  path.replace(/\/$/, ''),
);

/**
 * Characters that routers and file systems drop at the end of a path, or servers at the end of a
 * target.
 */
const ends: readonly Spelling[] = [
  whole('the path with /. at its end', 'with /. at the end of the path', (path) => `${path.replace(/\/$/, '')}/.`),
  // A pattern that ends with `$` also fits in front of a line break.
  ...['%20', '%00', '%0a'].map((code) =>
    whole(`the path with ${code} at its end`, `with ${code} at the end of the path`, (path) => `${path}${code}`),
  ),
  { words: 'an empty query', how: 'with an empty query', spell: (all) => (all.includes('?') ? all : `${all}?`) },
];

/** Other endings of a path that ends with a slash. */
const lastSlash: readonly Spelling[] = [
  withoutLastSlash,
  whole('the path with an encoded last slash', 'with an encoded slash in the path', (path) =>
    path.replace(/\/$/, '%2f'),
  ),
  whole('the path with two slashes at its end', 'with // in the path', (path) => `${path}/`),
  whole('the path with /./ at its end', 'with /./ in the path', (path) => `${path}./`),
  whole('the path with ;x after its last slash', 'with ;x in the path', (path) => `${path};x`),
];

/** Paths that go from a public path up to the common prefix, and down to the operation. */
const outOf = (publicPath: string, path: string): Spelling[] => {
  const open = publicPath.replace(/\/$/, '');
  const from = open.split('/');
  const common = Math.max(
    1,
    from.findIndex((segment, index) => segment !== path.split('/')[index]),
  );
  const climb = from.length - common;
  const down = (all: string): string => all.split('/').slice(common).join('/');
  const climbing = (words: string, step: string, slash = '/'): Spelling =>
    whole(
      `a path that leads out of a public one with ${words}`,
      `by way of a public path and ${words}`,
      (all) => `${open}/${Array.from({ length: climb }, () => step).join('/')}${slash}${down(all)}`,
    );
  return [
    climbing('..', '..'),
    climbing('..;', '..;'),
    climbing('..%2f', '..', '%2f'),
    climbing('%2e%2e', '%2e%2e'),
    // A proxy that maps `/open` to `/files/` turns `/open..` into `/files/..`.
    whole(
      'a path that leads out of a public one with .. behind its name',
      'by way of a public path and .. behind its name',
      (all) => `${open}${Array.from({ length: climb }, () => '..').join('/')}/${down(all)}`,
    ),
  ];
};
