import { counted, visible } from '../../report/text.js';
import { readTarget } from '../../target/read-target.js';
import type { Probe } from '../../wire/types.js';
import { type Command, textsFlag } from '../command.js';
import { forEachTarget, targetsFlag } from '../each-target.js';
import { contractOf } from '../judged.js';
import { tellUnprobed } from '../unprobed.js';

const lineOf = ({ method, origin, target, headers, protocol }: Probe): string => {
  const fields = headers.map(([name, value]) => ` -H '${name}: ${value}'`).join('');
  const path = target.startsWith('/') ? origin + target : `${origin} ${target}`;
  return visible(`${method} ${path}${fields}${protocol === 'h2' ? ' (HTTP/2)' : ''}`);
};

export const plan: Command = {
  name: 'plan',
  summary: 'Print every request that a run would send, without the key, and send nothing.',
  usage: '[--only SELECTOR] [--json] [flags]',
  flags: [
    { name: 'only', kind: 'texts', value: 'SELECTOR', doc: 'Only what these checks send; see run.' },
    targetsFlag,
    { name: 'json', kind: 'boolean', doc: 'Print the requests, and what is not probed, as JSON.' },
  ],
  takesSettings: true,
  positionals: [0, 0],
  run: forEachTarget(async (settings, input, { terminal }) => {
    const target = readTarget(settings);
    const contract = await contractOf(settings, target.paths, terminal);
    // What is sent with keys is part of the plan, whether or not the planner has them.
    const standIns = Object.fromEntries(
      ['API_KEY', ...contract.schemes.map(({ setting }) => setting)].map((name) => [name, 'key']),
    );
    const keyed = Object.keys(target.keys).length > 0 ? target : { ...target, keys: standIns };
    const { selects } = await import('../../engine/plan.js');
    const { judgedContract } = await import('../../engine/run.js');
    const { contractName } = await import('../../report/sentences.js');
    const { exchangeId } = await import('../../engine/look.js');
    const { checkSelectors, wholePlan } = await import('../selection.js');
    const whole = wholePlan(contract, keyed);
    const only = textsFlag(input, 'only');
    checkSelectors(only, whole);
    const probes = new Map<string, Probe>();
    for (const check of whole.checks) {
      if (check.excluded !== undefined || (only.length > 0 && !only.some((selector) => selects(selector, check))))
        continue;
      for (const probe of check.probes()) probes.set(exchangeId(probe), probe);
    }
    const all = [...probes.values()];
    if (input.flags.json === true) {
      terminal.out(
        `${JSON.stringify({ contract: judgedContract(contract), requests: all, unprobed: contract.unprobed }, null, 2)}\n`,
      );
      return 0;
    }
    const { bold, dim } = terminal.colours;
    for (const operation of new Set(all.map((probe) => probe.operation))) {
      const own = all.filter((probe) => probe.operation === operation);
      terminal.out(`${bold(operation)} ${dim(counted(own.length, 'request'))}\n`);
      for (const probe of own) terminal.out(`  ${lineOf(probe)}  ${dim(visible(probe.name))}\n`);
    }
    tellUnprobed(contract, terminal);
    for (const { id, excluded } of contract.clauses)
      if (excluded !== undefined) terminal.out(`\n${bold(visible(id))} is left out: ${visible(excluded)}\n`);
    const methods = [...new Set(all.map(({ method }) => method))].sort();
    const counts = methods.map((method) => `${all.filter((probe) => probe.method === method).length} ${method}`);
    const withKey = all.filter(({ target: path, headers }) =>
      /<API_KEY[^:>]*>/.test(path + headers.map(([, value]) => value).join()),
    ).length;
    terminal.out(
      `\n${bold(counted(all.length, 'request'))}: ${counts.join(', ')}; ${withKey} carry the key, at most ${target.concurrency} at one time.\n`,
    );
    terminal.out(`The contract is ${visible(contractName(judgedContract(contract)))}.\n`);
    terminal.out(
      dim(
        'Where an answer is unclear it is asked for once more, and a refused connection is tried again; random parts differ from run to run.\n',
      ),
    );
    return 0;
  }),
};
