import type picocolors from 'picocolors';
import { entryOf, toneOfVerdict } from '../engine/outcomes.js';
import type { Comparison } from './compare.js';
import { visible } from './text.js';

type Colours = ReturnType<typeof picocolors.createColors>;

const maxClauses = 30;
/** Width of a column, in characters. */
const maxName = 40;

const shortened = (name: string): string => (name.length > maxName ? `${name.slice(0, maxName - 1)}…` : name);

const tones = { good: 'green', bad: 'red', warn: 'yellow', open: 'magenta', quiet: 'dim' } as const;

/**
 * A table for the console, one clause a line, differences first: `AUTH-3   ✓ passed     ✗ failed`.
 * The first line has the verdicts.
 */
export const comparisonTable = ({ runs, clauses }: Comparison, { colours }: { readonly colours: Colours }): string => {
  if (clauses.length === 0) return '';
  const names = runs.map(({ name }) => shortened(visible(name)));
  const first = Math.max(...clauses.map(({ id }) => visible(id).length), 7);
  const widths = names.map((name) => Math.max(name.length, 14));
  const line = (head: string, cells: readonly string[]): string =>
    `${head.padEnd(first)}  ${cells.join('  ')}`.trimEnd();
  const rows = clauses.slice(0, maxClauses).map(({ id, outcomes, differs }) => {
    const cells = outcomes.map((outcome, index) => {
      const width = widths[index] ?? 14;
      if (outcome === undefined) return '-'.padEnd(width);
      const { glyph, tone } = entryOf(outcome);
      const text = `${glyph} ${outcome}`.padEnd(width);
      return differs ? colours[tones[tone]](text) : colours.dim(text);
    });
    return line(visible(id), cells);
  });
  const head = line(
    '',
    names.map((name, index) => name.padEnd(widths[index] ?? 14)),
  );
  const verdicts = line(
    'verdict',
    runs.map(({ verdict }, index) => colours[tones[toneOfVerdict[verdict]]](verdict.padEnd(widths[index] ?? 14))),
  );
  const rest =
    clauses.length > maxClauses ? [colours.dim(`… and ${clauses.length - maxClauses} more in the report`)] : [];
  return `${[colours.bold(head), verdicts, ...rows, ...rest].join('\n')}\n`;
};
