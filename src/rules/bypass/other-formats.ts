import type { Deployment } from '../rule.js';
import { nonce, withQuery } from '../support/targets.js';
import { places, spellPath } from './path-rewrites.js';
import type { Spelling } from './spelling.js';

const suffixes = ['.json', '.json/', '.csv', '.xml'] as const;
const formats = ['json', 'csv', 'xml', 'html'] as const;

/**
 * Suffixes and queries by which frameworks choose the format. An export or a renderer may lack a
 * guard.
 */
export const otherFormats = (path: string, deployment: Deployment): readonly Spelling[] =>
  [
    // The root has no name that a suffix could follow.
    ...(places(path).length === 0 ? [] : suffixes).map((suffix) => ({
      words: `the path with ${suffix.replace(/\/$/, ' and a slash')} at its end`,
      how: `with ${suffix} at the end of the path`,
      spell: spellPath((all) => `${all.replace(/\/$/, '')}${suffix}`),
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
