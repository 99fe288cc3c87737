import type { ContractProblem } from './model.js';

/** `file:line:column message`, the form that editors and CI logs make clickable. */
export const problemLine = ({ file, line, column, message, hint }: ContractProblem): string =>
  `${file}:${line}:${column} ${message}${hint === undefined ? '' : `\n  ${hint}`}`;

/** The same of what does not stop a run. */
export const warningLine = (problem: ContractProblem): string => `warning: ${problemLine(problem)}`;

/** The contract document (or an overlay, or a parameters file) cannot be used. `problems` is never empty. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
  readonly problems: readonly ContractProblem[];
  /** What would have been worth knowing without them: often it is why there are problems. */
  readonly warnings: readonly ContractProblem[];

  constructor(
    problems: readonly ContractProblem[],
    { warnings = [], ...options }: ErrorOptions & { readonly warnings?: readonly ContractProblem[] } = {},
  ) {
    super([...problems.map(problemLine), ...warnings.map(warningLine)].join('\n'), options);
    this.problems = problems;
    this.warnings = warnings;
  }
}
