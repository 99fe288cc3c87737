import { nonce, splitTarget, withQuery } from '../requests.js';
import type { Deployment } from '../rule.js';

/** Other spellings of one target, by which a gate that compares strings may be passed. */
export interface Spelling {
  readonly words: string;
  /** Its name in the battery, where the words name a segment. */
  readonly trick?: string;
  /** What it does, wherever in the path, where the words name a segment. */
  readonly way?: string;
  /** The same without the names of segments, as the end of a title: `with // in the path`. */
  readonly how: string;
  /** Spells any target in that way: the operation's, or that of a path that does not exist. */
  readonly spell: (target: string) => string;
  /** The answer may have another form. */
  readonly changesForm?: true;
}

const places = (path: string): number[] =>
  path.split('/').flatMap((segment, index) => (index > 0 && segment !== '' ? [index] : []));

const spellPath =
  (rewrite: (path: string) => string) =>
  (target: string): string => {
    const [path, query] = splitTarget(target);
    return `${rewrite(path)}${query}`;
  };

/** Puts something in front of the segment at `index`. */
const insertBefore = (index: number, inserted: string) =>
  spellPath((path) => {
    const segments = path.split('/');
    return [...segments.slice(0, index), inserted, ...segments.slice(index)].join('/');
  });

const rewriteSegment = (index: number, rewrite: (segment: string) => string) =>
  spellPath((path) => {
    const segments = path.split('/');
    return segments.with(index, rewrite(segments[index] ?? '')).join('/');
  });

/** A placeholder of a value stays whole: its letters are none of the path. */
const encodeFirst = (segment: string): string =>
  segment.startsWith('<') ? segment : `%${segment.charCodeAt(0).toString(16).padStart(2, '0')}${segment.slice(1)}`;

/**
 * For the slash before the last segment. Everything before it is as documented, so that a proxy
 * still finds the service. A target has to begin with a slash, so a path of one segment uses the
 * slash at its end.
 */
const withBackslash = (path: string): string => {
  const last = places(path).at(-1) ?? 0;
  if (last <= 1) return path.replace(/(.)\/$/, '$1\\');
  const segments = path.split('/');
  return `${segments.slice(0, last).join('/')}\\${segments.slice(last).join('/')}`;
};

/** A letter of a segment in words: `segment "workout"`. */
const at = (path: string, index: number): string => `"${path.split('/')[index] ?? ''}"`;

/**
 * Every spelling of the path at each place where it can stand. `publicPath` is one that anybody may
 * read.
 */
export const spellingsOf = (
  target: string,
  deployment: Deployment,
  publicPath: string | undefined,
): readonly Spelling[] =>
  // A path of digits has no upper case, and the root no path without its slash.
  allSpellings(target, deployment, publicPath).filter(({ spell }) => {
    const spelled = spell(target);
    return spelled !== target && splitTarget(spelled)[0] !== '';
  });

const suffixes = ['.json', '.json/', '.csv', '.xml'] as const;
const formats = ['json', 'csv', 'xml', 'html'] as const;

/**
 * By which frameworks choose the form of the answer. An export or a renderer may have no guard of
 * its own.
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
  // Places are counted from the front: that is where operations behind one gate are alike.
  const each = (make: (index: number) => Spelling): Spelling[] =>
    where.map((index, place) => {
      const spelling = make(index);
      const named = (segment: string): string => spelling.words.replace(at(path, index), segment);
      return { ...spelling, trick: named(`segment ${place + 1}`), way: named('a segment') };
    });
  const slashed = path.endsWith('/');
  return [
    ...each((index) => ({
      words: `the path with // before ${at(path, index)}`,
      how: 'with // in the path',
      spell: insertBefore(index, ''),
    })),
    ...each((index) => ({
      words: `the path with /./ before ${at(path, index)}`,
      how: 'with /./ in the path',
      spell: insertBefore(index, '.'),
    })),
    ...each((index) => ({
      words: `the path with /x/../ before ${at(path, index)}`,
      how: 'with /x/../ in the path',
      spell: insertBefore(index, 'x/..'),
    })),
    ...each((index) => ({
      words: `the path with /x/..;/ before ${at(path, index)}`,
      how: 'with /x/..;/ in the path',
      spell: insertBefore(index, 'x/..;'),
    })),
    ...each((index) => ({
      words: `the path with ;x after ${at(path, index)}`,
      how: 'with ;x in the path',
      spell: rewriteSegment(index, (segment) => `${segment};x`),
    })),
    ...each((index) => ({
      words: `the path with an encoded letter in ${at(path, index)}`,
      how: 'with an encoded letter in the path',
      spell: rewriteSegment(index, encodeFirst),
    })),
    ...each((index) => ({
      words: `the path with a twice encoded letter in ${at(path, index)}`,
      how: 'with a twice encoded letter in the path',
      spell: rewriteSegment(index, (segment) => encodeFirst(segment).replace('%', '%25')),
    })),
    ...each((index) => ({
      words: `the path with ${at(path, index)} in upper case`,
      how: 'with the path in upper case',
      spell: rewriteSegment(index, (segment) => segment.toUpperCase()),
    })),
    {
      words: 'the whole path in upper case',
      how: 'with the path in upper case',
      spell: spellPath((whole) => whole.toUpperCase()),
    },
    ...where.slice(1).map((index, place) => ({
      words: `the path with an encoded slash before ${at(path, index)}`,
      trick: `the path with an encoded slash before segment ${place + 2}`,
      way: 'the path with an encoded slash before a segment',
      how: 'with an encoded slash in the path',
      spell: spellPath((whole) => {
        const segments = whole.split('/');
        return [
          ...segments.slice(0, index - 1),
          `${segments[index - 1]}%2f${segments[index]}`,
          ...segments.slice(index + 1),
        ].join('/');
      }),
    })),
    ...(slashed
      ? [
          {
            words: 'the path without its last slash',
            how: 'without the last slash of the path',
            spell: spellPath((whole) => whole.replace(/\/$/, '')),
          },
          {
            words: 'the path with an encoded last slash',
            how: 'with an encoded slash in the path',
            spell: spellPath((whole) => whole.replace(/\/$/, '%2f')),
          },
          {
            words: 'the path with two slashes at its end',
            how: 'with // in the path',
            spell: spellPath((whole) => `${whole}/`),
          },
          {
            words: 'the path with /./ at its end',
            how: 'with /./ in the path',
            spell: spellPath((whole) => `${whole}./`),
          },
          {
            words: 'the path with ;x after its last slash',
            how: 'with ;x in the path',
            spell: spellPath((whole) => `${whole};x`),
          },
        ]
      : [
          {
            words: 'the path with a slash at its end',
            how: 'with a slash at the end of the path',
            spell: spellPath((whole) => `${whole}/`),
          },
        ]),
    {
      words: 'the path with a backslash for a slash',
      how: 'with a backslash in the path',
      spell: spellPath(withBackslash),
    },
    ...otherForms(path, deployment),
    {
      words: 'the absolute form of the request target',
      how: 'with the whole URL in the request line',
      spell: (whole) => `${deployment.origin}${whole}`,
    },
    // Some guards look for the name of a static file at the end of the target, or for a public path
    // anywhere in it.
    {
      words: 'the path with ;x.css at its end',
      how: 'with ;x.css at the end of the path',
      spell: spellPath((whole) => `${whole};x.css`),
    },
    { words: 'the query ?x.css', how: 'with ?x.css', spell: (whole) => withQuery(whole, ['x.css']) },
    ...(publicPath === undefined
      ? []
      : [
          {
            words: 'a public path in the query',
            how: 'with a public path in the query',
            spell: (whole: string) => withQuery(whole, [`x=${splitTarget(publicPath)[0]}`]),
          },
          ...outOf(splitTarget(publicPath)[0], path),
        ]),
  ];
};

/** From a public path up to where both paths part, and down to the operation. */
const outOf = (publicPath: string, path: string): Spelling[] => {
  const open = publicPath.replace(/\/$/, '');
  const from = open.split('/');
  const common = Math.max(
    1,
    from.findIndex((segment, index) => segment !== path.split('/')[index]),
  );
  const climb = from.length - common;
  const up = (step: string): string => Array.from({ length: climb }, () => step).join('/');
  const down = (whole: string): string => whole.split('/').slice(common).join('/');
  return [
    {
      words: 'a path that leads out of a public one with ..',
      how: 'by way of a public path and ..',
      spell: spellPath((whole) => `${open}/${up('..')}/${down(whole)}`),
    },
    {
      words: 'a path that leads out of a public one with ..;',
      how: 'by way of a public path and ..;',
      spell: spellPath((whole) => `${open}/${up('..;')}/${down(whole)}`),
    },
    {
      words: 'a path that leads out of a public one with ..%2f',
      how: 'by way of a public path and ..%2f',
      spell: spellPath((whole) => `${open}/${up('..')}%2f${down(whole)}`),
    },
    {
      words: 'a path that leads out of a public one with %2e%2e',
      how: 'by way of a public path and %2e%2e',
      spell: spellPath((whole) => `${open}/${up('%2e%2e')}/${down(whole)}`),
    },
  ];
};
