import { differs } from '../engine/access-matrix.js';
import type { MatrixCell } from '../engine/access-results.js';
import type { Finding } from '../engine/results.js';

/**
 * How a cell of the access matrix is shown: its words, its colour family, and a mark where document
 * and server differ.
 */
export interface CellWords {
  /** `refuses`, `opens, not as documented`. */
  readonly text: string;
  readonly glyph: '✓' | '✗' | '≠' | '?' | '·' | '–';
  readonly tone: 'good' | 'bad' | 'open' | 'quiet';
}

const seenWords: Readonly<Record<MatrixCell['seen'], string>> = {
  opens: 'opens',
  refuses: 'refuses',
  unclear: 'unclear',
  notAsked: 'not asked',
};

/**
 * @param check the finding that says so: what differs is held against the server only where it
 * failed
 */
export const cellWords = (cell: MatrixCell, check: Pick<Finding, 'outcome'> | undefined): CellWords => {
  const text = seenWords[cell.seen];
  if (cell.seen === 'notAsked') return { text, glyph: '–', tone: 'quiet' };
  if (cell.seen === 'unclear') return { text, glyph: '?', tone: cell.documented === 'unstated' ? 'quiet' : 'open' };
  if (differs(cell))
    return check?.outcome === 'failed' ? { text, glyph: '✗', tone: 'bad' } : { text, glyph: '≠', tone: 'open' };
  return cell.documented === 'unstated' ? { text, glyph: '·', tone: 'quiet' } : { text, glyph: '✓', tone: 'good' };
};

/** The same for people who read one word: what the document says of an access. */
export const documentWords: Readonly<Record<string, string>> = {
  protected: 'needs the key',
  public: 'public',
  unstated: 'not stated',
};

/** Legend of the signs, in the order in which they matter. */
export const matrixLegend: readonly (readonly [CellWords['glyph'], CellWords['tone'], string])[] = [
  ['✗', 'bad', 'differs from the document, and a check failed'],
  ['≠', 'open', 'differs, and may be the fault of the key or the settings'],
  ['✓', 'good', 'as documented'],
  ['·', 'quiet', 'the document says nothing'],
  ['?', 'open', 'unclear'],
  ['–', 'quiet', 'not asked'],
];
