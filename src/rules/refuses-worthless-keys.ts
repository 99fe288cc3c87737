import type { SecurityScheme } from '../contract/model.js';
import type { Bypass } from './bypass/bypass.js';
import { judgedAsBypass, noneOpens, tricksIn } from './bypass/bypass-rule.js';
import { bypassWithKey, wrongValues } from './bypass/wrong-values.js';
import { otherPlacements } from './documented-request/key-placements.js';
import { randomKeyAs, takenByChance, takenOf } from './documented-request/placement-rule.js';
import { usableFor } from './oracle/usable-controls.js';
import { refusesLeftovers } from './refuses-leftovers.js';
import {
  type Ask,
  defineRule,
  type Judgement,
  type KeyTraits,
  type OperationSubject,
  type Procedure,
  type RuleWords,
  type Slice,
  type Stage,
} from './rule.js';
import { invalidKey, seenBy } from './support/asked-by.js';
import { changedParts } from './support/bundles.js';
import { whereBypassOpens } from './support/headlines.js';
import { missingOf, randomKey, requestFor, requestWithRandomKey } from './support/requests.js';
import {
  canSendKey,
  isDocumentedRequirement,
  locationOf,
  onlyScheme,
  otherSecurityRequirements,
  protectedOperations,
  securityRequirementOf,
} from './support/subjects.js';

/**
 * Values that a careless lookup takes for a key. None of them is the key, or a form of it that key
 * stores treat as equal. If several keys are required, at least one of them is wrong.
 */

export const invalidKeys = (subject: OperationSubject): readonly Bypass[] =>
  [
    ...wrongKeys(subject),
    ...otherSecurityRequirements(subject).flatMap((way) =>
      wrongKeys(way).map((bypass) => withMoreWords(bypass, `as ${securityRequirementOf(way)}`)),
    ),
  ].map((bypass) => withMissing(subject, bypass));

/** The bypass, and the parts of a bundle, with the same request to a missing path. */
const withMissing = (subject: OperationSubject, bypass: Bypass): Bypass => ({
  ...bypass,
  missing: () => missingOf(subject, bypass.probe),
  ...changedParts(bypass, (part) => withMissing(subject, part)),
});

/** Invalid keys for one security requirement; made-up ones if no key may be sent. */
const wrongKeys = (subject: OperationSubject): Bypass[] => {
  const scheme = onlyScheme(subject.operation);
  if (scheme) return [...derived(subject), ...inPlaceOf(subject, scheme)];
  return [...derived(subject), ...(canSendKey(subject) ? [...lessThanAll(subject), ...besideTheRight(subject)] : [])];
};

/** The bypass, and the parts of a bundle, with more at the end of their names. */
const withMoreWords = ({ how: _how, trick, ...bypass }: Bypass, more: string): Bypass => {
  const words = `${bypass.words} ${more}`;
  return {
    ...bypass,
    words,
    ...(trick === undefined ? {} : { trick: `${trick} ${more}` }),
    ...changedParts(bypass, (part) => withMoreWords(part, more)),
    probe: { ...bypass.probe, name: words },
  };
};

/** The operation as a subject that sends no key for one scheme. */
const without = (subject: OperationSubject, { name }: SecurityScheme): OperationSubject => {
  const { operation } = subject;
  return { ...subject, operation: { ...operation, security: operation.security.filter((one) => one.name !== name) } };
};

/** Wrong forms of keys. Those with a part of one need that it may be sent. */
const formsOf = (
  subject: OperationSubject,
  schemes: readonly SecurityScheme[],
): readonly (readonly [string, string])[] => {
  const every = (trait: (key: KeyTraits | undefined) => boolean | undefined): boolean =>
    schemes.every(({ setting }) => trait(subject.deployment.keys[setting]) === true);
  return [
    ['random', randomKey],
    ...(canSendKey({ ...subject, operation: { ...subject.operation, security: schemes } })
      ? ([
          ['first-half', 'a key that shares only its first half'],
          ['one-changed', 'a key with one character changed in the middle'],
          ...(every((key) => key?.signed)
            ? ([
                ['signature-changed', 'a key with one character of its signature changed'],
                ['signature-emptied', 'a key without its signature'],
                ['unsigned', 'a key without its signature, whose header says that it needs none'],
              ] as const)
            : ([['tail-changed', 'a key with its last characters changed']] as const)),
          // Wildcards of GLOB and LIKE, as long as the key, in case its length is checked; and its
          // own characters, in case what differs is added up. They are not used for passwords, of
          // which only few may be tried.
          ...(schemes.some(({ encoding }) => encoding === 'base64')
            ? []
            : ([
                ['reversed', 'the key from its end to its beginning'],
                ['all-star', '* for each character of the key'],
                ['all-underscore', '_ for each character of the key'],
              ] as const)),
          ...(every((key) => key?.mixesCase)
            ? ([['case-flipped', 'the key with upper and lower case exchanged']] as const)
            : []),
        ] as const)
      : []),
  ];
};

/** Shorter words, for titles. */
const shortly: Readonly<Record<string, string>> = {
  random: 'a random key',
  'first-half': 'a key of which the first half is right',
  'one-changed': 'a key of which one character is wrong',
  'tail-changed': 'a key of which the last characters are wrong',
  'signature-changed': 'a key of which the signature is wrong',
  reversed: 'the reversed key',
  'all-star': 'a key of stars (*)',
  'all-underscore': 'a key of underscores (_)',
  'case-flipped': 'the key in the other case',
};

const derived = (subject: OperationSubject): Bypass[] =>
  [...formsOf(subject, subject.operation.security), ['long', 'a wrong key of 8,000 characters'] as const].map(
    ([form, words]) => ({
      words,
      how: `with ${shortly[form] ?? words}`,
      probe: requestFor(subject, { name: words, credential: form }),
    }),
  );

/** Wrong values for one scheme. The other schemes get their right keys. */
const inPlaceOf = (subject: OperationSubject, scheme: SecurityScheme): Bypass[] =>
  wrongValues(without(subject, scheme), scheme, requestWithRandomKey(subject));

/** The schemes that are required: without their key, the rest meets no documented requirement. */
const needed = (subject: OperationSubject): readonly SecurityScheme[] =>
  subject.operation.security.filter(
    (scheme) => !isDocumentedRequirement(subject, without(subject, scheme).operation.security),
  );

/** If several keys are required: one wrong key next to the right ones. */
const besideTheRight = (subject: OperationSubject): Bypass[] =>
  needed(subject).flatMap((scheme) => {
    const wrong = formsOf(subject, [scheme]).map(([form, words]) =>
      bypassWithKey(subject, words, { instead: { [scheme.name]: form } }),
    );
    return [...wrong, ...inPlaceOf(subject, scheme)].map((bypass) =>
      withMoreWords(bypass, `for "${scheme.name}" beside the right rest`),
    );
  });

/** If several keys are required: all but one of them, unless the document allows that. */
const lessThanAll = (subject: OperationSubject): Bypass[] =>
  needed(subject).map((scheme): Bypass => {
    const others = without(subject, scheme);
    const words = `a request without the key for "${scheme.name}" (${locationOf(scheme)}) but with the other${others.operation.security.length === 1 ? ' one' : 's'}`;
    return bypassWithKey(others, words);
  });

/** The name in the battery of random keys in other placements. */
export const takenShapes = 'a random key in a shape that the right one opens in';

/** A random key in each placement in which the right one opens: other code may check it. */
const inTakenShapes = (
  ask: Ask,
  subject: OperationSubject,
  isChosen: (trick: string) => boolean,
): readonly Bypass[] => {
  if (!isChosen(takenShapes) || subject.operation.method === 'HEAD') return [];
  const controls = usableFor(ask, subject);
  if (!controls) return [];
  return takenOf(ask, otherPlacements(subject), controls).map(
    (placement): Bypass => ({
      words: `a random key as ${placement.words}`,
      how: `with a random key as ${placement.words}`,
      trick: takenShapes,
      probe: randomKeyAs(placement),
      missing: () => missingOf(subject, placement.probe('random')),
    }),
  );
};

/**
 * Failed if a placement opened the operation by chance: the requests with invalid keys may have
 * missed the server that is open.
 */
const orByChance = (judgement: Judgement, ask: Ask, subject: OperationSubject, slice: Slice | undefined): Judgement => {
  if (judgement.outcome !== 'passed' || slice?.has(takenShapes) === false) return judgement;
  const controls = usableFor(ask, subject);
  return (controls && takenByChance(ask, subject, controls, otherPlacements(subject))) || judgement;
};

/** Reports how an invalid key is answered, too: the battery includes a random key. */
const noInvalidKeyOpens = (rule: RuleWords): Procedure<OperationSubject> => {
  const { probes, judge } = noneOpens({
    bypasses: invalidKeys,
    asAnswered: inTakenShapes,
    leftovers: refusesLeftovers,
  })(rule);
  return {
    probes,
    judge: (ask, subject, slice) => {
      const judgement = orByChance(judge(ask, subject, slice), ask, subject, slice);
      return judgement.outcome === 'blocked' || judgement.outcome === 'excluded'
        ? judgement
        : { ...judgement, asked: [{ identity: invalidKey, seen: seenBy(judgement, 'refuses', 'opens') }] };
    },
  };
};

/** AUTH-3: an invalid key does not open a protected resource. */
export const refusesWorthlessKeys = defineRule({
  scope: 'operation',
  id: 'refuses-worthless-keys',
  clauses: ['AUTH-3'],
  title: 'refuses empty, wrong and half keys',
  headline: whereBypassOpens('bypassed', 'opens/open {way}'),
  stage: 'invalid-keys',
  appliesTo: protectedOperations,
  battery: {
    tricks: tricksIn(invalidKeys, [takenShapes]),
    everywhere: [randomKey],
    // These requests depend on the answers to the right key in such placements.
    groups: new Map([[takenShapes, 'placements' satisfies Stage]]),
  },
  procedure: noInvalidKeyOpens,
  explanation: {
    asks: 'Nothing that merely looks like a key opens a protected resource.',
    sends: [
      'In the documented place: an empty value, the scheme’s word alone and as key, a random key of the same length and alphabet, the first half of the key, the key with one character or its last ones changed, reversed, with its case flipped where it mixes cases, a * or a _ for each of its characters, and words a lookup may stumble over (null, undefined, constructor, true, 0, *, %, two quotes, letters that are not ASCII).',
      'Unsigned JSON Web Tokens, and one signed with an empty secret. A wrong key under other schemes, twice and in a list, in X-API-Key and other fields, and one of 8,000 characters; such fields, and api_key and its like in the query, without a value or with a wrong one.',
      'Basic with nothing, and with a user alone. Of user and password also the right user with an empty password and a few words; of a key in three parts (a JSON Web Token) also another signature and none.',
      'Where the right key opens it in another shape too (another scheme or field), a random key in that shape.',
      'The same by each other way that the document gives; where several keys travel together, each of them left out, and wrong beside the others.',
      'They are sent last, since a server may ban a client for them.',
    ],
    judged: judgedAsBypass,
    causes: [
      'Only the presence or the format of the field is checked, often where gateway and service each rely on the other for the rest.',
      'The lookup takes prefixes or patterns (LIKE, GLOB, startsWith), or the comparison is cut (bcrypt reads 72 bytes) or adds up what differs (^= in place of |=), or an empty key finds the first user without one.',
      'A key table in an object whose prototype has members: keys["constructor"] is found.',
      'An error while checking the key lets the request through.',
    ],
    fixes: [
      'Look the whole key up, by its hash, and compare in constant time.',
      'Refuse empty values before the lookup; use a Map or a table, not an object.',
      'Fail closed: an exception in authentication is a refusal.',
    ],
  },
});
