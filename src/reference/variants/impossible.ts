import { randomUUID } from 'node:crypto';
import { html, json, redirect } from '../answer.js';
import { type Behaviour, paths, type Surroundings } from '../behaviour.js';
import { type Call, fieldOf } from '../call.js';
import type { VariantPlan } from '../plan.js';
import { shownAs, together, variant } from './make.js';

/** Servers about which nothing can be said from outside. */

/** No key opens it, and it says so with status 200. */
const refusesEveryKey = (name: string, title: string, refuse: Behaviour['refuse']): VariantPlan =>
  variant(
    name,
    title,
    together(
      shownAs(({ results }) => ({ code: 0, message: 'ok', data: results })),
      () => ({ identify: () => undefined, refuse }),
    ),
    { verdict: 'incomplete', outcomes: { 'takes-documented-format': 'inconclusive' } },
  );

const wants = (name: string, title: string, key: (call: Call) => string | undefined): VariantPlan =>
  variant(name, title, (_, { keys }: Surroundings) => ({ identify: (call) => keys.get(key(call) ?? '') }), {
    verdict: 'incomplete',
    outcomes: { 'takes-documented-format': 'inconclusive' },
  });

export const impossibleVariants: readonly VariantPlan[] = [
  variant('unknown-issuer', 'The certificate comes from an authority that nobody here knows.', () => ({}), {
    certificate: 'unknown-issuer',
    verdict: 'incomplete',
    outcomes: { 'serves-https': 'inconclusive' },
  }),
  wants('takes-no-key', 'No key opens the workouts: a wrong or expired key looks the same.', () => undefined),
  refusesEveryKey(
    'takes-no-key-and-shows-login-page',
    'No key opens the workouts, and a log-in page with status 200 says so.',
    () => html(200, 'Log in', `<form method="post"><input name="token" value="${randomUUID()}"></form>`),
  ),
  refusesEveryKey('takes-no-key-and-says-so', 'No key opens the workouts, and a body with status 200 says so.', () =>
    json(200, { code: 40101, message: 'a good token is required', data: null }),
  ),
  refusesEveryKey(
    'takes-no-key-and-says-why',
    'No key opens the workouts, and a body with status 200 says whether one came.',
    (call) =>
      json(200, {
        code: 40101,
        message: fieldOf(call, 'Authorization') === undefined ? 'token required' : 'token expired',
        data: null,
      }),
  ),
  wants('wants-own-field', 'The key is taken from a field that nobody would guess.', (call) =>
    fieldOf(call, 'X-Fds-Auth'),
  ),
  variant(
    'wants-json-alone',
    'Has no answer but 406 for who takes anything else than JSON too, with the key and without.',
    (before) => ({
      answer: (call) =>
        before.route(call) === 'workout' && (fieldOf(call, 'Accept') ?? '').includes('*/*')
          ? json(406, { detail: 'Ask for JSON and nothing else.' })
          : before.answer(call),
    }),
    { verdict: 'incomplete' },
  ),
  variant(
    'takes-key-now-and-then',
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
  variant(
    'redirects-to-other-name',
    'The documented path redirects to one with another name, as a log-in would.',
    (before, { basePath }) => ({
      route: (call) => (call.path === paths.workout ? undefined : before.route(call)),
      missing: (call) =>
        call.path === paths.workout ? redirect(302, `${basePath}/api/v2/training/`) : before.missing(call),
    }),
    { verdict: 'incomplete' },
  ),
];
