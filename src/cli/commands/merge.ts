import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { exitCodes } from '../../engine/outcomes.js';
import { playwrightModule } from '../../package.js';
import { prepareReports, whyNot } from '../../report/reports-folder.js';
import { visible, visibleLines } from '../../visible.js';
import { counted } from '../../words.js';
import { type Command, type CommandContext, textFlag, UsageError } from '../arguments.js';
import { reportsDirOf } from '../files.js';

const mostNamed = 20;

const blobsIn = (folder: string, named: string): readonly string[] => {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    throw new UsageError(
      `${named} cannot be read: ${whyNot(error)}.`,
      'name the folder that holds the blob reports of the shards, for example blob-report',
    );
  }
  const blobs = names.filter((name) => name.endsWith('.zip'));
  if (blobs.length === 0)
    throw new UsageError(
      `${named} holds no blob report.`,
      'each shard writes one: npx playwright test --shard=1/3 --reporter=blob, to blob-report/report-1.zip',
    );
  return blobs;
};

/** Copies the blob reports: Playwright unpacks them in their folder. */
const copied = (folder: string, blobs: readonly string[], aside: string): string => {
  const copy = join(aside, 'blobs');
  mkdirSync(copy);
  for (const name of blobs) copyFileSync(join(folder, name), join(copy, name));
  return copy;
};

/** Playwright's error message without its stack. */
const errorIn = (output: string): string =>
  visibleLines(output)
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replace(/^Error: /, '')
        .replaceAll(/\S*[\\/]blobs[\\/]/g, ''),
    )
    .filter((line) => line !== '' && !/^at |^merging reports|^Node\.js v/.test(line))
    .slice(0, 3)
    .join(' ');

/** Why merge-reports failed. */
const mergeTrouble = (printed: string): UsageError =>
  /ENOSPC|EDQUOT/.test(printed)
    ? new UsageError(`there is no room in ${tmpdir()} to merge the blob reports.`, 'set TMPDIR to a folder with room')
    : new UsageError(
        `Playwright could not merge the blob reports: ${errorIn(printed)}`,
        'are all of them whole, and of this version of Playwright?',
      );

/** Runs Playwright's merge-reports; its reporter writes what tests attached to `gathered`. */
const gather = (folder: string, gathered: string, variable: string, { env, signal }: CommandContext): Promise<void> =>
  new Promise((done, fail) => {
    const playwright = createRequire(import.meta.url).resolve('@playwright/test/cli');
    const words = [playwright, 'merge-reports', '--reporter', playwrightModule('gather'), folder];
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const child = spawn(process.execPath, words, { env: { ...env, [variable]: gathered }, stdio: [...stdio], signal });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed = (printed + text).slice(-4_000);
      });
    child.once('error', fail);
    child.once('close', (code) => (code === 0 ? done() : fail(mergeTrouble(printed))));
  });

export const merge: Command = {
  name: 'merge',
  summary: 'Put the shards of a Playwright run together: one verdict, one set of reports, one exit code.',
  usage: 'FOLDER [--reports-dir FOLDER]',
  flags: {
    'reports-dir': { value: 'FOLDER', doc: 'Folder for the reports (REPORTS_DIR); reports when not given.' },
  },
  positionals: [1, 1],
  examples: [
    'npx playwright test --shard=1/3 --reporter=blob   (and 2/3 and 3/3, perhaps on other machines)',
    'access-conformance merge blob-report',
  ],
  async run(input, context) {
    const { cwd, env, terminal } = context;
    const [named = ''] = input.positionals;
    const folder = resolve(cwd, named);
    const blobs = blobsIn(folder, named);
    const reportsDir = reportsDirOf(cwd, env, textFlag(input, 'reports-dir'));
    prepareReports(reportsDir);
    const { gatheredName } = await import('../../playwright/gather.js');
    const { concludeAll, mergeGathered, MergeError } = await import('../../playwright/merge.js');
    const aside = mkdtempSync(join(tmpdir(), 'access-conformance-merge-'));
    try {
      const gathered = join(aside, 'gathered.jsonl');
      await gather(copied(folder, blobs, aside), gathered, gatheredName, context);
      const merged = await mergeGathered(gathered, blobs);
      const code = await concludeAll(merged, { reportsDir, cwd, env }, terminal);
      const { red } = terminal.colours;
      const { missingShards = [], shards } = merged.find((each) => each.missingShards.length > 0) ?? {};
      const doubles = merged[0]?.doubleShards ?? [];
      const twice = `shard ${doubles.join(', ')} is there more than once; the worst outcome of each check counts`;
      if (doubles.length > 0) terminal.err(`access-conformance: ${twice}\n`);
      const [noun, verb] = missingShards.length === 1 ? ['shard', 'is'] : ['shards', 'are'];
      if (missingShards.length > 0)
        terminal.err(red(`access-conformance: ${noun} ${missingShards.join(', ')} of ${shards} ${verb} missing\n`));
      const missing = merged.flatMap(({ head, missingChecks }) =>
        missingChecks.map((id) => (head.project === '' ? id : `${head.project}: ${id}`)),
      );
      if (missing.length > 0) {
        terminal.err(red(`access-conformance: ${counted(missing.length, 'check')} not judged:\n`));
        for (const id of missing.slice(0, mostNamed)) terminal.err(`  ${visible(id)}\n`);
        if (missing.length > mostNamed) terminal.err(`  … and ${missing.length - mostNamed} more\n`);
      }
      return missing.length > 0 && code === exitCodes.conformant ? exitCodes.incomplete : code;
    } catch (error) {
      if (error instanceof MergeError) throw new UsageError(error.message, 'merge the shards of one run alone');
      throw error;
    } finally {
      rmSync(aside, { recursive: true, force: true });
    }
  },
};
