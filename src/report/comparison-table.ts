import type pc from 'picocolors';
import { entryOf, toneOfVerdict } from '../engine/outcomes.js';
import { visible } from '../visible.js';
import type { Comparison } from './compare.js';
import { tones } from './console.js';

const maxRows = 30;
/** Width of a column, in characters. */
const minWidth = 14;
const maxWidth = 40;

const shortened = (name: string): string => (name.length > maxWidth ? `${name.slice(0, maxWidth - 1)}…` : name);

/**
 * A table for the console: the verdicts, then a clause a line, differences first:
 * `AUTH-3   ✓ passed     ✗ failed`.
 */
export const comparisonTable = ({ runs, clauses }: Comparison, colours: ReturnType<typeof pc.createColors>): string => {
  if (clauses.length === 0) return '';
  const names = runs.map(({ name }) => shortened(visible(name)));
  const first = Math.max(...clauses.map(({ id }) => visible(id).length), 'verdict'.length);
  const widths = names.map((name) => Math.max(name.length, minWidth));
  const line = (head: string, cell: (run: number, width: number) => string): string =>
    `${head.padEnd(first)}  ${widths.map((width, run) => cell(run, width)).join('  ')}`.trimEnd();
  const rows = clauses.slice(0, maxRows).map(({ id, outcomes, differs }) =>
    line(visible(id), (run, width) => {
      const outcome = outcomes[run];
      if (outcome === undefined) return '-'.padEnd(width);
      const { glyph, tone } = entryOf(outcome);
      return colours[differs ? tones[tone] : 'dim'](`${glyph} ${outcome}`.padEnd(width));
    }),
  );
  const head = line('', (run, width) => (names[run] ?? '').padEnd(width));
  const verdicts = line('verdict', (run, width) => {
    const { verdict = 'incomplete' } = runs[run] ?? {};
    return colours[tones[toneOfVerdict[verdict]]](verdict.padEnd(width));
  });
  const rest = clauses.length > maxRows ? [colours.dim(`… and ${clauses.length - maxRows} more in the report`)] : [];
  return `${[colours.bold(head), verdicts, ...rows, ...rest].join('\n')}\n`;
};
