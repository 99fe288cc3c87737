import { protectedOperations } from './applies-to.js';
import { observation, observedFacts, refusalValue, seenFact, summaryOf } from './observation.js';
import { again, canSendKey, readWithoutKey, requestFor } from './requests.js';
import { defineRule, type OperationSubject } from './rule.js';

const refusalProbes = (subject: OperationSubject) => [
  readWithoutKey(subject),
  ...(canSendKey(subject)
    ? [requestFor(subject, { name: 'a random key of the same length and alphabet', credential: 'random' })]
    : []),
];

export const observesRefusals = defineRule({
  scope: 'operation',
  id: 'observes-refusals',
  title: 'how a missing and a wrong key are answered',
  stage: 'invalid-keys',
  gaps: ['GAP-ERRORS'],
  appliesTo: protectedOperations,
  probes: (subject) => refusalProbes(subject),
  judge: (ask, subject) => {
    const probes = refusalProbes(subject);
    const sent = ask.all(probes);
    const kinds = [
      { id: 'refusal-without-key', words: 'Without a key' },
      { id: 'refusal-with-wrong-key', words: 'With a wrong key' },
    ];
    return observedFacts(
      kinds.flatMap(({ id, words }, index) => {
        const [probe, exchange] = [probes[index], sent[index]];
        if (!probe || !exchange) return [];
        // Two more in a row show what changes in turn. A wrong key is sent once: some services count them.
        const reads = index === 0 ? [exchange, ...ask.inSeries([again(probe), again(probe, 3)])] : [exchange];
        return seenFact({
          gap: 'GAP-ERRORS',
          id,
          words: `${words}: ${summaryOf(exchange)}.`,
          reads,
          shows: refusalValue,
        });
      }),
    );
  },
  explanation: observation(
    'How are a missing and a wrong key answered?',
    'The documented request without a key, and with a random one of the same length and alphabet.',
    'status, WWW-Authenticate, redirect and media type.',
    'A good choice is 401 with a WWW-Authenticate field and a JSON body, the same for both, so that a client can tell its user, and nobody learns which keys exist.',
  ),
});
