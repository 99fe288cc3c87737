import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asset } from '../../../src/package.js';
import { faults } from '../../../src/reference/index.js';
import { rules } from '../../../src/rules/index.js';
import type { Rule } from '../../../src/rules/rule.js';
import { heading, matrixFile, rowOf } from '../zoo/matrix.js';
import type { JudgedRun } from './judge.js';
import { conformingName } from './recordings.js';
import { servers } from './zoo.js';

/**
 * One table for each rule: what it finds at which server of the zoo. They are made from the
 * recordings and read by people.
 */

const folder = asset('tests', 'selftest', 'rules', 'tables');
const fileOf = (rule: string): string => join(folder, `${rule}.md`);

/** Rules that are judged from requests; those of the key page have tests of their own. */
export const tabled: readonly Rule[] = rules.filter(({ scope }) => scope !== 'key-page');

/** `failed`, or `passed at listExercises, failed at listIngredients`. */
export const outcomeText = (judged: JudgedRun, rule: string): string => {
  const outcomes = judged.results.checks.flatMap((check) =>
    check.rule === rule ? [[check.operation, check.outcome] as const] : [],
  );
  const different = new Set(outcomes.map(([, outcome]) => outcome));
  if (outcomes.length === 0) return 'not asked';
  return different.size === 1
    ? [...different].join('')
    : outcomes.map(([at, outcome]) => `${outcome} at ${at}`).join(', ');
};

const tableOf = ({ id, title }: Rule, judged: ReadonlyMap<string, JudgedRun>): string => {
  const conforming = judged.get(conformingName);
  const usual = conforming ? outcomeText(conforming, id) : '';
  const rows = servers.flatMap(({ name, kind }) => {
    const run = judged.get(name);
    const outcome = run && outcomeText(run, id);
    return outcome === undefined || outcome === usual ? [] : [`| ${name} | ${kind} | ${outcome} |`];
  });
  return [
    `# ${id}`,
    '',
    `${title.charAt(0).toUpperCase()}${title.slice(1)}.`,
    '',
    'Made by `npm run record-zoo`. A server that is not listed gives the outcome of the conforming service.',
    '',
    '| server | | outcome |',
    '|---|---|---|',
    `| ${conformingName} | | ${usual} |`,
    ...rows,
    '',
  ].join('\n');
};

/** Writes the tables of all rules, and takes away those of rules that are no more. */
export const writeTables = (judged: ReadonlyMap<string, JudgedRun>): void => {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  for (const rule of tabled) writeFileSync(fileOf(rule.id), tableOf(rule, judged));
};

/** Writes `docs/kill-matrix.md`. A fault that was not judged keeps no row. */
export const writeKillMatrix = (judged: ReadonlyMap<string, JudgedRun>): void => {
  const rows = faults.flatMap((fault) => {
    const run = judged.get(fault.name);
    return run ? [rowOf(fault, run.results.checks)] : [];
  });
  writeFileSync(matrixFile, `${[...heading, ...rows].join('\n')}\n`);
};

const titlesFile = asset('tests', 'selftest', 'rules', 'titles.md');

/** What the findings of a run are called: of each cause that failed, or is lenient, one title. */
export const titlesOf = ({ results }: JudgedRun): readonly string[] =>
  (results.causes ?? []).flatMap(({ outcome, severity, title }) =>
    outcome === 'failed' || outcome === 'lenient' ? [`${severity}: ${title}`] : [],
  );

const asCell = (text: string): string => text.replaceAll('|', '\\|');

/** Writes what the findings at each server of the zoo are called, for people to read. */
export const writeTitles = (judged: ReadonlyMap<string, JudgedRun>): void => {
  const rows = servers.flatMap(({ name }) => {
    const run = judged.get(name);
    return run ? titlesOf(run).map((title) => `| ${name} | ${asCell(title)} |`) : [];
  });
  const heading = [
    '# Titles',
    '',
    'What the findings at each server of the zoo are called. Made by `npm run record-zoo`.',
    '',
  ];
  writeFileSync(titlesFile, [...heading, '| server | severity and title |', '|---|---|', ...rows, ''].join('\n'));
};

/** The titles as they were committed, by server. */
export const committedTitles = (): ReadonlyMap<string, readonly string[]> => {
  const titles = new Map<string, string[]>();
  for (const line of existsSync(titlesFile) ? readFileSync(titlesFile, 'utf8').split('\n') : []) {
    const [, name = '', title = ''] = /^\| ([\w-]+) \| (.*) \|$/.exec(line) ?? [];
    if (title !== '') titles.set(name, [...(titles.get(name) ?? []), title.replaceAll('\\|', '|')]);
  }
  return titles;
};

/** A table as it was committed: server → outcome. Empty where there is none. */
export const committedTable = (rule: string): ReadonlyMap<string, string> => {
  const text = existsSync(fileOf(rule)) ? readFileSync(fileOf(rule), 'utf8') : '';
  const rows = text.split('\n').filter((line) => /^\| (?!server )[\w-]+ \|/.test(line));
  return new Map(
    rows.map((row) => {
      const [, server = '', , outcome = ''] = row.split('|').map((cell) => cell.trim());
      return [server, outcome] as const;
    }),
  );
};
