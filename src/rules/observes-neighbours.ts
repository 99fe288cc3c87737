import { protectedOperations } from './applies-to.js';
import { neighbouringPaths } from './documented-request/neighbouring-paths.js';
import { excluded } from './judgement.js';
import { observation, observedFacts, seenFact, summaryOf, told } from './observation.js';
import { canSendKey } from './requests.js';
import { defineRule } from './rule.js';

export const observesNeighbours = defineRule({
  scope: 'operation',
  id: 'observes-neighbours',
  title: 'what answers beside the documented path',
  stage: 'bypasses',
  gaps: ['GAP-VERSIONS'],
  appliesTo: (subject) => protectedOperations(subject) && subject.deployment.probes === 'extended',
  probes: (subject) => (canSendKey(subject) ? neighbouringPaths(subject).map(({ probe }) => probe('valid')) : []),
  judge: (ask, subject) => {
    if (!canSendKey(subject)) return excluded('No key was given that may be sent, so there is nothing to observe.');
    const ways = neighbouringPaths(subject);
    const sent = ask.all(ways.map(({ probe }) => probe('valid')));
    // A path that was filled in holds a value, which may be somebody's.
    const isFilled = subject.operation.path.includes('{');
    return observedFacts(
      ways.flatMap(({ words }, index) => {
        const exchange = sent[index];
        if (!exchange) return [];
        const says = `${words} with the key: ${summaryOf(exchange)}.`;
        return isFilled
          ? told('GAP-VERSIONS', says, exchange)
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
