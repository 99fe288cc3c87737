import { data, idOf, link, mark, outcomeOf } from './data.js';
import { nodesOf } from './details.js';
import { counted, make } from './dom.js';
import { isActive, shown } from './state.js';

/** Rows of checks, below the clauses and gaps that somebody opens. */

export const rowOf = (number) => {
  const { operations, reasons, checks } = data();
  const [, operation, , reason] = checks[number];
  const outcome = outcomeOf(number);
  return make(
    'details',
    { class: 'check', id: idOf(number), 'data-outcome': outcome[0], 'data-check': number },
    make(
      'summary',
      {},
      mark(outcome),
      make('code', { class: 'operation' }, operations[operation][1]),
      make('span', { class: 'reason' }, reasons[reason]),
    ),
  );
};

export const atATime = 200;

/** Rows of a long list, so many at a time. */
const appendRows = (rows, list, from = 0) => {
  rows.append(...list.slice(from, from + atATime).map(rowOf));
  const left = list.length - from - atATime;
  if (left <= 0) return;
  const button = make('button', { type: 'button', class: 'further' }, `${counted(left, 'more check')}`);
  button.addEventListener('click', () => {
    button.remove();
    appendRows(rows, list, from + atATime);
    rows.children[from + atATime]?.querySelector('summary')?.focus();
  });
  rows.append(button);
};

const most = 12;

const ruleOf = (rule, list) => {
  const [, title, , explanation] = data().rules[rule];
  const rows = make('div', { class: 'rows' });
  const group = make('div', { class: 'rule' }, make('h3', {}, title), nodesOf(explanation));
  if (list.length <= most) {
    appendRows(rows, list);
    group.append(rows);
    return group;
  }
  const counts = data().outcomes.flatMap(([name]) => {
    const own = list.filter((number) => outcomeOf(number)[0] === name).length;
    return own > 0 ? [`${own.toLocaleString('en')} ${name}`] : [];
  });
  const worst = Math.min(...list.map((number) => data().checks[number][2]));
  const fold = make(
    'details',
    { class: 'fold' },
    make('summary', {}, mark(data().outcomes[worst]), ` ${counted(list.length, 'check')}: ${counts.join(', ')}`),
    rows,
  );
  fold.list = list;
  fold.addEventListener('toggle', () => unfold(fold));
  if (isActive() && list.length <= atATime) {
    fold.open = true;
    unfold(fold);
  }
  group.append(fold);
  return group;
};

export const unfold = (fold) => {
  if (!fold.open || fold.unfolded) return;
  fold.unfolded = true;
  appendRows(fold.querySelector('.rows'), fold.list);
};

const factOf = ([fact, list]) => {
  const item = make('li', {}, `${fact} `);
  const names = make('span', { class: 'facts' });
  for (const [at, number] of list.slice(0, 3).entries())
    names.append(at > 0 ? ', ' : '', link(number, data().operations[data().checks[number][1]][1]));
  if (list.length > 3) names.append(` and ${(list.length - 3).toLocaleString('en')} more`);
  item.append(names);
  return item;
};

const mostFacts = 100;

/** Fills an opened clause or gap with what the filter shows of it. */
export const fillPlace = (details) => {
  const { checks, elsewhere, facts } = data().places[Number(details.dataset.place)];
  details.querySelector('.place')?.remove();
  const place = make('div', { class: 'place' });
  if (facts.length > 0) {
    const list = make('ul', { class: 'observed' }, ...facts.slice(0, mostFacts).map(factOf));
    if (facts.length > mostFacts) list.append(make('li', {}, `and ${counted(facts.length - mostFacts, 'more fact')}`));
    place.append(list);
  }
  const byRule = new Map();
  for (const number of shown(checks)) {
    const rule = data().checks[number][0];
    if (!byRule.has(rule)) byRule.set(rule, []);
    byRule.get(rule).push(number);
  }
  for (const [rule, list] of byRule) place.append(ruleOf(rule, list));
  if (elsewhere.length > 0) {
    const line = make('p', { class: 'facts' }, 'Also checked by ');
    for (const [at, number] of elsewhere.slice(0, 12).entries())
      line.append(at > 0 ? ', ' : '', link(number, idOf(number)));
    if (elsewhere.length > 12) line.append(` and ${(elsewhere.length - 12).toLocaleString('en')} more`);
    place.append(line);
  }
  details.append(place);
};

/** The operations of a cause beyond those that are named. */
export const fillList = (details) => {
  if (details.listed) return;
  details.listed = true;
  const list = details.closest('[data-checks]').dataset.checks.split(' ').map(Number);
  const items = list.slice(...details.dataset.list.split(' ').map(Number)).map((number) => {
    const name = make('code', {}, data().operations[data().checks[number][1]][1]);
    return make('li', {}, link(number, name));
  });
  details.append(make('ul', { class: 'links' }, ...items));
};
