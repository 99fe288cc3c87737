import type { Json } from '../canonical-json.js';
import { quote, walksThroughKeyPage } from './key-page/judge-walk.js';
import { endedNote, type KeyPageRecord } from './key-page/record.js';
import { defineRule } from './rule.js';
import { observed } from './support/judgement.js';
import { endedKeyFact } from './support/observation.js';

export const observesKeyLife = defineRule({
  scope: 'key-page',
  id: 'observes-key-life',
  gaps: ['GAP-KEY-LIFE'],
  title: 'life of a key: regeneration, transport, caching',
  judge: (walk) => {
    const facts = factsOf(walk);
    const value = lifeOf(walk);
    return observed(facts.join(' ') || 'Nothing could be observed: the key page was not reached.', [], {
      facts: [
        ...facts.map((fact, index) => ({
          gap: 'GAP-KEY-LIFE',
          fact,
          exchanges: [],
          ...(index === 0 && value !== undefined ? { id: 'key-life', value, reads: 1 } : {}),
        })),
        ...(walk.endedKey ? [endedKeyFact([walk.endedKey])] : []),
      ],
    });
  },
  explanation: {
    asks: 'What happens to a key: regeneration, transport, caching? The contract leaves it open, so it is only observed.',
    sends: walksThroughKeyPage,
    judged:
      'Always observed: whether the old key, and the one in API_KEY, still open, how the action is sent, whether the page may be cached. It cannot fail.',
    causes: 'Nothing here is a failure.',
    fixes:
      'A new key should end the old one, the action should be a POST with a CSRF token, and the page should not be cached.',
  },
});

const factsOf = (record: KeyPageRecord): string[] => {
  const { action, after, oldKey, givenKey, facts } = record;
  const ended = endedNote(record);
  return [
    ...(ended === undefined ? [] : [ended]),
    ...(givenKey?.opens === 'granted' ? [`The key in ${givenKey.setting} still opens the API after the action.`] : []),
    ...(action?.pressed
      ? [
          `The action ${action.name === undefined ? '' : `${quote(action.name)} `}was pressed ${action.twice ? 'twice, since nothing came of the first time' : 'once'}${after?.made === undefined ? '' : ' and made a key'}.`,
        ]
      : []),
    ...(oldKey === undefined
      ? []
      : [
          oldKey === 'granted'
            ? 'The key from before still opens the protected operation after another was made.'
            : oldKey === 'refused'
              ? 'Making a key revokes the one before.'
              : 'Whether the key from before still works could not be seen.',
        ]),
    ...(action?.request === undefined || after?.made === undefined
      ? []
      : [
          action.request.method === 'GET'
            ? `The action works by GET (GET ${action.request.path}): following a link makes a key.`
            : `The action works by ${action.request.method}.`,
        ]),
    ...facts,
  ];
};

/** How a key is made, and what happens to the previous one. `undefined` if none was made. */
const lifeOf = ({ action, after, oldKey }: KeyPageRecord): Json | undefined =>
  after?.made === undefined ? undefined : { method: action?.request?.method ?? null, keyBefore: oldKey ?? null };
