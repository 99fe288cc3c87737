import { publicAs } from '../../../src/reference/behaviour.js';
import { json } from '../../../src/reference/messages.js';
import { startChanged } from '../../../src/reference/service.js';
import { rules } from '../../../src/rules/index.js';
import { header } from '../../../src/rules/oracle/answers.js';
import { answerRule } from '../../../src/rules/support/answer-rule.js';
import type { Response } from '../../../src/wire/types.js';
import { judgeRunning } from '../support/judge.js';
import { expect, test } from '../support/test.js';

/** A rule about one answer fails where two answers are wrong, and not where there is none. */

const judged = async (wrong: (answer: Response) => string | undefined, shown = () => json(200, {})) => {
  const mine = answerRule({
    id: 'sends-a-field',
    clauses: ['AUTH-4'],
    title: 'sends a field',
    appliesTo: ({ operation }) => operation.id === 'listExercises',
    wrong,
    causes: 'It is not sent.',
    fixes: 'Send it.',
  });
  const service = await startChanged([{ override: publicAs(shown) }]);
  try {
    const run = await judgeRunning(service, { rules: [...rules, mine], only: ['sends-a-field'] });
    const { outcome, cause, reason } = run.check('sends-a-field@listExercises');
    return { outcome, cause: cause?.id, reason };
  } finally {
    await service.close();
  }
};

const lacks =
  (name: string) =>
  (answer: Response): string | undefined =>
    header(answer, name) === undefined ? `${name} is missing.` : undefined;

test('passes where nothing is wrong, and fails with its own sentence where it is', async () => {
  expect((await judged(lacks('content-type'))).outcome).toBe('passed');
  expect(await judged(lacks('x-absent'))).toEqual({
    outcome: 'failed',
    cause: 'x-sends-a-field',
    reason: 'x-absent is missing.',
  });
});

test('is inconclusive where the answer is an outage, or another one on a second try', async () => {
  const outage = () => json(503, {});
  expect(await judged(lacks('x-absent'), outage)).toMatchObject({ outcome: 'inconclusive', cause: 'no-answer' });
  let reads = 0;
  const late = () => {
    reads += 1;
    return json(200, {}, reads === 1 ? [] : [['X-Late', 'yes']]);
  };
  expect(await judged(lacks('x-late'), late)).toMatchObject({
    outcome: 'inconclusive',
    cause: 'changes-between-tries',
  });
});
