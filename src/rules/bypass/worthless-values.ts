import { createHmac } from 'node:crypto';
import type { OperationSubject } from '../rule.js';
import { nonce } from '../support/nonce.js';

/** Values that a careless lookup takes for a key. */

/** What clients send for a key that they lack. */
export const absent = 'null';

const literals = [
  ...[absent, 'None', 'undefined', '(null)', '""', 'constructor'],
  ...['true', 'false', '0', '1', '*', '%', '.*', '%20', '%00'],
  // The folder itself, where a key is a name in a folder or the last segment of a URL.
  '.',
] as const;

/**
 * Non-ASCII characters, on which a comparison or a store may fail and then let the request through:
 * of two bytes in UTF-8 and of four, and letters that some stores fold.
 */
const foreign = ['ｋｅｙ', 'clé😀'] as const;

/**
 * One quote may break an SQL string, and a condition may stand in place of a JSON value. More could
 * change data, so none is added. Firewalls may ban a client for them, so they are sent with
 * PROBES=extended only.
 */
const injections = ["'", '{"$ne":null}'] as const;

/** Header and claims of a JSON Web Token with this algorithm, for the subject 1. */
const tokenFor = (algorithm: string): string =>
  [`{"alg":"${algorithm}","typ":"JWT"}`, '{"sub":"1","iat":1700000000,"exp":4102444800}']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');

/** A JSON Web Token with the algorithm "none" (RFC 7515, section 3.6). */
export const unsignedToken = `${tokenFor('none')}.`;

/** A check may refuse that name as it is written, and a library read it in any case. */
export const unsignedInOtherCase = `${tokenFor('nOnE')}.`;

const beforeSignature = tokenFor('HS256');

/** A token as a service signs it of which the secret was never set. */
export const signedWithNothing = `${beforeSignature}.${createHmac('sha256', '').update(beforeSignature).digest('base64url')}`;

export const literalsFor = ({ deployment }: OperationSubject): readonly string[] => [
  ...literals,
  ...foreign,
  ...(deployment.probes === 'extended' ? injections : []),
];

/**
 * The right user with a wrong password. The wire client makes these values, since it alone knows
 * the user. There are few, since a service may lock the account after several tries.
 */
export const passwords: readonly (readonly [form: string, words: string])[] = [
  ['as-empty', 'an empty password'],
  ['as-null', 'null as password'],
  ['as-0', '0 as password'],
  ['as-star', '* as password'],
  ['as-percent', '% as password'],
];

export const base64 = (text: string): string => Buffer.from(text).toString('base64');

export const emptyUser = 'Basic Og==';

/**
 * A user without a password. Nobody has that name, since a service may lock out somebody who has.
 */
export const userAlone = ({ deployment }: OperationSubject): string =>
  `Basic ${base64(`${nonce(deployment, 'user without a password')}:`)}`;

export const wrongUser = ({ deployment }: OperationSubject): string => {
  const invented = nonce(deployment, 'user and password');
  return `Basic ${base64(`${invented}:${invented}`)}`;
};
