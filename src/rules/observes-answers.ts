import type { Json } from '../collections.js';
import type { Shape } from '../wire/body-shape.js';
import type { Exchange, HeaderPair, Response } from '../wire/types.js';
import { clip, counted, firstOf } from '../words.js';
import { readWithEnd } from './bypass/bypass.js';
import { optionsGroup, optionsProbe } from './bypass/other-methods.js';
import { answerOf, header, isSuccess } from './oracle/answers.js';
import { usableFor } from './oracle/usable-controls.js';
import { isDataName, viewOf } from './oracle/view.js';
import { type Ask, defineRule, type OperationSubject, type Slice } from './rule.js';
import { bodySchema } from './support/body-schema.js';
import {
  answerValue,
  observation,
  observedFacts,
  ownReads,
  plainFact,
  seenFact,
  summaryOf,
} from './support/observation.js';
import { canSendKey } from './support/subjects.js';

/** Observes what the contract leaves open about answers: their content, limits and methods. */

/** Member names outside lists and of list items (`items[].id`), without data. */
const membersOf = (shape: Shape): string[] => {
  const { outside, lists } = viewOf(shape);
  const isNamed = (path: string): boolean => !path.split('/').some(isDataName);
  const items = [...lists].flatMap(([path, { rows }]) => {
    if (!isNamed(path)) return [];
    const [first] = rows;
    return first?.shape.type === 'object'
      ? first.shape.members.filter(([name]) => !isDataName(name)).map(([name]) => `${path}[].${name}`)
      : [];
  });
  return [...[...outside.keys(), ...lists.keys()].filter(isNamed), ...items]
    .filter((path) => path !== '')
    .map((path) => path.replace(/^\//, ''));
};

/** The members of a field that holds a list, sorted. */
const membersOfField = (answer: Response, name: string): readonly string[] => {
  const members = (header(answer, name) ?? '').toLowerCase().split(',');
  return members
    .map((member) => member.trim())
    .filter((member) => member !== '')
    .sort();
};

/** Caching fields (RFC 9111), without parts that change with the content. */
const cachingOf = (answer: Response): Json => ({
  'cache-control': membersOfField(answer, 'cache-control'),
  vary: membersOfField(answer, 'vary'),
  validators: ['etag', 'last-modified'].filter((name) => header(answer, name) !== undefined),
});

const statusAndTypeOf = ({ status, shape: { mediaType } }: Response): Json => ({ status, mediaType });

export const observesRepresentation = defineRule({
  scope: 'operation',
  id: 'observes-representation',
  title: 'what the representation looks like',
  stage: 'bypasses',
  gaps: ['GAP-FIELDS', 'GAP-BODIES'],
  appliesTo: (subject) => subject.operation.access !== 'unstated',
  probes: ownReads,
  judge: (ask, subject) => {
    const reads = ask.all(ownReads(subject));
    const [exchange] = reads;
    const answer = answerOf(exchange);
    const { id } = subject.operation;
    const seen = (gap: string, name: string, words: string, shows: Parameters<typeof seenFact>[0]['shows']) =>
      seenFact({ gap, id: name, words, reads, shows });
    if (!isSuccess(answer))
      return observedFacts([
        seen(
          'GAP-BODIES',
          'answer',
          `${id}: ${summaryOf(exchange)}.`,
          // A redirect may name the key's owner.
          subject.operation.access === 'protected' ? statusAndTypeOf : answerValue,
        ),
      ]);
    const members = answer.shape.shape ? membersOf(answer.shape.shape) : [];
    const schema = reads.every((read) => bodySchema(read) !== undefined);
    const words =
      members.length > 0
        ? `${id} has the ${members.length === 1 ? 'member' : 'members'} ${firstOf(members, 20)}.`
        : `${id} has no members.`;
    return observedFacts([
      seen(
        'GAP-BODIES',
        'answer',
        `${id}: ${summaryOf(exchange)}, ${counted(answer.shape.size, 'byte')}.`,
        statusAndTypeOf,
      ),
      seen('GAP-BODIES', 'caching', `${id}: ${header(answer, 'cache-control') ?? 'no Cache-Control'}.`, cachingOf),
      ...(schema
        ? [seen('GAP-FIELDS', 'schema', words, (_, one) => bodySchema(one))]
        : members.length > 0
          ? [plainFact('GAP-FIELDS', words, exchange)]
          : []),
    ]);
  },
  explanation: observation(
    'What does the representation look like?',
    'No request of its own where a read was made already.',
    'status, media type, size and the names of members. Names alone: what the key opens is somebody’s data.',
    'Write the members into the OpenAPI document, and documented-status and documented-body judge them.',
  ),
});

const limitsOf = (answer: Response | undefined): readonly HeaderPair[] =>
  (answer?.headers ?? []).filter(([name]) => /^(?:x-)?rate-?limit|^retry-after$/i.test(name));

/** The field's name; with the number if the field states a limit: `ratelimit-limit: 60`. */
const announcedBy = ([name, value]: HeaderPair): string => {
  const field = name.toLowerCase();
  return /limit$/.test(field) && /^\d+$/.test(value.trim()) ? `${field}: ${value.trim()}` : field;
};

/** The first list of an answer. A whole body that is a map is a record rather than a page. */
const pageIn = ({ shape: { shape } }: Response): { readonly name: string; readonly length: number } | undefined => {
  if (shape === undefined) return undefined;
  const [first] = [...viewOf(shape).lists].filter(([path]) => path !== '' || shape.type === 'array');
  if (first === undefined) return undefined;
  const [path, { length }] = first;
  return { name: path === '' ? 'Its list' : `Its list ${path}`, length };
};

export const observesLimits = defineRule({
  scope: 'operation',
  id: 'observes-limits',
  title: 'which limits the answers name',
  stage: 'bypasses',
  gaps: ['GAP-LIMITS'],
  appliesTo: (subject) => subject.operation.access !== 'unstated',
  probes: ownReads,
  judge: (ask, subject) => {
    const reads = ask.all(ownReads(subject));
    const [exchange] = reads;
    const answer = answerOf(exchange);
    const limits = limitsOf(answer);
    const page = isSuccess(answer) ? pageIn(answer) : undefined;
    const words =
      limits.length > 0
        ? `${subject.operation.id} names a rate limit: ${firstOf(
            limits.map(([name, value]) => `${name}: ${clip(value, 80)}`),
            8,
          )}.`
        : `${subject.operation.id} names no rate limit.`;
    const facts = [
      ...(page ? [`${page.name} came with ${counted(page.length, 'item')}.`] : []),
      ...(exchange.attempts.some(({ response }) => response?.status === 429) ? ['A rate limit was met (429).'] : []),
    ];
    return observedFacts([
      seenFact({
        gap: 'GAP-LIMITS',
        id: 'limits',
        words,
        reads,
        shows: (one) => [...new Set(limitsOf(one).map(announcedBy))].sort(),
      }),
      ...facts.map((fact) => plainFact('GAP-LIMITS', fact, exchange)),
    ]);
  },
  explanation: observation(
    'Which limits do the answers name?',
    'No request of its own where a read was made already.',
    'RateLimit fields, Retry-After, a 429 that was met, the number of items of a page.',
    'Naming limits (the RateLimit fields, Retry-After with every 429) lets clients behave.',
  ),
});

const trick = 'OPTIONS';

/** The methods in Allow (RFC 9110, section 10.2.1), sorted, without overlong names. */
const methodsOf = (answer: Response): readonly string[] =>
  [
    ...new Set(
      answer.headers
        .filter(([name]) => name.toLowerCase() === 'allow')
        .flatMap(([, value]) => value.split(','))
        .map((method) => method.trim())
        .filter((method) => /^[A-Z-]{1,20}$/.test(method)),
    ),
  ].sort();

/** The OPTIONS exchange of `refuses-other-spellings`. Empty if that rule sends none. */
const optionsSeen = (ask: Ask, subject: OperationSubject, slice: Slice | undefined): readonly Exchange[] => {
  if (tricksOf(subject).length === 0 || (slice && !slice.has(trick))) return [];
  const controls = usableFor(ask, subject);
  if (!controls || readWithEnd(ask, controls.anonymous, controls).verdict === 'granted') return [];
  return [ask(optionsProbe(subject))];
};

const tricksOf = (subject: OperationSubject): readonly string[] => {
  const { operation, deployment } = subject;
  const isAsked = operation.access === 'protected' && operation.method === 'GET' && deployment.probes === 'extended';
  return isAsked && canSendKey(subject) ? [trick] : [];
};

const allowedMethodsWords = (who: string, exchange: Exchange): string => {
  const answer = answerOf(exchange);
  const methods = answer ? methodsOf(answer) : [];
  return `${who} ${methods.length > 0 ? `names ${firstOf([...methods], 12)} as allowed` : 'names no allowed methods'}.`;
};

export const observesMethods = defineRule({
  scope: 'operation',
  id: 'observes-methods',
  title: 'which methods the answers name',
  stage: 'bypasses',
  gaps: ['GAP-ENDPOINTS'],
  appliesTo: (subject) => subject.operation.access !== 'unstated',
  battery: { tricks: tricksOf, groups: new Map([[trick, optionsGroup]]) },
  probes: ownReads,
  judge: (ask, subject, slice) => {
    const reads = ask.all(ownReads(subject));
    const [exchange] = reads;
    const { id } = subject.operation;
    const seen = (name: string, words: string, of: readonly Exchange[], shows: (answer: Response) => Json) =>
      seenFact({ gap: 'GAP-ENDPOINTS', id: name, words, reads: of, shows });
    return observedFacts([
      seen('methods', allowedMethodsWords(id, exchange), reads, methodsOf),
      ...optionsSeen(ask, subject, slice).map((one) =>
        seen('methods-by-options', allowedMethodsWords(`OPTIONS of ${id}, without a key,`, one), [one], (answer) => ({
          status: answer.status,
          methods: methodsOf(answer),
        })),
      ),
    ]);
  },
  explanation: observation(
    'Which methods do the answers name?',
    'No request of its own: it uses reads, and OPTIONS without a key, of other checks.',
    'the methods of Allow.',
    'A method that the document does not name needs the guard of those that it names: write it into the document, or turn it off.',
  ),
});
