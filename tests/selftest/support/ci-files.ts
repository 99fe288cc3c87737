import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { asset } from '../../../src/package.js';

/** The parts of CI files that the self-tests look at. */

export interface ActionStep {
  readonly id?: string;
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}

export interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly description: string; readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly ActionStep[] };
}

export interface Workflow {
  readonly on: unknown;
  readonly permissions?: unknown;
  readonly jobs: Readonly<
    Record<string, { readonly strategy?: { readonly matrix?: unknown }; readonly steps: readonly ActionStep[] }>
  >;
}

export interface GitLabJob {
  readonly extends?: string;
  readonly before_script?: readonly string[];
  readonly script?: readonly string[];
  readonly after_script?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly needs?: readonly (string | { readonly job: string })[];
  readonly cache?: { readonly paths?: readonly string[] };
  readonly artifacts?: { readonly paths?: readonly string[]; readonly reports?: { readonly junit?: string } };
}

export const textOf = (...path: string[]): string => readFileSync(asset(...path), 'utf8');

/** Strings are strings, whatever they look like: as GitHub and GitLab hand them to a shell. */
export const yamlOf = <Shape>(...path: string[]): Shape => parse(textOf(...path)) as Shape;

/** What an expression may name: `inputs`, `env`, `github` and `steps` by their dotted names. */
export type Names = Readonly<Record<string, string>>;

/**
 * Fills in `${{ a.b || c.d }}`: names and `||` are all that `action.yml` uses; anything else
 * throws.
 */
export const filled = (text: string, names: Names): string =>
  text.replace(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression: string) => {
    const values = expression.split('||').map((name) => {
      if (!/^[\w.-]+$/.test(name.trim())) throw new Error(`more than a name: ${expression}`);
      return names[name.trim()] ?? '';
    });
    return values.find((value) => value !== '') ?? '';
  });

/** Fills in a condition of names, strings, `!=`, `==` and `&&`, and says whether it holds. */
export const holds = (condition: string, names: Names): boolean =>
  condition.split('&&').every((part) => {
    const [, name = '', operator, value = ''] = /^\s*([\w.-]+)\s*(!=|==)\s*'([^']*)'\s*$/.exec(part) ?? [];
    if (operator === undefined) throw new Error(`more than a comparison: ${part}`);
    return ((names[name] ?? '') === value) === (operator === '==');
  });
