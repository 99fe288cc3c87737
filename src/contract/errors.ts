import type { ContractProblem } from './model.js';

/** `file:line:column message`, the form that editors and CI logs make clickable. */
const problemLine = ({ file, line, column, message, hint }: ContractProblem): string =>
  `${file}:${line}:${column} ${message}${hint === undefined ? '' : `\n  ${hint}`}`;

/** The same line for a warning. */
const warningLine = (problem: ContractProblem): string => `warning: ${problemLine(problem)}`;

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
    super([...problems.map(problemLine), ...warnings.map(warningLine)].join('\n'), options);
    this.problems = problems;
    this.warnings = warnings;
  }
}
