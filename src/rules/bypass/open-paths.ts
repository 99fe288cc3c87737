import { withQuery } from '../../urls.js';
import { splitTarget, withoutSlash } from '../support/targets.js';
import { pathSpelling, type Spelling } from './path-rewrites.js';

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
    pathSpelling(
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
    // The dots in UTF-16, as JavaScript's `escape` writes it, and in overlong UTF-8.
    climbing('%u002e%u002e', up('%u002e%u002e')),
    climbing('%c0%ae%c0%ae', up('%c0%ae%c0%ae')),
    // A proxy that maps `/open` to `/files/` turns `/open..` into `/files/..`.
    pathSpelling(
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
      words: 'a query of public paths',
      how: 'with public paths in the query',
      spell: (target) =>
        withQuery(
          target,
          named.map((one, index) => `x${index + 1}=${one}`),
        ),
    },
    pathSpelling(
      'a path that leads out of folders that are often open with ..',
      'by way of a folder that is often open and ..',
      (all) => `${openFolders.map((one) => `${one}/..`).join('')}${all}`,
    ),
    ...(first === undefined ? [] : [...outOf(first, path), withPathBehind(first)]),
  ];
};

/** A router may take everything below a path, and a guard leave out what ends like a public one. */
const withPathBehind = (publicPath: string): Spelling => ({
  ...pathSpelling(
    'the path with a public path behind it',
    'with a public path behind the path',
    (all) => `${withoutSlash(all)}${publicPath}`,
  ),
  leadsElsewhere: true,
});
