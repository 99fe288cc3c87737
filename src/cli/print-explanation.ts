import type { Explanation } from '../report/explain.js';
import { visible } from '../report/text.js';
import type { Terminal } from './terminal.js';

const parts = [
  ['Asks', 'asks'],
  ['Sends', 'sends'],
  ['Judged', 'judged'],
  ['Causes', 'causes'],
  ['Fixes', 'fixes'],
] as const;

/** Wraps a text with a hanging indent: the first line follows `head`, the others are below it. */
export const hanging = (head: string, text: string, width: number): string => {
  const lines: string[] = [];
  let line = '';
  for (const word of visible(text).split(' ')) {
    if (line !== '' && head.length + line.length + word.length + 1 > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines.map((each, index) => `${index === 0 ? head : ' '.repeat(head.length)}${each}\n`).join('');
};

/** Prints the five parts of an explanation, lists as lists. */
export const printExplanation = (explanation: Explanation, { out, width, colours }: Terminal): void => {
  const columns = Math.max(50, Math.min(width, 110));
  for (const [name, part] of parts) {
    const text = explanation[part];
    out(`  ${colours.bold(name)}\n`);
    if (typeof text === 'string') out(hanging('    ', text, columns));
    else for (const item of text) out(hanging('    - ', item, columns));
  }
};
