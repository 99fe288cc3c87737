import { randomBytes } from 'node:crypto';
import { type Override, type ServiceContext, strictKey } from '../behaviour.js';
import { type Call, fieldsOf } from '../call.js';
import { type FaultDefinition, faultsOf } from '../definitions.js';

/** Sloppy look-ups: a value that is not a key opens the workouts. */

const alsoOpensFor =
  (opens: (call: Call, service: ServiceContext) => boolean): Override =>
  (base, service) => ({
    identify: (call) => base.identify(call) ?? (opens(call, service) ? 'mara' : undefined),
  });

/** A look-up that also matches `given`, the value after `Token `, with a stored `key`. */
const alsoTakesValue = (matches: (given: string, key: string) => boolean): Override =>
  alsoOpensFor((call, { keys }) => {
    const given = strictKey(call);
    return given !== undefined && [...keys.keys()].some((key) => matches(given, key));
  });

const firstField = (call: Call): string | undefined => fieldsOf(call, 'Authorization')[0];

const fault = faultsOf('AUTH-3', 'refuses-worthless-keys');

/** Node decodes field values as Latin-1; clients send UTF-8. */
const asText = (value: string): string => Buffer.from(value, 'latin1').toString('utf8');

const takesWord = (name: string, word: string, why: string): FaultDefinition =>
  fault(
    name,
    `The word ${word} opens in the place of a key: ${why}.`,
    alsoTakesValue((given) => given === word),
  );

const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** 40 letters and digits in both cases. */
const mixedCaseKey = (): string => {
  const random = [...randomBytes(36)].map((byte) => lettersAndDigits[byte % lettersAndDigits.length]).join('');
  return `Qk${random}xZ`;
};

export const invalidKeyFaults: readonly FaultDefinition[] = [
  fault(
    'no-key-asked',
    'The workouts of one user are served to everybody, key or not.',
    () => ({ identify: () => 'mara' }),
    { checks: ['refuses-missing-key'] },
  ),
  fault(
    'no-key-opens',
    'Who sends no Authorization field gets in; who sends a wrong key does not.',
    alsoOpensFor((call) => firstField(call) === undefined),
    { checks: ['refuses-missing-key'] },
  ),
  fault(
    'empty-value-accepted',
    'An Authorization field with nothing in it opens.',
    alsoOpensFor((call) => firstField(call) === ''),
  ),
  fault(
    'scheme-alone-accepted',
    'The word Token with no key behind it opens.',
    alsoOpensFor((call) => firstField(call)?.trimEnd() === 'Token'),
  ),
  fault(
    'any-key-accepted',
    'Any text behind Token opens.',
    alsoTakesValue(() => true),
  ),
  fault(
    'checks-format-only',
    'Anything that looks like a key (as long, same alphabet) opens; whether somebody has it is never asked.',
    alsoTakesValue((given, key) => given.length === key.length && /^[0-9a-f]+$/.test(given)),
  ),
  fault(
    'prefix-accepted',
    'Any beginning of a key opens: the look-up asks what the stored key starts with.',
    alsoTakesValue((given, key) => given.length >= 8 && key.startsWith(given)),
  ),
  fault(
    'substring-accepted',
    'Any piece of a key opens: the look-up asks what the stored key contains.',
    alsoTakesValue((given, key) => given.length >= 8 && key.includes(given)),
  ),
  fault(
    'compares-first-half',
    'Only the first half of a key is compared, as with a column that is too short.',
    alsoTakesValue((given, key) => given.slice(0, key.length / 2) === key.slice(0, key.length / 2)),
  ),
  fault(
    'compares-all-but-the-end',
    'The last character of a key is not compared, as with a hash that reads only so many bytes.',
    alsoTakesValue((given, key) => given.length === key.length && given.slice(0, -1) === key.slice(0, -1)),
  ),
  fault(
    'compares-only-ends',
    'Only length, the first four and the last four characters of a key are compared.',
    alsoTakesValue(
      (given, key) =>
        given.length === key.length && given.slice(0, 4) === key.slice(0, 4) && given.slice(-4) === key.slice(-4),
    ),
  ),
  fault(
    'forgives-one-character',
    'A key with one wrong character opens.',
    alsoTakesValue(
      (given, key) =>
        given.length === key.length && [...given].filter((letter, index) => letter !== key[index]).length === 1,
    ),
  ),
  fault(
    'case-folded-key',
    'Keys that mix upper and lower case are compared without regard to case.',
    alsoTakesValue((given, key) => given.toLowerCase() === key.toLowerCase()),
    { makeKey: mixedCaseKey },
  ),
  takesWord('null-accepted', 'null', 'a row without a key matches it'),
  takesWord('none-accepted', 'None', 'a missing key was once turned into text'),
  takesWord('undefined-accepted', 'undefined', 'a missing key was once turned into text'),
  fault(
    'constructor-accepted',
    'The word constructor opens: keys are looked up as members of an object, which inherits more than was put in.',
    alsoTakesValue((given) => given in {}),
  ),
  takesWord('true-accepted', 'true', 'the comparison is a loose one'),
  takesWord('zero-accepted', '0', 'a key that begins with a letter equals zero in a loose comparison'),
  takesWord('star-accepted', '*', 'the store takes it for a pattern'),
  takesWord('percent-accepted', '%', 'the look-up is a LIKE'),
  takesWord('encoded-blank-accepted', '%20', 'it is decoded and trimmed, and nothing is left to look up'),
  takesWord('encoded-nul-accepted', '%00', 'it is decoded, and ends the text before it has begun'),
  fault(
    'pattern-accepted',
    'The store takes a key for a regular expression.',
    alsoTakesValue((given, key) => /^\.[*+]$/.test(given) && new RegExp(`^${given}$`).test(key)),
  ),
  fault(
    'full-width-letters-accepted',
    'Letters in full width cannot be compared with the stored ones, and the error is taken for a yes.',
    alsoTakesValue((given) => /[\uff01-\uff5e]/.test(asText(given))),
  ),
  fault(
    'latin-letters-accepted',
    'Letters with an accent make a comparison of ASCII throw, and the gateway lets through what it could not check.',
    alsoTakesValue((given) => /[\u00c0-\u00ff]/.test(asText(given))),
  ),
  takesWord('quote-accepted', "'", 'it breaks the look-up, and the error is taken for a yes'),
  fault(
    'stars-as-long-as-a-key-accepted',
    'The look-up is a GLOB, behind a check of the length.',
    alsoTakesValue((given, key) => given.length === key.length && /^[*?]+$/.test(given)),
  ),
  fault(
    'underscores-as-long-as-a-key-accepted',
    'The look-up is a LIKE, behind a check of the length.',
    alsoTakesValue((given, key) => given.length === key.length && /^[%_]+$/.test(given)),
  ),
  fault(
    'bearer-unchecked',
    'Whatever stands behind Bearer opens: another gate was to check it and is not there.',
    alsoOpensFor((call) => /^Bearer \S/.test(firstField(call) ?? '')),
  ),
  fault(
    'lower-case-scheme-unchecked',
    'An older check takes whatever stands behind token, in lower case; the newer one knows Token alone.',
    alsoOpensFor((call) => /^token \S/.test(firstField(call) ?? '')),
  ),
  fault(
    'basic-unchecked',
    'Whatever stands behind Basic opens: only its form is checked.',
    alsoOpensFor((call) => /^Basic \S/.test(firstField(call) ?? '')),
  ),
  fault(
    'basic-form-checked',
    'Any user and password behind Basic open: only that both are there is checked.',
    alsoOpensFor((call) => /^[^:]+:.+/.test(atob(/^Basic ([\w+/]+=*)$/.exec(firstField(call) ?? '')?.[1] ?? ''))),
  ),
  fault(
    'unknown-scheme-opens',
    'A scheme other than Token makes the check throw, and the gateway lets through what it could not check.',
    alsoOpensFor((call) => /^(?!Token)[A-Za-z-]+ \S/.test(firstField(call) ?? '')),
  ),
  fault(
    'bare-value-opens',
    'A value without a scheme opens: what stands behind the first space is compared, and there is nothing to compare.',
    alsoOpensFor((call) => /^[^\s]+$/.test(firstField(call) ?? '') && firstField(call) !== 'Token'),
  ),
  fault(
    'x-api-key-unchecked',
    'Whatever stands in X-API-Key opens: a gateway was to check it and is not there.',
    alsoOpensFor((call) => fieldsOf(call, 'X-API-Key').length > 0),
  ),
  fault(
    'empty-apikey-field-opens',
    'An apikey field without a value opens: that it is there is enough for the gateway.',
    alsoOpensFor((call) => fieldsOf(call, 'apikey').includes('')),
  ),
  fault(
    'empty-apikey-parameter-opens',
    'A parameter apikey without a value opens: the empty key is that of the first user without one.',
    alsoOpensFor(({ query }) => query.get('apikey') === ''),
  ),
  fault(
    'empty-access-token-field-opens',
    'An access_token field without a value opens: that it is there is enough for the gateway.',
    alsoOpensFor((call) => fieldsOf(call, 'access_token').includes('')),
  ),
  fault(
    'empty-access-token-parameter-opens',
    'A parameter access_token without a value opens: the empty key is that of the first user without one.',
    alsoOpensFor(({ query }) => query.get('access_token') === ''),
  ),
  fault(
    'two-fields-open',
    'A second Authorization field makes the check throw, and the gateway lets through what it could not check.',
    alsoOpensFor((call) => fieldsOf(call, 'Authorization').length > 1),
  ),
  fault(
    'very-long-key-accepted',
    'A key of more than a thousand characters opens: the store answers with an error that is taken for a yes.',
    alsoTakesValue((given) => given.length > 1000),
  ),
  fault(
    'opens-after-refusals',
    'After five refusals the check is switched off, for everybody and for good.',
    (base) => {
      let refusals = 0;
      return {
        refuse: (call, resource) => {
          refusals += 1;
          return base.refuse(call, resource);
        },
        identify: (call) => base.identify(call) ?? (refusals >= 5 ? 'mara' : undefined),
      };
    },
  ),
];
