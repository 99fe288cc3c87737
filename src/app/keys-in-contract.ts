import type { Contract, Operation } from '../contract/model.js';
import type { Settings } from '../settings/settings.js';

/** Shorter keys are in texts by chance. */
const minLength = 8;

/**
 * Puts placeholders in the place of keys in the texts and header fields of a contract: documents and
 * PARAMETERS may hold a key as an example. The wire client puts the key back into what is sent. Ids
 * and targets stay: a key in a URL is refused.
 */
export const withoutKeys = (contract: Contract, { keys, identities }: Settings): Contract => {
  const known = Object.entries({ ...identities.keys, ...keys }).filter(([, key]) => key.length >= minLength);
  if (known.length === 0) return contract;
  const masked = (text: string): string =>
    known.reduce((plain, [setting, key]) => plain.replaceAll(key, `<${setting}>`), text);
  const operation = (of: Operation): Operation => ({
    ...of,
    headers: of.headers.map(([name, value]): readonly [string, string] => [name, masked(value)]),
  });
  return {
    ...contract,
    title: masked(contract.title),
    version: masked(contract.version),
    clauses: contract.clauses.map((clause) => ({ ...clause, text: masked(clause.text) })),
    gaps: contract.gaps.map((gap) => ({ ...gap, question: masked(gap.question) })),
    operations: contract.operations.map(operation),
  };
};
