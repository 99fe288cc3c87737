import { loadContract } from '../../../src/contract/load.js';
import { judgeAgain } from '../../../src/engine/judge-again.js';
import type { Finding, RunRecord } from '../../../src/engine/results.js';
import { asset } from '../../../src/package.js';
import { judgeDocument, notFound, unauthorized } from '../support/document-server.js';
import { documentOf, withFiles } from '../support/documents.js';
import { type JudgedRun, type JudgeReferenceOptions, judgeReference } from '../support/judge.js';
import { expect, oneOfThree, test } from '../support/test.js';

/** As it is after a way through results.json. */
const recordOf = ({ results, exchanges }: JudgedRun): RunRecord => {
  const kept = JSON.parse(JSON.stringify({ results, exchanges })) as Pick<JudgedRun, 'results' | 'exchanges'>;
  return {
    results: kept.results,
    async *exchanges() {
      yield* kept.exchanges;
    },
    dispose: async () => {},
  };
};

const shipped = (keys: readonly string[] = ['API_KEY']) =>
  loadContract(asset('openapi', 'fitness-data-service.yaml'), { keys });

const word = ({ durationMs: _durationMs, ...finding }: Finding) => finding;

for (const [row, how] of (
  [
    {},
    { fault: 'no-key-asked' },
    { settings: { PROBES: 'standard' }, fault: 'compares-first-half' },
    { settings: { PROBES: 'standard' }, fault: 'plain-http' },
    { settings: { PROBES: 'standard' }, variant: 'bans-after-five-wrong-keys' },
    { settings: { PROBES: 'standard' }, variant: 'refuses-with-login-redirect' },
    { settings: { STRICT: 'true', PROBES: 'standard' }, variant: 'scheme-in-any-case' },
    { settings: { API_KEY: '0123456789abcdef0123456789abcdef01234567', PROBES: 'standard' } },
    { settings: { API_KEY: '' } },
    { only: ['AUTH-3'] },
    { settings: { PROBES: 'spread' } },
  ] as const satisfies readonly JudgeReferenceOptions[]
).entries())
  test(`the same version finds the same again: ${JSON.stringify(how)}`, oneOfThree(row), async () => {
    const run = await judgeReference({ ...how, exchanges: true });
    const { record, changes } = await judgeAgain(recordOf(run), await shipped(Object.keys(run.results.recording.keys)));
    expect(changes).toEqual([]);
    expect(record.results.checks.map(word)).toEqual(run.results.checks.map(word));
    for (const part of ['verdict', 'counts', 'complete', 'coverage', 'matrix', 'gates', 'facts'] as const)
      expect(record.results[part]).toEqual(run.results[part]);
    expect(record.results.clauses.map(({ id, outcome }) => [id, outcome])).toEqual(
      run.results.clauses.map(({ id, outcome }) => [id, outcome]),
    );
    const facts = ({ gaps }: RunRecord['results']) =>
      gaps.flatMap(({ id, observations }) => observations.map(({ check, fact }) => `${id} ${check} ${fact}`)).sort();
    expect(facts(record.results)).toEqual(facts(run.results));
  });

test('a changed recording is judged as it says, and what changed is told', async () => {
  const run = await judgeReference({ settings: { PROBES: 'standard' }, exchanges: true });
  const record = recordOf(run);
  const [checkRead] = run.check('refuses-missing-key').exchanges;
  const keyed = run.exchanges.find(({ probe }) => probe.operation === 'listWorkouts' && probe.name === 'with the key');
  const stand = {
    ...record,
    async *exchanges() {
      for await (const exchange of record.exchanges())
        yield exchange.id === checkRead && keyed ? { ...exchange, attempts: keyed.attempts } : exchange;
    },
  };
  const { changes } = await judgeAgain(stand, await shipped());
  const change = changes.find(({ check }) => check === 'refuses-missing-key@listWorkouts');
  // It now looks open, and the second look that this asks for was never recorded.
  expect(change).toMatchObject({ before: 'passed', after: 'inconclusive' });
  expect(change?.reason).toContain('The recording has no answer to a request that today’s rules look at: GET ');
});

test('what was accepted stays accepted, what the key page showed is carried over, what is gone is told', async () => {
  const run = await judgeReference({
    fault: 'no-key-asked',
    only: ['refuses-missing-key'],
    exchanges: true,
    deviate: (findings) => findings.map((finding) => ({ ...finding, deviation: { reason: 'known' } })),
  });
  const [first] = run.results.checks;
  if (!first) throw new Error('nothing was judged');
  const page = { ...first, id: 'makes-a-key@key-page', rule: 'makes-a-key', operation: 'key-page' };
  const gone = { ...first, id: 'no-such-rule@listWorkouts', rule: 'no-such-rule' };
  const { record, changes } = await judgeAgain(
    recordOf({ ...run, results: { ...run.results, checks: [first, page, gone] } }),
    await shipped(),
  );
  expect(record.results.checks).toEqual([first, page]);
  expect(record.results.verdict).toBe('deviating');
  expect(changes).toEqual([expect.objectContaining({ check: gone.id, before: 'failed', after: undefined })]);
});

const responses = { default: { description: '-' } };
const rooms = documentOf({
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/rooms': { get: { operationId: 'listRooms', security: [{ key: ['admin'] }], responses } },
    '/rooms/{id}': {
      get: {
        operationId: 'getRoom',
        security: [{ key: ['admin'] }],
        responses,
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      },
    },
  },
});

test('an item that only a further identity opens is judged again by the id that was sent', async () => {
  const keys = { API_KEY: 'ada-key-3e9d04b7c1a8526f', BO_KEY: 'bo-key-b80f6d2e9417c35a' };
  const identities = `
- { name: ada, scopes: [] }
- { name: bo, scopes: [admin], keys: { key: { variable: BO_KEY } } }
`;
  const room = { id: 48_213, name: 'North wing 3fe78', seats: 2_430 };
  await withFiles({ 'identities.yaml': identities, 'rooms.json': rooms }, async (path) => {
    const run = await judgeDocument(
      rooms,
      ({ path: asked, headers }) => {
        const key = headers.authorization?.replace('Bearer ', '');
        if (key !== keys.BO_KEY) return key === keys.API_KEY ? { ...unauthorized, status: 403 } : unauthorized;
        if (asked === '/rooms') return { status: 200, body: { results: [room] } };
        return asked === '/rooms/48213' ? { status: 200, body: room } : notFound;
      },
      { settings: { ...keys, IDENTITIES: path('identities.yaml') }, exchanges: true },
    );
    expect(run.check('refuses-missing-key@getRoom').outcome).toBe('passed');
    const document = await loadContract(path('rooms.json'), { keys: Object.keys(keys), identities: true });
    expect((await judgeAgain(recordOf(run), document)).changes).toEqual([]);
  });
});
