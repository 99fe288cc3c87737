import type { Response } from '../wire/types.js';
import { answerOf, isSuccess, saysNothing } from './oracle/answers.js';
import { isOfOneForm } from './oracle/usable-controls.js';
import { defineRule, type OperationSubject } from './rule.js';
import { invalidKey, type Seen } from './support/asked-by.js';
import { answerValue, observation, observedFacts, seenFact, summaryOf } from './support/observation.js';
import { readWithNothing, requestFor } from './support/requests.js';
import { nonce, targetOf, withQuery } from './support/targets.js';

const badKey = (subject: OperationSubject) => {
  const scheme = subject.contract.schemes.find((each) => each.in === 'header') ?? subject.contract.schemes[0];
  const operation = { ...subject.operation, security: scheme ? [{ ...scheme, encoding: 'plain' as const }] : [] };
  const target = withQuery(targetOf(subject), [`nothing-${nonce(subject.deployment, `bad key ${operation.id}`)}=1`]);
  return requestFor({ ...subject, operation }, { name: 'with a wrong key', credential: 'random', target });
};

/** Whether a public resource is served with a wrong key. `open` is the answer without a key. */
const seenBeside = (answer: Response | undefined, open: Response | undefined): Seen => {
  if (!answer || !open || !isSuccess(open) || saysNothing(answer)) return 'unclear';
  if (!isSuccess(answer)) return 'refuses';
  return isOfOneForm(answer.shape, open.shape) ? 'opens' : 'unclear';
};

/** Uses a query of its own, so that no cache keeps a refusal for a public resource. */
export const observesBadKey = defineRule({
  scope: 'operation',
  id: 'observes-bad-key',
  title: 'how a public resource answers a wrong key',
  stage: 'invalid-keys',
  gaps: ['GAP-ERRORS'],
  appliesTo: (subject) => subject.operation.access === 'public' && subject.contract.schemes.length > 0,
  probes: (subject) => [badKey(subject)],
  judge: (ask, subject) => {
    const [exchange, open] = ask.all([badKey(subject), readWithNothing(subject)]);
    const fact = seenFact({
      gap: 'GAP-ERRORS',
      id: 'wrong-key-on-public',
      words: `A wrong key on the public ${subject.operation.id}: ${summaryOf(exchange)}.`,
      reads: [exchange],
      shows: answerValue,
    });
    return {
      ...observedFacts([fact]),
      asked: [{ identity: invalidKey, seen: seenBeside(answerOf(exchange), answerOf(open)) }],
    };
  },
  explanation: observation(
    'How does a public resource answer a wrong key?',
    'The public operation with a random key, on a query of its own, so that no page cache keeps a refusal.',
    'whether it is served all the same or refused.',
    'Common frameworks refuse (401 or 403), since authentication runs before permissions; serving is kinder to clients with an expired key.',
  ),
});
