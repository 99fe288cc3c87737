import { withFiles } from '../support/documents.js';
import { judgeReference } from '../support/judge.js';
import { expect, test } from '../support/test.js';

/** An implementer says what answers look like without touching the contract, and is held to it. */

const overlay = (schema: object): object => ({
  overlay: '1.0.0',
  info: { title: 'What we promise', version: '1' },
  actions: [
    {
      target: "$.paths['/api/v2/workout/'].get",
      update: { responses: { '200': { description: '-', content: { 'application/json': { schema } } } } },
    },
  ],
});

test('responses that an overlay adds to the shipped contract are checked', async () => {
  const files = { 'good.yaml': overlay({ type: 'object' }), 'bad.yaml': overlay({ required: ['no-such-member'] }) };
  await withFiles(files, async (path) => {
    const only = ['documented-*'];
    const good = await judgeReference({ settings: { OVERLAY: path('good.yaml') }, only });
    expect(good.outcomesOf('documented-status')).toEqual(['passed']);
    expect(good.outcomesOf('documented-body')).toEqual(['passed']);
    const bad = await judgeReference({ settings: { OVERLAY: path('bad.yaml') }, only });
    expect(bad.failedClauses).toEqual(['DOC-2']);
    expect(bad.check('documented-body').reason).toContain('no-such-member');
  });
  const silent = await judgeReference({ only: ['documented-*', 'serves-https'] });
  expect(silent.results.checks.map(({ rule }) => rule)).toEqual(['serves-https']);
});
