import type picocolors from 'picocolors';
import { entryOf, toneOfVerdict } from '../engine/outcomes.js';
import type { Comparison } from './compare.js';
import { visible } from './text.js';

type Colours = ReturnType<typeof picocolors.createColors>;

const maxClauses = 30;
/** Width of a column, in characters. */
const minWidth = 14;
const maxWidth = 40;

const shortened = (name: string): string => (name.length > maxWidth ? `${name.slice(0, maxWidth - 1)}…` : name);

const tones = { good: 'green', bad: 'red', warn: 'yellow', open: 'magenta', quiet: 'dim' } as const;

/**
 * A table for the console: the verdicts, then a clause a line, differences first:
 * `AUTH-3   ✓ passed     ✗ failed`.
 */
export const comparisonTable = ({ runs, clauses }: Comparison, colours: Colours): string => {
  if (clauses.length === 0) return '';
  const names = runs.map(({ name }) => shortened(visible(name)));
  const first = Math.max(...clauses.map(({ id }) => visible(id).length), 'verdict'.length);
  const widths = names.map((name) => Math.max(name.length, minWidth));
  const line = (head: string, cell: (run: number, width: number) => string): string =>
    `${head.padEnd(first)}  ${widths.map((width, run) => cell(run, width)).join('  ')}`.trimEnd();
  const rows = clauses.slice(0, maxClauses).map(({ id, outcomes, differs }) =>
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
  const rest =
    clauses.length > maxClauses ? [colours.dim(`… and ${clauses.length - maxClauses} more in the report`)] : [];
  return `${[colours.bold(head), verdicts, ...rows, ...rest].join('\n')}\n`;
};
