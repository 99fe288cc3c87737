import { groupBy } from '../collections.js';
import { differs } from '../engine/access-matrix.js';
import type { MatrixCell } from '../engine/access-results.js';
import type { Finding } from '../engine/results.js';
import { clip, counted } from '../words.js';
import { findingsById, type RunSummary } from './run-summary.js';
import { visible } from './text.js';

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

/** Operations that are shown. */
const mostOperations = 20;
const widestName = 44;
/** `✗ refuses` */
const narrowestColumn = 9;

/**
 * The access matrix for a terminal, where several holders of keys asked: a row for each operation,
 * those first that differ from the document. No lines without identities.
 */
export const accessLines = (
  { matrix, identities, operations, checks }: RunSummary,
  paint: (tone: CellWords['tone'], text: string) => string,
): readonly string[] => {
  if (identities.filter(({ alive }) => alive !== undefined).length < 2) return [];
  const byId = findingsById({ checks });
  const cells = groupBy(matrix, ({ operation }) => operation);
  const asked = operations.filter(({ id }) => cells.get(id)?.some(({ seen }) => seen !== 'notAsked'));
  const isWrong = ({ id }: (typeof asked)[number]): boolean => cells.get(id)?.some(differs) === true;
  const shown = [...asked.filter(isWrong), ...asked.filter((operation) => !isWrong(operation))].slice(
    0,
    mostOperations,
  );
  const rows = operations.filter((operation) => shown.includes(operation));
  const nameOf = ({ method, path }: (typeof asked)[number]): string => clip(visible(`${method} ${path}`), widestName);
  const width = Math.max(...rows.map((row) => nameOf(row).length), 0);
  const names = identities.map(({ name }) => clip(visible(name), 16).padEnd(narrowestColumn));
  const left = asked.length - rows.length;
  return [
    '',
    `${'Who gets what'.padEnd(width)}  ${names.join('  ')}`,
    ...rows.map((row) => {
      const own = (cells.get(row.id) ?? []).map((cell, index) => {
        const { glyph, tone } = cellWords(cell, byId.get(cell.check ?? ''));
        const text = cell.seen === 'notAsked' ? glyph : `${glyph} ${cell.seen}`;
        return paint(tone, text.padEnd(names[index]?.length ?? 0));
      });
      return `${nameOf(row).padEnd(width)}  ${own.join('  ')}`.trimEnd();
    }),
    ...(left > 0 ? [`and ${counted(left, 'more operation')} in the report`] : []),
    matrixLegend.map(([glyph, , words]) => `${glyph} ${words}`).join(', '),
  ];
};
