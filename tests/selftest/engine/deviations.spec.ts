import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { proposalOf } from '../../../src/cli/judge-target.js';
import {
  DeviationsError,
  deviate,
  matchesPattern,
  readDeviations,
  staleDeviations,
} from '../../../src/engine/deviations.js';
import type { Finding } from '../../../src/engine/results.js';
import { expect, test } from '../support/test.js';

const planned = [
  { id: 'refuses-missing-key@listWorkouts', clauses: ['AUTH-3'] },
  { id: 'refuses-missing-key@GET /a/{b}', clauses: ['AUTH-3'] },
  { id: 'takes-no-other-format@listWorkouts', clauses: ['AUTH-2'] },
  { id: 'observes-limits@listWorkouts', clauses: [] },
];

const finding = (id: string, outcome: Finding['outcome']): Finding => ({
  id,
  rule: id.split('@')[0] ?? '',
  clauses: ['AUTH-3'],
  operation: id.split('@')[1] ?? '',
  title: 'refuses a request without a key',
  outcome,
  reason: 'A request without a key opens it.',
  exchanges: [],
  comparedWith: [],
  durationMs: 0,
});

const read = (cwd: string, text: string) => {
  const file = join(cwd, 'deviations.yaml');
  writeFileSync(file, text);
  return readDeviations(file, { planned, shown: 'deviations.yaml', now: new Date('2026-06-15T12:00:00Z') });
};

const problems = (cwd: string, text: string): readonly string[] => {
  try {
    read(cwd, text);
  } catch (error) {
    if (error instanceof DeviationsError) return error.problems;
    throw error;
  }
  return [];
};

test('entries are read with their line, a wildcard stands for operations', ({ cwd }) => {
  const entries = read(
    cwd,
    `# known\n- check: refuses-missing-key@*\n  reason: the old gateway\n  expires: 2026-06-15\n  link: https://tracker.example/7\n- {check: takes-no-other-format@listWorkouts, reason: 'a client needs Bearer'}\n`,
  );
  expect(entries).toEqual([
    {
      check: 'refuses-missing-key@*',
      reason: 'the old gateway',
      expires: '2026-06-15',
      link: 'https://tracker.example/7',
      position: 'deviations.yaml:2',
    },
    {
      check: 'takes-no-other-format@listWorkouts',
      reason: 'a client needs Bearer',
      position: 'deviations.yaml:6',
    },
  ]);
  expect(matchesPattern('refuses-missing-key@*', 'refuses-missing-key@GET /a/{b}')).toBe(true);
  expect(matchesPattern('refuses-missing-key@list*', 'refuses-missing-key@GET /a/{b}')).toBe(false);
  expect(matchesPattern('refuses-missing-key@GET /a/{b}', 'refuses-missing-key@GET /a/{b}')).toBe(true);
});

test('an empty file accepts nothing', ({ cwd }) => {
  for (const text of ['', '# nothing\n', '[]\n', '---\n']) expect(read(cwd, text)).toEqual([]);
});

test('everything that is wrong is said at once', ({ cwd }) => {
  const text = [
    '- check: refuses-missing-key@*',
    '  reason: the old gateway',
    '  link: tracker',
    '- chek: refuses-missing-key@*',
    '  expires: 2026-01-31',
    '  kind: x',
    '- check: refuses-missing-key@*',
    '  reason: [x]',
    '  expires: soon',
    '- check: [x]',
    '  reson: the old gateway',
    '  link: tracker',
    '',
  ].join('\n');
  expect(problems(cwd, text)).toEqual([
    'deviations.yaml:3 link must be an http or https URL',
    'deviations.yaml:4 an entry has no member "chek"; did you mean check?',
    'deviations.yaml:6 an entry has no member "kind"',
    'deviations.yaml:4 the entry has no reason: say why it is known and accepted',
    'deviations.yaml:5 the deviation expired on 2026-01-31: mend the server, or agree anew',
    'deviations.yaml:8 reason must be text',
    'deviations.yaml:9 expires must be a day, as 2027-01-31, and is "soon"',
    'deviations.yaml:7 refuses-missing-key@* has an entry already, at deviations.yaml:1',
    'deviations.yaml:11 an entry has no member "reson"; did you mean reason?',
    'deviations.yaml:10 check must be text',
    'deviations.yaml:12 link must be an http or https URL',
  ]);
});

for (const [what, text, line] of [
  ['no reason', '- check: refuses-missing-key@*\n', /^deviations\.yaml:1 .*has no reason/],
  ['an empty reason', '- check: refuses-missing-key@*\n  reason: ""\n', /^deviations\.yaml:2 .*has no reason/],
  [
    'a reason of white space',
    '- check: refuses-missing-key@*\n  reason: "  "\n',
    /^deviations\.yaml:2 reason must be text/,
  ],
  [
    'expired',
    '- check: refuses-missing-key@*\n  reason: x\n  expires: 2026-06-14\n',
    /^deviations\.yaml:3 .*expired on 2026-06-14/,
  ],
  [
    'no such day',
    '- check: refuses-missing-key@*\n  reason: x\n  expires: 2026-02-30\n',
    /^deviations\.yaml:3 expires must be a day/,
  ],
  [
    'a date in other words',
    '- check: refuses-missing-key@*\n  reason: x\n  expires: next year\n',
    /^deviations\.yaml:3 expires/,
  ],
  [
    'an unknown check',
    '\n- check: refuses-missing-key@listWorkout\n  reason: x\n',
    /^deviations\.yaml:2 no check is called .*did you mean refuses-missing-key@listWorkouts/,
  ],
  ['a rule alone', '- check: refuses-missing-key\n  reason: x\n', /^deviations\.yaml:1 .*is no check id/],
  ['every rule', '- check: "*@listWorkouts"\n  reason: x\n', /^deviations\.yaml:1 .*stands for operations alone/],
  ['an observation', '- check: observes-limits@*\n  reason: x\n', /^deviations\.yaml:1 .*cannot fail/],
  ['no check', '- reason: x\n', /^deviations\.yaml:1 the entry names no check/],
  ['an unknown member', '- check: refuses-missing-key@*\n  raeson: x\n', /^deviations\.yaml:2 .*did you mean reason/],
  ['no list', 'check: refuses-missing-key@*\nreason: x\n', /^deviations\.yaml:1 the file must be a list/],
  ['no object', '- refuses-missing-key@*\n', /^deviations\.yaml:1 an entry is/],
  ['no text', '- check: refuses-missing-key@*\n  reason: [x]\n', /^deviations\.yaml:2 reason must be text/],
  ['no YAML', '- check: [\n', /^deviations\.yaml:\d /],
  ['no URL', '- check: refuses-missing-key@*\n  reason: x\n  link: javascript:1\n', /^deviations\.yaml:3 link/],
  [
    'twice',
    '- {check: refuses-missing-key@*, reason: x}\n- {check: refuses-missing-key@*, reason: y}\n',
    /^deviations\.yaml:2 .*already, at deviations\.yaml:1/,
  ],
] as const)
  test(`refused with file and line: ${what}`, ({ cwd }) => {
    const found = problems(cwd, text);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(line);
  });

test('every problem is told at once', ({ cwd }) => {
  expect(problems(cwd, '- check: refuses-missing-key@*\n- check: nonsense@x\n  reason: y\n')).toHaveLength(2);
});

test('a deviating check stays failed; lenient counts under STRICT alone', ({ cwd }) => {
  const entries = read(
    cwd,
    '- {check: refuses-missing-key@*, reason: all}\n- {check: refuses-missing-key@listWorkouts, reason: one}\n- {check: takes-no-other-format@*, reason: tolerant}\n',
  );
  const findings = [
    finding('refuses-missing-key@listWorkouts', 'failed'),
    finding('refuses-missing-key@GET /a/{b}', 'failed'),
    finding('takes-no-other-format@listWorkouts', 'lenient'),
  ];
  const reasons = (strict: boolean) =>
    deviate(entries, { strict })(findings).map(({ outcome, deviation }) => `${outcome} ${deviation?.reason}`);
  expect(reasons(false)).toEqual(['failed one', 'failed all', 'lenient undefined']);
  expect(reasons(true)).toEqual(['failed one', 'failed all', 'lenient tolerant']);
});

test('stale: every check of the entry was judged and passed', ({ cwd }) => {
  const entries = read(cwd, '- {check: refuses-missing-key@*, reason: all}\n');
  const ids = planned.map(({ id }) => id);
  const stale = (...outcomes: readonly Finding['outcome'][]) =>
    staleDeviations(
      entries,
      ids,
      outcomes.map((outcome, index) => finding(ids[index] ?? '', outcome)),
    );
  expect(stale('passed', 'passed')).toEqual([
    expect.stringMatching(/^deviations\.yaml:1 .*stale: all 2 checks passed/),
  ]);
  for (const other of ['failed', 'inconclusive', 'blocked', 'excluded', 'lenient'] as const)
    expect(stale('passed', other)).toEqual([]);
  // Judged in part (a selection, a shard): the other one may still fail.
  expect(stale('passed')).toEqual([]);
});

test('what --write-deviations proposes is read once the reasons are there', ({ cwd }) => {
  const findings = [
    finding('refuses-missing-key@listWorkouts', 'failed'),
    { ...finding('refuses-missing-key@GET /a/{b}', 'failed'), reason: `two\nlines ${'long '.repeat(100)}` },
    finding('takes-no-other-format@listWorkouts', 'lenient'),
  ];
  const proposal = proposalOf(findings, { strict: false });
  expect(problems(cwd, proposal)).toEqual([
    expect.stringMatching(/listWorkouts has no reason/),
    expect.stringMatching(/GET \/a\/\{b\} has no reason/),
  ]);
  const filled = proposal.replaceAll('reason: ""', 'reason: accepted');
  expect(read(cwd, filled).map(({ check }) => check)).toEqual([
    'refuses-missing-key@listWorkouts',
    'refuses-missing-key@GET /a/{b}',
  ]);
  expect(proposalOf(findings, { strict: true })).toContain('takes-no-other-format@listWorkouts');
});
