import type { HeaderPair } from '../contract/model.js';
import type { Trick } from './battery.js';
import { keyTemplate, onlyScheme, read } from './probes.js';
import type { OperationSubject } from './rule.js';

/** Values that a sloppy lookup takes for a key. None of them holds the key, or a form of it that stores take as the same. */

const literals = ['null', 'None', 'undefined', 'constructor', 'true', '0', '*', '%'] as const;

export const worthlessKeys = (subject: OperationSubject): readonly Trick[] => [
  ...derived(subject),
  ...(onlyScheme(subject.operation)?.in === 'header' ? inTheHeader(subject) : []),
];

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

const inTheHeader = (subject: OperationSubject): Trick[] => {
  const scheme = onlyScheme(subject.operation);
  if (!scheme) return [];
  const { field, prefix } = scheme;
  const random = keyTemplate({ ...scheme, encoding: 'plain' }, 'random');
  const bare = prefix.trimEnd();
  const send = (words: string, ...values: readonly string[]): Trick => ({
    words,
    probe: read(subject, {
      name: words,
      credential: 'none',
      headers: values.map((value): HeaderPair => [field, value]),
    }),
  });
  return [
    send(`an empty ${field} field`, ''),
    ...(bare === ''
      ? []
      : [send(`${bare} alone, without a key`, bare), send(`${bare} and a space, without a key`, prefix)]),
    ...literals.map((literal) => send(`${literal} as key`, `${prefix}${literal}`)),
    ...(field.toLowerCase() === 'authorization'
      ? ['Token', 'Bearer', 'Basic', 'ApiKey', 'Digest']
          .filter((other) => other !== bare)
          .map((other) => send(`a wrong key under the scheme ${other}`, `${other} ${random}`))
      : []),
    ...(bare === '' ? [] : [send('a wrong key without a scheme', random)]),
    ...(field.toLowerCase() === 'authorization' && bare !== 'Basic'
      ? [send('an empty user and password under the scheme Basic', 'Basic Og==')]
      : []),
    send(`a wrong key in two ${field} fields`, `${prefix}${random}`, `${prefix}${random}`),
    {
      words: 'a wrong key in X-API-Key',
      probe: read(subject, { name: 'a wrong key in X-API-Key', credential: 'none', headers: [['X-API-Key', random]] }),
    },
  ];
};
