import { exitCodes } from '../engine/outcomes.js';
import { tool } from '../package.js';
import { type SettingEntry, settingsTable } from '../settings/table.js';
import { wrapped } from '../words.js';
import { flagsOf } from './arguments.js';
import type { Command } from './command.js';

const columns = (rows: readonly (readonly [string, string])[], width: number): string[] => {
  const left = Math.min(34, Math.max(0, ...rows.map(([name]) => name.length)));
  return rows.flatMap(([name, text]) => {
    const lines = wrapped(text, width - left - 4);
    const gap = ' '.repeat(left + 4);
    const first = name.length > left ? [`  ${name}`, `${gap}${lines[0]}`] : [`  ${name.padEnd(left)}  ${lines[0]}`];
    return [...first, ...lines.slice(1).map((rest) => gap + rest)];
  });
};

const exits = `Exit codes: ${exitCodes.conformant} conformant (or deviating in known ways), ${exitCodes['non-conformant']} not conformant, ${exitCodes.incomplete} could not be judged in full, ${exitCodes.usage} wrong usage or settings.`;

export const overview = (commands: readonly Command[], width: number): string =>
  [
    `${tool.name} ${tool.version}: does a deployment keep the access contract of its REST API?`,
    '',
    'Usage: access-conformance COMMAND [flags]',
    '',
    ...columns(
      commands.map((command) => [command.name, command.summary] as const),
      width,
    ),
    '',
    'First steps:',
    '  access-conformance run --reference      judge the embedded service, to see what a run gives',
    '  access-conformance init                 write a .env for your own deployment, then: access-conformance run',
    '',
    'access-conformance help COMMAND lists the flags of a command, help settings all settings.',
    exits,
    '',
  ].join('\n');

const valueNames: Readonly<Partial<Record<SettingEntry['kind'], string>>> = {
  integer: 'NUMBER',
  file: 'FILE',
  document: 'FILE|URL',
  files: 'FILE,…',
  folder: 'FOLDER',
  url: 'URL',
};

/** The placeholder for a setting's value. */
const valueNameOf = ({ kind, choices = [] }: SettingEntry): string =>
  kind === 'choice' ? choices.join('|') : (valueNames[kind] ?? 'TEXT');

export const helpOf = (command: Command, width: number): string => {
  const rows = flagsOf(command).map((flag) => {
    const entry = settingsTable.find((candidate: SettingEntry) => candidate.name === flag.setting);
    const name = flag.value ?? (entry ? valueNameOf(entry) : 'TEXT');
    const value = flag.kind === 'boolean' ? '' : flag.optional ? `[=${name}]` : ` ${name}`;
    const useful = entry === undefined || (command.uses?.includes(entry.group) ?? true);
    return { useful, setting: flag.setting !== undefined, row: [`--${flag.name}${value}`, flag.doc] as const };
  });
  const own = rows.filter(({ setting }) => !setting).map(({ row }) => row);
  const settings = rows.filter(({ setting, useful }) => setting && useful).map(({ row }) => row);
  return [
    `${command.summary}`,
    '',
    `Usage: access-conformance ${command.name} ${command.usage}`.trimEnd(),
    '',
    ...columns(own, width),
    ...(settings.length > 0
      ? [
          '',
          'Settings, which the environment and .env take as well (--base-url is BASE_URL there):',
          ...columns(settings, width),
          '',
          'Secrets (API_KEY, API_KEY_<SCHEME>, WEB_PASSWORD, WEB_PASSWORD_WITHOUT_KEY) come from the environment, .env or a file, never from a flag.',
        ]
      : []),
    ...(command.examples ? ['', 'Examples:', ...command.examples.map((example) => `  ${example}`)] : []),
    '',
    ...(command.name === 'run' ? [exits, ''] : []),
  ].join('\n');
};
