import { wordsIn } from '../../collections.js';
import type { SecurityScheme } from '../../contract/model.js';
import { withQuery } from '../../urls.js';
import type { HeaderPair, Probe } from '../../wire/types.js';
import type { OperationSubject } from '../rule.js';
import { bundled } from '../support/bundles.js';
import { nonce } from '../support/nonce.js';
import { keyTemplate, type RequestOptions, requestFor } from '../support/requests.js';
import { locationOf } from '../support/subjects.js';
import { inQuery, targetOf } from '../support/targets.js';
import type { Bypass } from './bypass.js';
import {
  absent,
  base64,
  emptyUser,
  literalsFor,
  passwords,
  signedWithNothing,
  unsignedInOtherCase,
  unsignedToken,
  userAlone,
  wrongUser,
} from './worthless-values.js';

/** Requests with a worthless value in the place of the key of one scheme. */

/** Fields beside the usual ones in which services take a key. */
const rareFields = wordsIn(`
  X-Access-Token X-Api-Token X-Token X-Auth X-Authorization X-Forwarded-Authorization
  Proxy-Authorization Api-Key Auth-Token Token
`);

/** A request with the right keys, plus parameters, fields or other keys. */
export const bypassWithKey = (
  subject: OperationSubject,
  words: string,
  { parameters = [], ...more }: Partial<RequestOptions> & { readonly parameters?: readonly string[] } = {},
): Bypass => {
  const target = withQuery(targetOf(subject), parameters);
  return { words, probe: requestFor(subject, { name: words, credential: 'valid', target, ...more }) };
};

/** Wrong keys in places that services commonly read, except those of another required key. */
const inAnotherField = (subject: OperationSubject, random: string): Bypass[] => {
  const isFree = (name: string): boolean =>
    !subject.operation.security.some(({ field }) => field.toLowerCase() === name.toLowerCase());
  const header =
    (value: string) =>
    (words: string, ...names: readonly string[]): Bypass =>
      bypassWithKey(subject, words, { headers: names.map((name) => [name, value]) });
  const parameter = (words: string, ...names: readonly string[]): Bypass =>
    bypassWithKey(subject, words, { parameters: names.map((name) => `${name}=`) });
  /** Several names together, and each alone where that makes a difference. */
  const together = (
    words: string,
    names: readonly string[],
    send: typeof parameter,
    one: string,
  ): readonly Bypass[] => {
    const free = names.filter(isFree);
    return free.length === 0
      ? []
      : [bundled(send(words, ...free), () => free.map((name) => send(`${one} ${name}`, name)))];
  };
  return [
    ...['X-API-Key', 'X-Auth-Token'].filter(isFree).map((name) => header(random)(`a wrong key in ${name}`, name)),
    ...together('a wrong key in fields that few services read', rareFields, header(random), 'a wrong key in'),
    ...['api_key', 'token'].filter(isFree).map((name) => {
      // The label of the nonce must not change: recorded runs contain its value.
      const value = nonce(subject.deployment, `a wrong key in the query parameter ${name}`);
      return bypassWithKey(subject, `a wrong key in the query parameter ${name}`, { parameters: [`${name}=${value}`] });
    }),
    ...together(
      'empty fields for a key',
      ['X-API-Key', 'X-Auth-Token', 'apikey', 'access_token'],
      header(''),
      'an empty field',
    ),
    ...together(
      'empty query parameters for a key',
      ['api_key', 'apikey', 'access_token', 'token', 'key', 'auth'],
      parameter,
      'an empty query parameter',
    ),
  ];
};

/** Values for a second guard, where the document has no key in `Authorization`. */
const forAnotherGuard = (subject: OperationSubject): readonly Bypass[] => {
  if (subject.operation.security.some(({ field }) => field.toLowerCase() === 'authorization')) return [];
  const send = (words: string, value: string): Bypass =>
    bypassWithKey(subject, words, { headers: [['Authorization', value]] });
  return [
    send('an unsigned JSON Web Token under the scheme Bearer', `Bearer ${unsignedToken}`),
    send('a wrong user and password under the scheme Basic', wrongUser(subject)),
    send('an empty user and password under the scheme Basic', emptyUser),
  ];
};

/** The field of one scheme, and how requests with other values of it are made. */
interface HeaderPlace {
  readonly subject: OperationSubject;
  readonly scheme: SecurityScheme;
  /** The request with a random key. */
  readonly unchanged: Probe;
  readonly random: string;
  /** The word before the key: `Token`; empty if there is none. */
  readonly word: string;
  readonly isBasic: boolean;
  readonly isAuthorization: boolean;
  readonly send: (words: string, ...values: readonly string[]) => Bypass;
}

const headerPlace = (subject: OperationSubject, scheme: SecurityScheme, unchanged: Probe): HeaderPlace => ({
  subject,
  scheme,
  unchanged,
  random: keyTemplate({ ...scheme, encoding: 'plain' }, 'random'),
  word: scheme.prefix.trimEnd(),
  isBasic: scheme.encoding === 'base64',
  isAuthorization: scheme.field.toLowerCase() === 'authorization',
  send: (words, ...values) => bypassWithKey(subject, words, { headers: values.map((value) => [scheme.field, value]) }),
});

const withoutKeyIn = ({ scheme: { field, prefix }, word, send }: HeaderPlace): readonly Bypass[] => [
  send(`an empty ${field} field`, ''),
  ...(word === ''
    ? []
    : [
        send(`${word} alone, without a key`, word),
        send(`${word} and a space, without a key`, prefix),
        send(`${word} as key`, `${prefix}${word}`),
      ]),
];

const literalsIn = ({ subject, scheme, isBasic, send }: HeaderPlace): readonly Bypass[] => {
  const { prefix, setting } = scheme;
  if (!isBasic) return literalsFor(subject).map((literal) => send(`${literal} as key`, `${prefix}${literal}`));
  const isGiven = subject.deployment.keys[setting] !== undefined;
  return [
    ...literalsFor(subject).map((literal) =>
      send(`${literal} as user and password`, `${prefix}${base64(`${literal}:${literal}`)}`),
    ),
    // LDAP servers accept a user with an empty password as anonymous (RFC 4513, section 5.1.2).
    ...(isGiven ? passwords : []).map(([form, words]) =>
      send(`the right user with ${words}`, `${prefix}${keyTemplate(scheme, form)}`),
    ),
  ];
};

const underScheme = ({ random, unchanged, send }: HeaderPlace, other: string): Bypass => {
  const wrong = send(`a wrong key under the scheme ${other}`, `${other} ${random}`);
  if (other !== 'Bearer') return wrong;
  // The wrong key is sent alone if the token is answered in another way.
  const token = send('an unsigned JSON Web Token under the scheme Bearer', `Bearer ${unsignedToken}`);
  return bundled({ ...token, unchanged, trick: wrong.words }, () => [wrong]);
};

const underOtherSchemes = (place: HeaderPlace): readonly Bypass[] => {
  const { subject, scheme, word, isBasic, isAuthorization, random, send } = place;
  const bare = word === '' ? [] : [send('a wrong key without a scheme', random)];
  if (!isAuthorization) return bare;
  return [
    ...['Token', 'Bearer', 'Basic', 'ApiKey', 'Digest']
      // If the case of a scheme does not matter, a guard may still know only one spelling.
      .flatMap((other) => (other !== word ? [other] : scheme.ignoresCase ? [other.toLowerCase()] : []))
      .map((other) => underScheme(place, other)),
    ...(isBasic ? [] : [send('a wrong user and password under the scheme Basic', wrongUser(subject))]),
    ...bare,
    send('an empty user and password under the scheme Basic', emptyUser),
    ...(isBasic ? [] : [send('a user without a password under the scheme Basic', userAlone(subject))]),
  ];
};

const worthlessTokens = ({ scheme: { prefix }, isAuthorization, send }: HeaderPlace): readonly Bypass[] => {
  // Bearer may have a separate guard, for log-ins.
  const tokenPrefix = isAuthorization ? 'Bearer ' : prefix;
  return [
    send('an unsigned JSON Web Token', `${prefix}${unsignedToken}`),
    send('a JSON Web Token signed with an empty secret', `${tokenPrefix}${signedWithNothing}`),
    send('an unsigned JSON Web Token with another case of none', `${tokenPrefix}${unsignedInOtherCase}`),
  ];
};

const severalKeys = ({ scheme: { field, prefix }, random, unchanged, send }: HeaderPlace): Bypass => {
  const wrong = `${prefix}${random}`;
  const list = `${wrong}, ${wrong}`;
  const inTwoFields = `a wrong key in two ${field} fields`;
  return bundled(
    { ...send(`a list of wrong keys in two ${field} fields`, list, wrong), unchanged, trick: inTwoFields },
    () => [send(inTwoFields, wrong, wrong), send(`a list of wrong keys in one ${field} field`, list)],
  );
};

const inTheHeader = (subject: OperationSubject, scheme: SecurityScheme, unchanged: Probe): Bypass[] => {
  const place = headerPlace(subject, scheme, unchanged);
  const { random, word, isBasic, isAuthorization, send } = place;
  const { field, prefix } = scheme;
  const takesTokens = word !== '' && !isBasic;
  return [
    ...withoutKeyIn(place),
    ...literalsIn(place),
    ...underOtherSchemes(place),
    ...(takesTokens ? worthlessTokens(place) : []),
    ...(isAuthorization && word !== 'Bearer'
      ? [send('Bearer alone, without a key', 'Bearer'), send('null under the scheme Bearer', `Bearer ${absent}`)]
      : []),
    ...(takesTokens ? [send('two wrong keys in one field', `${prefix}${random} ${random}`)] : []),
    severalKeys(place),
    bypassWithKey(subject, `a wrong key in ${field}, which Connection names`, {
      headers: [
        [field, `${prefix}${random}`],
        ['Connection', `keep-alive, ${field}`],
      ],
    }),
    ...(isAuthorization ? [] : forAnotherGuard(subject)),
    ...inAnotherField(subject, random),
  ];
};

const inTheQuery = (subject: OperationSubject, scheme: SecurityScheme): Bypass[] => {
  const random = keyTemplate(scheme, 'random');
  const send = (words: string, ...parameters: readonly string[]): Bypass =>
    bypassWithKey(subject, words, { parameters });
  const field = inQuery(scheme.field);
  const prefix = encodeURIComponent(scheme.prefix);
  // `%20` and `%00` are sent as they are, so that they arrive decoded.
  const value = (text: string): string =>
    `${field}=${prefix}${/^%[0-9a-f]{2}$/i.test(text) ? text : encodeURIComponent(text)}`;
  return [
    send(`${locationOf(scheme)} without a value`, field),
    send(`an empty value in ${locationOf(scheme)}`, `${field}=`),
    ...literalsFor(subject).map((literal) => send(`${literal} as key`, value(literal))),
    send(`a wrong key in ${locationOf(scheme)}, twice`, `${field}=${prefix}${random}`, `${field}=${prefix}${random}`),
    send(`a list in ${locationOf(scheme)}`, `${field}[]=`),
    send(`an object in ${locationOf(scheme)}`, `${field}[$ne]=x`),
    ...forAnotherGuard(subject),
    ...inAnotherField(subject, keyTemplate({ ...scheme, in: 'header' }, 'random')),
  ];
};

const inTheCookie = (subject: OperationSubject, scheme: SecurityScheme): Bypass[] => {
  const { field, prefix } = scheme;
  const { operation } = subject;
  const send = (words: string, ...pairs: readonly string[]): Bypass => {
    const headers: readonly HeaderPair[] = [...operation.headers, ['Cookie', pairs.join('; ')]];
    return bypassWithKey({ ...subject, operation: { ...operation, headers } }, words);
  };
  const random = keyTemplate(scheme, 'random');
  return [
    send(`an empty value in ${locationOf(scheme)}`, `${field}=`),
    ...literalsFor(subject).map((literal) => send(`${literal} as key`, `${field}=${prefix}${literal}`)),
    // Parsers of cookies read JSON behind `j:`.
    send(`an object in ${locationOf(scheme)}`, `${field}=${encodeURIComponent('j:{"$ne":"x"}')}`),
    send(`a wrong key in ${locationOf(scheme)}, twice`, `${field}=${prefix}${random}`, `${field}=${prefix}${random}`),
    ...forAnotherGuard(subject),
    ...inAnotherField(subject, random),
  ];
};

/**
 * Wrong values for one scheme, for which the subject itself sends no key.
 * @param unchanged the request with a random key
 */
export const wrongValues = (subject: OperationSubject, scheme: SecurityScheme, unchanged: Probe): Bypass[] => {
  const inPlace = { header: inTheHeader, query: inTheQuery, cookie: inTheCookie };
  return inPlace[scheme.in](subject, scheme, unchanged);
};
