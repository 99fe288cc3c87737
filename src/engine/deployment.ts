import type { Deployment } from '../rules/rule.js';
import type { Target } from '../settings/target.js';
import type { KeyRing } from '../wire/keyring.js';

/** What rules may know of the keys that were given. */
export const traitsOf = ({ keys }: Pick<Target, 'keys'>, ring: KeyRing): Deployment['keys'] =>
  Object.fromEntries(
    Object.keys(keys).map((setting) => {
      const { mixesCase, signed } = ring.traits(setting);
      return [setting, { mixesCase, ...(signed ? { signed } : {}) }];
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
