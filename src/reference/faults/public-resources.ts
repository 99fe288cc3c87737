import { type Override, type Page, publicPagesAs, type Resource } from '../behaviour.js';
import { type FaultDefinition, faultsOf, withNames } from '../definitions.js';
import { type Answer, fieldOf, html, json, redirect } from '../messages.js';

/** Faults where public resources need a key. */

const fault = faultsOf('AUTH-4', 'opens-without-credentials');

const guarded: Override = () => ({ guards: () => true });
const guardedToo =
  (resource: Resource): Override =>
  (base) => ({ guards: (call, asked) => asked === resource || base.guards(call, asked) });

type PublicRow = Page['results'][number];

/** Shows public lists without a valid key with these rows in place of theirs. */
const rowsWithoutKey = (shown: (rows: readonly PublicRow[]) => readonly PublicRow[]): Override =>
  publicPagesAs((page, owner) => {
    if (owner !== undefined) return undefined;
    const results = shown(page.results);
    return { ...page, count: results.length, results };
  });

const emptied = (row: PublicRow, kept: readonly string[] = []): PublicRow =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, kept.includes(name) ? value : null]));

/** Refuses public resources without a key where `refuses` says so of a read's number. */
const refusingReads =
  (refuses: (read: number) => boolean): Override =>
  (base) => {
    const reads = new Map<string, number>();
    return {
      answer: (call) => {
        const resource = base.route(call);
        const isCounted = resource !== undefined && resource !== 'workout' && call.method === 'GET';
        if (!isCounted || fieldOf(call, 'Authorization') !== undefined) return base.answer(call);
        const read = (reads.get(resource) ?? 0) + 1;
        reads.set(resource, read);
        return refuses(read) ? base.refuse(call, resource) : base.answer(call);
      },
    };
  };

export const publicResourceFaults = withNames<FaultDefinition>({
  'public-needs-key': fault('Exercises and ingredients are refused without a key.', guarded),
  'exercise-needs-key': fault('Exercises are refused without a key; ingredients are not.', guardedToo('exercise')),
  'ingredient-needs-key': fault('Ingredients are refused without a key; exercises are not.', guardedToo('ingredient')),
  'public-hidden': fault('Exercises and ingredients are not found without a key.', (base, service) => ({
    ...guarded(base, service),
    refuse: (call, resource) => (resource === 'workout' ? base.refuse(call, resource) : base.missing(call)),
  })),
  'public-error-with-200': fault(
    'Without a key every resource, public ones too, answers 200 with an error.',
    (base, service) => ({
      ...guarded(base, service),
      refuse: () => json(200, { error: { code: 'E_KEY', message: 'An API key is needed.' } }),
    }),
  ),
  'public-redirects-to-login': fault(
    'Without a key exercises and ingredients redirect to a log-in page.',
    (base, { basePath }) => ({
      guards: () => true,
      refuse: (call, resource) =>
        resource === 'workout' ? base.refuse(call, resource) : redirect(302, `${basePath}/login/`),
      missing: (call) =>
        call.path === '/login/'
          ? html(200, 'Log in', '<form method="post"><input name="user"></form>')
          : base.missing(call),
    }),
  ),
  'public-forbidden': fault(
    'Exercises and ingredients answer 403 with an empty body without a key.',
    (base, service) => ({
      ...guarded(base, service),
      refuse: (call, resource) =>
        resource === 'workout' ? base.refuse(call, resource) : { status: 403, headers: [], body: '' },
    }),
  ),
  'public-needs-key-until-cached': fault(
    'Exercises and ingredients are refused without a key, until a read with one has left them in a cache.',
    (base, service) => {
      const kept = new Map<string, Answer>();
      return {
        ...guarded(base, service),
        answer: async (call) => {
          const resource = base.route(call);
          if (resource === undefined || resource === 'workout' || call.method !== 'GET') return base.answer(call);
          const answer = kept.get(call.target) ?? (await base.answer(call));
          if (answer.status === 200) kept.set(call.target, answer);
          return answer;
        },
      };
    },
  ),
  'public-needs-any-key': fault('Exercises and ingredients want a key, though any will do.', (base) => ({
    guards: (call, resource) => base.guards(call, resource) || fieldOf(call, 'Authorization') === undefined,
  })),
  'public-null-without-key': fault(
    'Without a key exercises and ingredients are null in an envelope that says why.',
    publicPagesAs(({ results }, owner, resource) =>
      owner === undefined
        ? { code: 401, message: `Sign in to see every ${resource}.`, results: null }
        : { code: 0, message: 'ok', results },
    ),
    { twin: 'a public list that has no entries, where the owner of the key has some' },
  ),
  'exercise-refused-with-200': fault(
    'Exercises are refused without a key as workouts are: with 200, and an error in the body.',
    (base) => ({
      guards: (call, resource) => resource === 'exercise' || base.guards(call, resource),
      refuse: () => json(200, { code: 401, results: null, message: 'An API key is needed.' }),
    }),
  ),
  'public-rows-of-null': fault(
    'Without a key exercises and ingredients are rows of nothing but null.',
    rowsWithoutKey((rows) => rows.map((row) => emptied(row))),
    { twin: 'public placeholders for entries that the owner of the key filled in' },
  ),
  'public-rows-of-ids': fault(
    'Without a key everything but the id of exercises and ingredients is null.',
    rowsWithoutKey((rows) => rows.map((row) => emptied(row, ['id']))),
    { twin: 'public numbers of entries that the owner of the key filled in' },
  ),
  'public-notice-for-rows': fault(
    'Without a key exercises and ingredients are one row that asks for a log-in.',
    rowsWithoutKey(() => [{ code: 40_101, message: 'Please log in.' }]),
    { twin: 'a public list of news, where the owner of the key has entries' },
  ),
  'public-opens-once': fault(
    'Exercises and ingredients open without a key at the first read, and are refused from then on.',
    refusingReads((read) => read > 1),
  ),
  'public-refuses-some-reads': fault(
    'Each third read of exercises and ingredients without a key is refused: one of three servers wants one.',
    refusingReads((read) => read % 3 === 0),
    { twin: 'a filter in front that refuses a read now and then' },
  ),
});
