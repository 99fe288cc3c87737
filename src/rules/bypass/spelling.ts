import { spellPath } from './path-rewrites.js';

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

/** A spelling that rewrites the path as a whole. */
export const whole = (words: string, how: string, rewrite: (path: string) => string): Spelling => ({
  words,
  how,
  spell: spellPath(rewrite),
});
