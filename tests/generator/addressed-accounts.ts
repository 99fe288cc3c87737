import { type Answer, type Asked, notFound } from '../selftest/support/document-server.js';
import type { Random } from './random.js';

/** Services whose requests have to name an account: `/users/{user_id}/things`, `?user_id=`. */

export interface AddressedSpec {
  readonly by: 'none' | 'path' | 'query';
  /** Name of the parameter, and of the collection before it in a path. */
  readonly parameter: 'user_id' | 'member_id' | 'accountId' | 'id' | 'realm' | 'patient';
  /** The document's example of it, by which each holder names its own account. */
  readonly example?: '-';
  /** What a holder gets for another account: a refusal, its own rows, or no rows. */
  readonly others: '403' | '404' | 'own' | 'empty';
  /** What it gets for an account that does not exist. */
  readonly unknown: '404' | 'alike';
}

export const addressedSpec = (random: Random): AddressedSpec => {
  const by = random.pick(['none', 'none', 'path', 'query'] as const);
  return {
    by,
    parameter:
      by === 'path'
        ? random.pick(['user_id', 'id', 'realm'] as const)
        : random.pick(['member_id', 'accountId', 'patient'] as const),
    ...(random.chance(0.2) ? { example: '-' } : {}),
    others: random.pick(['403', '404', 'own', 'empty'] as const),
    unknown: random.pick(['404', 'alike'] as const),
  };
};

/** The documented path of what is at `/things` otherwise, and the parameter that names the account. */
export const addressedPath = ({ by, parameter }: AddressedSpec, path: string): string =>
  by === 'path' ? `/${parameter === 'realm' ? 'realms' : 'users'}/{${parameter}}${path}` : path;

export const addressParameters = ({ by, parameter, example }: AddressedSpec): readonly object[] =>
  by === 'none'
    ? []
    : [{ name: parameter, in: by, required: true, schema: { type: 'string' }, ...(example ? { example } : {}) }];

/** The request without the account that it names. */
export const withoutAddress = (
  { by, parameter, example }: AddressedSpec,
  asked: Asked,
): { readonly asked: Asked; readonly account?: string } | undefined => {
  if (by === 'none' || !/(?:^|\/)things/.test(asked.path)) return { asked };
  if (by === 'path') {
    const [, account, path] = /^\/(?:users|realms)\/([^/]+)(\/things.*)$/.exec(asked.path) ?? [];
    return account === undefined || path === undefined
      ? undefined
      : { asked: { ...asked, path }, ...(account === example ? {} : { account: decodeURIComponent(account) }) };
  }
  const { [parameter]: account, ...others } = Object.fromEntries(asked.query);
  if (account === undefined) return undefined;
  const query = new URLSearchParams(others);
  return { asked: { ...asked, query }, ...(account === example ? {} : { account }) };
};

/** What another account than that of the holder gets it; `own` and `empty` are no answer. */
export const refusalFor = ({ others, unknown }: AddressedSpec, exists: boolean): Answer | 'own' | 'empty' => {
  if (!exists && unknown === '404') return notFound;
  if (others === '403') return { status: 403, body: { detail: 'This account is not yours.' } };
  return others === '404' ? notFound : others;
};
