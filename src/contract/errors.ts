import { groupBy } from '../collections.js';
import type { ContractProblem } from './model.js';

/** `file:line:column message`, the form that editors and CI logs make clickable. */
const problemLine = ({ file, line, column, message, hint }: ContractProblem): string =>
  `${file}:${line}:${column} ${message}${hint === undefined ? '' : `\n  ${hint}`}`;

/** One text for problems of a file with the same words: the first, and the places of the others. */
const problemLines = (problems: readonly ContractProblem[]): readonly string[] =>
  [...groupBy(problems, ({ file, message, hint = '' }) => JSON.stringify([file, message, hint])).values()].flatMap(
    ([first, ...others]) => {
      if (!first) return [];
      const places = others.map(({ line, column }) => `${line}:${column}`).join(', ');
      return `${problemLine(first)}${places && `\n  The same at ${places}.`}`;
    },
  );

/** The contract, an overlay or a parameters file cannot be used. `problems` is never empty. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
  readonly problems: readonly ContractProblem[];
  /** Warnings; they often explain the problems. */
  readonly warnings: readonly ContractProblem[];

  constructor(
    problems: readonly ContractProblem[],
    { warnings = [], ...options }: ErrorOptions & { readonly warnings?: readonly ContractProblem[] } = {},
  ) {
    super([...problemLines(problems), ...problemLines(warnings).map((line) => `warning: ${line}`)].join('\n'), options);
    this.problems = problems;
    this.warnings = warnings;
  }
}
