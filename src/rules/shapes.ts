import type { HeaderPair, SecurityScheme } from '../contract/model.js';
import type { Probe } from '../wire/types.js';
import { keyTemplate, read, targetOf, withQuery } from './probes.js';
import type { OperationSubject } from './rule.js';

/** Other shapes in which the whole key may travel: another format in the same field, or another place. */
export interface Shape {
  readonly words: string;
  /** AUTH-1 speaks of the place, AUTH-2 of the format. */
  readonly clause: 'AUTH-1' | 'AUTH-2';
  /** The shape with a form of the key in it: `valid`, or `random` to see what a wrong key gets. */
  readonly probe: (credential: string, round?: number) => Probe;
}

/** The shapes that fit the operation's scheme; none where several schemes travel together. */
export const otherShapes = (subject: OperationSubject, scheme: SecurityScheme): readonly Shape[] => [
  ...otherFormats(subject, scheme),
  ...otherPlaces(subject, scheme),
];

const shape =
  (subject: OperationSubject, clause: Shape['clause']) =>
  (words: string, headers: (key: string) => readonly HeaderPair[], target?: (key: string) => string): Shape => ({
    words,
    clause,
    probe: (credential, round = 1) => {
      const template = keyTemplate({ ...scheme1(subject), encoding: 'plain', in: 'header' }, credential);
      return read(subject, {
        name: `the key as ${words}`,
        credential: 'none',
        headers: headers(template),
        round,
        ...(target ? { target: target(template) } : {}),
      });
    },
  });

const scheme1 = ({ operation }: OperationSubject): SecurityScheme => {
  const [scheme] = operation.security;
  if (!scheme) throw new TypeError(`${operation.id} has no security scheme`);
  return scheme;
};

const otherFormats = (subject: OperationSubject, { field, prefix, in: place, encoding }: SecurityScheme): Shape[] => {
  if (place !== 'header' || encoding === 'base64') return [];
  const format = shape(subject, 'AUTH-2');
  const word = prefix.trimEnd();
  if (word === '')
    return field.toLowerCase() === 'authorization'
      ? ['Bearer', 'Token'].map((scheme) => format(`${field}: ${scheme} <key>`, (key) => [[field, `${scheme} ${key}`]]))
      : [];
  const others = ['Bearer', 'Token', 'ApiKey', 'Key'].filter((other) => other.toLowerCase() !== word.toLowerCase());
  return [
    ...[word.toLowerCase(), word.toUpperCase()]
      .filter((spelled) => spelled !== word)
      .map((spelled) => format(`${field}: ${spelled} <key>`, (key) => [[field, `${spelled} ${key}`]])),
    format(`${field}: ${word}, two spaces, <key>`, (key) => [[field, `${word}  ${key}`]]),
    format(`${field}: ${word}, a tab, <key>`, (key) => [[field, `${word}\t${key}`]]),
    ...others.map((other) => format(`${field}: ${other} <key>`, (key) => [[field, `${other} ${key}`]])),
    format(`${field}: <key>, without ${word}`, (key) => [[field, key]]),
    format(`${field}: ${word}:<key>`, (key) => [[field, `${word}:${key}`]]),
    format(`${field}: ${word} token="<key>"`, (key) => [[field, `${word} token="${key}"`]]),
  ];
};

const placesOfKeys = ['Authorization', 'X-API-Key', 'X-Auth-Token'] as const;

const otherPlaces = (subject: OperationSubject, { field, in: place, encoding }: SecurityScheme): Shape[] => {
  if (encoding === 'base64') return [];
  const where = shape(subject, 'AUTH-1');
  const taken = place === 'header' ? field.toLowerCase() : '';
  const fields = placesOfKeys.filter((other) => other.toLowerCase() !== taken && other !== 'Authorization');
  return [
    ...fields.map((other) => where(`${other}: <key>`, (key) => [[other, key]])),
    ...(subject.deployment.probeKeyInUrl && place !== 'query'
      ? ['api_key', 'key', 'token'].map((name) =>
          where(
            `the query parameter ${name}`,
            () => [],
            (key) =>
              withQuery(targetOf(subject), [
                `${name}=${key.replace(/>$/, ':urlencoded>').replace(':urlencoded:urlencoded', ':urlencoded')}`,
              ]),
          ),
        )
      : []),
  ];
};

/** Copies of the key that stores commonly treat as the same, and a second field beside the right one. */
export const nearlyTheKey = (subject: OperationSubject, scheme: SecurityScheme): readonly Shape[] => {
  if (scheme.in !== 'header' || scheme.encoding === 'base64') return [];
  const format = shape(subject, 'AUTH-2');
  const random = keyTemplate(scheme, 'random');
  const form = (template: string, name: string): string => template.replace(/>$/, `:${name}>`);
  const mixesCase = subject.deployment.keys[scheme.setting]?.mixesCase === true;
  return [
    format('the key with something appended', (key) => [[scheme.field, `${scheme.prefix}${form(key, 'appended')}`]]),
    ...(mixesCase
      ? []
      : [
          format('the key in the other case', (key) => [
            [scheme.field, `${scheme.prefix}${form(key, 'case-flipped')}`],
          ]),
        ]),
    format(`two ${scheme.field} fields, the right one first`, (key) => [
      [scheme.field, `${scheme.prefix}${key}`],
      [scheme.field, `${scheme.prefix}${random}`],
    ]),
    format(`two ${scheme.field} fields, the right one last`, (key) => [
      [scheme.field, `${scheme.prefix}${random}`],
      [scheme.field, `${scheme.prefix}${key}`],
    ]),
  ];
};
