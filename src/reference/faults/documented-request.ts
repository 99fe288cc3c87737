import { answering, type Behaviour, type Override, paths, type ServiceContext } from '../behaviour.js';
import { type FaultDefinition, faultsOf, named, type Unnamed } from '../definitions.js';
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

const behind = (format: RegExp) => (call: Call) => format.exec(fieldOf(call, 'Authorization') ?? '')?.[1];

const bearer = behind(/^Bearer (\S+)$/);

const refusingOtherwise = (plan: Unnamed<FaultDefinition>, refuse: Behaviour['refuse']): Unnamed<FaultDefinition> => ({
  ...plan,
  override: (base, service) => ({ ...plan.override?.(base, service), refuse }),
});

export const documentedRequestFaults = named<FaultDefinition>({
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
  'wants-bearer': wantsKey('The key is taken after the word Bearer, not Token.', bearer, 'AUTH-2'),
  'wants-bare-key': wantsKey('The key is taken without a word in front.', behind(/^(\S+)$/), 'AUTH-2'),
  'wants-lower-case-scheme': wantsKey(
    'The key is taken after token in lower case only.',
    behind(/^token (\S+)$/),
    'AUTH-2',
  ),
  'wants-no-space': wantsKey('The key is taken right behind the word Token only.', behind(/^Token(\S+)$/), 'AUTH-2'),
  'wants-two-spaces': wantsKey('The key is taken after two spaces only.', behind(/^Token {2}(\S+)$/), 'AUTH-2'),
  'wants-tab': wantsKey('The key is taken after a tab only.', behind(/^Token\t(\S+)$/), 'AUTH-2'),
  'wants-other-word': wantsKey(
    'The key is taken after the word ApiKey, not Token.',
    behind(/^ApiKey (\S+)$/),
    'AUTH-2',
  ),
  'wants-token-equals': wantsKey('The key is taken as token="…" only.', behind(/^Token token="([^"]+)"$/), 'AUTH-2'),
  'wants-x-auth-token': wantsKey(
    'The key is taken from X-Auth-Token only.',
    (call) => fieldOf(call, 'X-Auth-Token'),
    'AUTH-1',
  ),
  'wants-x-api-key': wantsKey('The key is taken from X-API-Key only.', (call) => fieldOf(call, 'X-API-Key'), 'AUTH-1'),
  'wants-key-in-query': wantsKey(
    'The key is taken from the query only.',
    (call, { keys }) => [...call.query.values()].find((value) => keys.has(value)),
    'AUTH-1',
    { PROBE_KEY_IN_URL: 'true' },
  ),
  'wants-bearer-or-crashes': refusingOtherwise(
    wantsKey('The key is taken after Bearer; without it the code throws.', bearer, 'AUTH-2'),
    () => json(500, { detail: 'Internal server error.' }),
  ),
  'wants-bearer-or-log-in': refusingOtherwise(
    wantsKey('The key is taken after Bearer; else a log-in page, status 200.', bearer, 'AUTH-2'),
    () => html(200, 'Log in', '<form method="post"><input name="user"></form>'),
  ),
  'wants-x-api-key-or-says-no': refusingOtherwise(
    wantsKey(
      'The key is taken from X-API-Key; else a body with status 200 says no.',
      (call) => fieldOf(call, 'X-API-Key'),
      'AUTH-1',
    ),
    () => json(200, { code: 40101, message: 'token required', data: null }),
  ),
});
