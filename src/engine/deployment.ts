import type { Deployment } from '../rules/rule.js';
import { keyEnds } from '../settings/key-expiry.js';
import type { Target } from '../settings/target.js';
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

/** What rules may know of a target. `at`: the time as of which certificates are judged. */
export const deploymentOf = (
  target: Omit<Deployment, 'keys' | 'seed' | 'at' | 'caFile' | 'probes'> &
    Pick<Target, 'probes'> & { readonly ca?: string },
  keys: Deployment['keys'],
  seed: string,
  at?: number,
): Deployment => ({
  origin: target.origin,
  basePath: target.basePath,
  httpBaseUrl: target.httpBaseUrl,
  keys,
  probes: target.probes === 'standard' ? 'standard' : 'extended',
  probeKeyInUrl: target.probeKeyInUrl,
  insecureTls: target.insecureTls,
  caFile: target.ca !== undefined,
  seed,
  ...(at === undefined ? {} : { at }),
});
