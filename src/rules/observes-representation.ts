import type { Shape } from '../wire/body-shape.js';
import { counted, firstOf } from '../words.js';
import { observed } from './judgement.js';
import { type GapFacts, observation, observedFacts, ownRead, summaryOf } from './observation.js';
import { answerOf, isSuccess } from './oracle/answers.js';
import { viewOf } from './oracle/view.js';
import { defineRule } from './rule.js';

/** Member names outside lists, and those of list items behind `[]`. Names alone, never values. */
const membersOf = (shape: Shape): string[] => {
  const { outside, lists } = viewOf(shape);
  const items = [...lists].flatMap(([path, { rows }]) => {
    const [first] = rows;
    return first?.shape.type === 'object' ? first.shape.members.map(([name]) => `${path}[].${name}`) : [];
  });
  return [...outside.keys(), ...lists.keys(), ...items]
    .filter((path) => path !== '')
    .map((path) => path.replace(/^\//, ''));
};

export const observesRepresentation = defineRule({
  scope: 'operation',
  id: 'observes-representation',
  title: 'what the representation looks like',
  stage: 'bypasses',
  gaps: ['GAP-FIELDS', 'GAP-BODIES'],
  appliesTo: (subject) => subject.operation.access !== 'unstated',
  probes: (subject) => [ownRead(subject)],
  judge: (ask, subject) => {
    const exchange = ask(ownRead(subject));
    const answer = answerOf(exchange);
    const { id } = subject.operation;
    if (!answer || !isSuccess(answer))
      return observedFacts('GAP-BODIES', [[`${id}: ${summaryOf(exchange)}.`, exchange]]);
    const members = answer.shape.shape ? membersOf(answer.shape.shape) : [];
    const facts: GapFacts = [
      {
        gap: 'GAP-BODIES',
        fact: `${id}: ${summaryOf(exchange)}, ${counted(answer.shape.size, 'byte')}.`,
        exchanges: [exchange],
      },
      ...(members.length > 0
        ? [
            {
              gap: 'GAP-FIELDS',
              fact: `${id} has the ${members.length === 1 ? 'member' : 'members'} ${firstOf(members, 20)}.`,
              exchanges: [exchange],
            },
          ]
        : []),
    ];
    return observed(facts.map(({ fact }) => fact).join(' '), [exchange], { facts });
  },
  explanation: observation(
    'What does the representation look like?',
    'Nothing of its own where a read was made already.',
    'status, media type, size and the names of members. Names alone: what the key opens is somebody’s data.',
    'Write the members into the OpenAPI document, and documented-status and documented-body judge them.',
  ),
});
