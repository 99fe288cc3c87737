import type { RunRecord } from '../../../src/engine/results.js';
import { exchange, gap, json, operations, recordOf } from './run-record.js';
import {
  all,
  anonymous,
  badKey,
  exercises,
  key,
  open,
  page,
  plain,
  proxyFields,
  refusal,
  spellings,
  workout,
} from './sample-exchanges.js';
import { conformingSketches, finding, replaced, type Sketch } from './sample-findings.js';

/**
 * Three runs of the shipped contract as the engine would record them: conforming, broken in three
 * clauses, incomplete.
 */

const gaps = [
  gap('GAP-ERRORS', 'What does a client get for a missing key, a wrong key, or plain HTTP?', [
    {
      check: 'observes-refusals@listWorkouts',
      fact: 'A missing key is answered with 401, WWW-Authenticate: Token and a JSON body with the member “detail”.',
      exchanges: [anonymous.id],
    },
    {
      check: 'observes-bad-key@listExercises',
      fact: 'A bad key on a public resource is answered with 401, although no key is needed.',
      exchanges: [badKey.id],
    },
  ]),
  gap('GAP-LIMITS', 'Are there rate limits, page sizes, payload sizes, quotas?', [], 'No answer named a limit.'),
  gap(
    'GAP-KEY-LIFE',
    'How long does a key live, and how is it replaced or revoked?',
    [],
    'The key page was not visited: no KEY_PAGE_URL.',
  ),
  gap('GAP-EVENTS', 'Are there events, webhooks or notifications?', [], 'Nothing about them can be seen from outside.'),
];

export const conforming = (): RunRecord => recordOf(conformingSketches().map(finding), all, { gaps });

/**
 * Bytes that try to leave their place: markup, the end of a script, an ANSI sequence, a
 * right-to-left override, a NUL.
 */
export const hostileText =
  '</script><script>document.title="owned"</script><img src=x onerror=alert(1)>\u001b[2J\u001b]0;owned\u0007\u202egnp.exe\u0000 `$(id)` \'"';

/**
 * A broken run: HTTPS-2, AUTH-3 and AUTH-4. `hostile` puts unfriendly bytes wherever a server can.
 */
export const broken = (hostile = ''): RunRecord => {
  const suffix = '/api/v2/workout.json';
  const leak = exchange('listWorkouts', `path as ${suffix}, without a key`, suffix, [], {
    status: 200,
    body: page,
    hidden: true,
  });
  const forwarded = exchange(
    'listWorkouts',
    'with X-Original-URL, without a key',
    '/api/v2/exercise/',
    [['X-Original-URL', workout]],
    { status: 200, body: page, hidden: true },
  );
  const clear = exchange(
    'listWorkouts',
    'over plain HTTP, without a key',
    workout,
    [],
    {
      ...refusal,
      headers: [
        ['Content-Type', 'application/json'],
        ['X-Note', `edge ${hostile}`],
        ...(hostile ? [['X-Long', 'a'.repeat(1 << 20)] as const] : []),
      ],
      body: hostile ? json({ detail: hostile }) : (refusal.body ?? ''),
    },
    { origin: 'http://fitness.example' },
  );
  const shut = exchange(
    'listIngredients',
    'with nothing',
    '/api/v2/ingredient/',
    [],
    hostile ? { status: 403, headers: [['Content-Type', 'text/html']], body: `<h1>Forbidden</h1>${hostile}` } : refusal,
  );
  const opened = exchange('listIngredients', 'with the key', '/api/v2/ingredient/', [key], {
    status: 200,
    body: exercises,
    hidden: true,
  });
  return recordOf(
    replaced({
      'refuses-plain-http@listWorkouts': {
        outcome: 'failed',
        exchanges: [clear],
        reason: `The API itself answers over plain HTTP: the refusal that HTTPS gives comes back at ${workout}, and a missing path there is answered differently.${hostile}`,
        more: {
          cause: { id: 'served-over-plain-http', values: ['refusal'] },
          expected: 'no connection, an error or a redirect to https',
          seen: `401 with the API’s own refusal, on http://fitness.example${workout}`,
        },
      },
      'refuses-other-spellings@listWorkouts': {
        outcome: 'failed',
        exchanges: [leak, ...spellings.slice(0, 7)],
        reason: `Without a key, ${suffix} gives what only the key should open: 2 values of the keyed read are in the answer. The other 8 spellings are refused.`,
        more: {
          cause: { id: 'opens-by-bypass', ways: ['the suffix .json'] },
          expected: 'a refusal, or the answer of a missing path',
          seen: '200 with the members count, next and results, as with the key',
        },
      },
      'refuses-proxy-fields@listWorkouts': {
        outcome: 'failed',
        exchanges: [forwarded, ...proxyFields.slice(1)],
        reason:
          'X-Original-URL on a public path opens the protected resource: the answer carries 2 values of the keyed read.',
        more: {
          cause: { id: 'opens-by-bypass', ways: ['X-Original-URL on a public path'] },
          expected: 'the public resource, or a refusal',
          seen: '200 with the protected resource',
        },
      },
      'opens-without-credentials@listIngredients': {
        outcome: 'failed',
        exchanges: [shut, opened],
        reason: 'It is refused with nothing sent, and the key opens it.',
        more: {
          cause: { id: 'withheld-without-key' },
          expected: 'a 2xx answer with nothing sent',
          seen: `401 without a key, 200 with it`,
        },
      },
      'observes-bad-key@listExercises': { reason: `A bad key on a public resource is answered with 401.${hostile}` },
    }).map(finding),
    [...all, leak, forwarded, clear, shut, opened],
    { gaps },
  );
};

/** An incomplete run: no key was given, so everything that needs it could not be judged. */
export const incomplete = (): RunRecord => {
  const needsKey = [
    'serves-documented-path',
    'needs-no-other-version',
    'reads-with-get',
    'takes-key-where-documented',
    'takes-documented-format',
  ];
  const rest = [
    'takes-no-other-format',
    'takes-key-nowhere-else',
    'refuses-missing-key',
    'refuses-worthless-keys',
    'refuses-other-spellings',
    'refuses-proxy-fields',
    'refuses-leftovers',
  ];
  const changes: Record<string, Partial<Sketch>> = {};
  for (const rule of needsKey)
    changes[`${rule}@listWorkouts`] = {
      outcome: 'inconclusive',
      reason: 'No key was given, so nothing shows what the key opens. Set API_KEY or API_KEY_FILE.',
      more: { cause: { id: 'no-key', values: ['API_KEY'] } },
      exchanges: [anonymous],
    };
  for (const rule of rest)
    changes[`${rule}@listWorkouts`] = {
      outcome: 'blocked',
      reason:
        'Rests on the keyed control of listWorkouts, which was not read: no key was given. Set API_KEY or API_KEY_FILE.',
      exchanges: [],
      comparedWith: [],
      more: { blockedBy: ['keyed control of listWorkouts', 'takes-documented-format@listWorkouts'] },
    };
  changes['opens-without-credentials@listIngredients'] = {
    outcome: 'inconclusive',
    reason: 'The assumed path answers like a missing one. Set INGREDIENT_PATH to the path of this deployment.',
    more: { cause: { id: 'answered-like-nothing', values: ['INGREDIENT_PATH', '404'] } },
    exchanges: [open[1] ?? anonymous],
  };
  return recordOf(replaced(changes).map(finding), [anonymous, plain, ...open, badKey], {
    gaps,
    operations: [
      ...operations,
      {
        id: 'createWorkout',
        method: 'POST',
        path: '/api/v2/workout/',
        access: 'protected',
        probed: false,
        reason: 'POST changes data; set UNSAFE_METHODS=true to send refusal probes to it.',
      },
    ],
  });
};
