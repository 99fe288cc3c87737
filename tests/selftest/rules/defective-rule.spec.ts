import { startReference } from '../../../src/reference/index.js';
import { rules } from '../../../src/rules/index.js';
import { defineRule, type OperationSubject } from '../../../src/rules/rule.js';
import { passed } from '../../../src/rules/support/judgement.js';
import { requestWithNothing } from '../../../src/rules/support/requests.js';
import type { Probe } from '../../../src/wire/types.js';
import { judgeRunning } from '../support/judge.js';
import { expect, test } from '../support/test.js';

/** A request that cannot be written over HTTP/2, where some fields stand once only. */
const broken = (subject: OperationSubject): Probe => ({
  ...requestWithNothing(subject),
  name: 'a range twice',
  protocol: 'h2',
  headers: [
    ['Range', 'bytes=0-1'],
    ['Range', 'bytes=0-2'],
  ],
});

const defective = defineRule({
  scope: 'operation',
  id: 'sends-a-range-twice',
  clauses: ['AUTH-4'],
  title: 'sends a range twice',
  stage: 'anonymous',
  appliesTo: ({ operation }) => operation.id === 'listExercises',
  probes: (subject) => [broken(subject)],
  judge: (ask, subject) => passed('It was sent.', [ask(broken(subject))]),
  explanation: { asks: '-', sends: '-', judged: '-', causes: '-', fixes: '-' },
});

test('a request that a rule cannot send makes its own check inconclusive, and no other', async () => {
  const service = await startReference({ variant: 'http2-too' });
  try {
    const only = ['sends-a-range-twice', 'opens-without-credentials'];
    const run = await judgeRunning(service, { rules: [...rules, defective], only });
    const { outcome, cause, reason } = run.check('sends-a-range-twice@listExercises');
    expect([outcome, cause?.id]).toEqual(['inconclusive', 'suite-fault']);
    expect(reason).toContain('range');
    expect(run.outcomesOf('opens-without-credentials')).toEqual(['passed', 'passed']);
  } finally {
    await service.close();
  }
});
