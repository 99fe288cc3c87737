import { groupBy } from '../collections.js';
import { differs } from '../engine/access-matrix.js';
import type { Outcome } from '../engine/outcomes.js';
import { clip, counted } from '../words.js';
import { type CellWords, cellWords, matrixLegend } from './access-words.js';
import type { RunSummary } from './run-summary.js';
import { visible } from './text.js';

/** Operations that are shown. */
const mostOperations = 20;
const widestName = 44;
/** `✗ refuses` */
const narrowestColumn = 9;

/** The outcome whose colour a cell has. */
const toneOutcomes: Readonly<Record<CellWords['tone'], Outcome>> = {
  good: 'passed',
  bad: 'failed',
  open: 'inconclusive',
  quiet: 'excluded',
};

/**
 * The access matrix for a terminal, where several holders of keys asked: a row for each operation,
 * those first that differ from the document. No lines without identities.
 */
export const accessLines = (
  { matrix = [], identities = [], operations, checks }: RunSummary,
  paint: (outcome: Outcome, text: string) => string,
): readonly string[] => {
  if (identities.filter(({ alive }) => alive !== undefined).length < 2) return [];
  const byId = new Map(checks.map((finding) => [finding.id, finding]));
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
        return paint(toneOutcomes[tone], text.padEnd(names[index]?.length ?? 0));
      });
      return `${nameOf(row).padEnd(width)}  ${own.join('  ')}`.trimEnd();
    }),
    ...(left > 0 ? [`and ${counted(left, 'more operation')} in the report`] : []),
    matrixLegend.map(([glyph, , words]) => `${glyph} ${words}`).join(', '),
  ];
};
