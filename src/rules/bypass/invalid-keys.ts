import type { SecurityScheme } from '../../contract/model.js';
import type { KeyTraits, OperationSubject } from '../rule.js';
import { randomKey, randomKeyRead, requestFor } from '../support/requests.js';
import {
  canSendKey,
  isDocumentedRequirement,
  locationOf,
  onlyScheme,
  otherSecurityRequirements,
  securityRequirementOf,
} from '../support/subjects.js';
import { missingOf } from '../support/targets.js';
import type { Bypass } from './bypass.js';
import { asked, wrongValues } from './wrong-values.js';

/**
 * Values that a careless lookup takes for a key. None of them is the key, or a form of it that key
 * stores treat as equal. If several keys are required, at least one of them is wrong.
 */

/** Invalid keys for each security requirement of the operation. */
export const invalidKeys = (subject: OperationSubject): readonly Bypass[] =>
  [
    ...wrongKeys(subject),
    ...otherSecurityRequirements(subject).flatMap((way) =>
      wrongKeys(way).map((bypass) => named(bypass, `as ${securityRequirementOf(way)}`)),
    ),
  ].map((bypass) => withMissing(subject, bypass));

/** The bypass, and the parts of a bundle, with the same request to a missing path. */
const withMissing = (subject: OperationSubject, bypass: Bypass): Bypass => ({
  ...bypass,
  missing: () => missingOf(subject, bypass.probe),
  ...(bypass.parts ? { parts: bypass.parts.map((part) => withMissing(subject, part)) } : {}),
});

/**
 * Invalid keys for one security requirement. If its keys were not given or may not be sent, only
 * made-up values are used.
 */
const wrongKeys = (subject: OperationSubject): Bypass[] => {
  const scheme = onlyScheme(subject.operation);
  if (scheme) return [...derived(subject), ...inPlaceOf(subject, scheme)];
  return [...derived(subject), ...(canSendKey(subject) ? [...lessThanAll(subject), ...besideTheRight(subject)] : [])];
};

/** The bypass, and the parts of a bundle, with more at the end of their names. */
const named = ({ how: _how, trick, parts, ...bypass }: Bypass, more: string): Bypass => {
  const words = `${bypass.words} ${more}`;
  return {
    ...bypass,
    words,
    ...(trick === undefined ? {} : { trick: `${trick} ${more}` }),
    ...(parts ? { parts: parts.map((part) => named(part, more)) } : {}),
    probe: { ...bypass.probe, name: words },
  };
};

/** The operation as a subject that sends no key for one scheme. */
const without = (subject: OperationSubject, { name }: SecurityScheme): OperationSubject => {
  const { operation } = subject;
  return { ...subject, operation: { ...operation, security: operation.security.filter((one) => one.name !== name) } };
};

/**
 * Wrong forms of the keys of some schemes. Forms that contain part of a key are used only if the
 * key itself may be sent.
 */
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
          // Wildcards of GLOB and LIKE, as long as the key, in case its length is checked. They are
          // not used for passwords, of which only few may be tried.
          ...(schemes.some(({ encoding }) => encoding === 'base64')
            ? []
            : ([
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

/** Shorter words for titles. */
const shortly: Readonly<Record<string, string>> = {
  random: 'a random key',
  'first-half': 'a key of which the first half is right',
  'one-changed': 'a key of which one character is wrong',
  'tail-changed': 'a key of which the last characters are wrong',
  'signature-changed': 'a key of which the signature is wrong',
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
  wrongValues(without(subject, scheme), scheme, randomKeyRead(subject));

/** The schemes that are required: without their key, the rest meets no documented requirement. */
const needed = (subject: OperationSubject): readonly SecurityScheme[] =>
  subject.operation.security.filter(
    (scheme) => !isDocumentedRequirement(subject, without(subject, scheme).operation.security),
  );

/** If several keys are required: one wrong key next to the right ones. */
const besideTheRight = (subject: OperationSubject): Bypass[] =>
  needed(subject).flatMap((scheme) => {
    const wrong = formsOf(subject, [scheme]).map(([form, words]) =>
      asked(subject, words, { instead: { [scheme.name]: form } }),
    );
    return [...wrong, ...inPlaceOf(subject, scheme)].map((bypass) =>
      named(bypass, `for "${scheme.name}" beside the right rest`),
    );
  });

/** If several keys are required: all but one of them, unless the document allows that. */
const lessThanAll = (subject: OperationSubject): Bypass[] =>
  needed(subject).map((scheme): Bypass => {
    const others = without(subject, scheme);
    const words = `a request without the key for "${scheme.name}" (${locationOf(scheme)}) but with the other${others.operation.security.length === 1 ? ' one' : 's'}`;
    return asked(others, words);
  });
