import { groupBy } from '../collections.js';
import { visible } from '../visible.js';
import { counted } from '../words.js';
import type { ContractProblem } from './model.js';

/**
 * `file:line:column message`, the form that editors and CI logs make clickable. What is said of
 * several places of a file is said once, at the first.
 * @param mostPlaces number of the other places that are named
 */
export const problemTexts = (
  problems: readonly ContractProblem[],
  mostPlaces = Number.POSITIVE_INFINITY,
): readonly string[] =>
  [...groupBy(problems, ({ file, message, hint = '' }) => JSON.stringify([file, message, hint])).values()].flatMap(
    ([first, ...others]) => {
      if (!first) return [];
      const { file, line, column, message, hint } = first;
      const places = others.slice(0, mostPlaces).map((other) => `${other.line}:${other.column}`);
      const more = others.length > mostPlaces ? ', …' : '';
      const also =
        others.length > 0 ? ` (and at ${counted(others.length, 'more place')}: ${places.join(', ')}${more})` : '';
      return `${visible(`${file}:${line}:${column} ${message}${also}`)}${hint ? `\n  ${visible(hint)}` : ''}`;
    },
  );

/** The contract, an overlay or a parameters file cannot be used. `problems` is never empty. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
  readonly problems: readonly ContractProblem[];
  readonly warnings: readonly ContractProblem[];

  constructor(
    problems: readonly ContractProblem[],
    { warnings = [], ...options }: ErrorOptions & { readonly warnings?: readonly ContractProblem[] } = {},
  ) {
    super([...problemTexts(problems), ...problemTexts(warnings).map((line) => `warning: ${line}`)].join('\n'), options);
    this.problems = problems;
    this.warnings = warnings;
  }
}
