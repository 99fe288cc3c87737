import type { Deployment, KeyHolder } from '../rules/rule.js';
import { keyEnds } from '../settings/key-expiry.js';
import type { Target } from '../settings/target.js';
import { digestOf } from '../wire/digest.js';
import type { KeyRing } from '../wire/keyring.js';

/** What rules may know of the keys that were given. */
export const traitsOf = ({ keys }: Pick<Target, 'keys'>, ring: KeyRing): Deployment['keys'] =>
  Object.fromEntries(
    Object.entries(keys).map(([setting, key]) => {
      const { mixesCase, signed } = ring.traits(setting);
      const ends = keyEnds(key)?.getTime() ?? Number.POSITIVE_INFINITY;
      return [
        setting,
        { mixesCase, ...(signed ? { signed } : {}), ...(ends <= Date.now() ? { ended: true as const } : {}) },
      ];
    }),
  );

/** What rules may know of the identities. @param salt of the digests of bodies */
const holdersOf = (identities: NonNullable<Target['identities']>, salt: string): readonly KeyHolder[] =>
  identities.map(({ owns, ...identity }) => ({
    ...identity,
    ...(owns === undefined ? {} : { owns: digestOf(salt, owns) }),
  }));

/**
 * What rules may know of a target. `at`: the time as of which certificates are judged; `salt`: of
 * the digests of bodies, where any are looked at.
 */
export const deploymentOf = (
  target: Omit<Deployment, 'keys' | 'identities' | 'seed' | 'at' | 'caFile' | 'probes'> &
    Pick<Target, 'probes' | 'identities'> & { readonly ca?: string },
  keys: Deployment['keys'],
  seed: string,
  { at, salt = '' }: { readonly at?: number; readonly salt?: string } = {},
): Deployment => ({
  origin: target.origin,
  basePath: target.basePath,
  httpBaseUrl: target.httpBaseUrl,
  keys,
  ...(target.identities ? { identities: holdersOf(target.identities, salt) } : {}),
  probes: target.probes === 'standard' ? 'standard' : 'extended',
  probeKeyInUrl: target.probeKeyInUrl,
  insecureTls: target.insecureTls,
  caFile: target.ca !== undefined,
  seed,
  ...(at === undefined ? {} : { at }),
});
