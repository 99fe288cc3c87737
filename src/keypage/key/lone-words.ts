import type { WalkContext } from '../log-in/walk-context.js';
import type { Piece } from '../reading/read-page.js';
import { type TriedCandidates, tryKeys } from './shown-key.js';

/**
 * The words that are all of a text, or of what follows its label: a key of any form may be one. An
 * address or a path is none.
 */
const loneWordsIn = (pieces: readonly Piece[]): string[] =>
  pieces.flatMap(({ text, role, visible, passing, aside }) => {
    const [, word] = /(?:^|[:：=]\s*)((?=\S*[A-Za-z])(?!\/|\S*\/\/)[\w.~+/|:=-]{8,})$/.exec(text) ?? [];
    return word !== undefined && (visible || passing) && role !== 'control' && !aside ? [word] : [];
  });

/**
 * Tries the words that stand alone in one of two views and not in the other, since one of them may
 * be a key of a form that is not recognised. None of them is meant as a key for sure. The run's own
 * key is not tried.
 */
export const tryLoneWords = (
  before: readonly Piece[],
  after: readonly Piece[],
  { refused }: TriedCandidates,
  { secrets, given }: Pick<WalkContext, 'secrets' | 'given'>,
): Promise<TriedCandidates> => {
  const [there, now] = [loneWordsIn(before), loneWordsIn(after)];
  // What is gone may be an earlier key, which is learnt so that nobody quotes it.
  const words = [...now.filter((word) => !there.includes(word)), ...there.filter((word) => !now.includes(word))];
  const untried = [...new Set(words)].filter(
    (word) => !given?.is(word) && refused.every(({ value }) => value !== word),
  );
  return tryKeys(
    untried.map((value) => ({ value, visible: true, score: 0, doubtful: true })),
    secrets,
  );
};
