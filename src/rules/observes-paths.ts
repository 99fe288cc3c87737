import { memoize } from '../collections.js';
import { neighbouringPaths, type PathVariant } from './documented-request/request-variants.js';
import { defineRule, type OperationSubject, type Slice } from './rule.js';
import { follow } from './support/follow-up.js';
import { excluded } from './support/judgement.js';
import { observation, observedFacts, plainFact, seenFact, summaryOf } from './support/observation.js';
import { requestWithNothing } from './support/requests.js';
import { canSendKey, protectedOperations } from './support/subjects.js';
import { targetOf } from './support/targets.js';

/** Observes what answers beside the documented path, and at assumed paths. */

const trickAt = (index: number): string => `neighbour ${index + 1}`;

/** Cached by the number of neighbours. */
const tricksOf = memoize((count: number) => Array.from({ length: count }, (_, index) => trickAt(index)));

const chosen = (subject: OperationSubject, slice: Slice | undefined): readonly PathVariant[] =>
  neighbouringPaths(subject).filter((_, index) => slice === undefined || slice.has(trickAt(index)));

export const observesNeighbours = defineRule({
  scope: 'operation',
  id: 'observes-neighbours',
  title: 'what answers beside the documented path',
  stage: 'bypasses',
  gaps: ['GAP-VERSIONS'],
  appliesTo: (subject) => protectedOperations(subject) && subject.deployment.probes === 'extended',
  battery: {
    tricks: (subject) => (canSendKey(subject) ? tricksOf(neighbouringPaths(subject).length) : []),
    // One is enough: an observation accuses nobody.
    copies: 1,
  },
  probes: (subject, slice) => (canSendKey(subject) ? chosen(subject, slice).map(({ probe }) => probe('valid')) : []),
  judge: (ask, subject, slice) => {
    if (!canSendKey(subject)) return excluded('No key was given that may be sent, so there is nothing to observe.');
    const ways = chosen(subject, slice);
    ask.all(ways.map(({ probe }) => probe('valid')));
    // The path holds a parameter value, which may be somebody's data.
    const isFilled = subject.operation.path.includes('{');
    return observedFacts(
      ways.map(({ words, probe }) => {
        const exchange = ask(probe('valid'));
        const says = `${words} with the key: ${summaryOf(exchange)}.`;
        return isFilled
          ? plainFact('GAP-VERSIONS', says, exchange)
          : seenFact({
              gap: 'GAP-VERSIONS',
              id: `neighbour:${words}`,
              words: says,
              reads: [exchange],
              shows: ({ status }) => ({ status }),
            });
      }),
    );
  },
  explanation: observation(
    'What answers beside the documented path?',
    'With the key: without the slash, other versions, no version, no /api, the name in the plural.',
    'the answer of each.',
    'Check older versions that still answer: a guard is easily forgotten there.',
  ),
});

export const observesPublicPath = defineRule({
  scope: 'operation',
  id: 'observes-public-path',
  title: 'what answers at the assumed path',
  stage: 'anonymous',
  gaps: ['GAP-PUBLIC-PATHS'],
  appliesTo: ({ operation }) => operation.assumedPath !== undefined,
  probes: (subject) => [requestWithNothing(subject)],
  judge: (ask, subject) => {
    const exchange = ask(requestWithNothing(subject));
    const end = follow(ask, exchange).at(-1);
    const setting = subject.operation.assumedPath?.setting ?? '';
    return observedFacts([
      seenFact({
        gap: 'GAP-PUBLIC-PATHS',
        id: 'assumed-path',
        words: `${targetOf(subject)} (assumed; ${setting} replaces it): ${summaryOf(exchange)}${end ? `, then ${summaryOf(end)}` : ''}.`,
        reads: [exchange],
        shows: (answer) => ({ path: subject.operation.path, status: answer.status }),
      }),
    ]);
  },
  explanation: observation(
    'What answers at the path that was assumed?',
    'One GET with nothing, and the places that redirects lead to.',
    'the answer, and which setting replaces the path.',
    'Set EXERCISE_PATH or INGREDIENT_PATH, or fill the gap with an overlay.',
  ),
});
