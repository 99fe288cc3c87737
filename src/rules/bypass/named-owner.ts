import { type AccountClaim, accountClaims, accountPlaceholder, accountSource } from '../identities/account-claims.js';
import { holderOf } from '../identities/identity-views.js';
import type { OperationSubject } from '../rule.js';
import { changedParts } from '../support/bundles.js';
import { emailFields, userFields } from './bundled-changes.js';
import { type Bypass, bundleOf, type Change, headerChange } from './bypass.js';

/**
 * Requests without a key that name the account of the key's owner, where IDENTITIES says its name.
 * A service that trusts its proxy gives them the rows of that account; a made-up user has none.
 */
export const namedOwner = (subject: OperationSubject): readonly Bypass[] => {
  const owner = holderOf(subject);
  if (owner?.owns === undefined) return [];
  const { name } = owner;
  const value = accountPlaceholder(name);
  const inField = (field: string): Change =>
    headerChange(`${field} with the name of ${name}`, `with the name of ${name} in ${field}`, [field, value]);
  const claims = accountClaims(subject, owner).flat();
  const namesOf = (place: AccountClaim['in']): readonly string[] =>
    claims.filter((claim) => claim.in === place).map((claim) => claim.name);
  const bundle = bundleOf(subject, 'fields and parameters that name the owner of the key', [
    ...[...new Set([...userFields, ...emailFields, ...namesOf('header')])].map(inField),
    ...namesOf('query').map((parameter): Change => {
      const words = `?${parameter}= with the name of ${name}`;
      return { words, how: `with ${words}`, parameters: [`${encodeURIComponent(parameter)}=${value}`] };
    }),
  ]);
  const withSource = (bypass: Bypass): Bypass => ({
    ...bypass,
    probe: {
      ...bypass.probe,
      values: { ...bypass.probe.values, [value]: accountSource(name, bypass.probe.target.includes(value)) },
    },
    ...changedParts(bypass, withSource),
  });
  return [withSource(bundle)];
};
