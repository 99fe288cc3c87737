import type { Exchange, Probe } from '../wire/types.js';
import { endedKeyFact } from './facts/ended-key.js';
import { keyedControl } from './oracle/control-requests.js';
import { type Ask, defineRule, type OperationSubject, type SeenFact, type Slice } from './rule.js';
import { protectedOperations } from './support/applies-to.js';
import { observation, observedFacts, refusalValue, seenFact, summaryOf } from './support/observation.js';
import { again, randomKeyRead, readWithoutKey } from './support/requests.js';
import { canSendKey } from './support/subjects.js';

const refusalProbes = (subject: OperationSubject) => [
  readWithoutKey(subject),
  ...(canSendKey(subject) ? [randomKeyRead(subject)] : []),
];

const once = 'a refusal';
const thrice = 'a refusal, read three times';

/**
 * Two more reads in a row, to find what changes in turn. Among operations that refuse alike, only a
 * few are read three times.
 */
const readAgain = (ask: Ask, probe: Probe, slice: Slice | undefined): readonly Exchange[] =>
  slice && !slice.has(thrice) ? [] : ask.inSeries([again(probe), again(probe, 3)]);

/** If the key ended before the run, the keyed reads show how an ended key is answered. */
const endedKeyFacts = (ask: Ask, subject: OperationSubject): readonly SeenFact[] => {
  const { operation, deployment } = subject;
  const hasEnded = operation.security.some(({ setting }) => deployment.keys[setting]?.ended === true);
  if (!hasEnded || !canSendKey(subject)) return [];
  return [endedKeyFact([ask(keyedControl(subject, 1)), ask(keyedControl(subject, 2))])];
};

export const observesRefusals = defineRule({
  scope: 'operation',
  id: 'observes-refusals',
  title: 'how a missing and a wrong key are answered',
  stage: 'invalid-keys',
  gaps: ['GAP-ERRORS', 'GAP-KEY-LIFE'],
  appliesTo: protectedOperations,
  battery: { tricks: (subject) => (canSendKey(subject) ? [once, thrice] : []), everywhere: [once] },
  probes: (subject) => refusalProbes(subject),
  judge: (ask, subject, slice) => {
    const probes = refusalProbes(subject);
    const sent = ask.all(probes);
    const kinds = [
      { id: 'refusal-without-key', words: 'Without a key' },
      { id: 'refusal-with-wrong-key', words: 'With a wrong key' },
    ];
    return observedFacts([
      ...kinds.flatMap(({ id, words }, index) => {
        const [probe, exchange] = [probes[index], sent[index]];
        if (!probe || !exchange) return [];
        // A wrong key is sent only once, since some services count failed attempts.
        const reads = index === 0 ? [exchange, ...readAgain(ask, probe, slice)] : [exchange];
        return seenFact({
          gap: 'GAP-ERRORS',
          id,
          words: `${words}: ${summaryOf(exchange)}.`,
          reads,
          shows: refusalValue,
        });
      }),
      ...endedKeyFacts(ask, subject),
    ]);
  },
  explanation: observation(
    'How are a missing and a wrong key answered?',
    'The documented request without a key, and with a random one of the same length and alphabet.',
    'status, WWW-Authenticate, redirect and media type.',
    'A good choice is 401 with a WWW-Authenticate field and a JSON body, the same for both, so that a client can tell its user, and nobody learns which keys exist.',
  ),
});
