import type { HeaderPair, SecurityScheme } from '../contract/model.js';
import type { Trick } from './battery.js';
import { isDocumentedWay, keyTemplate, onlyScheme, placeOf, read, targetOf, withQuery } from './probes.js';
import type { OperationSubject } from './rule.js';

/** Values that a sloppy lookup takes for a key. None of them holds the key, or a form of it that stores take as the same. */

const literals = ['null', 'None', 'undefined', 'constructor', 'true', '0', '*', '%'] as const;

export const worthlessKeys = (subject: OperationSubject): readonly Trick[] => {
  const scheme = onlyScheme(subject.operation);
  const inPlace = { header: inTheHeader, query: inTheQuery, cookie: inTheCookie };
  return [...derived(subject), ...(scheme ? inPlace[scheme.in](subject, scheme) : lessThanAll(subject))];
};

const derived = (subject: OperationSubject): Trick[] => {
  const { operation, deployment } = subject;
  const mixesCase = operation.security.every(({ setting }) => deployment.keys[setting]?.mixesCase === true);
  const forms: readonly (readonly [form: string, words: string])[] = [
    ['random', 'a random key of the same length and alphabet'],
    ['first-half', 'a key that shares only its first half'],
    ['one-changed', 'a key with one character changed in the middle'],
    ...(mixesCase ? ([['case-flipped', 'the key with upper and lower case exchanged']] as const) : []),
    ['long', 'a wrong key of 8,000 characters'],
  ];
  return forms.map(([form, words]) => ({ words, probe: read(subject, { name: words, credential: form }) }));
};

const withFields = (subject: OperationSubject, words: string, headers: readonly HeaderPair[]): Trick => ({
  words,
  probe: read(subject, { name: words, credential: 'none', headers }),
});

const inTheHeader = (subject: OperationSubject, scheme: SecurityScheme): Trick[] => {
  const { field, prefix, encoding } = scheme;
  const random = keyTemplate({ ...scheme, encoding: 'plain' }, 'random');
  const bare = prefix.trimEnd();
  const basic = encoding === 'base64';
  const send = (words: string, ...values: readonly string[]): Trick =>
    withFields(
      subject,
      words,
      values.map((value): HeaderPair => [field, value]),
    );
  return [
    send(`an empty ${field} field`, ''),
    ...(bare === ''
      ? []
      : [send(`${bare} alone, without a key`, bare), send(`${bare} and a space, without a key`, prefix)]),
    ...literals.map((literal) =>
      basic
        ? send(`${literal} as user and password`, `${prefix}${btoa(`${literal}:${literal}`)}`)
        : send(`${literal} as key`, `${prefix}${literal}`),
    ),
    ...(field.toLowerCase() === 'authorization'
      ? ['Token', 'Bearer', 'Basic', 'ApiKey', 'Digest']
          .filter((other) => other !== bare)
          .map((other) => send(`a wrong key under the scheme ${other}`, `${other} ${random}`))
      : []),
    ...(bare === '' ? [] : [send('a wrong key without a scheme', random)]),
    ...(field.toLowerCase() === 'authorization'
      ? [send('an empty user and password under the scheme Basic', 'Basic Og==')]
      : []),
    send(`a wrong key in two ${field} fields`, `${prefix}${random}`, `${prefix}${random}`),
    withFields(subject, 'a wrong key in X-API-Key', [['X-API-Key', random]]),
  ];
};

const inTheQuery = (subject: OperationSubject, scheme: SecurityScheme): Trick[] => {
  const random = keyTemplate(scheme, 'random');
  const send = (words: string, ...parameters: readonly string[]): Trick => ({
    words,
    probe: read(subject, { name: words, credential: 'none', target: withQuery(targetOf(subject), parameters) }),
  });
  const { field, prefix } = scheme;
  const value = (text: string): string => `${field}=${encodeURIComponent(`${prefix}${text}`)}`;
  return [
    send(`${placeOf(scheme)} without a value`, field),
    send(`an empty value in ${placeOf(scheme)}`, `${field}=`),
    ...literals.map((literal) => send(`${literal} as key`, value(literal))),
    send(`a wrong key in ${placeOf(scheme)}, twice`, `${field}=${random}`, `${field}=${random}`),
    send(`a list in ${placeOf(scheme)}`, `${field}[]=`),
    withFields(subject, 'a wrong key in X-API-Key', [
      ['X-API-Key', keyTemplate({ ...scheme, in: 'header' }, 'random')],
    ]),
  ];
};

const inTheCookie = (subject: OperationSubject, scheme: SecurityScheme): Trick[] => {
  const { field, prefix } = scheme;
  const [own] = subject.operation.headers.filter(([name]) => name.toLowerCase() === 'cookie');
  const operation = {
    ...subject.operation,
    headers: subject.operation.headers.filter(([name]) => name.toLowerCase() !== 'cookie'),
  };
  const send = (words: string, ...pairs: readonly string[]): Trick =>
    withFields({ ...subject, operation }, words, [['Cookie', [...(own ? [own[1]] : []), ...pairs].join('; ')]]);
  const random = keyTemplate(scheme, 'random');
  return [
    send(`an empty value in ${placeOf(scheme)}`, `${field}=`),
    ...literals.map((literal) => send(`${literal} as key`, `${field}=${prefix}${literal}`)),
    send(`a wrong key in ${placeOf(scheme)}, twice`, `${field}=${prefix}${random}`, `${field}=${prefix}${random}`),
    withFields(subject, 'a wrong key in X-API-Key', [['X-API-Key', random]]),
  ];
};

/** Where several keys travel together: each of them without the others, unless the document gives that as another way. */
const lessThanAll = (subject: OperationSubject): Trick[] =>
  subject.operation.security.flatMap((scheme): Trick[] => {
    const others = subject.operation.security.filter(({ name }) => name !== scheme.name);
    if (isDocumentedWay(subject, others)) return [];
    const operation = { ...subject.operation, security: others };
    const words = `a request without the key for "${scheme.name}" (${placeOf(scheme)}), with the ${others.length === 1 ? 'other one' : 'others'},`;
    return [{ words, probe: read({ ...subject, operation }, { name: words.slice(0, -1), credential: 'valid' }) }];
  });
