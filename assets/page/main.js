import { data } from './data.js';
import { fill } from './details.js';
import { all, byId } from './dom.js';
import { filter, readState, showState, startFilter } from './filter.js';
import { follow, startLinks } from './links.js';
import { fillList, fillPlace, unfold } from './rows.js';
import { isActive, state } from './state.js';

/**
 * The page's only script, of which the files of this folder are the parts. It makes rows of the
 * page's data where somebody opens a clause or a group, brings packed wire logs in, searches,
 * sorts, follows deep links and copies. Data is inserted as text; the HTML that is inserted was
 * escaped when the page was written, and the page's policy lets nothing but this script run.
 */

document.documentElement.classList.add('scripted');

const copyText = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
};
document.addEventListener('click', async ({ target }) => {
  const button = target instanceof Element ? target.closest('[data-copy]') : null;
  if (!button) return;
  await copyText(button.parentElement.querySelector('code').textContent);
  button.textContent = 'Copied';
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 1500);
});

// On paper the evidence stays folded, but every check of a short run has its line.
const mostPrinted = 500;
const unfoldForPaper = () => {
  for (const details of all('details.cause, details.all')) details.open = true;
  if (data().checks.length > mostPrinted) return;
  for (const details of all('details[data-place]')) {
    details.open = true;
    if (!details.querySelector(':scope > .place')) fillPlace(details);
    for (const fold of all('details.fold', details)) {
      fold.open = true;
      unfold(fold);
    }
  }
};

const start = () => {
  document.addEventListener(
    'toggle',
    ({ target }) => {
      if (!(target instanceof HTMLDetailsElement) || !target.open) return;
      if (target.dataset.check !== undefined) fill(target);
      if (target.dataset.place !== undefined && !target.querySelector(':scope > .place')) fillPlace(target);
      if (target.dataset.list !== undefined) fillList(target);
    },
    true,
  );
  window.addEventListener('beforeprint', unfoldForPaper);
  startFilter();
  startLinks();
  readState();
  if (isActive() || state.differing) {
    showState();
    filter();
  }
  follow();
};

// A page of a comparison has no data.
if (byId('data')) start();
