import type { Contract } from '../contract/model.js';
import { SettingsError } from '../settings/settings.js';
import type { Target } from '../settings/target.js';
import { standsIn } from '../wire/keyring.js';

/**
 * A request without the key would carry a key that stands in its path.
 * @throws {SettingsError} for such keys, without their text
 */
export const refuseKeysInPaths = ({ operations }: Pick<Contract, 'operations'>, { basePath, keys }: Target): void => {
  const refused = Object.entries(keys).filter(([, key]) =>
    operations.some(({ path }) => standsIn(key, `${basePath}${path}`)),
  );
  if (refused.length > 0)
    throw new SettingsError(
      refused.map(([setting]) => ({
        setting,
        message: 'its value is part of a path that is asked without the key, so it can be no key.',
        hint: 'is it the value of another setting?',
      })),
    );
};
