import { randomBytes, randomUUID } from 'node:crypto';
import { type Override, type ServiceContext, strictKey, workoutsAs } from '../behaviour.js';
import { combine, showing, shownAs, type Unnamed, type VariantDefinition, variant, withNames } from '../definitions.js';
import { type Call, empty, fieldOf, fieldsOf } from '../messages.js';

/** Variants that accept more forms of the key than the contract describes, or have unusual keys. */

type ReadKey = (call: Call, service: ServiceContext) => string | undefined;

/** Also reads the key from another place. Only valid keys are accepted. */
const alsoReads =
  (read: ReadKey): Override =>
  (base, service) => ({
    identify: (call) => base.identify(call) ?? service.keys.get(read(call, service) ?? ''),
  });

const behind =
  (format: RegExp): ReadKey =>
  (call) =>
    format.exec(fieldOf(call, 'Authorization') ?? '')?.[1];

const otherFormat = { outcomes: { 'takes-no-other-format': 'lenient' } };
const otherPlace = { outcomes: { 'takes-key-nowhere-else': 'lenient' } };

/** Compares keys in another way than exactly. */
const comparing = (same: (given: string, key: string) => boolean): Override =>
  alsoReads((call, { keys }) => {
    const given = strictKey(call);
    return given === undefined ? undefined : [...keys.keys()].find((key) => same(given, key));
  });

const keyLike = (title: string, makeKey: () => string): Unnamed<VariantDefinition> =>
  variant(title, () => ({}), { makeKey });

export const keyFormatVariants = withNames<VariantDefinition>({
  strict: {
    title: 'Takes the documented form of the key and no other.',
    outcomes: { 'takes-no-other-format': 'passed', 'takes-key-nowhere-else': 'passed' },
  },
  'scheme-in-any-case': variant(
    'Takes token and TOKEN too, as RFC 9110 wants it.',
    alsoReads(behind(/^token (\S+)$/i)),
    otherFormat,
  ),
  'any-white-space': variant(
    'Takes several spaces and tabs between word and key.',
    alsoReads(behind(/^Token[ \t]+(\S+)$/)),
    otherFormat,
  ),
  'no-space-too': variant(
    'Takes the key right behind the word too: it cuts off what it knows and trims the rest.',
    alsoReads(behind(/^Token(\S+)$/)),
    otherFormat,
  ),
  'bearer-too': variant('Takes Bearer too.', alsoReads(behind(/^Bearer (\S+)$/)), otherFormat),
  'bare-key-too': variant('Takes the key without a word in front too.', alsoReads(behind(/^(\S+)$/)), otherFormat),
  'any-word': variant('Takes any word in front of the key.', alsoReads(behind(/^\S+\s+(\S+)$/)), otherFormat),
  'two-fields': variant(
    'Takes the last of two Authorization fields.',
    alsoReads((call) => /^Token (\S+)$/.exec(fieldsOf(call, 'Authorization').at(-1) ?? '')?.[1]),
  ),
  'two-fields-and-nothing-to-read': variant(
    'Takes the first of two Authorization fields; who has no workouts gets 204.',
    combine(
      workoutsAs(() => empty(204)),
      alsoReads((call) => /^Token (\S+)$/.exec(fieldsOf(call, 'Authorization')[0] ?? '')?.[1]),
    ),
    otherFormat,
  ),
  'x-api-key-too': variant(
    'Takes X-API-Key too.',
    alsoReads((call) => fieldOf(call, 'X-API-Key')),
    otherPlace,
  ),
  'query-too': variant(
    'Takes the key in the query too.',
    alsoReads(({ query }, { keys }) => [...query.values()].find((value) => keys.has(value))),
    { ...otherPlace, settings: { PROBE_KEY_IN_URL: 'true' } },
  ),
  'key-in-any-case': variant(
    'Compares keys without regard to case; they are lower-case all of them.',
    comparing((given, key) => given.toLowerCase() === key),
  ),
  'key-cut-to-column': variant(
    'Cuts keys to the forty characters of its column before it compares.',
    comparing((given, key) => given.slice(0, 40) === key),
  ),
  'uuid-key': keyLike('Keys are UUIDs.', randomUUID),
  'uuid-key-in-any-case': variant(
    'Keys are UUIDs, compared without regard to case.',
    comparing((given, key) => given.toLowerCase() === key),
    { makeKey: randomUUID },
  ),
  'mixed-case-key': keyLike(
    'Keys mix upper and lower case, and the difference counts.',
    () => `fds_${randomBytes(27).toString('base64url')}aZ`,
  ),
  'base64-key': keyLike(
    'Keys are base64 with plus, slash and padding.',
    () => `${randomBytes(29).toString('base64').slice(0, 36)}+/Q=`,
  ),
  'jwt-key': keyLike('Keys are long, in three parts with dots.', () =>
    [24, 220, 32].map((length) => randomBytes(length).toString('base64url')).join('.'),
  ),
  'first-field-of-a-small-account': variant(
    'The account has one row of small numbers, as public ones are; of two Authorization fields the first one counts.',
    combine(
      (_, { keys }) => ({
        identify: (call) => keys.get(/^Token (\S+)$/.exec(fieldsOf(call, 'Authorization')[0] ?? '')?.[1] ?? ''),
      }),
      shownAs((_page, _call, resource) =>
        resource === 'workout' ? [{ id: 1, sets: 3 }] : [{ id: 1 }, { id: 2 }, { id: 3 }],
      ),
    ),
    otherFormat,
  ),
  'short-key': keyLike('Keys have eight characters.', () => randomBytes(4).toString('hex')),
  'numeric-key': keyLike('Keys are digits.', () => `7${BigInt(`0x${randomBytes(20).toString('hex')}`)}`.slice(0, 40)),
  'odd-key': keyLike(
    'Keys hold characters that mean something in patterns, URLs and HTML.',
    () => `$&${randomBytes(8).toString('hex')}%2F<b>"\\u0041'`,
  ),
  'echoes-key': variant('Repeats the key in fields and body of what it opens.', (base, service) => ({
    represent: (call, resource, owner) => {
      const answer = base.represent(call, resource, owner);
      const key = strictKey(call);
      if (resource !== 'workout' || answer.status !== 200 || key === undefined || !service.keys.has(key)) return answer;
      return {
        ...answer,
        headers: [
          ...answer.headers,
          ['X-Your-Key', key],
          ['Link', `</api/v2/workout/?api_key=${encodeURIComponent(key)}>; rel=self`],
        ],
        body: JSON.stringify({
          key,
          basic: Buffer.from(`${key}:`).toString('base64'),
          escaped: encodeURIComponent(key),
          ...JSON.parse(answer.body.toString()),
        }),
      };
    },
  })),
  'data-with-common-words': showing(
    'The data holds words that could be read as keys: null, true, 0, Token.',
    (page) => ({ ...page, words: ['null', 'None', 'undefined', 'true', '0', '*', 'Token', 'constructor'] }),
  ),
});
