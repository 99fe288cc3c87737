import type { Contract } from '../contract/model.js';
import { nearestName } from '../did-you-mean.js';
import { type Settings, SettingsError } from '../settings/settings.js';

const nearest = (name: string, known: readonly string[]): string | undefined =>
  nearestName(
    name,
    known.map((each) => ({ name: each })),
  );

/**
 * Holds IDENTITIES against the contract: its security schemes, and the scopes that it states.
 * @throws {SettingsError} for a scheme that no operation of the contract uses
 */
export const checkIdentities = (
  { identities, sources }: Settings,
  contract: Contract,
  warn: (warning: string) => void,
): void => {
  const known = contract.schemes.map(({ name }) => name);
  const unknown = identities.schemes.filter(({ scheme }) => !known.includes(scheme));
  if (unknown.length > 0)
    throw new SettingsError(
      unknown.map(({ scheme, position }) => {
        const meant = nearest(scheme, known);
        return {
          setting: 'IDENTITIES',
          ...(sources.IDENTITIES ? { source: sources.IDENTITIES } : {}),
          message: `${position} no operation of the contract uses a security scheme "${scheme}".`,
          allowed: known.length > 0 ? known.join(', ') : 'nothing: the contract uses no security scheme',
          ...(meant === undefined ? {} : { hint: `did you mean ${meant}?` }),
        };
      }),
    );
  const stated = [
    ...new Set(
      [...contract.operations, ...contract.unprobed].flatMap(({ requirements = [] }) =>
        requirements.flat().flatMap(({ scopes }) => scopes),
      ),
    ),
  ];
  if (stated.length === 0) return;
  for (const { name, scopes = [] } of identities.identities)
    for (const scope of scopes.filter((each) => !stated.includes(each))) {
      const meant = nearest(scope, stated);
      if (meant !== undefined && !scopes.includes(meant))
        warn(`IDENTITIES: "${name}" holds ${scope}, which no operation states; did you mean ${meant}?`);
    }
};
