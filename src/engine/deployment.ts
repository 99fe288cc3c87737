import { present } from '../collections.js';
import type { Deployment, KeyHolder } from '../rules/rule.js';
import type { Target } from '../settings/target.js';
import { keyEnds } from '../settings/value-parsers.js';
import { digestOf } from '../wire/body-shape.js';
import type { KeyRing } from '../wire/keyring.js';

/** What rules may know of a target. */

/** Facts about the given keys that rules may know; never the keys themselves. */
export const traitsOf = ({ keys }: Pick<Target, 'keys'>, ring: KeyRing): Deployment['keys'] =>
  Object.fromEntries(
    Object.entries(keys).map(([setting, key]) => {
      const { mixesCase, signed } = ring.traits(setting);
      const ends = keyEnds(key)?.getTime() ?? Number.POSITIVE_INFINITY;
      return [
        setting,
        present({ mixesCase, signed: signed || undefined, ended: ends <= Date.now() ? true : undefined }),
      ];
    }),
  );

/**
 * Identities as rules may know them.
 * @param salt of the digests of bodies
 */
const holdersOf = (identities: NonNullable<Target['identities']>, salt: string): readonly KeyHolder[] =>
  identities.map(({ owns, ...identity }) => ({
    ...identity,
    ...(owns === undefined ? {} : { owns: digestOf(salt, owns) }),
    ...(owns !== undefined && /^\d+$/.test(owns) ? { ownsNumber: true } : {}),
  }));

/**
 * Facts about a target that rules may know.
 * @param options.at time at which certificates are judged, in milliseconds
 * @param options.salt salt of the digests of bodies, where bodies are read
 */
export const deploymentOf = (
  target: Omit<Deployment, 'keys' | 'identities' | 'seed' | 'at' | 'caFile' | 'probes'> &
    Pick<Target, 'probes' | 'identities'> & { readonly ca?: string | undefined },
  keys: Deployment['keys'],
  seed: string,
  { at, salt = '' }: { readonly at?: number; readonly salt?: string } = {},
): Deployment =>
  present({
    origin: target.origin,
    basePath: target.basePath,
    httpBaseUrl: target.httpBaseUrl,
    keys,
    identities: target.identities && holdersOf(target.identities, salt),
    probes: target.probes === 'standard' ? 'standard' : 'extended',
    probeKeyInUrl: target.probeKeyInUrl,
    insecureTls: target.insecureTls,
    caFile: target.ca !== undefined,
    seed,
    at,
  });
