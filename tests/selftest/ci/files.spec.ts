import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ciFiles } from '../../../src/cli/files.js';
import { tool } from '../../../src/package.js';
import { settingsTable } from '../../../src/settings/table.js';
import { readTargets } from '../../../src/settings/targets-file.js';
import {
  type Action,
  type ActionStep,
  filled,
  type GitLabJob,
  holds,
  textOf,
  type Workflow,
  yamlOf,
} from '../support/ci-files.js';
import { builtCommand } from '../support/command.js';
import { type Served, serveApart } from '../support/served.js';
import { type Shell, shellIn } from '../support/shell.js';
import { expect, inCi, rowsOfTable, test } from '../support/test.js';

/**
 * The shell of the CI files does what their words say: it is run here, against a service in another
 * process.
 */

const action = yamlOf<Action>('action.yml');
const gitlab = yamlOf<Record<string, GitLabJob>>('docs', 'ci', 'gitlab.yml');
const workflows = ['github-scheduled.yml', 'github-preview.yml', 'github-matrix.yml'];

test.describe.configure({ mode: 'default' });

let good: Served;
let bad: Served;
let folder: string;

test.beforeAll(async () => {
  const command = ['node', builtCommand] as const;
  [good, bad] = await Promise.all([serveApart(command), serveApart(command, { args: ['--fault', 'no-key-asked'] })]);
});

test.afterAll(async () => {
  await Promise.all([good?.stop(), bad?.stop()]);
});

test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'access-conformance-ci-'));
  // The checkout of the action, before it is built.
  mkdirSync(join(folder, 'action'));
});

test.afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Job {
  readonly outputs: Readonly<Record<string, string>>;
  readonly code: number;
  /** Everything that a log or a file of the runner would show. */
  readonly seen: string;
  readonly summary: string;
  /** Steps of other actions that would have run. */
  readonly used: readonly string[];
}

/** Goes through the action's steps as a runner does; steps of other actions are only noted. */
const runAction = async (
  shell: Shell,
  inputs: Readonly<Record<string, string>>,
  jobEnv: Readonly<Record<string, string>> = {},
): Promise<Job> => {
  const [outputFile, summaryFile] = [join(folder, '.output'), join(folder, '.summary')];
  const names: Record<string, string> = { 'github.action_path': join(folder, 'action') };
  for (const [name, { default: value = '' }] of Object.entries(action.inputs)) names[`inputs.${name}`] = value;
  for (const [name, value] of Object.entries(inputs)) names[`inputs.${name}`] = value;
  for (const [name, value] of Object.entries(jobEnv)) names[`env.${name}`] = value;
  let [code, seen] = [0, ''];
  const used: string[] = [];
  writeFileSync(summaryFile, '');
  for (const step of action.runs.steps) {
    if (step.if !== undefined && !holds(step.if, names)) continue;
    if (step.uses !== undefined) used.push(step.uses);
    if (step.run === undefined) continue;
    writeFileSync(outputFile, '');
    const env = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, text]) => [name, filled(text, names)]));
    const end = await shell.run(step.run, {
      ...jobEnv,
      GITHUB_ACTIONS: 'true',
      GITHUB_OUTPUT: outputFile,
      GITHUB_STEP_SUMMARY: summaryFile,
      ...env,
    });
    code = end.code;
    const printed = readFileSync(outputFile, 'utf8');
    seen += end.out + end.err + printed;
    for (const line of printed.split('\n')) {
      const [name, ...value] = line.split('=');
      if (step.id && name) names[`steps.${step.id}.outputs.${name}`] = value.join('=');
    }
    if (code !== 0) break;
  }
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [name, filled(value, names)]);
  return {
    outputs: Object.fromEntries(outputs),
    code,
    seen,
    summary: readFileSync(summaryFile, 'utf8'),
    used: used.map((name) => name.replace(/@.*/, '')),
  };
};

const asInputs = ({ settings }: Served): Record<string, string> => ({
  'base-url': settings.BASE_URL ?? '',
  'http-base-url': settings.HTTP_BASE_URL ?? '',
  'api-key': settings.API_KEY ?? '',
  'ca-file': settings.CA_FILE ?? '',
});

test.describe('the GitHub action', () => {
  test('passes a conforming deployment, and says where its report is', inCi, async () => {
    const shell = shellIn(folder, builtCommand);
    const { outputs, code, seen, summary, used } = await runAction(shell, {
      ...asInputs(good),
      strict: 'true',
      'code-scanning': 'true',
    });
    expect(code, seen).toBe(0);
    expect(outputs).toEqual({
      verdict: 'conformant',
      'exit-code': '0',
      report: 'reports/conformance/index.html',
      results: 'reports/conformance/results.json',
      sarif: 'reports/conformance/results.sarif',
    });
    expect(used).toEqual(['actions/setup-node', 'actions/upload-artifact', 'github/codeql-action/upload-sarif']);
    expect(existsSync(join(folder, outputs.sarif ?? ''))).toBe(true);
    expect(existsSync(join(folder, outputs.report ?? ''))).toBe(true);
    expect(summary).toMatch(/^## Conformant/);
    const results = readFileSync(join(folder, outputs.results ?? ''), 'utf8');
    expect(JSON.parse(results)).toMatchObject({ options: { STRICT: true } });
    for (const text of [seen, summary, results, shell.commandLines()])
      expect(text).not.toContain(good.settings.API_KEY);
  });

  test('fails with the verdict of a faulty one, annotates it, and still keeps the report', inCi, async () => {
    const shell = shellIn(folder, builtCommand);
    const given = asInputs(bad);
    // What has no input given is taken from the job's environment.
    const { outputs, code, seen, summary, used } = await runAction(
      shell,
      { 'base-url': given['base-url'] ?? '', 'reports-dir': 'kept here', only: 'AUTH-3\nrefuses-*@listWorkouts\n' },
      {
        API_KEY: given['api-key'] ?? '',
        CA_FILE: given['ca-file'] ?? '',
        HTTP_BASE_URL: 'none',
        TARGET_NAME: 'nightly',
      },
    );
    expect(code).toBe(1);
    expect(outputs).toMatchObject({ verdict: 'non-conformant', 'exit-code': '1' });
    expect(outputs.report).toBe('kept here/conformance/index.html');
    expect(used).toEqual(['actions/setup-node', 'actions/upload-artifact']);
    expect(seen).toMatch(/^::error .*AUTH-3/m);
    expect(summary).toContain('Not conformant');
    const results = readFileSync(join(folder, outputs.results ?? ''), 'utf8');
    expect(JSON.parse(results)).toMatchObject({ target: { name: 'nightly', httpBaseUrl: 'none' } });
    expect(shell.commandLines()).toContain('--only=refuses-*@listWorkouts\n');
    expect(seen + summary + shell.commandLines()).not.toContain(bad.settings.API_KEY);
  });

  test('says none, never a verdict of another run, when nothing could be judged', async () => {
    const stale = join(folder, 'reports', 'conformance');
    mkdirSync(stale, { recursive: true });
    writeFileSync(join(stale, 'results.json'), '{ "verdict": "conformant" }');
    const nothing = { verdict: 'none', 'exit-code': '3', report: '', results: '', sarif: '' };
    const unset = await runAction(shellIn(folder, builtCommand), { 'node-version': 'none' });
    expect(unset).toMatchObject({ outputs: nothing, code: 3, used: [] });
    expect(unset.seen).toContain('BASE_URL');
    rmSync(join(folder, 'action', 'dist'), { recursive: true });
    const unfetched = await runAction(shellIn(folder, undefined), asInputs(good));
    expect(unfetched).toMatchObject({ outputs: nothing, code: 3 });
  });

  test('uploads to code scanning where asked, and nothing of an incomplete run: alerts would be closed', () => {
    const upload = action.runs.steps.find(({ uses }) => uses?.includes('upload-sarif'));
    const uploads = (asked: string, verdict: string): boolean =>
      holds(upload?.if ?? '', {
        'inputs.code-scanning': asked,
        'steps.judge.outputs.sarif': 'results.sarif',
        'steps.judge.outputs.verdict': verdict,
      });
    expect(
      ['conformant', 'deviating', 'non-conformant', 'incomplete'].map((verdict) => uploads('true', verdict)),
    ).toEqual([true, true, true, false]);
    expect(uploads('false', 'non-conformant')).toBe(false);
  });

  test('builds the code that it was checked out with, once, and npm sees no key', inCi, async () => {
    const shell = shellIn(folder, builtCommand);
    const first = await runAction(
      shell,
      { ...asInputs(good), only: 'HTTPS-1' },
      { API_KEY_OTHER: 'another-key', WEB_PASSWORD: 'a-password' },
    );
    expect(first.code, first.seen).toBe(0);
    expect(shell.commandLines()).toBe('ci\n--ignore-scripts\nrun\n--silent\nbuild\nrun\n--only=HTTPS-1\n');
    expect(shell.variablesOfNpm()).toContain('PATH');
    expect(shell.variablesOfNpm().filter((name) => /KEY|PASSWORD|BASE_URL/.test(name))).toEqual([]);
    await runAction(shell, { ...asInputs(good), only: 'HTTPS-1' });
    expect(shell.commandLines().match(/^ci$/gm)).toHaveLength(1);
  });

  test('takes inputs for data: nothing in one is run', async () => {
    const shell = shellIn(folder, builtCommand);
    const evil = '$(touch ran) `touch ran`; touch ran #" \'';
    const { code } = await runAction(shell, {
      ...asInputs(good),
      'target-name': evil,
      only: evil,
      'reports-dir': 'r; touch ran',
    });
    expect(code).toBe(3);
    expect(existsSync(join(folder, 'ran'))).toBe(false);
    expect(shell.commandLines()).toContain(`--only=${evil}\n`);
  });
});

test.describe('the GitLab template', () => {
  const job = (name: string): GitLabJob => {
    const found = gitlab[name];
    if (!found) throw new Error(`there is no job ${name}`);
    return found;
  };
  const script = (name: string): string => (job(name).script ?? []).join('\n');

  test(
    'judges, writes JUnit where the template says, and makes the page, with the key in no command',
    inCi,
    async () => {
      const template = job('.access-conformance');
      const shell = shellIn(folder, builtCommand);
      const judged = await shell.run(script('.access-conformance'), { ...template.variables, ...good.settings });
      expect(judged.code, judged.err).toBe(0);
      expect(existsSync(join(folder, template.artifacts?.reports?.junit ?? 'no junit'))).toBe(true);
      for (const path of [...(template.artifacts?.paths ?? []), ...(template.cache?.paths ?? [])])
        expect(existsSync(join(folder, path)), path).toBe(true);
      expect(readFileSync(join(folder, 'reports', 'history.jsonl'), 'utf8')).toMatch(
        /^\{.*"verdict":"conformant".*\}\n$/,
      );
      const page = await shell.run(script('pages'), {});
      expect(page.code, page.err).toBe(0);
      expect(existsSync(join(folder, 'public', 'index.html'))).toBe(true);
      expect(shell.commandLines() + judged.out + judged.err).not.toContain(good.settings.API_KEY);
    },
  );

  test('fails the job of a faulty preview, whose URL another job hands on', inCi, async () => {
    const shell = shellIn(folder, builtCommand);
    const { variables: own, before_script: before = [] } = job('conformance preview');
    const variables = { ...job('.access-conformance').variables, ...own };
    // A variable of the project outranks those of the file: the deployment that it names must not
    // be judged instead.
    const project = { ...bad.settings, BASE_URL: good.settings.BASE_URL ?? '' };
    const url = bad.settings.BASE_URL ?? '';
    const lines = [...before, script('.access-conformance')].join('\n');
    expect((await shell.run(lines, { ...variables, ...project, PREVIEW_URL: url })).code).toBe(1);
    const results = readFileSync(join(folder, 'reports', 'conformance', 'results.json'), 'utf8');
    expect(JSON.parse(results)).toMatchObject({ target: { name: 'preview', baseUrl: url }, options: { STRICT: true } });
  });

  test('refers to jobs that are there', () => {
    for (const [name, { extends: base, needs = [] }] of Object.entries(gitlab)) {
      if (base !== undefined) expect(gitlab[base], name).toBeDefined();
      for (const need of needs) if (typeof need === 'string') expect(gitlab[need], name).toBeDefined();
    }
  });
});

/** Every script in a CI file of either system. */
const scriptsOf = (file: Workflow | Record<string, GitLabJob>): string[] =>
  'jobs' in file
    ? Object.values((file as Workflow).jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))
    : Object.values(file as Record<string, GitLabJob>).flatMap(({ script = [] }) => [...script]);

test.describe('the files of init --ci', () => {
  const own = {
    github: scriptsOf(parse(ciFiles.github.text())),
    gitlab: scriptsOf(parse(ciFiles.gitlab.text())),
  };

  const row = rowsOfTable();
  for (const [system, scripts] of Object.entries(own)) {
    test(`${system}: installs from the given source, with no key in sight of npm, and judges`, row(), async () => {
      const shell = shellIn(folder, builtCommand);
      const env = {
        ...good.settings,
        RUNNER_TEMP: folder,
        ACCESS_CONFORMANCE_SOURCE: 'git+https://git.example/a.git#c0',
      };
      for (const script of scripts) {
        const { code, out, err } = await shell.run(script, env);
        expect(code, out + err).toBe(0);
      }
      expect(existsSync(join(folder, 'reports', 'conformance', 'index.html'))).toBe(true);
      expect(shell.commandLines()).toMatch(/^install\n[\s\S]*\ngit\+https:\/\/git\.example\/a\.git#c0\nrun\n$/);
      expect(shell.variablesOfNpm().filter((name) => /KEY|PASSWORD|BASE_URL/.test(name))).toEqual([]);
    });

    for (const name of [`${tool.name}@${tool.version}`, tool.name, '', 'your-org/access-conformance'])
      test(`${system}: starts no npm for "${name}"`, async () => {
        const shell = shellIn(folder, builtCommand);
        const env = { ...good.settings, RUNNER_TEMP: folder, ACCESS_CONFORMANCE_SOURCE: name };
        const { code, out } = await shell.run(scripts[0] ?? '', env);
        expect(code).toBe(3);
        expect(out).toContain('no git reference');
        expect(shell.commandLines()).toBe('');
      });
  }
});

test('every input of the action is a setting or is said to be something else, and examples use what there is', () => {
  const others = ['only', 'artifact', 'code-scanning', 'node-version'];
  const settings = settingsTable.map(({ name }) => name.toLowerCase().replaceAll('_', '-'));
  for (const name of Object.keys(action.inputs)) expect([...settings, ...others]).toContain(name);
  const judge = action.runs.steps.find(({ id }) => id === 'judge');
  for (const name of Object.keys(action.inputs).filter((input) => settings.includes(input)))
    expect(judge?.env?.[name.toUpperCase().replaceAll('-', '_')], name).toContain(`inputs.${name}`);
  const guide = textOf('docs', 'ci', 'README.md');
  for (const name of [...Object.keys(action.inputs), ...Object.keys(action.outputs)])
    expect(guide).toContain(`\`${name}\``);
  for (const file of workflows) {
    const steps = Object.values(yamlOf<Workflow>('docs', 'ci', file).jobs).flatMap((job) => job.steps);
    const ours = steps.filter(({ uses }) => uses?.includes('access-conformance'));
    expect(ours.length).toBeGreaterThan(0);
    for (const { uses, with: inputs = {} } of ours) {
      for (const name of Object.keys(inputs)) expect(Object.keys(action.inputs), file).toContain(name);
      expect(uses).toMatch(new RegExp(`@v${tool.version.replaceAll('.', '\\.')}$`));
    }
  }
});

test('the examples of a targets file are read by the parser that reads them', () => {
  const guides = ['docs/ci/README.md', 'README.md', 'docs/implementing.md'];
  const examples = guides.flatMap((name) =>
    [...textOf(...name.split('/')).matchAll(/```ya?ml\n([\s\S]*?)```/g)].map(([, text = '']) => text),
  );
  const targets = examples.filter((text) => text.includes('baseUrl'));
  expect(targets.length).toBeGreaterThan(0);
  for (const text of targets) {
    writeFileSync(join(folder, 'targets.yaml'), text);
    const variables = [...text.matchAll(/\w+Variable: (\w+)/g)].map(([, name = '']) => [name, 'a-key-of-a-target']);
    const env = Object.fromEntries(variables);
    const read = readTargets(join(folder, 'targets.yaml'), { shown: 'targets.yaml', env, cwd: folder });
    expect(read.length).toBeGreaterThan(0);
  }
  // What the guide says of members is what the parser takes.
  const members = [
    ...textOf('docs', 'ci', 'README.md').matchAll(
      /`([A-Z_]+)` (?:is|and `[A-Z_]+` are named by the variables that hold them,)\s`(\w+)`/g,
    ),
  ];
  expect(members.map(([, setting, member]) => `${setting} ${member}`)).toEqual([
    'HTTP_BASE_URL httpBaseUrl',
    'TARGET_NAME name',
    'CA_FILE ca',
    'API_KEY keyVariable',
  ]);
  for (const [, setting = '', member = ''] of members) {
    writeFileSync(join(folder, 'ca.pem'), '');
    const value = { CA_FILE: 'ca.pem', API_KEY: 'KEY', TARGET_NAME: 'b', HTTP_BASE_URL: 'none' }[setting] ?? '';
    const own = `${member === 'name' ? '' : '  name: b\n'}  ${member}: ${value}\n`;
    writeFileSync(join(folder, 'targets.yaml'), `- baseUrl: https://a.example\n${own}`);
    const [target] = readTargets(join(folder, 'targets.yaml'), { shown: 't', env: { KEY: 'k' }, cwd: folder });
    expect(target?.fixed[setting], member).toBeDefined();
  }
});

test('no script has an expression or a secret in it', () => {
  const steps = (name: string): readonly ActionStep[] =>
    name === 'action.yml'
      ? action.runs.steps
      : Object.values(yamlOf<Workflow>(...name.split('/')).jobs).flatMap((job) => job.steps);
  const files = ['action.yml', '.github/workflows/ci.yml', ...workflows.map((name) => `docs/ci/${name}`)];
  const scripts = [
    ...files.flatMap((name) => steps(name).flatMap(({ run }) => run ?? [])),
    ...Object.values(gitlab).flatMap(({ before_script: before = [], script = [] }) => [...before, ...script]),
    ...scriptsOf(parse(ciFiles.github.text())),
    ...scriptsOf(parse(ciFiles.gitlab.text())),
  ];
  expect(scripts.length).toBeGreaterThan(8);
  for (const script of scripts) {
    expect(script).not.toContain('${{');
    expect(script).not.toMatch(/API_KEY|PASSWORD|secrets\./);
  }
});

test('our own CI runs on every Node that we name, and only commands that exist', () => {
  const ci = yamlOf<Workflow>('.github', 'workflows', 'ci.yml');
  expect(JSON.stringify(ci.jobs)).toContain('{"node":["20.19","22","24"]}');
  const manifest = JSON.parse(textOf('package.json')) as { scripts: object; engines: { node: string } };
  expect(manifest.engines.node).toBe('>=20.19');
  const scripts = Object.values(ci.jobs).flatMap((job) => job.steps.flatMap(({ run }) => run ?? []));
  for (const [, name = ''] of scripts.join('\n').matchAll(/npm (?:run )?(\w+)/g))
    if (name !== 'ci') expect(Object.keys(manifest.scripts)).toContain(name);
});
