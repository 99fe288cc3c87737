import { type AccountClaim, accountClaims, naming, placeOf } from '../identities/account-claims.js';
import { holderOf } from '../identities/identity-views.js';
import type { OperationSubject } from '../rule.js';
import { bundled } from '../support/bundles.js';
import { missingOf, requestWithoutKey } from '../support/requests.js';
import { emailFields, userFields } from './bundled-changes.js';
import type { Bypass } from './bypass.js';

/**
 * Requests without a key that name the account of the key's owner, where IDENTITIES says its name.
 * A service that trusts its proxy gives them the rows of that account; a made-up user has none.
 */
export const namedOwner = (subject: OperationSubject): readonly Bypass[] => {
  const owner = holderOf(subject);
  if (owner?.owns === undefined) return [];
  const claims = accountClaims(subject, owner).flat();
  const fields = [...userFields, ...emailFields, ...claims.flatMap((one) => (one.in === 'header' ? one.name : []))];
  const all: readonly AccountClaim[] = [
    ...[...new Set(fields)].map((name) => ({ in: 'header', name }) as const),
    ...claims.filter((claim) => claim.in === 'query'),
  ];
  const named = (words: string, how: string, some: readonly AccountClaim[]): Bypass => {
    const probe = { ...naming(requestWithoutKey(subject), owner, some), name: words };
    return { words, how, probe, missing: () => missingOf(subject, probe) };
  };
  const itsName = `the name of ${owner.name}`;
  const what = 'fields and parameters that name the owner of the key';
  return [
    bundled({ ...named(`a request with ${what}`, `with ${what}`, all), trick: what }, () =>
      all.map((one) => named(`${placeOf(one)} with ${itsName}`, `with ${itsName} in ${placeOf(one)}`, [one])),
    ),
  ];
};
