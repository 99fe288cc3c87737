import { groupBy } from '../collections.js';
import { differs } from '../engine/access-matrix.js';
import type { Finding, MatrixCell } from '../engine/results.js';
import { visible } from '../visible.js';
import { clip, count, counted } from '../words.js';
import { findingsById, type RunSummary } from './run-summary.js';

/** How a cell of the access matrix is shown. */
export interface CellWords {
  /** `refuses`, `not asked`. */
  readonly text: string;
  readonly glyph: '✓' | '✗' | '≠' | '?' | '·' | '–';
  readonly tone: 'good' | 'bad' | 'open' | 'quiet';
}

/** @param check its finding: a difference counts against the server only where it failed */
export const cellWords = (cell: MatrixCell, check: Pick<Finding, 'outcome'> | undefined): CellWords => {
  const { seen: text, documented } = cell;
  if (text === 'notAsked') return { text: 'not asked', glyph: '–', tone: 'quiet' };
  if (text === 'unclear') return { text, glyph: '?', tone: documented === 'unstated' ? 'quiet' : 'open' };
  if (differs(cell))
    return check?.outcome === 'failed' ? { text, glyph: '✗', tone: 'bad' } : { text, glyph: '≠', tone: 'open' };
  return documented === 'unstated' ? { text, glyph: '·', tone: 'quiet' } : { text, glyph: '✓', tone: 'good' };
};

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

export const matrixLegendLine = matrixLegend.map(([glyph, , words]) => `${glyph} ${words}`).join(', ');

/** `2 of 30 operations answer somebody in another way than the document says.` */
export const differingSentence = (differing: number, all: number): string =>
  `${count(differing)} of ${counted(all, 'operation')} ${differing === 1 ? 'answers' : 'answer'} somebody in another way than the document says.`;

const mostOperations = 20;
const widestName = 44;
/** `✗ refuses` */
const narrowestColumn = 9;

/**
 * The access matrix for a terminal, where several holders of keys asked: a row for each operation.
 * If there are too many, those that differ from the document are shown.
 */
export const accessLines = (
  { matrix, identities, operations, checks }: RunSummary,
  paint: (tone: CellWords['tone'], text: string) => string,
): readonly string[] => {
  if (identities.filter(({ alive }) => alive !== undefined).length < 2) return [];
  const byId = findingsById({ checks });
  const cells = groupBy(matrix, ({ operation }) => operation);
  const asked = operations.filter(({ id }) => cells.get(id)?.some(({ seen }) => seen !== 'notAsked'));
  const isRight = ({ id }: (typeof asked)[number]): boolean => !cells.get(id)?.some(differs);
  const shown = asked.toSorted((a, b) => Number(isRight(a)) - Number(isRight(b))).slice(0, mostOperations);
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
    matrixLegendLine,
  ];
};
