import { data, idOf, numberOf } from './data.js';
import { fill } from './details.js';
import { all, byId } from './dom.js';
import { clearFilter, filter, readState, showState } from './filter.js';
import { fillPlace, rowOf, unfold } from './rows.js';
import { isActive, isMatching, state } from './state.js';

/** Deep links: #AUTH-3, #cause-…, #refuses-missing-key@listWorkouts */

/** Opens the clause and the list in which a check is, and gives its row. */
const rowOfCheck = (number) => {
  const details = document.querySelector(`[data-place="${data().placeOf[number]}"]`);
  if (!details) return undefined;
  details.closest('details.all')?.setAttribute('open', '');
  details.open = true;
  if (!details.querySelector(':scope > .place')) fillPlace(details);
  const id = idOf(number);
  if (!byId(id))
    for (const fold of all('details.fold', details))
      if (fold.list.includes(number)) {
        fold.open = true;
        unfold(fold);
        // A long list shows its beginning; the row that is looked for comes to its end.
        if (!byId(id)) fold.querySelector('.rows').append(rowOf(number));
      }
  return byId(id);
};

export const follow = async () => {
  let [id] = location.hash.slice(1).split('?');
  try {
    id = decodeURIComponent(id);
  } catch {
    // Not encoded: taken as it is.
  }
  if (id === '') return;
  const number = byId(id) ? undefined : numberOf(id);
  if (number !== undefined && isActive() && !isMatching(number)) clearFilter();
  const target = number === undefined ? byId(id) : rowOfCheck(number);
  if (!target) return;
  if (target.closest('[hidden]')) clearFilter();
  for (let at = target; at; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true;
  if (target.matches('details.check')) await fill(target);
  target.querySelector('summary')?.focus({ preventScroll: true });
  target.scrollIntoView({ block: 'start' });
};

export const startLinks = () => {
  window.addEventListener('hashchange', () => {
    const before = JSON.stringify([state.words, [...state.show], state.differing]);
    // A link of the page names a place and leaves the filter as it is.
    if (location.hash.includes('?') || location.hash === '') readState();
    if (JSON.stringify([state.words, [...state.show], state.differing]) !== before) filter();
    showState();
    follow();
  });
  document.addEventListener('click', (event) => {
    const anchor = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null;
    // A second click on the link of the current place moves there again.
    if (anchor && anchor.getAttribute('href') === location.hash.split('?')[0]) {
      event.preventDefault();
      follow();
    }
  });
};
