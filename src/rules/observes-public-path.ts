import { defineRule } from './rule.js';
import { follow } from './support/follow-redirects.js';
import { observation, observedFacts, seenFact, summaryOf } from './support/observation.js';
import { readWithNothing } from './support/requests.js';
import { targetOf } from './support/targets.js';

export const observesPublicPath = defineRule({
  scope: 'operation',
  id: 'observes-public-path',
  title: 'what answers at the assumed path',
  stage: 'anonymous',
  gaps: ['GAP-PUBLIC-PATHS'],
  appliesTo: ({ operation }) => operation.assumedPath !== undefined,
  probes: (subject) => [readWithNothing(subject)],
  judge: (ask, subject) => {
    const exchange = ask(readWithNothing(subject));
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
