import { counted } from '../words.js';
import { ContractError } from './errors.js';
import type { ContractProblem } from './model.js';
import { type Node, positionOf } from './node.js';

/** Collects problems, so that a person can mend all in one go. At most 50 are kept. */
export class Problems {
  readonly #errors = new Map<string, ContractProblem>();
  readonly #warnings = new Map<string, ContractProblem>();
  #more = 0;
  #moreWarnings = 0;

  error(at: Node, message: string, hint?: string): void {
    if (this.#errors.size >= 50) this.#more += 1;
    else add(this.#errors, at, message, hint);
  }

  warn(at: Node, message: string, hint?: string): void {
    if (this.#warnings.size >= 50) this.#moreWarnings += 1;
    else add(this.#warnings, at, message, hint);
  }

  get warnings(): readonly ContractProblem[] {
    const warnings = [...this.#warnings.values()];
    const last = warnings.at(-1);
    return this.#moreWarnings === 0 || !last
      ? warnings
      : [...warnings, { ...last, message: `and ${counted(this.#moreWarnings, 'more warning')}`, hint: '' }];
  }

  /** @throws {ContractError} when there is an error */
  throwErrors(): void {
    const errors = [...this.#errors.values()];
    const [first] = errors;
    if (!first) return;
    errors.sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column);
    if (this.#more > 0)
      errors.push({ ...first, message: `and ${counted(this.#more, 'more problem')}`, hint: 'Mend these first.' });
    throw new ContractError(errors, { warnings: this.warnings });
  }
}

const add = (to: Map<string, ContractProblem>, at: Node, message: string, hint: string | undefined): void => {
  const problem = { ...positionOf(at), message, ...(hint === undefined ? {} : { hint }) };
  to.set(`${problem.file}:${problem.line}:${problem.column}:${message}`, problem);
};
