import type { HeaderPair, Response } from '../wire/types.js';
import { clip, counted, firstOf } from '../words.js';
import { answerOf, isSuccess } from './oracle/answers.js';
import { viewOf } from './oracle/view.js';
import { defineRule } from './rule.js';
import { observation, observedFacts, ownReads, plainFact, seenFact } from './support/observation.js';

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
    const page = answer && isSuccess(answer) ? pageIn(answer) : undefined;
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
    'Nothing of its own where a read was made already.',
    'RateLimit fields, Retry-After, a 429 that was met, the number of items of a page.',
    'Naming limits (the RateLimit fields, Retry-After with every 429) lets clients behave.',
  ),
});
