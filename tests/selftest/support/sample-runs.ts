import { headlineIn } from '../../../src/engine/finding.js';
import type { Outcome } from '../../../src/engine/outcomes.js';
import type { Finding, RunRecord } from '../../../src/engine/results.js';
import { invalidKey, nobody, seenBy, theKey } from '../../../src/rules/asked-by.js';
import { rules } from '../../../src/rules/index.js';
import type { Exchange } from '../../../src/wire/types.js';
import { exchange, gap, json, operations, recordOf, type SketchedResponse } from './run-record.js';

/**
 * Three runs of the shipped contract as the engine would record them: conforming, broken in three
 * clauses, incomplete.
 */

const key = ['Authorization', 'Token <API_KEY>'] as const;
const workout = '/api/v2/workout/';
const page = json({
  count: 2,
  next: null,
  results: [
    { id: 4711, notes: 'intervals, felt good', date: '2026-05-02' },
    { id: 4712, notes: 'long run', date: '2026-05-03' },
  ],
});
const exercises = json({
  count: 345,
  next: '/api/v2/exercise/?page=2',
  results: [
    { id: 1, name: 'Deadlift' },
    { id: 2, name: 'Squat' },
  ],
});
const refusal: SketchedResponse = {
  status: 401,
  headers: [
    ['Content-Type', 'application/json'],
    ['WWW-Authenticate', 'Token'],
  ],
  body: json({ detail: 'Authentication credentials were not provided.' }),
};
const missing: SketchedResponse = {
  status: 404,
  headers: [['Content-Type', 'text/html']],
  body: '<!doctype html>\n<title>Not Found</title>\n<h1>Not Found</h1>',
};
const keyed: SketchedResponse = { status: 200, body: page, hidden: true };

interface Sketch {
  readonly rule: string;
  readonly clauses: readonly string[];
  readonly operation: string;
  readonly title: string;
  readonly outcome?: Outcome;
  readonly reason: string;
  readonly more?: Partial<Finding>;
  readonly exchanges: readonly Exchange[];
  readonly comparedWith?: readonly Exchange[];
}

const ruleOf = (id: string) => rules.find((rule) => rule.id === id);

const askedIn = (rule: string, outcome: Outcome): Pick<Finding, 'asked'> => {
  const asked = {
    'refuses-missing-key': [nobody, 'refuses', 'opens'],
    'refuses-worthless-keys': [invalidKey, 'refuses', 'opens'],
    'serves-documented-path': [theKey, 'opens', 'refuses'],
    'opens-without-credentials': [nobody, 'opens', 'refuses'],
  } as const;
  const [identity, passed, failed] = asked[rule as keyof typeof asked] ?? [];
  if (!identity || outcome === 'blocked') return {};
  return { asked: [{ identity, seen: seenBy({ outcome }, passed, failed) }] };
};

const finding = ({
  rule,
  clauses,
  operation,
  title,
  outcome = 'passed',
  reason,
  more = {},
  exchanges,
  comparedWith = [],
}: Sketch): Finding => ({
  id: `${rule}@${operation}`,
  rule,
  clauses,
  operation,
  title,
  outcome,
  reason,
  ...more,
  ...headlineIn(ruleOf(rule) ?? { title }, { outcome, ...(more.cause ? { cause: more.cause } : {}) }),
  ...askedIn(rule, outcome),
  exchanges: exchanges.map(({ id }) => id),
  comparedWith: comparedWith.map(({ id }) => id),
  durationMs: 31,
});

const controls = [
  exchange('listWorkouts', 'keyed control, first read', workout, [key], keyed),
  exchange('listWorkouts', 'keyed control, second read', workout, [key], keyed, { round: 2 }),
  exchange('listWorkouts', 'missing sibling path, without a key', '/api/v2/workout-8f31c0/', [], missing),
  exchange('listWorkouts', 'base path, without a key', '/', [], {
    status: 200,
    headers: [['Content-Type', 'text/html; charset=utf-8']],
    body: '<!doctype html><title>Fitness</title><p>Welcome to the <b>fitness</b> service.',
  }),
] as const;
const anonymous = exchange('listWorkouts', 'without a key', workout, [], refusal);
const plain = exchange(
  'listWorkouts',
  'over plain HTTP, without a key',
  workout,
  [],
  { status: 301, headers: [['Location', 'https://fitness.example/api/v2/workout/']], body: '' },
  { origin: 'http://fitness.example' },
);
const wrongKeys = [
  '<API_KEY:random>',
  '<API_KEY:first-half>',
  '<API_KEY:one-changed>',
  '<API_KEY:case-flipped>',
  'null',
  '*',
].map((value) =>
  exchange(
    'listWorkouts',
    `with ${value.startsWith('<') ? `the key ${value.slice(9, -1).replace('-', ' ')}` : `the key ${value}`}`,
    workout,
    [['Authorization', `Token ${value}`]],
    { ...refusal, body: json({ detail: 'Invalid token.' }) },
  ),
);
const spellings = [
  '/api/v2//workout/',
  '/api/v2/./workout/',
  '/api/v2/x/../workout/',
  '/api/v2/workout;x/',
  '/api/v2/%77orkout/',
  '/API/v2/workout/',
  '/api/v2/workout',
  '/api/v2/workout.json',
  'https://fitness.example/api/v2/workout/',
].map((target) =>
  exchange(
    'listWorkouts',
    `path as ${target}, without a key`,
    target,
    [],
    target.endsWith('workout') ? { status: 301, headers: [['Location', workout]], body: '' } : missing,
  ),
);
const proxyFields = [
  ['X-Original-URL', workout],
  ['X-Forwarded-For', '127.0.0.1'],
  ['X-Remote-User', 'admin'],
].map(([name = '', value = '']) =>
  exchange('listWorkouts', `with ${name}, without a key`, workout, [[name, value]], refusal),
);
const leftovers = [
  exchange('listWorkouts', 'on the connection that just carried the key', workout, [], refusal, {
    connection: 'keyed',
  }),
  exchange('listWorkouts', 'within a second of a keyed read', `${workout}?probe=5b1f`, [], refusal),
];
const shapes = (
  [
    ['lower-case scheme', 'token <API_KEY>'],
    ['two spaces', 'Token  <API_KEY>'],
    ['Bearer', 'Bearer <API_KEY>'],
    ['bare', '<API_KEY>'],
  ] as const
).map(([name, value], at) =>
  exchange('listWorkouts', `key as ${name}`, workout, [['Authorization', value]], at < 2 ? keyed : refusal),
);
const elsewhere = exchange('listWorkouts', 'key in X-API-Key', workout, [['X-API-Key', '<API_KEY>']], refusal);
const open = (['listExercises', 'listIngredients'] as const).map((operation) =>
  exchange(operation, 'with nothing', operation === 'listExercises' ? '/api/v2/exercise/' : '/api/v2/ingredient/', [], {
    status: 200,
    body: exercises,
  }),
);
const badKey = exchange(
  'listExercises',
  'with a random key',
  '/api/v2/exercise/?probe=77a0',
  [['Authorization', 'Token <API_KEY:random>']],
  { ...refusal, body: json({ detail: 'Invalid token.' }) },
);

const all = [
  ...controls,
  anonymous,
  plain,
  ...wrongKeys,
  ...spellings,
  ...proxyFields,
  ...leftovers,
  ...shapes,
  elsewhere,
  ...open,
  badKey,
];
const own = { operation: 'listWorkouts' } as const;
const notTried = 'No web interface was named; set KEY_PAGE_URL, WEB_USERNAME and WEB_PASSWORD to judge it.';

const conformingSketches = (): Sketch[] => [
  {
    rule: 'serves-https',
    clauses: ['HTTPS-1'],
    operation: 'service',
    title: 'serves HTTPS with a valid certificate',
    reason: 'TLSv1.3, and the certificate is valid for fitness.example until 2026-06-30.',
    exchanges: [anonymous],
  },
  {
    rule: 'refuses-plain-http',
    clauses: ['HTTPS-2'],
    ...own,
    title: 'does not answer over plain HTTP',
    reason: 'Plain HTTP answers 301 to the same path over HTTPS.',
    more: { note: 'A transparent redirect hides a client that sends its key in the clear (OWASP ASVS 5.0, 4.1.2).' },
    exchanges: [plain],
    comparedWith: [anonymous],
  },
  {
    rule: 'serves-documented-path',
    clauses: ['PATH-1'],
    ...own,
    title: 'answers at the documented path',
    reason: 'The keyed read answers 200 at the exact path, unlike the missing sibling path.',
    exchanges: [controls[0]],
    comparedWith: controls.slice(2),
  },
  {
    rule: 'needs-no-other-version',
    clauses: ['PATH-2'],
    ...own,
    title: 'needs no version besides the one in the path',
    reason: 'The path alone chose the version.',
    exchanges: [controls[0]],
  },
  {
    rule: 'reads-with-get',
    clauses: ['PATH-3'],
    ...own,
    title: 'is read with GET and no body',
    reason: 'GET without a body answers 200.',
    exchanges: [controls[0]],
  },
  {
    rule: 'takes-key-where-documented',
    clauses: ['AUTH-1'],
    ...own,
    title: 'takes the key in the Authorization header',
    reason: 'The key in the Authorization header opens it.',
    exchanges: [controls[0]],
  },
  {
    rule: 'takes-documented-format',
    clauses: ['AUTH-2'],
    ...own,
    title: 'takes Token, one space, the key',
    reason: 'The documented format opens it.',
    exchanges: [controls[0]],
  },
  {
    rule: 'takes-no-other-format',
    clauses: ['AUTH-2'],
    ...own,
    title: 'takes the key in no other format',
    outcome: 'lenient',
    reason:
      'It also takes the scheme in lower case and two spaces; both carry the whole key. RFC 9110 makes the scheme case-insensitive.',
    more: { cause: { id: 'takes-other-shapes', ways: ['the scheme in lower case', 'two spaces'] } },
    exchanges: shapes,
    comparedWith: controls,
  },
  {
    rule: 'takes-key-nowhere-else',
    clauses: ['AUTH-1'],
    ...own,
    title: 'takes the key nowhere else',
    reason: 'X-API-Key is refused like no key at all.',
    exchanges: [elsewhere],
    comparedWith: [...controls, anonymous],
  },
  {
    rule: 'refuses-missing-key',
    clauses: ['AUTH-3'],
    ...own,
    title: 'refuses a request without a key',
    reason: 'It answers 401, and nothing of what the key opens is in it.',
    exchanges: [anonymous],
    comparedWith: controls,
  },
  {
    rule: 'refuses-worthless-keys',
    clauses: ['AUTH-3'],
    ...own,
    title: 'refuses keys that are worth nothing',
    reason: 'All 6 are refused.',
    exchanges: wrongKeys,
    comparedWith: controls,
  },
  {
    rule: 'refuses-other-spellings',
    clauses: ['AUTH-3'],
    ...own,
    title: 'refuses other spellings of the path',
    reason: 'All 9 are refused.',
    exchanges: spellings,
    comparedWith: controls,
  },
  {
    rule: 'refuses-proxy-fields',
    clauses: ['AUTH-3'],
    ...own,
    title: 'refuses fields that only a proxy should set',
    reason: 'All 3 are refused.',
    exchanges: proxyFields,
    comparedWith: controls,
  },
  {
    rule: 'refuses-leftovers',
    clauses: ['AUTH-3'],
    ...own,
    title: 'refuses on a connection or cache that others left behind',
    reason: 'Both are refused.',
    exchanges: leftovers,
    comparedWith: controls,
  },
  {
    rule: 'opens-without-credentials',
    clauses: ['AUTH-4'],
    operation: 'listExercises',
    title: 'opens with nothing at all',
    reason: 'It answers 200 with nothing sent.',
    exchanges: open.slice(0, 1),
    comparedWith: [anonymous],
  },
  {
    rule: 'opens-without-credentials',
    clauses: ['AUTH-4'],
    operation: 'listIngredients',
    title: 'opens with nothing at all',
    reason: 'It answers 200 with nothing sent.',
    exchanges: open.slice(1),
    comparedWith: [anonymous],
  },
  ...[
    ['makes-a-key', 'PAGE-1', 'makes a key'],
    ['shows-the-current-key', 'PAGE-2', 'shows the current key'],
    ['says-when-there-is-none', 'PAGE-3', 'says when there is none'],
  ].map(
    ([rule = '', clause = '', title = '']): Sketch => ({
      rule,
      clauses: [clause],
      operation: 'key-page',
      title,
      outcome: 'excluded',
      reason: notTried,
      exchanges: [],
    }),
  ),
  {
    rule: 'observes-refusals',
    clauses: ['GAP-ERRORS'],
    ...own,
    title: 'how a missing or wrong key is refused',
    outcome: 'observed',
    reason: 'A missing key is answered with 401 and a JSON body.',
    exchanges: [anonymous],
  },
  {
    rule: 'observes-bad-key',
    clauses: ['GAP-ERRORS'],
    operation: 'listExercises',
    title: 'what a bad key does on a public resource',
    outcome: 'observed',
    reason: 'A bad key on a public resource is answered with 401.',
    exchanges: [badKey],
  },
];

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

const replaced = (changes: Readonly<Record<string, Partial<Sketch>>>): Sketch[] =>
  conformingSketches().map((sketch) => ({ ...sketch, ...changes[`${sketch.rule}@${sketch.operation}`] }));

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
