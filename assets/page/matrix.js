import { data, link, mark, outcomeOf } from './data.js';
import { all, counted, make } from './dom.js';
import { atATime } from './rows.js';
import { hasWords, isActive, isMatching, prepare, state } from './state.js';

/** The access matrix: sorted, filtered, and unfolded by group. The page was written with the same words and signs. */

const matrix = document.querySelector('[data-matrix]');
const columns = matrix ? JSON.parse(matrix.dataset.columns) : [];
const words = { opens: 'opens', refuses: 'refuses', unclear: 'unclear', notAsked: 'not asked' };
const documents = { protected: 'needs the key', public: 'public', unstated: 'not stated' };
const differs = ([documented, seen]) =>
  documented !== 'unstated' && (seen === 'opens' || seen === 'refuses') && documented !== seen;

const signOf = (cell) => {
  const [documented, seen, check] = cell;
  if (seen === 'notAsked') return ['–', 'quiet'];
  if (seen === 'unclear') return ['?', documented === 'unstated' ? 'quiet' : 'open'];
  if (differs(cell)) return check >= 0 && outcomeOf(check)[0] === 'failed' ? ['✗', 'bad'] : ['≠', 'open'];
  return documented === 'unstated' ? ['·', 'quiet'] : ['✓', 'good'];
};

const cellOf = (cell) => {
  const [documented, seen, check] = cell;
  const [glyph, tone] = signOf(cell);
  const different = differs(cell);
  return make(
    'td',
    { class: tone },
    make('span', { class: 'sign', 'aria-hidden': 'true' }, glyph),
    ' ',
    different && check >= 0 ? link(check, words[seen]) : words[seen],
    ...(different ? [make('span', { class: 'sr' }, `, the document says it ${documented}`)] : []),
  );
};

const operationRow = (at) => {
  const [id, name, access, cells] = data().operations[at];
  const checks = data().checksOf[at];
  const last = make('td');
  if (checks.length > 0) {
    const failed = checks.filter((number) => outcomeOf(number)[0] === 'failed').length;
    const outcome = data().outcomes[Math.min(...checks.map((number) => data().checks[number][2]))];
    last.className = outcome[2];
    last.append(mark(outcome), failed > 0 ? ` ${failed} failed` : ` ${checks.length}`);
  } else last.append(make('span', { class: 'facts' }, 'none'));
  return make(
    'tr',
    { 'data-operation': at },
    make('th', { scope: 'row' }, make('code', {}, name), ' ', make('span', { class: 'facts' }, id)),
    make('td', {}, documents[access] ?? ''),
    ...cells.map(cellOf),
    last,
  );
};

const operationMatches = (at) => {
  if (state.differing && !data().operations[at][3].some(differs)) return false;
  if (!isActive()) return true;
  if (data().checksOf[at].some((number) => isMatching(number))) return true;
  const [id, name, access] = data().operations[at];
  return state.show.size === 0 && hasWords(`${id} ${name} ${access}`.toLowerCase());
};

let sorted = { column: -1, down: false };

const rank = { '✗': 0, '≠': 1, '?': 2, '–': 3, '·': 4, '✓': 5 };
const keyOf = (at) => {
  const [, name, access, cells] = data().operations[at];
  if (sorted.column === 0) return name;
  if (sorted.column === 1) return access;
  const cell = cells[sorted.column - 2];
  if (cell) return `${rank[signOf(cell)[0]]} ${cell[1]}`;
  const checks = data().checksOf[at];
  return String(Math.min(99, ...checks.map((number) => data().checks[number][2]))).padStart(2, '0');
};

const inOrder = (list) => {
  if (sorted.column < 0) return list;
  const keys = new Map(list.map((at) => [at, keyOf(at)]));
  const side = sorted.down ? -1 : 1;
  return [...list].sort((a, b) => side * (keys.get(a) < keys.get(b) ? -1 : keys.get(a) > keys.get(b) ? 1 : 0) || a - b);
};

const fillGroup = (group, open) => {
  const list = group.dataset.group.split(' ').map(Number).filter(operationMatches);
  for (const row of all('tr[data-operation], tr.rest', group)) row.remove();
  group.hidden = list.length === 0;
  group.querySelector('[data-unfold]').setAttribute('aria-expanded', String(open));
  if (!open) return;
  appendOperations(group, inOrder(list));
};

const appendOperations = (group, list, from = 0) => {
  group.append(...list.slice(from, from + atATime).map(operationRow));
  const left = list.length - from - atATime;
  if (left <= 0) return;
  const button = make('button', { type: 'button', class: 'further' }, counted(left, 'more operation'));
  const row = make('tr', { class: 'rest' }, make('td', { colspan: columns.length + 3 }, button));
  button.addEventListener('click', () => {
    row.remove();
    appendOperations(group, list, from + atATime);
  });
  group.append(row);
};

const isOpen = (group) => group.querySelector('[data-unfold]').getAttribute('aria-expanded') === 'true';

/** Shows, hides and orders the rows of the matrix. */
export const showMatrix = () => {
  if (!matrix) return 0;
  const body = matrix.querySelector('tbody[data-rows]');
  const rows = new Map(all('tr', body).map((row) => [Number(row.dataset.operation), row]));
  for (const at of inOrder([...rows.keys()].sort((a, b) => a - b))) {
    const row = rows.get(at);
    row.hidden = !operationMatches(at);
    if (sorted.column >= 0) body.append(row);
  }
  const count = data().operations.filter(([, , access], at) => access !== '' && operationMatches(at)).length;
  for (const group of all('[data-group]', matrix)) fillGroup(group, isOpen(group) || (isActive() && count <= atATime));
  return count;
};

matrix?.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest('button') : null;
  if (!button) return;
  if (button.dataset.unfold !== undefined) {
    const group = button.closest('[data-group]');
    fillGroup(group, !isOpen(group));
  }
  if (button.dataset.sort === undefined) return;
  const column = Number(button.dataset.sort);
  sorted = { column, down: sorted.column === column && !sorted.down };
  for (const heading of all('th[aria-sort]', matrix)) heading.setAttribute('aria-sort', 'none');
  button.parentElement.setAttribute('aria-sort', sorted.down ? 'descending' : 'ascending');
  prepare();
  showMatrix();
});
