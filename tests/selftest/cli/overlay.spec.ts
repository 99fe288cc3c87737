import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { app } from '../support/app.js';
import { command } from '../support/command.js';
import { expect, inCi, inFull, test } from '../support/test.js';
import { resultsIn } from '../support/written-results.js';

/**
 * Wherever the contract is named, an overlay that changed it is named too, with the beginning of
 * its digest.
 */

const workout = '/api/v2/workout/';

const overlayOf = (...actions: readonly object[]): string =>
  stringify({ overlay: '1.0.0', info: { title: 'Changes', version: '1' }, actions });

const moved = overlayOf(
  { target: `$.paths['${workout}']`, remove: true },
  {
    target: '$.paths',
    update: {
      '/api/v2/session/': {
        get: { operationId: 'listSessions', security: [{ apiKey: [] }], responses: { default: { description: '-' } } },
      },
    },
  },
);

const harmless = overlayOf({ target: '$.info', update: { summary: 'The same' } });

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const read = (...path: readonly string[]): string => readFileSync(join(...path), 'utf8');
const quick = ['--reference', '--probes', 'standard'];

test('every artefact of a run names its overlays and their digests', inFull, async ({ cwd }) => {
  writeFileSync(join(cwd, 'one.yaml'), harmless);
  writeFileSync(join(cwd, 'two.yaml'), moved);
  const overlays = ['--overlay', 'one.yaml,two.yaml'];
  const run = await command(['run', ...quick, '--only', 'AUTH-4', '--only', 'PATH-1', ...overlays], { cwd });
  const { contract } = resultsIn(cwd, 'reports');
  expect(contract.overlays).toEqual([
    { file: 'one.yaml', sha256: digest(harmless) },
    { file: 'two.yaml', sha256: digest(moved) },
  ]);
  const names = `with the overlays one.yaml (sha256 ${digest(harmless).slice(0, 12)}), two.yaml (sha256 ${digest(moved).slice(0, 12)})`;
  expect(run.out.replace(/\s+/g, ' ')).toContain(`access contract 1.0.0 ${names}`);
  expect(read(cwd, 'reports/conformance/junit.xml')).toContain(names);
  expect(read(cwd, 'reports/conformance/summary.md').replace(/\\/g, '')).toContain(names);
  const page = read(cwd, 'reports/conformance/index.html');
  for (const text of ['two.yaml', digest(moved)]) expect(page).toContain(text);
  expect(JSON.parse(read(cwd, 'reports/conformance/badge.json')).label).toBe('access contract with 2 overlays');

  for (const [words, code] of [
    [['plan', '--base-url', 'https://base-url.invalid', ...overlays], 0],
    [['judge', 'reports/conformance/results.json'], run.code],
  ] as const) {
    const told = await command(words, { cwd });
    expect(told.out.replace(/\s+/g, ' ')).toContain(names);
    expect(told.code).toBe(code);
  }
  const plan = await command(['plan', '--base-url', 'https://base-url.invalid', '--json', ...overlays], { cwd });
  expect(JSON.parse(plan.out).contract).toEqual(contract);

  await command(['run', ...quick, '--only', 'AUTH-4', '--reports-dir', 'plain'], { cwd });
  expect(resultsIn(cwd, 'plain').contract).not.toHaveProperty('overlays');
  const compared = await command(
    ['compare', 'plain/conformance/results.json', 'reports/conformance/results.json', '--fail-on', 'never'],
    { cwd },
  );
  expect(compared.out.replace(/\s+/g, ' ')).toContain(names);
  expect(read(cwd, 'reports/compare.html')).toContain(names);
});

test('a clause that speaks of what an overlay took out is left out, and says why', inCi, async ({ cwd }) => {
  writeFileSync(join(cwd, 'moved.yaml'), moved);
  const run = await command(['run', ...quick, '--overlay', 'moved.yaml'], { cwd });
  const { clauses, checks } = resultsIn(cwd, 'reports');
  const clause = (id: string) => clauses.find((each) => each.id === id);
  const reason = `The clause speaks of ${workout}, which the document does not have with moved.yaml applied.`;
  expect(clause('PATH-1')).toMatchObject({ outcome: 'excluded', checks: [], reason });
  expect(clause('PATH-3')).toMatchObject({ outcome: 'excluded', checks: [] });
  expect(clause('PATH-3')?.reason).toContain(`GET ${workout}`);
  // The path of the overlay is asked all the same, for what rests on it; the sentence of another
  // path says nothing of it.
  expect(checks.find(({ id }) => id === 'serves-documented-path@listSessions')).toMatchObject({ clauses: [] });
  expect(clause('PATH-2')?.checks).toContain('needs-no-other-version@listSessions');
  for (const text of [run.out.replace(/\s+/g, ' '), read(cwd, 'reports/conformance/index.html')])
    expect(text).toContain(reason);
  for (const file of ['reports/conformance/junit.xml', 'reports/conformance/summary.md'])
    expect(read(cwd, file).replace(/\\/g, '')).toContain(reason);
  expect((await command(['list', '--overlay', 'moved.yaml'], { cwd })).out).toContain(reason);
});

for (const [what, actions, left] of [
  [
    'another field',
    [{ target: '$.components.securitySchemes.apiKey', update: { name: 'X-Key' } }],
    ['AUTH-1', 'AUTH-2'],
  ],
  [
    'another word',
    [{ target: "$.components.securitySchemes.apiKey['x-access-credential']", update: { scheme: 'Bearer' } }],
    ['AUTH-2'],
  ],
  [
    'another version',
    [
      { target: '$.paths.*', remove: true },
      {
        target: '$.paths',
        update: {
          '/api/v3/workout/': { get: { security: [{ apiKey: [] }], responses: { default: { description: '-' } } } },
        },
      },
    ],
    ['PATH-1', 'PATH-2', 'PATH-3'],
  ],
  ['nothing that a sentence speaks of', [{ target: '$.info', update: { summary: '-' } }], []],
] as const)
  test(`an overlay that states ${what} leaves out ${left.join(', ') || 'no clause'}`, async ({ cwd }) => {
    writeFileSync(join(cwd, 'o.yaml'), overlayOf(...actions));
    const { out } = await app(['list', '--json', '--overlay', 'o.yaml'], { cwd });
    const { clauses } = JSON.parse(out) as { clauses: readonly { id: string; excluded?: string }[] };
    expect(clauses.filter(({ excluded }) => excluded !== undefined).map(({ id }) => id)).toEqual(left);
  });
