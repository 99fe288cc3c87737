import { data } from './data.js';
import { all, counted, make } from './dom.js';
import { showMatrix } from './matrix.js';
import { fillPlace } from './rows.js';
import { hasWords, isActive, isMatching, matchCount, prepare, shown, state } from './state.js';

/** The filter applies to every section. Its state is in the URL: #id?q=words&show=failed,lenient&differing=1 */

const form = document.querySelector('[data-filter]');

const setCount = (section, text) => {
  const heading = section.querySelector('h2');
  let place = heading.querySelector('.hits');
  if (!place) {
    place = make('span', { class: 'hits size' });
    heading.append(place);
  }
  place.textContent = text === '' ? '' : ` ${text}`;
};

const itemMatches = (item) => {
  if (item.dataset.place !== undefined) {
    const { checks, facts } = data().places[Number(item.dataset.place)];
    return (
      shown(checks).length > 0 ||
      (state.show.size === 0 &&
        hasWords(`${item.id} ${item.textContent} ${facts.map(([fact]) => fact).join(' ')}`.toLowerCase()))
    );
  }
  const list = item.dataset.checks.split(' ').map(Number);
  if (list.some((number) => number >= 0 && isMatching(number))) return true;
  return state.show.size === 0 && hasWords(`${item.id} ${item.querySelector('h3, summary').textContent}`.toLowerCase());
};

const mostOpened = 40;

export const filter = () => {
  prepare();
  const active = isActive();
  const found = matchCount();
  let anything = false;
  for (const section of all('[data-section]')) {
    if (section.id === 'access') {
      const count = showMatrix();
      const total = data().operations.filter(([, , access]) => access !== '').length;
      setCount(
        section,
        active || state.differing ? `${count.toLocaleString('en')} of ${total.toLocaleString('en')}` : '',
      );
      anything ||= count > 0;
      continue;
    }
    const items = all('[data-item]', section);
    let here = 0;
    for (const item of items) {
      const match = !active || itemMatches(item);
      item.hidden = !match;
      if (match) here += 1;
      if (item.dataset.place === undefined) continue;
      const own = active ? shown(data().places[Number(item.dataset.place)].checks) : [];
      const hits =
        item.querySelector('.hits') ?? item.querySelector('.tally')?.appendChild(make('span', { class: 'hits' }));
      if (hits) hits.textContent = active ? ` · ${counted(own.length, 'match', 'matches')}` : '';
      item.querySelector(':scope > .place')?.remove();
      if (active) item.open = own.length > 0 && found <= mostOpened;
      if (item.open) fillPlace(item);
    }
    setCount(section, active ? `${here} of ${items.length}` : '');
    section.hidden = active && here === 0;
    for (const fold of all(':scope > details.all', section)) if (active) fold.open = here > 0 && found <= mostOpened;
    anything ||= here > 0;
  }
  form.querySelector('output').textContent = active
    ? `${found.toLocaleString('en')} of ${counted(data().checks.length, 'check')}`
    : '';
  document.querySelector('.nothing').hidden = anything || !active;
};

/** The state as it is shown by the form's controls and kept in the URL. */
export const showState = () => {
  for (const button of all('[data-show]', form))
    button.setAttribute('aria-pressed', String(state.show.has(button.dataset.show)));
  document.querySelector('[data-differing]')?.setAttribute('aria-pressed', String(state.differing));
  const query = new URLSearchParams();
  if (state.words.length > 0) query.set('q', state.words.join(' '));
  if (state.show.size > 0) query.set('show', [...state.show].join());
  if (state.differing) query.set('differing', '1');
  const text = query.toString();
  const [anchor] = location.hash.slice(1).split('?');
  const hash = `#${anchor}${text === '' ? '' : `?${text}`}`;
  if (hash !== (location.hash || '#')) history.replaceState(null, '', hash);
};

const input = form?.querySelector('input');
const wordsIn = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

export const clearFilter = () => {
  state.show.clear();
  state.words = [];
  state.differing = false;
  input.value = '';
  showState();
  filter();
};

export const readState = () => {
  const [, text = ''] = location.hash.split('?');
  const query = new URLSearchParams(text);
  state.words = wordsIn(query.get('q') ?? '');
  state.show = new Set((query.get('show') ?? '').split(',').filter(Boolean));
  state.differing = query.has('differing');
  if (wordsIn(input.value).join(' ') !== state.words.join(' ')) input.value = state.words.join(' ');
};

export const startFilter = () => {
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') clearFilter();
  });
  let soon;
  input.addEventListener('input', () => {
    clearTimeout(soon);
    soon = setTimeout(() => {
      state.words = wordsIn(input.value);
      showState();
      filter();
    }, 120);
  });
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('[data-show], [data-differing]') : null;
    if (!button) return;
    const { show } = button.dataset;
    if (show === undefined) state.differing = !state.differing;
    else if (state.show.has(show)) state.show.delete(show);
    else state.show.add(show);
    showState();
    filter();
  });
};
