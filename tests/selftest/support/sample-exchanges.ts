import { exchange, json, type SketchedResponse } from './run-record.js';

/** Exchanges with a conforming deployment of the shipped contract. */

export const key = ['Authorization', 'Token <API_KEY>'] as const;
export const workout = '/api/v2/workout/';
export const page = json({
  count: 2,
  next: null,
  results: [
    { id: 4711, notes: 'intervals, felt good', date: '2026-05-02' },
    { id: 4712, notes: 'long run', date: '2026-05-03' },
  ],
});
export const exercises = json({
  count: 345,
  next: '/api/v2/exercise/?page=2',
  results: [
    { id: 1, name: 'Deadlift' },
    { id: 2, name: 'Squat' },
  ],
});
export const refusal: SketchedResponse = {
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

export const controls = [
  exchange('listWorkouts', 'keyed control, first read', workout, [key], keyed),
  exchange('listWorkouts', 'keyed control, second read', workout, [key], keyed, { round: 2 }),
  exchange('listWorkouts', 'missing sibling path, without a key', '/api/v2/workout-8f31c0/', [], missing),
  exchange('listWorkouts', 'base path, without a key', '/', [], {
    status: 200,
    headers: [['Content-Type', 'text/html; charset=utf-8']],
    body: '<!doctype html><title>Fitness</title><p>Welcome to the <b>fitness</b> service.',
  }),
] as const;
export const anonymous = exchange('listWorkouts', 'without a key', workout, [], refusal);
export const plain = exchange(
  'listWorkouts',
  'over plain HTTP, without a key',
  workout,
  [],
  { status: 301, headers: [['Location', 'https://fitness.example/api/v2/workout/']], body: '' },
  { origin: 'http://fitness.example' },
);
export const wrongKeys = [
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
export const spellings = [
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
export const proxyFields = [
  ['X-Original-URL', workout],
  ['X-Forwarded-For', '127.0.0.1'],
  ['X-Remote-User', 'admin'],
].map(([name = '', value = '']) =>
  exchange('listWorkouts', `with ${name}, without a key`, workout, [[name, value]], refusal),
);
export const leftovers = [
  exchange('listWorkouts', 'on the connection that just carried the key', workout, [], refusal, {
    connection: 'keyed',
  }),
  exchange('listWorkouts', 'within a second of a keyed read', `${workout}?probe=5b1f`, [], refusal),
];
export const shapes = (
  [
    ['lower-case scheme', 'token <API_KEY>'],
    ['two spaces', 'Token  <API_KEY>'],
    ['Bearer', 'Bearer <API_KEY>'],
    ['bare', '<API_KEY>'],
  ] as const
).map(([name, value], at) =>
  exchange('listWorkouts', `key as ${name}`, workout, [['Authorization', value]], at < 2 ? keyed : refusal),
);
export const elsewhere = exchange('listWorkouts', 'key in X-API-Key', workout, [['X-API-Key', '<API_KEY>']], refusal);
export const open = (['listExercises', 'listIngredients'] as const).map((operation) =>
  exchange(operation, 'with nothing', operation === 'listExercises' ? '/api/v2/exercise/' : '/api/v2/ingredient/', [], {
    status: 200,
    body: exercises,
  }),
);
export const badKey = exchange(
  'listExercises',
  'with a random key',
  '/api/v2/exercise/?probe=77a0',
  [['Authorization', 'Token <API_KEY:random>']],
  { ...refusal, body: json({ detail: 'Invalid token.' }) },
);

export const all = [
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
