import { judgeRunning } from '../support/judge.js';
import { answer, type OnHead, rawServer } from '../support/raw-server.js';
import { expect, test } from '../support/test.js';

/** Plain HTTP that gives the rows of HTTPS in another form, and what only looks like that. */

/** Rows with too few long values to be known by these alone. */
const rows = JSON.stringify([
  { id: 7, name: 'Squat', part: 'Legs' },
  { id: 9, name: 'Press', part: 'Chest' },
]);
const isFor = (head: string): boolean => / \S*\/api\/v2\/exercise\/?(?:\?\S*)? HTTP/.test(head);
const notFound = answer(404, '{"detail":"Not found."}');
const key = 'k3y-0f-s0meb0dy-1234';
/** The side of HTTPS: it hides what is protected. */
const https: OnHead = (head) =>
  head.includes(` /api/v2/workout/ `) && head.includes(`Token ${key}`)
    ? of('application/json', '[{"id":4711,"note":"felt heavy"},{"id":4712,"note":"new shoes"}]')
    : isFor(head)
      ? of('application/json', `{"count":2,"results":${rows}}`)
      : notFound;
const toHttps = answer(301, '', ['Location: https://elsewhere.example/']);
const of = (contentType: string, body: string): Buffer => answer(200, body, [`Content-Type: ${contentType}`]);
const forExercises =
  (given: Buffer): OnHead =>
  (head) =>
    isFor(head) ? given : toHttps;

const cutShort: OnHead = (head, { socket }) => {
  if (!isFor(head)) return toHttps;
  socket.end(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99999\r\n\r\n${rows}`);
  return undefined;
};

/** Rows without a difference among them, and rows of something else. */
const flags = JSON.stringify([
  { up: true, load: 1 },
  { up: true, load: 1 },
]);

const table: readonly (readonly [what: string, plain: OnHead, outcome: 'failed' | 'passed'])[] = [
  ['below another member', forExercises(of('application/json', `{"data":{"items":${rows}}}`)), 'failed'],
  ['as a call of a function', forExercises(of('text/javascript', `cb(${rows})`)), 'failed'],
  ['in the script of a page', forExercises(of('text/html', `<script>window.rows=${rows}</script>`)), 'failed'],
  ['in an answer that breaks off', cutShort, 'failed'],
  ['at every path, as what is popular', () => of('application/json', `{"popular":${rows}}`), 'passed'],
  ['as rows of something else', forExercises(of('application/json', flags)), 'passed'],
];

for (const [what, plain, outcome] of table)
  test(`the rows of a public resource over plain HTTP ${what}: ${outcome}`, async () => {
    const [service, side] = await Promise.all([rawServer(https), rawServer(plain, { tls: false })]);
    const run = await judgeRunning(
      { baseUrl: service.origin, key, httpBaseUrl: side.origin },
      { only: ['refuses-plain-http@listExercises'], settings: { INSECURE_TLS: 'true' } },
    );
    expect([run.check('refuses-plain-http').outcome, run.check('refuses-plain-http').reason]).toEqual([
      outcome,
      expect.any(String),
    ]);
    await Promise.all([service.close(), side.close()]);
  });

test('a plain side that redirects the documented paths alone gives nothing of an operation that HTTPS hides', async () => {
  const redirects: OnHead = (head) =>
    / \/api\/v2\/(?:workout|exercise|ingredient)\/ /.test(head) ? toHttps : notFound;
  const [service, side] = await Promise.all([rawServer(https), rawServer(redirects, { tls: false })]);
  const run = await judgeRunning(
    { baseUrl: service.origin, key, httpBaseUrl: side.origin },
    { only: ['refuses-plain-http@listWorkouts'], settings: { INSECURE_TLS: 'true' } },
  );
  expect([run.check('refuses-plain-http').outcome, run.check('refuses-plain-http').reason]).toEqual([
    'passed',
    expect.any(String),
  ]);
  await Promise.all([service.close(), side.close()]);
});

test('a plain side is not compared with an HTTPS side that redirects each path to itself', async () => {
  const itself: OnHead = (head) => answer(301, '', [`Location: ${/ (\S+) HTTP/.exec(head)?.[1] ?? ''}`]);
  const [service, side] = await Promise.all([rawServer(itself), rawServer(https, { tls: false })]);
  const run = await judgeRunning(
    { baseUrl: service.origin, key, httpBaseUrl: side.origin },
    { only: ['refuses-plain-http'], settings: { INSECURE_TLS: 'true' } },
  );
  for (const id of ['listWorkouts', 'listExercises', 'listIngredients']) {
    const check = run.check(`refuses-plain-http@${id}`);
    expect([id, check.outcome, check.reason]).toEqual([
      id,
      'blocked',
      expect.stringContaining('Over HTTPS it redirects to itself (301), so what plain HTTP says'),
    ]);
  }
  await Promise.all([service.close(), side.close()]);
});
