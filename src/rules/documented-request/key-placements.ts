import { memoize } from '../../collections.js';
import type { SecurityScheme } from '../../contract/model.js';
import { jsonText } from '../../visible.js';
import type { HeaderPair, Probe } from '../../wire/types.js';
import type { OperationSubject } from '../rule.js';
import { mostAtATime } from '../support/once-per-judgement.js';
import { keyTemplate, requestFor, splitTarget, targetOf, withQuery } from '../support/requests.js';
import { isDocumentedRequirement } from '../support/subjects.js';

/** Another way to send the whole key: in another format, or in another place. */
export interface KeyPlacement {
  readonly words: string;
  /** AUTH-1 is about the place, AUTH-2 about the format. */
  readonly clause: 'AUTH-1' | 'AUTH-2';
  /** The scheme whose key is sent differently. Keys of other schemes are sent as documented. */
  readonly scheme: SecurityScheme;
  /** HTTP treats it as the documented format: the case of an HTTP scheme does not matter. */
  readonly isDocumented?: true;
  /** What a document has to say of the scheme for this placement to be the documented one. */
  readonly documentedAs?: SchemeUpdate;
  /** The request with a form of the key: `valid`, or `random` for comparison. */
  readonly probe: (credential: string, round?: number) => Probe;
}

/** Members of a Security Scheme Object. */
interface SchemeUpdate {
  readonly type: 'apiKey';
  readonly in: 'header' | 'query';
  readonly name: string;
  readonly 'x-access-credential': { readonly scheme: string; readonly separator: string };
}

const schemeUpdate = (place: SchemeUpdate['in'], name: string, word = ''): { readonly documentedAs: SchemeUpdate } => ({
  documentedAs: {
    type: 'apiKey',
    in: place,
    name,
    'x-access-credential': { scheme: word, separator: word === '' ? '' : ' ' },
  },
});

/**
 * Other placements of the operation's keys, except those that the document lists as alternatives.
 */
export const otherPlacements = memoize(
  (subject: OperationSubject): readonly KeyPlacement[] =>
    neededSchemes(subject)
      .flatMap((scheme) => [...otherFormats(subject, scheme), ...otherPlaces(subject, scheme)])
      .filter((placement) => !isAlternative(subject, placement)),
  mostAtATime,
);

/**
 * The schemes that every security requirement needs. A key of another scheme is not needed anyway,
 * so sending it differently would prove nothing.
 */
const neededSchemes = (subject: OperationSubject): readonly SecurityScheme[] => {
  const { security } = subject.operation;
  return security.filter(
    (scheme) =>
      !isDocumentedRequirement(
        subject,
        security.filter(({ name }) => name !== scheme.name),
      ),
  );
};

/** Where a key is put: in header fields (plain or as base64), or in a query parameter. */
interface Carrier {
  readonly headers?: (key: string, encoded: string) => readonly HeaderPair[];
  readonly query?: (key: string) => string;
}

const placementOf =
  (subject: OperationSubject, scheme: SecurityScheme, clause: KeyPlacement['clause']) =>
  (words: string, carrier: Carrier): KeyPlacement => {
    const probe = (credential: string, round: number): Probe => {
      const others = subject.operation.security.filter(({ name }) => name !== scheme.name);
      const form = (change: Partial<SecurityScheme>): string => keyTemplate({ ...scheme, ...change }, credential);
      const plain = form({ encoding: 'plain', in: 'header' });
      return requestFor(
        { ...subject, operation: { ...subject.operation, security: others } },
        {
          name: `the key as ${words}`,
          credential,
          headers: carrier.headers?.(plain, form({ in: 'header' })) ?? [],
          round,
          ...(carrier.query
            ? { target: withQuery(targetOf(subject), [carrier.query(form({ encoding: 'plain', in: 'query' }))]) }
            : {}),
        },
      );
    };
    const first = memoize((credential: string) => probe(credential, 1));
    return {
      words,
      clause,
      scheme,
      probe: (credential, round = 1) => (round === 1 ? first(credential) : probe(credential, round)),
    };
  };

const isAuthorization = ({ in: place, field }: SecurityScheme): boolean =>
  place === 'header' && field.toLowerCase() === 'authorization';

const otherFormats = (subject: OperationSubject, scheme: SecurityScheme): KeyPlacement[] => {
  const { field, prefix, in: place, encoding, ignoresCase = false } = scheme;
  if (place !== 'header') return [];
  const placement = placementOf(subject, scheme, 'AUTH-2');
  const word = prefix.trimEnd();
  const plain = (words: string, value: (key: string) => string): KeyPlacement =>
    placement(words, { headers: (key) => [[field, value(key)]] });
  const encoded = (words: string, value: (key: string) => string): KeyPlacement =>
    placement(words, { headers: (_, key) => [[field, value(key)]] });
  if (word === '')
    return ['Bearer', 'Token', 'ApiKey'].map((other) => ({
      ...plain(`${field}: ${other} <key>`, (key) => `${other} ${key}`),
      ...schemeUpdate('header', field, other),
    }));
  const spellings = [
    ...[word.toLowerCase(), word.toUpperCase()]
      .filter((spelled) => spelled !== word)
      .map((spelled) => ({
        ...encoded(`${field}: ${spelled} <key>`, (key) => `${spelled} ${key}`),
        ...(ignoresCase ? { isDocumented: true as const } : {}),
      })),
    encoded(`${field}: ${word}, two spaces, <key>`, (key) => `${word}  ${key}`),
    encoded(`${field}: ${word}, a tab, <key>`, (key) => `${word}\t${key}`),
  ];
  if (encoding === 'base64')
    return [...spellings, plain(`${field}: ${word} <user:password>, not encoded`, (key) => `${word} ${key}`)];
  const others = ['Bearer', 'Token', 'ApiKey', 'Key'].filter((other) => other.toLowerCase() !== word.toLowerCase());
  return [
    ...spellings,
    ...others.map((other) => ({
      ...plain(`${field}: ${other} <key>`, (key) => `${other} ${key}`),
      ...schemeUpdate('header', field, other),
    })),
    { ...plain(`${field}: <key>, without ${word}`, (key) => key), ...schemeUpdate('header', field) },
    plain(`${field}: ${word}<key>, without a space`, (key) => `${word}${key}`),
    plain(`${field}: ${word}:<key>`, (key) => `${word}:${key}`),
    plain(`${field}: ${word} token="<key>"`, (key) => `${word} token="${key}"`),
  ];
};

const fieldsOfKeys = ['X-API-Key', 'X-Auth-Token'] as const;
const parametersOfKeys = ['api_key', 'key', 'token'] as const;

const otherPlaces = (subject: OperationSubject, scheme: SecurityScheme): KeyPlacement[] => {
  const { field, in: place, encoding } = scheme;
  if (encoding === 'base64') return [];
  const placement = placementOf(subject, scheme, 'AUTH-1');
  const taken = (kind: SecurityScheme['in'], name: string): boolean =>
    place === kind && field.toLowerCase() === name.toLowerCase();
  const free =
    isAuthorization(scheme) || subject.operation.security.some(isAuthorization) ? [] : ['Bearer ', 'Token ', ''];
  return [
    ...fieldsOfKeys
      .filter((other) => !taken('header', other))
      .map((other) => ({
        ...placement(`${other}: <key>`, { headers: (key) => [[other, key]] }),
        ...schemeUpdate('header', other),
      })),
    ...free.map((word) => ({
      ...placement(`Authorization: ${word}<key>`, { headers: (key) => [['Authorization', `${word}${key}`]] }),
      ...schemeUpdate('header', 'Authorization', word.trimEnd()),
    })),
    ...(subject.deployment.probeKeyInUrl
      ? parametersOfKeys
          .filter((name) => !taken('query', name))
          .map((name) => ({
            ...placement(`the query parameter ${name}`, { query: (key) => `${name}=${key}` }),
            ...schemeUpdate('query', name),
          }))
      : []),
  ];
};

const isAlternative = (subject: OperationSubject, placement: KeyPlacement): boolean => {
  const others = (subject.operation.alternatives ?? []).flat();
  if (others.length === 0) return false;
  const { headers, target } = placement.probe('random');
  const [, query] = splitTarget(target);
  return others.some(({ name, in: place, field, prefix }) => {
    if (name === placement.scheme.name) return false;
    if (place === 'query') return query.includes(`${field}=`);
    return (
      place === 'header' &&
      headers.some(
        ([other, value]) =>
          other.toLowerCase() === field.toLowerCase() && value.toLowerCase().startsWith(prefix.toLowerCase()),
      )
    );
  });
};

/**
 * Keys that key stores commonly treat as equal to the right one, and a wrong key in a second field.
 */
export const equivalentKeys = (subject: OperationSubject): readonly KeyPlacement[] =>
  neededSchemes(subject).flatMap((scheme) => {
    const { field, prefix, setting } = scheme;
    if (scheme.in !== 'header' || scheme.encoding === 'base64') return [];
    const placement = placementOf(subject, scheme, 'AUTH-2');
    const random = keyTemplate(scheme, 'random');
    const form = (template: string, name: string): string => `${prefix}${template.replace(/>$/, `:${name}>`)}`;
    const mixesCase = subject.deployment.keys[setting]?.mixesCase === true;
    return [
      placement('the key with something appended', { headers: (key) => [[field, form(key, 'appended')]] }),
      ...(mixesCase
        ? []
        : [placement('the key in the other case', { headers: (key) => [[field, form(key, 'case-flipped')]] })]),
      placement(`two ${field} fields, the right one first`, {
        headers: (key) => [
          [field, `${prefix}${key}`],
          [field, `${prefix}${random}`],
        ],
      }),
      placement(`two ${field} fields, the right one last`, {
        headers: (key) => [
          [field, `${prefix}${random}`],
          [field, `${prefix}${key}`],
        ],
      }),
    ];
  });

/** How a document that is wrong about the placement can be corrected. Empty if no action can. */
export const correctionOf = ({ scheme, documentedAs }: KeyPlacement): string =>
  documentedAs === undefined
    ? ''
    : `If the document is wrong, this action of an OVERLAY gets the rest judged: {target: '$.components.securitySchemes[${jsonText(scheme.name).replaceAll("'", "''")}]', update: ${jsonText(documentedAs)}}`;
