import { redirect } from '../answer.js';
import { paths, type Surroundings } from '../behaviour.js';
import { type Call, fieldOf } from '../call.js';
import type { VariantPlan } from '../plan.js';
import { variant } from './make.js';

/** Servers about which nothing can be said from outside. */

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
  wants('wants-own-field', 'The key is taken from a field that nobody would guess.', (call) =>
    fieldOf(call, 'X-Fds-Auth'),
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
