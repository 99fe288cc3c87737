import type { Json } from '../canonical-json.js';
import type { Exchange, Response } from '../wire/types.js';
import { firstOf } from '../words.js';
import { readWithEnd } from './bypass/bypass.js';
import { optionsGroup, optionsProbe } from './bypass/options-request.js';
import { answerOf } from './oracle/answers.js';
import { controlsOf } from './oracle/controls.js';
import { isUsable, usable } from './oracle/usable-controls.js';
import { type Ask, defineRule, type OperationSubject, type Slice } from './rule.js';
import { observation, observedFacts, ownReads, seenFact } from './support/observation.js';
import { canSendKey } from './support/subjects.js';

const trick = 'OPTIONS';

/**
 * The methods in Allow (RFC 9110, section 10.2.1), sorted. Longer names than registered methods
 * have are ignored.
 */
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
  const controls = usable(controlsOf(ask, subject));
  if (!isUsable(controls) || readWithEnd(ask, controls.anonymous, controls).verdict === 'granted') return [];
  return [ask(optionsProbe(subject))];
};

const tricksOf = (subject: OperationSubject): readonly string[] => {
  const { operation, deployment } = subject;
  const isAsked = operation.access === 'protected' && operation.method === 'GET' && deployment.probes === 'extended';
  return isAsked && canSendKey(subject) ? [trick] : [];
};

const wordsOf = (who: string, exchange: Exchange): string => {
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
      seen('methods', wordsOf(id, exchange), reads, methodsOf),
      ...optionsSeen(ask, subject, slice).map((one) =>
        seen('methods-by-options', wordsOf(`OPTIONS of ${id}, without a key,`, one), [one], (answer) => ({
          status: answer.status,
          methods: methodsOf(answer),
        })),
      ),
    ]);
  },
  explanation: observation(
    'Which methods do the answers name?',
    'Nothing of its own: reads, and OPTIONS without a key, that other checks make.',
    'the methods of Allow.',
    'A method that the document does not name needs the guard of those that it names: write it into the document, or turn it off.',
  ),
});
