import { randomUUID } from 'node:crypto';
import {
  answering,
  type Behaviour,
  hasField,
  type Override,
  pageOf,
  paths,
  type ServiceContext,
  workoutsAs,
} from '../behaviour.js';
import { workoutsOf } from '../data.js';
import { combine, showing, shownAs, type Unnamed, type VariantDefinition, variant, withNames } from '../definitions.js';
import { type Call, fieldOf, html, json, redirect } from '../messages.js';

/** Variants whose refusals look like data, or whose data looks public. */

const columns = [
  { name: 'identifier', label: 'Number of the workout' },
  { name: 'comment', label: 'Comment on the workout' },
];

const tips = [
  'Drink enough water',
  'Sleep eight hours',
  'Warm up for 5 min',
  'Stretch your calves',
  'Rest on day 7',
].map((text, index) => ({ number: 40_000 + index, text }));
const given = new Map<string, number>();
/** The next tip for a kind of answer; successive answers always differ. */
const tip = (place: string) => {
  const count = given.get(place) ?? 0;
  given.set(place, count + 1);
  return tips[count % tips.length];
};

const message = (status: number, body: unknown): object => ({ status, body });

/** Sends the workouts and the refusal in the same form, both with status 200. */
const inOneForm = (shown: (comments: readonly string[]) => object, refused: object): Override =>
  combine(
    workoutsAs(() => json(200, shown(workoutsOf('mara').map(({ comment }) => comment)))),
    () => ({ refuse: () => json(200, refused) }),
  );

/** A timetable that everybody may see. Bookings repeat what they booked of it. */
const timetable = ['Spin', 'Pilates', 'Rowing', 'Boxing', 'Stretching', 'Yoga'].map((title, index) => ({
  class_id: 71_000 + index,
  title: `${title} at noon`,
  starts: `2031-05-0${index + 1}T12:30:00Z`,
}));

export const ambiguousAnswerVariants = withNames<VariantDefinition>({
  'timetable-in-refusal': variant(
    'Rows are bookings that repeat the title and the start of their class; the refusal shows the timetable.',
    combine(
      workoutsAs(() =>
        json(
          200,
          workoutsOf('mara').map(({ uuid, minutes }, index) => ({
            booking: uuid,
            minutes,
            ...timetable[index % timetable.length],
          })),
        ),
      ),
      () => ({ refuse: () => json(401, { error: 'A key is needed.', timetable }) }),
    ),
    { verdict: 'incomplete' },
  ),
  'refusal-keeps-columns': variant(
    'The refusal repeats what frames the list: the columns of its table.',
    combine(
      shownAs((page, _call, resource) => (resource === 'workout' ? { columns, rows: page.results } : page)),
      () => ({ refuse: () => json(401, { error: 'A key is needed.', columns }) }),
    ),
    { verdict: 'incomplete' },
  ),
  'tip-in-every-answer': variant(
    'Every answer carries a tip, another one each time.',
    combine(
      shownAs((page, _call, resource) => ({ ...page, tips: [tip(resource)] })),
      () => ({
        refuse: () => json(401, { error: 'A key is needed.', tips: [tip('refusal')] }),
        missing: () => json(404, { error: 'Not found.', tips: [tip('missing')] }),
        front: () => json(200, { service: 'fitness', tips: [tip('front')] }),
      }),
    ),
  ),
  'refuses-in-batch': variant(
    'Answers come in a batch, each with its status; refuses with status 200 and one of 401 in it.',
    inOneForm((comments) => ({ responses: comments.map((comment) => message(200, comment)) }), {
      responses: [message(401, 'A key is needed.')],
    }),
    { verdict: 'incomplete' },
  ),
  'refuses-in-table': variant(
    'Answers are tables of named columns; refuses with status 200 and a table of other columns.',
    inOneForm(
      (comments) => ({ columns: ['number', 'comment'], rows: comments.map((comment, index) => [index, comment]) }),
      { columns: ['code', 'message'], rows: [[401, 'A key is needed.']] },
    ),
    { verdict: 'incomplete' },
  ),
  'public-list-moves': showing(
    'Exercises have the members of workouts, and are others each time.',
    (page, _call, resource) => ({
      ...page,
      results: page.results.map(({ id }, index) => ({
        id: resource === 'workout' ? id : Math.floor(Math.random() * 1e9),
        comment:
          resource === 'workout'
            ? `a workout of ${index * 7 + 31} minutes`
            : `exercise ${Math.floor(Math.random() * 1e9)}`,
      })),
    }),
  ),
  'adds-a-query': variant(
    'With the key the path redirects to itself with the number of the first page.',
    (base) => ({
      represent: (call, resource, owner) =>
        resource === 'workout' && !call.target.includes('page=')
          ? redirect(302, '/api/v2/workout/?page=1')
          : base.represent(call, resource, owner),
    }),
    { verdict: 'incomplete' },
  ),
  'owner-has-none-and-strangers-get-all': variant(
    'The key’s owner has no workouts yet, and who sends no key gets those of everybody in another form: it looks like neither data nor refusal.',
    combine(
      workoutsAs((_, { httpsOrigin }) => json(200, pageOf([], httpsOrigin))),
      () => ({
        refuse: () =>
          json(
            200,
            workoutsOf('tomas').map((workout) => ({ owner: 'tomas', ...workout })),
          ),
      }),
    ),
    { verdict: 'incomplete' },
  ),
});

/** Variants that cannot be judged from outside. */

const refusesEveryKey = (title: string, refuse: Behaviour['refuse']): Unnamed<VariantDefinition> =>
  variant(
    title,
    combine(
      shownAs(({ results }) => ({ code: 0, message: 'ok', data: results })),
      () => ({ identify: () => undefined, refuse }),
    ),
    { verdict: 'incomplete', outcomes: { 'takes-documented-format': 'inconclusive' } },
  );

const wants = (title: string, key: (call: Call) => string | undefined): Unnamed<VariantDefinition> =>
  variant(title, (_, { keys }: ServiceContext) => ({ identify: (call) => keys.get(key(call) ?? '') }), {
    verdict: 'incomplete',
    outcomes: { 'takes-documented-format': 'inconclusive' },
  });

export const undecidableVariants = withNames<VariantDefinition>({
  'unknown-issuer': {
    title: 'The certificate comes from an authority that nobody here knows.',
    certificate: 'unknown-issuer',
    verdict: 'incomplete',
    outcomes: { 'serves-https': 'inconclusive' },
  },
  'takes-no-key': wants('No key opens the workouts: a wrong or expired key looks the same.', () => undefined),
  'takes-no-key-and-shows-login-page': refusesEveryKey(
    'No key opens the workouts, and a log-in page with status 200 says so.',
    () => html(200, 'Log in', `<form method="post"><input name="token" value="${randomUUID()}"></form>`),
  ),
  'takes-no-key-and-says-so': refusesEveryKey('No key opens the workouts, and a body with status 200 says so.', () =>
    json(200, { code: 40101, message: 'a good token is required', data: null }),
  ),
  'takes-no-key-and-says-why': refusesEveryKey(
    'No key opens the workouts, and a body with status 200 says whether one came.',
    (call) =>
      json(200, {
        code: 40101,
        message: fieldOf(call, 'Authorization') === undefined ? 'token required' : 'token expired',
        data: null,
      }),
  ),
  'wants-own-field': wants('The key is taken from a field that nobody would guess.', (call) =>
    fieldOf(call, 'X-Fds-Auth'),
  ),
  'wants-json-alone': variant(
    'Has no answer but 406 for who takes anything else than JSON too, with the key and without.',
    answering(
      (call, base) => base.route(call) === 'workout' && hasField('Accept', /\*\/\*/)(call),
      () => json(406, { detail: 'Ask for JSON and nothing else.' }),
    ),
    { verdict: 'incomplete' },
  ),
  'takes-key-now-and-then': variant(
    'Two of three requests with the key are refused, whatever else they carry.',
    ({ identify }) => {
      let turn = 0;
      return {
        identify: (call) => {
          const owner = identify(call);
          if (owner === undefined) return undefined;
          turn += 1;
          return turn % 3 === 0 ? owner : undefined;
        },
      };
    },
    { verdict: 'incomplete', outcomes: { 'serves-documented-path': 'inconclusive' } },
  ),
  'redirects-to-other-name': variant(
    'The documented path redirects to one with another name, as a log-in would.',
    (base, { basePath }) => ({
      route: (call) => (call.path === paths.workout ? undefined : base.route(call)),
      missing: (call) =>
        call.path === paths.workout ? redirect(302, `${basePath}/api/v2/training/`) : base.missing(call),
    }),
    { verdict: 'incomplete' },
  ),
});
