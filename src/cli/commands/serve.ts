import { envValue } from '../../settings/env-file.js';
import { counted } from '../../words.js';
import { type Arguments, type Command, textFlag, UsageError } from '../arguments.js';
import { behaviourFlags, behavioursOf, startEmbedded } from '../embedded-service.js';
import type { Terminal } from '../terminal.js';

const portOf = (input: Arguments, name: string): number => {
  const text = textFlag(input, name) ?? '0';
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535))
    throw new UsageError(`--${name} is "${text}".`, 'allowed: a port from 0 (any free one) to 65535');
  return port;
};

/** Names what `--fault` and `--variant` accept, with `--demo` or without. */
const list = async (terminal: Terminal, demo: string | undefined): Promise<void> => {
  const { faults, variants } = await behavioursOf(demo);
  const { bold, dim } = terminal.colours;
  const width = Math.max(...[...faults, ...variants].map(({ name }) => name.length));
  terminal.out(`${bold(`${counted(faults.length, 'fault')}, each with the clauses that it breaks (--fault NAME)`)}\n`);
  for (const { name, title, clauses = [] } of faults)
    terminal.out(`  ${name.padEnd(width)}  ${title} ${dim(clauses.join(', '))}\n`);
  terminal.out(
    `\n${bold(`${counted(variants.length, 'other way')} to be a server, which break nothing (--variant NAME)`)}\n`,
  );
  for (const { name, title, verdict } of variants) {
    const open = verdict === 'incomplete' ? dim(' Cannot be judged in full.') : '';
    terminal.out(`  ${name.padEnd(width)}  ${title}${open}\n`);
  }
};

const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`);

export const serve: Command = {
  name: 'serve',
  summary: 'Start the embedded service, conforming or with one fault, until Ctrl-C.',
  usage: '[--demo roles] [--fault NAME | --variant NAME] [--port PORT] [--http-port PORT] | --list',
  flags: {
    ...behaviourFlags,
    port: { value: 'PORT', doc: 'HTTPS port; 0, any free one, when not given.' },
    'http-port': { value: 'PORT', doc: 'Plain-HTTP port; 0, any free one, when not given.' },
    list: { doc: 'Name every fault and variant, and end.' },
  },
  examples: ['access-conformance serve --fault no-key-asked', 'access-conformance serve --demo roles'],
  async run(input, { terminal, signal }) {
    if (input.flags.list === true) {
      await list(terminal, textFlag(input, 'demo'));
      return 0;
    }
    const embedded = await startEmbedded(input, { port: portOf(input, 'port'), httpPort: portOf(input, 'http-port') });
    const { service, fault, variant } = embedded;
    const { bold, yellow, dim } = terminal.colours;
    terminal.out(`${bold('The embedded fitness data service is running.')} ${dim('Ctrl-C ends it.')}\n`);
    if (variant) terminal.out(`${yellow(`Variant ${variant.name}`)}: ${sentence(variant.title)}\n`);
    if (fault)
      terminal.out(
        `${yellow(`Fault ${fault.name}`)}: ${sentence(fault.title)} Breaks ${(fault.clauses ?? []).join(', ')}.\n`,
      );
    const lines = (values: Readonly<Record<string, string>>): string =>
      Object.entries(values)
        .map(([name, value]) => `${name}=${envValue(value)}\n`)
        .join('');
    const { settings, variables, pageSettings } = embedded;
    terminal.out(`\n  base URL    ${service.baseUrl}\n  plain HTTP  ${service.httpBaseUrl}\n`);
    if (settings.API_KEY !== undefined) terminal.out(`  key         ${service.key}\n`);
    terminal.out(`  CA file     ${service.caFile}\n`);
    terminal.out(`\nAs a .env, for access-conformance run in another terminal:\n\n${lines(settings)}`);
    if (settings.IDENTITIES !== undefined)
      terminal.out(`\n# The variables that the file of IDENTITIES names:\n${lines(variables)}`);
    if (pageSettings.KEY_PAGE_URL !== undefined)
      terminal.out(`\n# Its key page, for access-conformance run --key-page:\n${lines(pageSettings)}`);
    terminal.out('\n');
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await service.close();
    return 0;
  },
};
