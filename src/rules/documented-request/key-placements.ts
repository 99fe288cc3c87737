import { memoize } from '../../collections.js';
import type { SecurityScheme } from '../../contract/model.js';
import { withQuery } from '../../urls.js';
import { jsonText } from '../../visible.js';
import type { HeaderPair, Probe } from '../../wire/types.js';
import type { OperationSubject } from '../rule.js';
import { mostAtATime } from '../support/once-per-judgement.js';
import { keyTemplate, requestFor } from '../support/requests.js';
import { isDocumentedRequirement, mayBeInPlace } from '../support/subjects.js';
import { splitTarget, targetOf } from '../support/targets.js';

/** Another way to send the whole key: in another format, or in another place. */
export interface KeyPlacement {
  readonly words: string;
  /** AUTH-1 is about the place, AUTH-2 about the format. */
  readonly clause: 'AUTH-1' | 'AUTH-2';
  /** The scheme whose key is sent differently. Keys of other schemes are sent as documented. */
  readonly scheme: SecurityScheme;
  /** HTTP treats the placement as the documented format, as RFC 9110, section 11.4, has it. */
  readonly isDocumented?: true;
  /** The members of the scheme with which a document would describe this placement. */
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

/** Other placements of the keys, except those that the document lists. */
export const otherPlacements = memoize(
  (subject: OperationSubject): readonly KeyPlacement[] =>
    neededSchemes(subject)
      .flatMap((scheme) => [...otherFormats(subject, scheme), ...otherPlaces(subject, scheme)])
      .filter((placement) => !isAlternative(subject, placement)),
  mostAtATime,
);

/**
 * The schemes that every security requirement needs. A key of another scheme is not needed, so
 * sending it differently would prove nothing.
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
  readonly connection?: Probe['connection'];
}

/**
 * A server may read a field value as an earlier one of its connection that differs in case alone
 * (Jetty does): this one as the documented value, or the next documented value as this one.
 */
const differsInCase: Carrier = { connection: 'fresh' };

/** Caches the first request for each form of the key, since it is asked for repeatedly. */
const firstOnce = (make: (credential: string, round: number) => Probe): KeyPlacement['probe'] => {
  const first = memoize((credential: string) => make(credential, 1));
  return (credential, round = 1) => (round === 1 ? first(credential) : make(credential, round));
};

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
          ...(carrier.connection && { connection: carrier.connection }),
          ...(carrier.query
            ? { target: withQuery(targetOf(subject), [carrier.query(form({ encoding: 'plain', in: 'query' }))]) }
            : {}),
        },
      );
    };
    return { words, clause, scheme, probe: firstOnce(probe) };
  };

const isAuthorization = ({ in: place, field }: SecurityScheme): boolean =>
  place === 'header' && field.toLowerCase() === 'authorization';

const otherFormats = (subject: OperationSubject, scheme: SecurityScheme): KeyPlacement[] => {
  const { field, prefix, in: place, encoding, ignoresCase = false } = scheme;
  if (place !== 'header') return [];
  const placement = placementOf(subject, scheme, 'AUTH-2');
  /** The documented field, with the key for `<key>`, in the documented encoding or plain. */
  const form = (value: string, words = value, isEncoded = false, more: Carrier = {}): KeyPlacement =>
    placement(`${field}: ${words}`, {
      ...more,
      headers: (plain, encoded) => [[field, value.replace('<key>', () => (isEncoded ? encoded : plain))]],
    });
  const under = (other: string): KeyPlacement => ({
    ...form(`${other} <key>`),
    ...schemeUpdate('header', field, other),
  });
  // Neither the case of a scheme of HTTP matters, nor the number of spaces after it.
  const asDocumented: Pick<KeyPlacement, 'isDocumented'> = ignoresCase ? { isDocumented: true } : {};
  const word = prefix.trimEnd();
  if (word === '') return ['Bearer', 'Token', 'ApiKey'].map(under);
  const spellings = [
    ...[word.toLowerCase(), word.toUpperCase()]
      .filter((spelled) => spelled !== word)
      .map((spelled) => ({ ...form(`${spelled} <key>`, `${spelled} <key>`, true, differsInCase), ...asDocumented })),
    { ...form(`${word}  <key>`, `${word}, two spaces, <key>`, true), ...asDocumented },
    form(`${word}\t<key>`, `${word}, a tab, <key>`, true),
  ];
  const otherWords = ['Bearer', 'Token', 'ApiKey', 'Key'].filter((other) => other.toLowerCase() !== word.toLowerCase());
  if (encoding === 'base64')
    return [...spellings, form(`${word} <key>`, `${word} <user:password>, not encoded`), ...otherWords.map(under)];
  return [
    ...spellings,
    ...otherWords.map(under),
    { ...form('<key>', `<key>, without ${word}`), ...schemeUpdate('header', field) },
    form(`${word}<key>`, `${word}<key>, without a space`),
    form(`${word}:<key>`),
    form(`${word} token="<key>"`),
  ];
};

const fieldsOfKeys = ['X-API-Key', 'X-Auth-Token'] as const;

/** A bearer token has a parameter of its own (RFC 6750, section 2.3). */
const parametersOfKeys = ({ prefix }: SecurityScheme): readonly string[] => [
  ...(/^bearer$/i.test(prefix.trim()) ? ['access_token'] : []),
  'api_key',
  'key',
  'token',
];

const otherPlaces = (subject: OperationSubject, scheme: SecurityScheme): KeyPlacement[] => {
  const { field, in: place, encoding } = scheme;
  if (encoding === 'base64') return [];
  const placement = placementOf(subject, scheme, 'AUTH-1');
  const isFree =
    (kind: SecurityScheme['in']) =>
    (name: string): boolean =>
      place !== kind || field.toLowerCase() !== name.toLowerCase();
  const inField = (other: string, word = ''): KeyPlacement => ({
    ...placement(`${other}: ${word}<key>`, { headers: (key) => [[other, `${word}${key}`]] }),
    ...schemeUpdate('header', other, word.trimEnd()),
  });
  const inParameter = (name: string): KeyPlacement => ({
    ...placement(`the query parameter ${name}`, { query: (key) => `${name}=${key}` }),
    ...schemeUpdate('query', name),
  });
  const isTaken = isAuthorization(scheme) || subject.operation.security.some(isAuthorization);
  return [
    ...fieldsOfKeys.filter(isFree('header')).map((other) => inField(other)),
    ...(isTaken ? [] : ['Bearer ', 'Token ', '']).map((word) => inField('Authorization', word)),
    ...(subject.deployment.probeKeyInUrl ? parametersOfKeys(scheme).filter(isFree('query')).map(inParameter) : []),
  ];
};

const isSameForm = (a: SecurityScheme, b: SecurityScheme): boolean =>
  a.in === b.in && a.field.toLowerCase() === b.field.toLowerCase() && a.prefix.toLowerCase() === b.prefix.toLowerCase();

/**
 * The keys of schemes that the document defines and does not list for the operation, each sent as
 * documented. The key of a scheme of the same form may be the same one.
 */
export const keysOfOtherSchemes = (subject: OperationSubject): readonly KeyPlacement[] => {
  const { contract, deployment, operation } = subject;
  const listed = [operation.security, ...(operation.alternatives ?? [])].flat();
  return contract.schemes
    .filter(
      (scheme) =>
        !scheme.guessed &&
        deployment.keys[scheme.setting] !== undefined &&
        mayBeInPlace(scheme, deployment) &&
        !listed.some((one) => one.name === scheme.name || isSameForm(one, scheme)),
    )
    .map((scheme) => sentAs(subject, scheme, scheme));
};

/**
 * The operation's only key, sent as the key of a documented alternative for which none was given.
 * It may have been given for the wrong scheme.
 */
export const keyAsAlternative = (subject: OperationSubject): readonly KeyPlacement[] => {
  const { operation, deployment } = subject;
  const { security, alternatives = [] } = operation;
  const [own] = security;
  if (!own || security.length > 1) return [];
  const singles = alternatives.flatMap(([scheme, ...others]) => (scheme && others.length === 0 ? [scheme] : []));
  return singles
    .filter(({ setting, encoding }) => encoding === own.encoding && deployment.keys[setting] === undefined)
    .filter((scheme) => mayBeInPlace(scheme, deployment))
    .map((scheme) => sentAs(subject, scheme, { ...scheme, setting: own.setting }));
};

/** @param sent what `scheme` describes, with the setting of the key that is sent */
const sentAs = (subject: OperationSubject, scheme: SecurityScheme, sent: SecurityScheme): KeyPlacement => {
  const other = { ...subject, operation: { ...subject.operation, security: [sent] } };
  const words = `the key of “${scheme.name}”`;
  return {
    words,
    clause: 'AUTH-1',
    scheme,
    probe: firstOnce((credential, round) => requestFor(other, { name: words, credential, round })),
  };
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

/** Forms of the key that stores may treat as equal to it, and the key beside a wrong one. */
export const equivalentKeys = (subject: OperationSubject): readonly KeyPlacement[] =>
  neededSchemes(subject).flatMap((scheme) => {
    const { field, prefix, setting } = scheme;
    if (scheme.in !== 'header' || scheme.encoding === 'base64') return [];
    const placement = placementOf(subject, scheme, 'AUTH-2');
    const inField = (words: string, values: (key: string) => readonly string[], more: Carrier = {}): KeyPlacement =>
      placement(words, { ...more, headers: (key) => values(key).map((value) => [field, `${prefix}${value}`]) });
    const form = (template: string, name: string): string => template.replace(/>$/, `:${name}>`);
    const random = keyTemplate(scheme, 'random');
    const mixesCase = subject.deployment.keys[setting]?.mixesCase === true;
    return [
      inField('the key with something appended', (key) => [form(key, 'appended')]),
      ...(mixesCase ? [] : [inField('the key in the other case', (key) => [form(key, 'case-flipped')], differsInCase)]),
      inField(`two ${field} fields, the right one first`, (key) => [key, random]),
      inField(`two ${field} fields, the right one last`, (key) => [random, key]),
    ];
  });

/** Why a server that takes the key in this format, and not in the documented one, may be right. */
export const doubtOf = (placement: KeyPlacement): string | undefined => {
  const { encoding, doubt } = placement.scheme;
  if (encoding !== 'base64' || placement.documentedAs === undefined) return doubt;
  return [
    'HTTP Basic takes a user and a password, and this key may be of another scheme.',
    correctionOf(placement),
  ].join(' ');
};

/** How a document that is wrong about the placement can be corrected. Empty if no action can. */
export const correctionOf = ({ scheme, documentedAs }: KeyPlacement): string =>
  documentedAs === undefined
    ? ''
    : `If the document is wrong, this action of an OVERLAY gets the rest judged: {target: '$.components.securitySchemes[${jsonText(scheme.name).replaceAll("'", "''")}]', update: ${jsonText(documentedAs)}}`;
