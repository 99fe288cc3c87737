/** What every folder says of errors. */

/** An error that lists all problems, one per line. */
export abstract class ProblemsError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** Rules that cannot be used as they are; a line each says which rule and why. */
export class RulesError extends ProblemsError {
  override readonly name = 'RulesError';
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What to look for where a file is not YAML. */
export const yamlHint =
  'The slip may be in a line before. Members of one object begin in one column, and text that holds ": " or begins with [, {, &, *, ! or @ needs quotes.';

/** The code of an error of the system or of Node, such as `ENOENT`. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** Errors whose message is written for users, by name: their classes need not be loaded. */
const forUsers: ReadonlySet<string> = new Set([
  'SettingsError',
  'ContractError',
  'ReportError',
  'SelectionError',
  'DeviationsError',
  'TargetsError',
]);

export const isForUsers = (error: unknown): error is Error => error instanceof Error && forUsers.has(error.name);
