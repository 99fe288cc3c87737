import { present } from '../../../src/collections.js';
import type { Outcome } from '../../../src/engine/outcomes.js';
import type { Finding } from '../../../src/engine/results.js';
import { rules } from '../../../src/rules/index.js';
import { invalidKey, nobody, seenBy, theKey } from '../../../src/rules/support/asked-by.js';
import { headlineOf } from '../../../src/rules/support/headlines.js';
import type { Exchange } from '../../../src/wire/types.js';
import {
  anonymous,
  badKey,
  controls,
  elsewhere,
  leftovers,
  open,
  plain,
  proxyFields,
  shapes,
  spellings,
  wrongKeys,
} from './sample-exchanges.js';

/** What the rules find in a conforming run of the shipped contract, and variations of it. */

export interface Sketch {
  readonly rule: string;
  readonly clauses: readonly string[];
  readonly operation: string;
  readonly title: string;
  readonly outcome?: Outcome;
  readonly reason: string;
  readonly more?: Partial<Finding>;
  readonly exchanges: readonly Exchange[];
  readonly comparedWith?: readonly Exchange[];
}

const ruleOf = (id: string) => rules.find((rule) => rule.id === id);

const askedIn = (rule: string, outcome: Outcome): Pick<Finding, 'asked'> => {
  const asked = {
    'refuses-missing-key': [nobody, 'refuses', 'opens'],
    'refuses-worthless-keys': [invalidKey, 'refuses', 'opens'],
    'serves-documented-path': [theKey, 'opens', 'refuses'],
    'opens-without-credentials': [nobody, 'opens', 'refuses'],
  } as const;
  const [identity, passed, failed] = asked[rule as keyof typeof asked] ?? [];
  if (!identity || outcome === 'blocked') return {};
  return { asked: [{ identity, seen: seenBy({ outcome }, passed, failed) }] };
};

export const finding = ({
  rule,
  clauses,
  operation,
  title,
  outcome = 'passed',
  reason,
  more = {},
  exchanges,
  comparedWith = [],
}: Sketch): Finding =>
  present({
    id: `${rule}@${operation}`,
    rule,
    clauses,
    operation,
    title,
    outcome,
    reason,
    ...more,
    headline: headlineOf(ruleOf(rule) ?? { title }, { outcome, ...(more.cause ? { cause: more.cause } : {}) }),
    ...askedIn(rule, outcome),
    exchanges: exchanges.map(({ id }) => id),
    comparedWith: comparedWith.map(({ id }) => id),
    durationMs: 31,
  });

const own = { operation: 'listWorkouts' } as const;
const notTried = 'No web interface was named; set KEY_PAGE_URL, WEB_USERNAME and WEB_PASSWORD to judge it.';

export const conformingSketches = (): Sketch[] => [
  {
    rule: 'serves-https',
    clauses: ['HTTPS-1'],
    operation: 'service',
    title: 'serves HTTPS with a valid certificate',
    reason: 'TLSv1.3, and the certificate is valid for fitness.example until 2026-06-30.',
    exchanges: [anonymous],
  },
  {
    rule: 'refuses-plain-http',
    clauses: ['HTTPS-2'],
    ...own,
    title: 'does not answer over plain HTTP',
    reason: 'Plain HTTP answers 301 to the same path over HTTPS.',
    more: { note: 'A transparent redirect hides a client that sends its key in the clear (OWASP ASVS 5.0, 4.1.2).' },
    exchanges: [plain],
    comparedWith: [anonymous],
  },
  {
    rule: 'serves-documented-path',
    clauses: ['PATH-1'],
    ...own,
    title: 'answers at the documented path',
    reason: 'The keyed read answers 200 at the exact path, unlike the missing sibling path.',
    exchanges: [controls[0]],
    comparedWith: controls.slice(2),
  },
  {
    rule: 'needs-no-other-version',
    clauses: ['PATH-2'],
    ...own,
    title: 'needs no version besides the one in the path',
    reason: 'The path alone chose the version.',
    exchanges: [controls[0]],
  },
  {
    rule: 'reads-with-get',
    clauses: ['PATH-3'],
    ...own,
    title: 'is read with GET and no body',
    reason: 'GET without a body answers 200.',
    exchanges: [controls[0]],
  },
  {
    rule: 'takes-key-where-documented',
    clauses: ['AUTH-1'],
    ...own,
    title: 'takes the key in the Authorization header',
    reason: 'The key in the Authorization header opens it.',
    exchanges: [controls[0]],
  },
  {
    rule: 'takes-documented-format',
    clauses: ['AUTH-2'],
    ...own,
    title: 'takes Token, one space, the key',
    reason: 'The documented format opens it.',
    exchanges: [controls[0]],
  },
  {
    rule: 'takes-no-other-format',
    clauses: ['AUTH-2'],
    ...own,
    title: 'takes the key in no other format',
    outcome: 'lenient',
    reason:
      'It also takes the scheme in lower case and two spaces; both carry the whole key. RFC 9110 makes the scheme case-insensitive.',
    more: { cause: { id: 'takes-other-shapes', ways: ['the scheme in lower case', 'two spaces'] } },
    exchanges: shapes,
    comparedWith: controls,
  },
  {
    rule: 'takes-key-nowhere-else',
    clauses: ['AUTH-1'],
    ...own,
    title: 'takes the key nowhere else',
    reason: 'X-API-Key is refused like no key at all.',
    exchanges: [elsewhere],
    comparedWith: [...controls, anonymous],
  },
  {
    rule: 'refuses-missing-key',
    clauses: ['AUTH-3'],
    ...own,
    title: 'refuses a request without a key',
    reason: 'It answers 401, and nothing of what the key opens is in it.',
    exchanges: [anonymous],
    comparedWith: controls,
  },
  {
    rule: 'refuses-worthless-keys',
    clauses: ['AUTH-3'],
    ...own,
    title: 'refuses keys that are worth nothing',
    reason: 'All 6 are refused.',
    exchanges: wrongKeys,
    comparedWith: controls,
  },
  {
    rule: 'refuses-other-spellings',
    clauses: ['AUTH-3'],
    ...own,
    title: 'refuses other spellings of the path',
    reason: 'All 9 are refused.',
    exchanges: spellings,
    comparedWith: controls,
  },
  {
    rule: 'refuses-proxy-fields',
    clauses: ['AUTH-3'],
    ...own,
    title: 'refuses fields that only a proxy should set',
    reason: 'All 3 are refused.',
    exchanges: proxyFields,
    comparedWith: controls,
  },
  {
    rule: 'refuses-leftovers',
    clauses: ['AUTH-3'],
    ...own,
    title: 'refuses on a connection or cache that others left behind',
    reason: 'Both are refused.',
    exchanges: leftovers,
    comparedWith: controls,
  },
  {
    rule: 'opens-without-credentials',
    clauses: ['AUTH-4'],
    operation: 'listExercises',
    title: 'opens with nothing at all',
    reason: 'It answers 200 with nothing sent.',
    exchanges: open.slice(0, 1),
    comparedWith: [anonymous],
  },
  {
    rule: 'opens-without-credentials',
    clauses: ['AUTH-4'],
    operation: 'listIngredients',
    title: 'opens with nothing at all',
    reason: 'It answers 200 with nothing sent.',
    exchanges: open.slice(1),
    comparedWith: [anonymous],
  },
  ...[
    ['makes-a-key', 'PAGE-1', 'makes a key'],
    ['shows-the-current-key', 'PAGE-2', 'shows the current key'],
    ['says-when-there-is-none', 'PAGE-3', 'says when there is none'],
  ].map(
    ([rule = '', clause = '', title = '']): Sketch => ({
      rule,
      clauses: [clause],
      operation: 'key-page',
      title,
      outcome: 'excluded',
      reason: notTried,
      exchanges: [],
    }),
  ),
  {
    rule: 'observes-refusals',
    clauses: ['GAP-ERRORS'],
    ...own,
    title: 'how a missing or wrong key is refused',
    outcome: 'observed',
    reason: 'A missing key is answered with 401 and a JSON body.',
    exchanges: [anonymous],
  },
  {
    rule: 'observes-bad-key',
    clauses: ['GAP-ERRORS'],
    operation: 'listExercises',
    title: 'what a bad key does on a public resource',
    outcome: 'observed',
    reason: 'A bad key on a public resource is answered with 401.',
    exchanges: [badKey],
  },
];

export const replaced = (changes: Readonly<Record<string, Partial<Sketch>>>): Sketch[] =>
  conformingSketches().map((sketch) => ({ ...sketch, ...changes[`${sketch.rule}@${sketch.operation}`] }));
