import { parse } from 'yaml';
import { judgeDocument, newKey, notFound, things, unauthorized } from '../support/document-server.js';
import { protectedList, withFiles } from '../support/documents.js';
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

/** Judges again with the overlay action at the end of a text. */
const withActionIn = async <T>(
  text: string,
  judged: (settings: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> => {
  const actions = [parse(text.slice(text.indexOf('{')))];
  const overlay = { overlay: '1.0.0', info: { title: 'Corrected', version: '1' }, actions };
  return withFiles({ 'overlay.yaml': overlay }, (path) => judged({ OVERLAY: path('overlay.yaml') }));
};

for (const [field, prefix] of [
  ['x-api-key', ''],
  ['authorization', 'Token '],
] as const)
  test(`a document that names another place than ${field} is told the action that corrects it`, async () => {
    const key = newKey();
    const judged = (settings: Readonly<Record<string, string>>) =>
      judgeDocument(
        protectedList,
        ({ path, headers }) => {
          if (path !== '/things/') return notFound;
          return headers[field] === `${prefix}${key}` ? { status: 200, body: things } : unauthorized;
        },
        { settings: { API_KEY: key, ...settings }, only: ['AUTH-1', 'AUTH-2', 'AUTH-3'] },
      );
    const { results } = await judged({});
    const { note = '' } = results.checks.find(({ outcome }) => outcome === 'failed') ?? {};
    expect(note).toContain('If the document is wrong');
    const corrected = await withActionIn(note, judged);
    expect(corrected.results.verdict).toBe('conformant');
  });

test('a service that reads the key of JSON requests alone: the report gives the action that names the field', async () => {
  const key = newKey();
  const judged = (settings: Readonly<Record<string, string>>) =>
    judgeDocument(
      protectedList,
      ({ path, headers }) => {
        if (path !== '/things/') return notFound;
        const isRead = headers['content-type'] === 'application/json' && headers.authorization === `Bearer ${key}`;
        return isRead ? { status: 200, body: things } : unauthorized;
      },
      { settings: { API_KEY: key, ...settings }, only: ['PATH-1', 'AUTH-2', 'AUTH-3'] },
    );
  const { results } = await judged({});
  const { reason = '' } = results.checks.find(({ outcome }) => outcome === 'inconclusive') ?? {};
  expect(results.verdict).toBe('incomplete');
  expect(reason).toContain('the same with Content-Type: application/json does');
  const corrected = await withActionIn(reason, judged);
  expect(corrected.results.verdict).toBe('conformant');
});
