import { isSameSetting, upperSnake } from '../names.js';
import type { SecurityScheme } from './model.js';
import { sentAlike, type UnassignedScheme } from './security-schemes.js';

/** Which setting holds the key of each security scheme. */

/** Settings that are no key of a scheme. */
const reserved = ['API_KEY_FILE', 'API_KEY_COMMAND'];

export const ownSetting = ({ name }: Pick<SecurityScheme, 'name'>): string => `API_KEY_${upperSnake(name)}`;

/**
 * Assigns a setting to each scheme: its own, `API_KEY` for the only scheme, and `API_KEY` for each
 * scheme without a key of its own.
 * @param given names of the settings that hold a key
 * @param grant tokens are fetched for schemes of OAuth 2.0 without a key
 * @returns the schemes, and the settings that hold a key or will hold a fetched one
 */
export const assignKeySettings = (
  unassigned: readonly UnassignedScheme[],
  given: readonly string[],
  grant: boolean,
): { readonly schemes: readonly SecurityScheme[]; readonly keys: ReadonlySet<string> } => {
  const keys = new Set(given);
  const taken = new Set<string>();
  const isFree = (setting: string): boolean => !taken.has(setting) && !reserved.includes(setting);
  const namedAfter = (scheme: UnassignedScheme): string => {
    const own = ownSetting(scheme);
    let setting = unassigned.length > 1 ? own : 'API_KEY';
    // API_KEY_FILE and API_KEY_COMMAND are other settings, so schemes of these names are numbered.
    for (let number = 2; !isFree(setting); number += 1) setting = `${own}_${number}`;
    if (keys.has(setting)) return setting;
    // Word boundaries in `OAuth2PasswordBearer` are unknown, so underscores are ignored.
    return [...keys].find((key) => isSameSetting(key, own) && isFree(key)) ?? setting;
  };
  const areAlike = unassigned.every((one) => unassigned.every((other) => sentAlike(one, other)));
  const schemes = unassigned.map((scheme): SecurityScheme => {
    const own = namedAfter(scheme);
    if (grant && scheme.oauth) keys.add(own);
    // API_KEY is used for each scheme without its own key. If the schemes send it differently,
    // this is a guess.
    const isShared = !keys.has(own) && keys.has('API_KEY') && (areAlike || scheme.encoding === 'plain');
    const setting = isShared ? 'API_KEY' : own;
    taken.add(setting);
    return { ...scheme, setting, ...(isShared && !areAlike ? { guessed: true as const } : {}) };
  });
  return { schemes, keys };
};
