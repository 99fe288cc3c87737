import { readFileSync } from 'node:fs';
import { asset } from '../../../src/package.js';
import { type RolesOptions, rolesVariants, startRoles } from '../../../src/reference/index.js';
import { withFiles } from '../support/documents.js';
import { type JudgedRun, type JudgeOptions, judgeRunning } from '../support/judge.js';
import { sample } from '../support/sample.js';
import { expect, test } from '../support/test.js';

/**
 * The second embedded service, judged whole with the identities of docs/examples: each fault is
 * caught by its clause and by no other, and no other way to be the service is accused.
 */

const example = readFileSync(asset('docs', 'examples', 'identities.yaml'), 'utf8');

const judgeRoles = async (options: RolesOptions, judging: JudgeOptions = {}): Promise<JudgedRun> => {
  const { service, variables } = await startRoles(options);
  // Its keys are those of the identities.
  const { key: _key, ...running } = service;
  try {
    return await withFiles({ 'identities.yaml': example }, (path) =>
      judgeRunning(running, {
        contract: asset('openapi', 'accounts-and-roles.yaml'),
        ...judging,
        settings: { IDENTITIES: path('identities.yaml'), ...variables, ...judging.settings },
      }),
    );
  } finally {
    await service.close();
  }
};

const failedRules = ({ results }: JudgedRun): readonly string[] => [
  ...new Set(results.checks.filter(({ outcome }) => outcome === 'failed').map(({ rule }) => rule)),
];

const open = ({ results }: JudgedRun): string =>
  results.checks
    .filter(({ outcome }) => outcome === 'inconclusive' || outcome === 'blocked')
    .map(({ id, reason }) => `${id}: ${reason}`)
    .join('\n');

test('the conforming service is conformant, and every operation is judged', async () => {
  const run = await judgeRoles({});
  expect(run.results.verdict, open(run)).toBe('conformant');
});

for (const variant of sample(rolesVariants, 3))
  test(`variant ${variant.name}: ${variant.title}`, { tag: '@ci' }, async () => {
    const run = await judgeRoles({ variant: variant.name });
    expect(failedRules(run), 'accusations').toEqual([]);
    expect(run.results.verdict, open(run)).toBe(variant.verdict ?? 'conformant');
  });
