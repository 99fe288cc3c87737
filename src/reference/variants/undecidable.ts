import { randomUUID } from 'node:crypto';
import { type Behaviour, paths, type ServiceContext } from '../behaviour.js';
import { combine, named, shownAs, type Unnamed, type VariantDefinition, variant } from '../definitions.js';
import { type Call, fieldOf, html, json, redirect } from '../messages.js';

/** Variants that cannot be judged from outside. */

/** Refuses every key with status 200. */
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

export const undecidableVariants = named<VariantDefinition>({
  'unknown-issuer': variant('The certificate comes from an authority that nobody here knows.', () => ({}), {
    certificate: 'unknown-issuer',
    verdict: 'incomplete',
    outcomes: { 'serves-https': 'inconclusive' },
  }),
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
    (base) => ({
      answer: (call) =>
        base.route(call) === 'workout' && (fieldOf(call, 'Accept') ?? '').includes('*/*')
          ? json(406, { detail: 'Ask for JSON and nothing else.' })
          : base.answer(call),
    }),
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
