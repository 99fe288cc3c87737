import type { Contract, Operation } from '../contract/model.js';
import { type Settings, SettingsError } from '../settings/settings.js';
import type { SettingProblem } from '../settings/settings-error.js';
import type { Target } from '../settings/target.js';
import { occursIn } from '../wire/secret-spellings.js';

/** Keys that a document repeats, and keys that cannot be sent as the document has it. */

/** Shorter keys occur in texts by chance. */
const minLength = 8;

/**
 * Replaces keys in the texts and header fields of a contract by placeholders: documents may hold a
 * key as an example. The wire client puts the key back into what is sent. A key in a URL is
 * refused.
 */
export const withoutKeys = (contract: Contract, { keys, identities }: Settings): Contract => {
  const known = Object.entries({ ...identities.keys, ...keys }).filter(([, key]) => key.length >= minLength);
  if (known.length === 0) return contract;
  const masked = (text: string): string =>
    known.reduce((plain, [setting, key]) => plain.replaceAll(key, `<${setting}>`), text);
  const operation = (of: Operation): Operation => ({
    ...of,
    headers: of.headers.map(([name, value]) => [name, masked(value)] as const),
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

const refuse = (settings: readonly string[], problem: Omit<SettingProblem, 'setting'>): void => {
  if (settings.length > 0) throw new SettingsError(settings.map((setting) => ({ setting, ...problem })));
};

/**
 * A request without the key would carry a key that stands in its path.
 * @throws {SettingsError} for such keys, without their text
 */
export const refuseKeysInPaths = ({ operations }: Pick<Contract, 'operations'>, { basePath, keys }: Target): void => {
  const isRefused = (key: string): boolean => operations.some(({ path }) => occursIn(key, `${basePath}${path}`));
  refuse(
    Object.keys(keys).filter((setting) => isRefused(keys[setting] ?? '')),
    {
      message: 'its value is part of a path that is asked without the key, so it can be no key.',
      hint: 'is it the value of another setting?',
    },
  );
};

/** Whether `user:password` is encoded already. Base64 has no colon. */
const isEncoded = (key: string): boolean => {
  const decoded = Buffer.from(key, 'base64');
  const unpadded = (text: string): string => text.replace(/=+$/, '');
  return (
    !key.includes(':') &&
    /^[\x20-\x7e]+:[\x20-\x7e]*$/.test(decoded.toString()) &&
    unpadded(decoded.toString('base64')) === unpadded(key)
  );
};

/**
 * Users and passwords are encoded when they are sent. Encoded twice they open nothing.
 * @throws {SettingsError} for keys that are encoded already, without their text
 */
export const refuseEncodedKeys = ({ schemes }: Pick<Contract, 'schemes'>, { keys }: Pick<Target, 'keys'>): void => {
  const refused = schemes.filter(({ encoding, setting }) => encoding === 'base64' && isEncoded(keys[setting] ?? ''));
  refuse(
    refused.map(({ setting }) => setting),
    {
      message: 'its value is a user and a password in base64 already.',
      allowed: 'user:password as it is; it is encoded when it is sent',
    },
  );
};
