import type { ContractProblem } from './model.js';

/** `file:line:column message`, the form that editors and CI logs make clickable. */
export const problemLine = ({ file, line, column, message, hint }: ContractProblem): string =>
  `${file}:${line}:${column} ${message}${hint === undefined ? '' : `\n  ${hint}`}`;

/** The contract document (or an overlay, or a parameters file) cannot be used. `problems` is never empty. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
  readonly problems: readonly ContractProblem[];

  constructor(problems: readonly ContractProblem[], options?: ErrorOptions) {
    super(problems.map(problemLine).join('\n'), options);
    this.problems = problems;
  }
}
