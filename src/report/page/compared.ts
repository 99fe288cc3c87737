import type { Shape } from '../../wire/body-facts.js';
import { counted } from '../../words.js';
import type { Answer } from '../evidence.js';

/** Member names and types without values: two bodies of one signature have the same structure. */
const signature = (shape: Shape): string => {
  if (shape.type === 'object')
    return `{${shape.members.map(([name, member]) => `${JSON.stringify(name)}:${signature(member)}`).join()}}`;
  if (shape.type === 'array') return `[${[...new Set(shape.items.map(signature))].sort().join('|')}]`;
  return shape.type;
};

/** What an answer has in common with a control and what not, in words: `same status (200), same structure, 2 distinctive values in common`. */
export const inCommon = (answer: Answer, control: Answer): string => {
  if (answer.facts.digest === control.facts.digest && answer.status === control.status && answer.facts.size > 0) {
    return `the same answer, byte for byte (${answer.status})`;
  }
  const words: string[] = [];
  words.push(
    answer.status === control.status
      ? `same status (${answer.status})`
      : `status ${answer.status}, there ${control.status}`,
  );
  const [one, other] = [answer.facts.mediaType || 'none', control.facts.mediaType || 'none'];
  words.push(one === other ? `same media type (${one})` : `media type ${one}, there ${other}`);
  if (answer.facts.shape && control.facts.shape) {
    words.push(
      signature(answer.facts.shape) === signature(control.facts.shape) ? 'same structure' : 'another structure',
    );
  }
  const theirs = new Set(control.facts.values);
  const shared = answer.facts.values.filter((value) => theirs.has(value)).length;
  if (shared > 0) words.push(`${counted(shared, 'distinctive value')} in common`);
  else if (theirs.size > 0 && answer.facts.values.length > 0) words.push('no distinctive value in common');
  return words.join(', ');
};
