import type { Json } from '../canonical-json.js';
import type { Shape } from '../wire/body-shape.js';
import type { Response } from '../wire/types.js';
import { counted, firstOf } from '../words.js';
import { bodySchema } from './facts/body-schema.js';
import { answerOf, header, isSuccess } from './oracle/answers.js';
import { isDataName, viewOf } from './oracle/view.js';
import { defineRule } from './rule.js';
import {
  answerValue,
  observation,
  observedFacts,
  ownReads,
  plainFact,
  seenFact,
  summaryOf,
} from './support/observation.js';

/**
 * Member names outside lists and of list items (`items[].id`). No values, and no names that look
 * like data.
 */
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

/** Caching fields (RFC 9111), without parts that change with the content. */
const cachingOf = (answer: Response): Json => ({
  'cache-control': (header(answer, 'cache-control') ?? '')
    .toLowerCase()
    .split(',')
    .map((directive) => directive.trim())
    .filter((directive) => directive !== '')
    .sort(),
  vary: (header(answer, 'vary') ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .sort(),
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
    if (!answer || !isSuccess(answer))
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
    'Nothing of its own where a read was made already.',
    'status, media type, size and the names of members. Names alone: what the key opens is somebody’s data.',
    'Write the members into the OpenAPI document, and documented-status and documented-body judge them.',
  ),
});
