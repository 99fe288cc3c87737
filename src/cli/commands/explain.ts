import { nearestName } from '../../names.js';
import type { Explanation } from '../../report/describe-finding.js';
import { explanations, rules } from '../../rules/index.js';
import { table } from '../../rules/oracle/table.js';
import { jsonText, visible } from '../../visible.js';
import { wrapped } from '../../words.js';
import { type Command, UsageError } from '../arguments.js';
import { readContract } from '../selection.js';
import type { Terminal } from '../terminal.js';

const parts = [
  ['Asks', 'asks'],
  ['Sends', 'sends'],
  ['Judged', 'judged'],
  ['Causes', 'causes'],
  ['Fixes', 'fixes'],
] as const;

/** Wraps a text with a hanging indent: the first line follows `head`, the others are below it. */
const hanging = (head: string, text: string, width: number): string =>
  wrapped(visible(text), width - head.length)
    .map((line, index) => `${index === 0 ? head : ' '.repeat(head.length)}${line}\n`)
    .join('');

/** What several rules say alike of how they judge. It is printed once. */
const judgedAlike = (all: readonly Explanation[]): readonly string[] => {
  const [first = [], ...others] = all.map(({ judged }) => [judged].flat());
  return others.length === 0 ? [] : first.filter((item) => others.every((other) => other.includes(item)));
};

/**
 * Prints the five parts of an explanation, lists as lists, without the items that are printed
 * apart.
 */
const printExplanation = (
  explanation: Explanation,
  apart: readonly string[],
  { out, colours }: Terminal,
  width: number,
): void => {
  for (const [name, part] of parts) {
    const text = explanation[part];
    const items = typeof text === 'string' ? [text] : text;
    const own = part === 'judged' ? items.filter((item) => !apart.includes(item)) : items;
    if (own.length > 0) out(`  ${colours.bold(name)}\n`);
    for (const item of own) out(hanging(typeof text === 'string' ? '    ' : '    - ', item, width));
  }
};

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** What an id names: a clause, a gap, a check or a rule, with the rules about it. */
const lookUp = (id: string, { contract, checks }: Awaited<ReturnType<typeof readContract>>) => {
  const known = rules.map(({ id: rule, title, clauses, gaps = [] }) => ({ rule, title, clauses, gaps }));
  const clause = contract.clauses.find((each) => same(each.id, id));
  const gap = contract.gaps.find((each) => same(each.id, id));
  const check = checks.find((each) => same(each.id, id));
  const chosen = known.filter(
    ({ rule, clauses, gaps }) =>
      (clause && clauses.includes(clause.id)) ||
      (gap && gaps.includes(gap.id)) ||
      rule === check?.rule.id ||
      same(rule, id),
  );
  if (clause || gap || chosen.length > 0) return { id, contract, clause, gap, check, chosen };
  const names = [...contract.clauses, ...contract.gaps, ...checks].map((each) => each.id);
  const meant = nearestName(id, [...names, ...known.map(({ rule }) => rule)]);
  throw new UsageError(
    `nothing is called "${id}".`,
    `${meant ? `did you mean ${meant}? ` : ''}access-conformance list names every clause and check`,
  );
};

type Found = ReturnType<typeof lookUp>;

const printRequirements = ({ contract, clause, gap, check, chosen }: Found, { out }: Terminal, width: number): void => {
  const clauses = clause
    ? [clause]
    : contract.clauses.filter((each) => chosen.some((rule) => rule.clauses.includes(each.id)));
  for (const each of clauses) out(hanging(`${each.id}  `, `${each.text} (source: ${each.source})`, width));
  for (const { excluded } of clauses) if (excluded !== undefined) out(hanging('  Left out: ', excluded, width));
  const gaps = gap ? [gap] : contract.gaps.filter((each) => chosen.some((rule) => rule.gaps.includes(each.id)));
  for (const each of gaps) {
    out(hanging(`${each.id}  `, `${each.question} (source: ${each.source})`, width));
    if (each.excluded) out(hanging('  ', `Nobody observes it: ${each.excluded}`, width));
  }
  if (check?.excluded !== undefined) out(hanging('Left out: ', check.excluded, width));
};

const printRules = ({ chosen }: Found, terminal: Terminal, width: number): void => {
  const { out, colours } = terminal;
  const alike = judgedAlike(chosen.flatMap(({ rule }) => explanations.get(rule) ?? []));
  for (const { rule, title } of chosen) {
    out(`\n${colours.bold(visible(rule))}  ${title}\n`);
    const explanation = explanations.get(rule);
    if (explanation) printExplanation(explanation, alike, terminal, width);
  }
  if (alike.length > 0) out(`\n${colours.bold('How all of these rules judge')}\n`);
  for (const item of alike) out(hanging('    - ', item, width));
};

const printTable = ({ out, colours }: Terminal, width: number): void => {
  out(`\n${colours.bold('How an answer without the key is read')}: the first line that fits decides\n`);
  for (const { line, asks, reads } of table) out(hanging(`  ${`${line}`.padStart(2)}  `, `${asks} ${reads}`, width));
  out(hanging('  ', 'What the terms mean: docs/evidence.md. What cannot be decided: docs/how-it-judges.md.', width));
};

export const explain: Command = {
  name: 'explain',
  summary:
    'Explain a clause, rule, check or gap: what it asks, what is sent, how answers are judged, and how to fix a server.',
  usage: 'ID [--json] [flags]',
  flags: { json: { doc: 'Print it as JSON.' } },
  takesSettings: true,
  uses: ['Target', 'Contract', 'What is judged'],
  positionals: [1, 1],
  examples: ['access-conformance explain AUTH-3', 'access-conformance explain refuses-missing-key@listWorkouts'],
  async run(input, context) {
    const { terminal } = context;
    const [asked = ''] = input.positionals;
    const what = lookUp(asked, await readContract(input, context));
    const { id, clause, gap, check, chosen } = what;
    if (input.flags.json === true) {
      const explained = chosen.map((each) => ({ ...each, ...explanations.get(each.rule) }));
      terminal.out(`${jsonText({ id, clause, gap, rules: explained }, 2)}\n`);
      return 0;
    }
    const width = Math.max(50, Math.min(terminal.width, 110));
    printRequirements(what, terminal, width);
    printRules(what, terminal, width);
    if (chosen.some(({ clauses }) => clauses.includes('AUTH-3'))) printTable(terminal, width);
    if (chosen.length > 0)
      terminal.out(
        `\n${terminal.colours.dim(`access-conformance plan --only '${check?.id ?? id}' prints each request.`)}\n`,
      );
    return 0;
  },
};
