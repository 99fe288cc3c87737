import { jsonText, visible } from '../../visible.js';
import type { Command } from '../arguments.js';
import { printUnprobed } from '../operation-words.js';
import { readContract } from '../selection.js';

export const list: Command = {
  name: 'list',
  summary: 'Name every clause and every check of the contract.',
  usage: '[--json] [flags]',
  flags: { json: { doc: 'Print them as JSON.' } },
  takesSettings: true,
  uses: ['Target', 'Contract', 'What is judged'],
  async run(input, context) {
    const { terminal } = context;
    const { contract, checks: every } = await readContract(input, context);
    const checks = every.map(({ id, rule, clauses, operation, excluded }) => ({
      id,
      rule: rule.id,
      clauses,
      gaps: rule.gaps ?? [],
      operation,
      title: rule.title,
      excluded,
    }));
    if (input.flags.json === true) {
      const clauses = contract.clauses.map(({ id, text, source, excluded }) => ({ id, text, source, excluded }));
      terminal.out(`${jsonText({ clauses, gaps: contract.gaps, checks, unprobed: contract.unprobed }, 2)}\n`);
      return 0;
    }
    const { bold, dim } = terminal.colours;
    const show = (of: typeof checks): void => {
      for (const { id, title } of of) terminal.out(`  ${id}  ${dim(title)}\n`);
    };
    for (const clause of contract.clauses) {
      terminal.out(`${bold(clause.id)}  ${clause.text}\n`);
      if (clause.excluded !== undefined) terminal.out(`  left out: ${visible(clause.excluded)}\n`);
      show(checks.filter(({ clauses }) => clauses.includes(clause.id)));
    }
    const observing = checks.filter(({ clauses }) => clauses.length === 0);
    if (observing.length > 0)
      terminal.out(`${bold('Gaps')}  what the contract leaves open is observed and cannot fail\n`);
    show(observing);
    printUnprobed(contract, terminal);
    return 0;
  },
};
