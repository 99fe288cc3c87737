import { data, idOf, outcomeOf } from './data.js';

/** What the filter shows: words, outcomes, and whether only operations that differ. */
export const state = { words: [], show: new Set(), differing: false };
export const isActive = () => state.words.length > 0 || state.show.size > 0;

let texts;
const textOf = (number) => {
  texts ??= new Array(data().checks.length);
  if (texts[number] === undefined) {
    const { checks, rules, operations, reasons } = data();
    const [rule, operation, , reason] = checks[number];
    const [id, title, clauses] = rules[rule];
    texts[number] =
      `${idOf(number)} ${id} ${title} ${clauses.join(' ')} ${operations[operation][1]} ${reasons[reason]}`.toLowerCase();
  }
  return texts[number];
};

export const hasWords = (text) => state.words.every((word) => text.includes(word));
const matches = (number) =>
  (state.show.size === 0 || state.show.has(outcomeOf(number)[0])) &&
  (state.words.length === 0 || hasWords(textOf(number)));

let matching = [];
export const isMatching = (number) => matching[number] === 1;
export const matchCount = () => (isActive() ? matching.reduce((sum, each) => sum + each, 0) : 0);
/** Numbers of the checks of a list that the filter shows. */
export const shown = (list) => (isActive() ? list.filter((number) => matching[number]) : list);

/** Finds which checks the filter shows. */
export const prepare = () => {
  if (isActive()) matching = Uint8Array.from(data().checks, (_, number) => (matches(number) ? 1 : 0));
};
