import { answering, type Behaviour, type Override, paths, type ServiceContext } from '../behaviour.js';
import { type FaultDefinition, faultsOf, type Unnamed, withNames } from '../definitions.js';
import { type Call, empty, fieldOf, html, json, redirect } from '../messages.js';

/** Faults where the documented path, version or key format does not work, but another one does. */

const movedTo =
  (path: string): Override =>
  (base) => ({
    route: (call) => (call.path === path ? 'workout' : call.path === paths.workout ? undefined : base.route(call)),
  });

const moved = faultsOf('PATH-1', 'serves-documented-path');

const wantsVersion = (where: string, given: (call: Call) => string | null | undefined): Unnamed<FaultDefinition> => ({
  title: `The workouts want their version in ${where} and answer 400 without it.`,
  clauses: ['PATH-2'],
  checks: ['needs-no-other-version'],
  override: answering(
    (call, base) => base.route(call) === 'workout' && !/^v?2(?:\.0)?$/.test(given(call) ?? ''),
    () => json(400, { detail: 'Say which version you want.' }),
  ),
});

const wantsKey = (
  title: string,
  key: (call: Call, service: ServiceContext) => string | undefined,
  clause: 'AUTH-1' | 'AUTH-2',
  settings?: Readonly<Record<string, string>>,
): Unnamed<FaultDefinition> => ({
  title,
  clauses: [clause],
  checks: [clause === 'AUTH-1' ? 'takes-key-where-documented' : 'takes-documented-format'],
  override: (_, service) => ({ identify: (call) => service.keys.get(key(call, service) ?? '') }),
  ...(settings && { settings }),
});

/** The key is what `format` captures of Authorization. */
const wantsForm = (title: string, format: RegExp): Unnamed<FaultDefinition> =>
  wantsKey(title, (call) => format.exec(fieldOf(call, 'Authorization') ?? '')?.[1], 'AUTH-2');

const wantsField = (title: string, field: string): Unnamed<FaultDefinition> =>
  wantsKey(title, (call) => fieldOf(call, field), 'AUTH-1');

const bearer = /^Bearer (\S+)$/;

const refusingOtherwise = (plan: Unnamed<FaultDefinition>, refuse: Behaviour['refuse']): Unnamed<FaultDefinition> => ({
  ...plan,
  override: (base, service) => ({ ...plan.override?.(base, service), refuse }),
});

export const documentedRequestFaults = withNames<FaultDefinition>({
  'no-slash-only': moved('The workouts are at the path without its last slash only.', movedTo('/api/v2/workout')),
  'other-version-only': moved('The workouts are in version 1 only.', movedTo('/api/v1/workout/')),
  'no-version-only': moved('The workouts are at a path without a version only.', movedTo('/api/workout/')),
  'plural-name-only': moved('The resource is named workouts.', movedTo('/api/v2/workouts/')),
  'no-api-segment-only': moved('The path lacks its first segment.', movedTo('/v2/workout/')),
  'redirects-to-other-path': moved(
    'The documented path redirects to another place of the same name, with the key and without.',
    (base, service) => ({
      ...movedTo('/api/v4/training/workout/')(base, service),
      missing: (call) =>
        call.path === paths.workout
          ? redirect(301, `${service.basePath}/api/v4/training/workout/`)
          : base.missing(call),
    }),
  ),
  'version-in-api-version': wantsVersion('Api-Version', (call) => fieldOf(call, 'Api-Version')),
  'version-in-x-api-version': wantsVersion('X-Api-Version', (call) => fieldOf(call, 'X-Api-Version')),
  'version-in-accept-version': wantsVersion('Accept-Version', (call) => fieldOf(call, 'Accept-Version')),
  'version-in-accept': wantsVersion(
    'a parameter of Accept',
    (call) => /version="?([^;,"\s]+)/i.exec(fieldOf(call, 'Accept') ?? '')?.[1],
  ),
  'version-in-query': wantsVersion('the query', (call) => call.query.get('version')),
  'post-only': {
    title: 'The workouts are read with POST; GET is not allowed.',
    clauses: ['PATH-3'],
    checks: ['reads-with-get'],
    override: answering(
      (call, base) => base.route(call) === 'workout',
      (call, base) => {
        if (call.method === 'POST') return base.answer({ ...call, method: 'GET' });
        const allow = [['Allow', 'POST, OPTIONS']] as const;
        return call.method === 'OPTIONS'
          ? empty(204, allow)
          : json(405, { detail: `Method "${call.method}" not allowed.` }, allow);
      },
    ),
  },
  'wants-bearer': wantsForm('The key is taken after the word Bearer, not Token.', bearer),
  'wants-bare-key': wantsForm('The key is taken without a word in front.', /^(\S+)$/),
  'wants-lower-case-scheme': wantsForm('The key is taken after token in lower case only.', /^token (\S+)$/),
  'wants-no-space': wantsForm('The key is taken right behind the word Token only.', /^Token(\S+)$/),
  'wants-two-spaces': wantsForm('The key is taken after two spaces only.', /^Token {2}(\S+)$/),
  'wants-tab': wantsForm('The key is taken after a tab only.', /^Token\t(\S+)$/),
  'wants-other-word': wantsForm('The key is taken after the word ApiKey, not Token.', /^ApiKey (\S+)$/),
  'wants-token-equals': wantsForm('The key is taken as token="…" only.', /^Token token="([^"]+)"$/),
  'wants-x-auth-token': wantsField('The key is taken from X-Auth-Token only.', 'X-Auth-Token'),
  'wants-x-api-key': wantsField('The key is taken from X-API-Key only.', 'X-API-Key'),
  'wants-key-in-query': wantsKey(
    'The key is taken from the query only.',
    (call, { keys }) => [...call.query.values()].find((value) => keys.has(value)),
    'AUTH-1',
    { PROBE_KEY_IN_URL: 'true' },
  ),
  'wants-bearer-or-crashes': refusingOtherwise(
    wantsForm('The key is taken after Bearer; without it the code throws.', bearer),
    () => json(500, { detail: 'Internal server error.' }),
  ),
  'wants-bearer-or-log-in': refusingOtherwise(
    wantsForm('The key is taken after Bearer; else a log-in page, status 200.', bearer),
    () => html(200, 'Log in', '<form method="post"><input name="user"></form>'),
  ),
  'wants-x-api-key-or-says-no': refusingOtherwise(
    wantsField('The key is taken from X-API-Key; else a body with status 200 says no.', 'X-API-Key'),
    () => json(200, { code: 40101, message: 'token required', data: null }),
  ),
});
