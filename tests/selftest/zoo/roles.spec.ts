import { readFileSync } from 'node:fs';
import { asset } from '../../../src/package.js';
import { type RolesOptions, rolesFaults, rolesVariants, startRoles } from '../../../src/reference/index.js';
import { withFiles } from '../support/documents.js';
import { type JudgedRun, type JudgeOptions, judgeRunning } from '../support/judge.js';
import { expect, inCi, inFull, rowsOfTable, sample, test } from '../support/test.js';

/**
 * The second embedded service, judged with the identities of docs/examples over real sockets: each
 * fault is caught by its clauses and by no other, and no other way to be the service is accused.
 */

/** With a token that is there already: how one is fetched is tested where that is done. */
const example = readFileSync(asset('docs', 'examples', 'identities.yaml'), 'utf8').replace(
  /oauth:\s+flow: clientCredentials\s+clientId: .*\s+clientSecret: .*/,
  'oauth: { variable: ROBOT_TOKEN }',
);

/** What is said of several identities. */
const ofIdentities = ['AUTH-5', 'AUTH-6'];

const judgeRoles = async (options: RolesOptions, judging: JudgeOptions = {}): Promise<JudgedRun> => {
  const { service, variables, clientToken } = await startRoles(options);
  // Its keys are those of the identities.
  const { key: _key, ...running } = service;
  try {
    return await withFiles({ 'identities.yaml': example }, (path) =>
      judgeRunning(running, {
        contract: asset('openapi', 'accounts-and-roles.yaml'),
        ...judging,
        settings: {
          IDENTITIES: path('identities.yaml'),
          ...variables,
          ROBOT_TOKEN: clientToken,
          ...judging.settings,
        },
      }),
    );
  } finally {
    await service.close();
  }
};

const failedRules = ({ results }: JudgedRun): readonly string[] =>
  [...new Set(results.checks.filter(({ outcome }) => outcome === 'failed').map(({ rule }) => rule))].sort();

const open = ({ results }: JudgedRun): string =>
  results.checks
    .filter(({ outcome }) => outcome === 'inconclusive' || outcome === 'blocked')
    .map(({ id, reason }) => `${id}: ${reason}`)
    .join('\n');

test('the conforming service is conformant, and every operation is judged', inCi, async () => {
  const run = await judgeRoles({});
  expect(run.results.verdict, open(run)).toBe('conformant');
});

const someFaults = rowsOfTable(3);
for (const { name, title, clauses, checks } of sample(rolesFaults, 3)) {
  const own = clauses.filter((clause) => ofIdentities.includes(clause));
  test(`fault ${name} is seen by ${own.join(' and ')}: ${title}`, someFaults(), async () => {
    const run = await judgeRoles({ fault: name }, { only: ofIdentities });
    expect(run.failedClauses, open(run)).toEqual(own);
    expect(checks).toEqual(expect.arrayContaining([...failedRules(run)]));
  });
}

const someVariants = rowsOfTable(3);
for (const { name, title } of sample(rolesVariants, 3))
  test(`variant ${name} is not accused: ${title}`, someVariants(), async () => {
    expect(failedRules(await judgeRoles({ variant: name }, { only: ofIdentities }))).toEqual([]);
  });

for (const { name, clauses, checks } of sample(rolesFaults, 24))
  test(`fault ${name}, judged whole, fails ${clauses.join(' and ')} alone`, inFull, async () => {
    const run = await judgeRoles({ fault: name });
    expect(run.failedClauses, open(run)).toEqual(clauses);
    expect(failedRules(run)).toEqual([...checks].sort());
    expect(run.results.verdict).toBe('non-conformant');
  });

for (const { name, verdict = 'conformant' } of sample(rolesVariants, 24))
  test(`variant ${name}, judged whole, is ${verdict}`, inFull, async () => {
    const run = await judgeRoles({ variant: name }, { settings: { PROBES: 'standard' } });
    expect(failedRules(run), 'accusations').toEqual([]);
    expect(run.results.verdict, open(run)).toBe(verdict);
  });
