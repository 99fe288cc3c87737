import { randomBytes } from 'node:crypto';
import { type Override, type ServiceContext, strictKey } from '../behaviour.js';
import { type FaultDefinition, faultsOf, type Unnamed, withNames } from '../definitions.js';
import { type Call, fieldOf, fieldsOf, json } from '../messages.js';

/** Faults of the key lookup: a value that is not a key opens the workouts. */

const alsoOpensFor =
  (opens: (call: Call, service: ServiceContext) => boolean): Override =>
  (base, service) => ({
    identify: (call) => base.identify(call) ?? (opens(call, service) ? 'mara' : undefined),
  });

/** A lookup that also accepts a value after `Token ` if it matches a stored key. */
const alsoTakesValue = (matches: (given: string, key: string) => boolean): Override =>
  alsoOpensFor((call, { keys }) => {
    const given = strictKey(call);
    return given !== undefined && [...keys.keys()].some((key) => matches(given, key));
  });

export const firstField = (call: Call): string | undefined => fieldsOf(call, 'Authorization')[0];

const fault = faultsOf('AUTH-3', 'refuses-worthless-keys');
export const opensFor = (
  title: string,
  opens: Parameters<typeof alsoOpensFor>[0],
  more?: Partial<FaultDefinition>,
): Unnamed<FaultDefinition> => fault(title, alsoOpensFor(opens), more);
const takesValue = (
  title: string,
  matches: Parameters<typeof alsoTakesValue>[0],
  more?: Partial<FaultDefinition>,
): Unnamed<FaultDefinition> => fault(title, alsoTakesValue(matches), more);

/** Node decodes field values as Latin-1; clients send UTF-8. */
const asText = (value: string): string => Buffer.from(value, 'latin1').toString('utf8');

const takesWord = (word: string, why: string): Unnamed<FaultDefinition> =>
  fault(
    `The word ${word} opens in the place of a key: ${why}.`,
    alsoTakesValue((given) => given === word),
  );

const emptyFieldOpens = (field: string, why: string): Unnamed<FaultDefinition> =>
  opensFor(`An ${field} field without a value opens: ${why}.`, (call) => fieldsOf(call, field).includes(''));

const emptyParameterOpens = (name: string, why: string): Unnamed<FaultDefinition> =>
  opensFor(`A parameter ${name} without a value opens: ${why}.`, ({ query }) => query.get(name) === '');

const uncheckedField = (field: string): Unnamed<FaultDefinition> =>
  opensFor(
    `Whatever stands in ${field} opens: a gateway was to check it and is not there.`,
    (call) => fieldsOf(call, field).length > 0,
  );

/** Whether the key is among the fields that a proxy drops (RFC 9110, section 7.6.1). */
const namesTheKey = (call: Call): boolean => /\bauthorization\b/i.test(fieldOf(call, 'Connection') ?? '');

/** Refuses keys of this form with words of their own. */
export const refusingFor =
  (form: RegExp, detail: string): Override =>
  (base) => ({
    refuse: (call, resource) =>
      form.test(firstField(call) ?? '') ? json(400, { detail }) : base.refuse(call, resource),
  });

const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** 40 letters and digits in both cases. */
const mixedCaseKey = (): string => {
  const random = [...randomBytes(36)].map((byte) => lettersAndDigits[byte % lettersAndDigits.length]).join('');
  return `Qk${random}xZ`;
};

export const invalidKeyFaults = withNames<FaultDefinition>({
  'no-key-asked': fault(
    'The workouts of one user are served to everybody, key or not.',
    () => ({ identify: () => 'mara' }),
    { checks: ['refuses-missing-key'] },
  ),
  'no-key-opens': opensFor(
    'Who sends no Authorization field gets in; who sends a wrong key does not.',
    (call) => firstField(call) === undefined,
    { checks: ['refuses-missing-key'] },
  ),
  'empty-value-accepted': opensFor(
    'An Authorization field with nothing in it opens.',
    (call) => firstField(call) === '',
  ),
  'scheme-alone-accepted': opensFor(
    'The word Token with no key behind it opens.',
    (call) => firstField(call)?.trimEnd() === 'Token',
  ),
  'scheme-as-key-accepted': takesValue(
    'Every Token in the value is taken out, and a value of which nothing is left opens.',
    (given) => given === 'Token',
  ),
  'any-key-accepted': takesValue('Any text behind Token opens.', () => true),
  'checks-format-only': takesValue(
    'Anything that looks like a key (as long, same alphabet) opens; whether somebody has it is never asked.',
    (given, key) => given.length === key.length && /^[0-9a-f]+$/.test(given),
  ),
  'prefix-accepted': takesValue(
    'Any beginning of a key opens: the look-up asks what the stored key starts with.',
    (given, key) => given.length >= 8 && key.startsWith(given),
  ),
  'substring-accepted': takesValue(
    'Any piece of a key opens: the look-up asks what the stored key contains.',
    (given, key) => given.length >= 8 && key.includes(given),
  ),
  'compares-first-half': takesValue(
    'Only the first half of a key is compared, as with a column that is too short.',
    (given, key) => given.slice(0, key.length / 2) === key.slice(0, key.length / 2),
  ),
  'compares-second-half': takesValue(
    'Only the second half of a key is compared: it is looked up by its last characters.',
    (given, key) => given.length === key.length && given.slice(key.length / 2) === key.slice(key.length / 2),
  ),
  'compares-all-but-the-end': takesValue(
    'The last character of a key is not compared, as with a hash that reads only so many bytes.',
    (given, key) => given.length === key.length && given.slice(0, -1) === key.slice(0, -1),
  ),
  'compares-only-ends': takesValue(
    'Only length, the first four and the last four characters of a key are compared.',
    (given, key) =>
      given.length === key.length && given.slice(0, 4) === key.slice(0, 4) && given.slice(-4) === key.slice(-4),
  ),
  'forgives-one-character': takesValue(
    'A key with one wrong character opens.',
    (given, key) =>
      given.length === key.length && [...given].filter((letter, index) => letter !== key[index]).length === 1,
  ),
  'adds-up-what-differs': takesValue(
    'What differs is added up, character by character, so that the same characters open in any order.',
    (given, key) =>
      given.length === key.length &&
      [...given].reduce((sum, letter, index) => sum + letter.charCodeAt(0) - key.charCodeAt(index), 0) === 0,
  ),
  'case-folded-key': takesValue(
    'Keys that mix upper and lower case are compared without regard to case.',
    (given, key) => given.toLowerCase() === key.toLowerCase(),
    { makeKey: mixedCaseKey },
  ),
  'null-accepted': takesWord('null', 'a row without a key matches it'),
  'none-accepted': takesWord('None', 'a missing key was once turned into text'),
  'undefined-accepted': takesWord('undefined', 'a missing key was once turned into text'),
  'constructor-accepted': takesValue(
    'The word constructor opens: keys are looked up as members of an object, which inherits more than was put in.',
    (given) => given in {},
  ),
  'true-accepted': takesWord('true', 'the comparison is a loose one'),
  'zero-accepted': takesWord('0', 'a key that begins with a letter equals zero in a loose comparison'),
  'null-in-brackets-accepted': takesWord('(null)', 'a missing key was once turned into text'),
  'quotes-accepted': takesWord('""', 'the quotes are taken off, and nothing is left to look up'),
  'false-accepted': takesWord('false', 'it equals the flag of a user who has no key'),
  'one-accepted': takesWord('1', 'it is the number of a user, looked up in the same table'),
  'star-accepted': takesWord('*', 'the store takes it for a pattern'),
  'percent-accepted': takesWord('%', 'the look-up is a LIKE'),
  'encoded-blank-accepted': takesWord('%20', 'it is decoded and trimmed, and nothing is left to look up'),
  'encoded-nul-accepted': takesWord('%00', 'it is decoded, and ends the text before it has begun'),
  'dot-accepted': takesWord('.', 'keys are files of a folder, and it names the folder itself'),
  'pattern-accepted': takesValue(
    'The store takes a key for a regular expression.',
    (given, key) => /^\.[*+]$/.test(given) && new RegExp(`^${given}$`).test(key),
  ),
  'full-width-letters-accepted': takesValue(
    'Letters in full width cannot be compared with the stored ones, and the error is taken for a yes.',
    (given) => /[\uff01-\uff5e]/.test(asText(given)),
  ),
  'latin-letters-accepted': takesValue(
    'Letters with an accent make a comparison of ASCII throw, and the gateway lets through what it could not check.',
    (given) => /[\u00c0-\u00ff]/.test(asText(given)),
  ),
  'four-byte-letters-accepted': takesValue(
    'The store cannot compare characters of four bytes, and the error is taken for a yes.',
    (given) => /[\u{10000}-\u{10ffff}]/u.test(asText(given)),
  ),
  'condition-accepted': takesValue(
    'The value is parsed as JSON before it is looked up, and a condition in it fits every key.',
    (given) => /^\{"\$ne":.*\}$/.test(given),
  ),
  'quote-accepted': takesWord("'", 'it breaks the look-up, and the error is taken for a yes'),
  'stars-as-long-as-a-key-accepted': takesValue(
    'The look-up is a GLOB, behind a check of the length.',
    (given, key) => given.length === key.length && /^[*?]+$/.test(given),
  ),
  'underscores-as-long-as-a-key-accepted': takesValue(
    'The look-up is a LIKE, behind a check of the length.',
    (given, key) => given.length === key.length && /^[%_]+$/.test(given),
  ),
  'two-words-accepted': opensFor(
    'The value is split at its blanks: where there are more than two words the check throws, and lets the request through.',
    (call) => (firstField(call) ?? '').split(' ').length > 2,
  ),
  'x-access-token-unchecked': uncheckedField('X-Access-Token'),
  'x-api-key-unchecked': uncheckedField('X-API-Key'),
  'empty-apikey-field-opens': emptyFieldOpens('apikey', 'that it is there is enough for the gateway'),
  'empty-x-api-key-field-opens': emptyFieldOpens('X-API-Key', 'it equals a key that was never set'),
  'empty-apikey-parameter-opens': emptyParameterOpens('apikey', 'the empty key is that of the first user without one'),
  'empty-token-parameter-opens': emptyParameterOpens('token', 'it equals the token of a user who has none'),
  'empty-access-token-field-opens': emptyFieldOpens('access_token', 'that it is there is enough for the gateway'),
  'empty-access-token-parameter-opens': emptyParameterOpens(
    'access_token',
    'the empty key is that of the first user without one',
  ),
  'two-fields-open': opensFor(
    'A second Authorization field makes the check throw, and the gateway lets through what it could not check.',
    (call) => fieldsOf(call, 'Authorization').length > 1,
  ),
  'list-of-keys-accepted': opensFor(
    'A list in one Authorization field makes the check throw, and the gateway lets through what it could not check.',
    (call) => (firstField(call) ?? '').includes(', '),
    {
      counterpart: {
        name: 'refuses-lists-of-keys',
        title: 'Says 400 to a list of keys, which no client of its own sends.',
        override: refusingFor(/, /, 'One key is enough.'),
      },
    },
  ),
  'key-dropped-on-the-way-accepted': opensFor(
    'The gateway leaves it to the service to check a key, and drops the fields that Connection names; the service takes a request without a key for one of the gateway’s own.',
    (call) => firstField(call) !== undefined && namesTheKey(call),
    {
      counterpart: {
        name: 'drops-what-connection-names',
        title: 'Drops the fields that Connection names, and refuses a request whose key was among them.',
        override: (base) => ({ identify: (call) => (namesTheKey(call) ? undefined : base.identify(call)) }),
      },
    },
  ),
  'very-long-key-accepted': takesValue(
    'A key of more than a thousand characters opens: the store answers with an error that is taken for a yes.',
    (given) => given.length > 1000,
  ),
  'opens-after-refusals': fault('After ten refusals the check is switched off, for everybody and for good.', (base) => {
    let refusals = 0;
    return {
      refuse: (call, resource) => {
        refusals += 1;
        return base.refuse(call, resource);
      },
      identify: (call) => base.identify(call) ?? (refusals >= 10 ? 'mara' : undefined),
    };
  }),
});
