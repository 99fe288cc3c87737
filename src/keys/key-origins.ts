import type { Contract, SecurityScheme } from '../contract/model.js';
import type { CommandSource } from '../settings/key-source.js';
import type { Grant } from '../settings/keys.js';
import { type Settings, SettingsError } from '../settings/settings.js';
import type { Target } from '../settings/target.js';
import { urlIn } from '../urls.js';
import { createHttpsRequester } from '../wire/https-request.js';
import { type FetchedKey, KeyFetchError, type KeySupply } from './fetched-key.js';
import { type CommandOptions, runKeyCommand } from './key-command.js';
import type { TokenPlace } from './token-endpoint.js';

/** How a key is fetched. `from` is the setting or file position to name in messages. */
export type KeyOrigin =
  | { readonly kind: 'command'; readonly from: string; readonly command: CommandSource }
  | { readonly kind: 'grant'; readonly from: string; readonly grant: Grant; readonly place: TokenPlace };

type TargetBase = Pick<Target, 'origin' | 'basePath'>;

/** Security schemes whose keys are tokens of the OAUTH_CLIENT_ID grant. */
const grantedSchemes = ({ grant, keys, keyCommand }: Settings, { schemes }: Contract): readonly SecurityScheme[] =>
  grant === undefined
    ? []
    : schemes.filter(
        ({ oauth, setting }) => oauth !== undefined && !(setting in keys) && !(keyCommand && setting === 'API_KEY'),
      );

/** Names of the settings whose keys a run fetches. */
export const fetchedKeyNames = (settings: Settings, contract: Contract): readonly string[] => [
  ...(settings.keyCommand ? ['API_KEY'] : []),
  ...Object.keys(settings.identities.fetched),
  ...new Set(grantedSchemes(settings, contract).map(({ setting }) => setting)),
];

/**
 * Resolves a URL of the document to which secrets are sent, or which names where they are sent.
 * @throws {SettingsError} where it is not HTTPS, or not on the origin of the target
 */
const ownUrl = (written: string, what: string, { origin, basePath }: TargetBase): URL => {
  const base = `${origin}${basePath}/`;
  const wrong = (message: string, hint: string): SettingsError =>
    new SettingsError([{ setting: 'OAUTH_TOKEN_URL', message, hint }]);
  const url = urlIn(written, base);
  if (!url) throw wrong(`the document names no URL as ${what}.`, 'set OAUTH_TOKEN_URL');
  const shown = url.origin + url.pathname;
  if (url.protocol !== 'https:')
    throw wrong(
      `${what} of the document is ${shown}, and secrets are sent over HTTPS only.`,
      'set OAUTH_TOKEN_URL to an https URL',
    );
  if (url.origin !== origin)
    throw wrong(
      `${what} of the document is ${shown}, off the origin of BASE_URL (${origin}): a document must not lead secrets there by itself.`,
      'set OAUTH_TOKEN_URL to the token endpoint if that is right',
    );
  return url;
};

/**
 * Where to get tokens of a scheme: OAUTH_TOKEN_URL, else the URL in the document.
 * @throws {SettingsError} where there is none, or it is not on the origin of the target
 */
const tokenPlaceOf = (
  { name, oauth = {} }: Pick<SecurityScheme, 'name' | 'oauth'>,
  flow: Grant['flow'],
  { target, tokenUrl }: { readonly target: TargetBase; readonly tokenUrl: string | undefined },
): TokenPlace => {
  if (tokenUrl !== undefined) return { tokenUrl: new URL(tokenUrl) };
  const stated = oauth[flow];
  if (stated !== undefined) return { tokenUrl: ownUrl(stated, `the tokenUrl of "${name}"`, target) };
  if (oauth.discovery !== undefined)
    return { discoveryUrl: ownUrl(oauth.discovery, `the openIdConnectUrl of "${name}"`, target) };
  throw new SettingsError([
    {
      setting: 'OAUTH_TOKEN_URL',
      message: `it is not set, and the security scheme "${name}" of the document has no ${flow} flow.`,
      hint: 'set it to the token endpoint that gives such tokens',
    },
  ]);
};

/**
 * How to fetch each fetched key, by setting.
 * @throws {SettingsError} where the settings and the document do not allow it
 */
export const keyOriginsOf = (
  settings: Settings,
  contract: Contract,
  target: TargetBase,
): ReadonlyMap<string, KeyOrigin> => {
  const { keyCommand: command, grant, values } = settings;
  const origins = new Map<string, KeyOrigin>();
  if (command) origins.set('API_KEY', { kind: 'command', from: 'API_KEY_COMMAND', command });
  for (const [setting, source] of Object.entries(settings.identities.fetched)) {
    const { scheme: name, position: from } = source;
    if (source.kind === 'command') origins.set(setting, { kind: 'command', from, command: source.command });
    else {
      const scheme = contract.schemes.find((each) => each.name === name) ?? { name };
      const place = tokenPlaceOf(scheme, source.grant.flow, { target, tokenUrl: values.OAUTH_TOKEN_URL });
      origins.set(setting, { kind: 'grant', from, grant: source.grant, place });
    }
  }
  if (!grant) return origins;
  const schemes = grantedSchemes(settings, contract);
  for (const scheme of schemes) {
    const place = tokenPlaceOf(scheme, grant.flow, { target, tokenUrl: values.OAUTH_TOKEN_URL });
    origins.set(scheme.setting, { kind: 'grant', from: 'OAUTH_CLIENT_ID', grant, place });
  }
  if (schemes.length === 0)
    throw new SettingsError([
      {
        setting: 'OAUTH_CLIENT_ID',
        message:
          'no operation of the document needs a token: each scheme has a key, or is not oauth2 or openIdConnect.',
        hint: 'leave it out, or correct the securitySchemes of the document with an OVERLAY',
      },
    ]);
  return origins;
};

export interface FetchOptions extends Omit<CommandOptions, 'deadlineMs'> {
  readonly target: Pick<Target, 'ca' | 'proxy' | 'resolve' | 'timeoutMs'>;
}

/** Fetches the key of a setting once, from a program or a token endpoint. */
type FetchKey = (setting: string) => Promise<FetchedKey>;

/** @returns a function that throws {KeyFetchError}, which names the setting */
export const createKeyFetcher = (
  origins: ReadonlyMap<string, KeyOrigin>,
  { target, env, secrets, signal }: FetchOptions,
): FetchKey => {
  const { ca, proxy, resolve, timeoutMs } = target;
  const ask = createHttpsRequester({ timeoutMs, resolve, ca, proxy });
  return async (setting) => {
    const origin = origins.get(setting);
    if (!origin) throw new TypeError(`${setting} is not fetched`);
    try {
      if (origin.kind === 'command') return await runKeyCommand(origin.command, { env, secrets, signal });
      const { fetchToken } = await import('./token-endpoint.js');
      return await fetchToken(origin.grant, origin.place, { ask, signal });
    } catch (error) {
      if (!(error instanceof KeyFetchError)) throw error;
      throw new KeyFetchError(error.message, error.secrets, origin.from);
    }
  };
};

/**
 * Fetches all keys in parallel.
 * @throws {KeyFetchError} which names the setting
 */
export const fetchKeys = async (origins: ReadonlyMap<string, KeyOrigin>, options: FetchOptions): Promise<KeySupply> => {
  const get = createKeyFetcher(origins, options);
  const first = await Promise.all(
    [...origins.keys()].map(async (setting): Promise<readonly [string, FetchedKey]> => [setting, await get(setting)]),
  );
  return { first: new Map(first), renew: (setting) => get(setting) };
};
