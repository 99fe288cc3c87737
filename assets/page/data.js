import { byId, make } from './dom.js';

/** The page's data, which is read when it is first needed. Its members are described where it is written. */

let known;
export const data = () => {
  if (known) return known;
  const { outcomes, operations, rules, reasons, checks, places, checksInBlock } = JSON.parse(byId('data').textContent);
  const placeOf = new Int32Array(checks.length).fill(-1);
  for (const [at, place] of places.entries()) for (const number of place.checks) placeOf[number] = at;
  const checksOf = operations.map(() => []);
  for (const [number, check] of checks.entries()) checksOf[check[1]].push(number);
  known = { outcomes, operations, rules, reasons, checks, places, checksInBlock, placeOf, checksOf };
  return known;
};

export const idOf = (number) => {
  const { checks, rules, operations } = data();
  return `${rules[checks[number][0]][0]}@${operations[checks[number][1]][0]}`;
};

let numbers;
export const numberOf = (id) => {
  numbers ??= new Map(data().checks.map((_, number) => [idOf(number), number]));
  return numbers.get(id);
};

export const outcomeOf = (number) => data().outcomes[data().checks[number][2]];

export const mark = ([outcome, glyph, tone]) =>
  make('span', { class: `mark ${tone}`, role: 'img', 'aria-label': outcome }, glyph);

export const link = (number, text) => make('a', { href: `#${encodeURIComponent(idOf(number))}` }, text);
