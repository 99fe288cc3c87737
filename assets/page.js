// The page's only script. It brings packed wire logs in where somebody opens a check, filters, follows deep links and copies.
// What it inserts was escaped when the page was written, and the page's policy lets nothing but this script run.
(() => {
  const byId = (id) => document.getElementById(id);
  const index = JSON.parse(byId('index')?.textContent || '{"checksInBlock":64,"exchanges":[]}');
  const blocks = new Map();
  let blockOfExchange;

  document.documentElement.classList.add('scripted');

  const unpack = async (id) => {
    const element = byId(id);
    if (!element) return undefined;
    const bytes = Uint8Array.from(atob(element.textContent), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return JSON.parse(await new Response(stream).text());
  };

  const block = (id) => {
    if (!blocks.has(id)) {
      // A block is a megabyte at most; the last few are enough.
      if (blocks.size > 24) blocks.delete(blocks.keys().next().value);
      blocks.set(id, unpack(id));
    }
    return blocks.get(id);
  };

  const nodesOf = (html) => {
    const template = document.createElement('template');
    template.innerHTML = html;
    return template.content;
  };

  const exchangeHtml = async (id) => {
    if (!blockOfExchange) {
      blockOfExchange = new Map();
      for (const [number, ids] of index.exchanges.entries()) for (const each of ids) blockOfExchange.set(each, number);
    }
    const number = blockOfExchange.get(id);
    return number === undefined ? undefined : (await block(`exchanges-${number}`))?.[id];
  };

  const fillLogs = async (root) => {
    for (const log of root.querySelectorAll('[data-exchanges]')) {
      const ids = log.dataset.exchanges.split(' ');
      delete log.dataset.exchanges;
      for (const id of ids) {
        const html = await exchangeHtml(id);
        if (html !== undefined) log.append(nodesOf(html));
        else {
          const line = document.createElement('p');
          line.className = 'facts';
          line.textContent = `Exchange ${id} is not in this page; results.json beside it has it.`;
          log.append(line);
        }
      }
    }
  };

  /** Fills an opened check or card; resolves when everything is there. */
  const fill = (details) => {
    if (!details.filled) details.filled = fillNow(details);
    return details.filled;
  };

  const fillNow = async (details) => {
    const number = Number(details.dataset.check);
    const inside = (await block(`checks-${Math.floor(number / index.checksInBlock)}`))?.[number % index.checksInBlock];
    if (inside === undefined) return;
    const nodes = nodesOf(inside);
    // A card says the reason itself; from the inside it takes the wire log.
    if (details.dataset.part === 'exchanges') {
      for (const node of nodes.querySelectorAll(
        '.inside > .reason, .inside > .note, .inside > .versus, .inside > .self',
      ))
        node.remove();
    }
    await fillLogs(nodes);
    details.append(nodes);
  };

  document.addEventListener(
    'toggle',
    ({ target }) => {
      if (target instanceof HTMLDetailsElement && target.open && target.dataset.check !== undefined) fill(target);
    },
    true,
  );

  // Deep links: #AUTH-3, #refuses-missing-key@listWorkouts
  const follow = async () => {
    let id = location.hash.slice(1);
    try {
      id = decodeURIComponent(id);
    } catch {
      // Not encoded: taken as it is.
    }
    const target = id === '' ? null : byId(id);
    if (!target) return;
    if (target.closest('[hidden]')) clearFilter();
    for (let at = target; at; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true;
    if (target.matches('details.check')) {
      await fill(target);
      target.querySelector('summary')?.focus({ preventScroll: true });
    }
    target.scrollIntoView({ block: 'start' });
  };
  window.addEventListener('hashchange', follow);
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null;
    // A second click on the link of the current place moves there again.
    if (link && link.getAttribute('href') === location.hash) follow();
  });

  // Copy
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

  // Filter
  const form = document.querySelector('[data-filter]');
  const shown = new Set();
  let rows;
  const groupsOf = () =>
    [...document.querySelectorAll('[data-group]')].map((group) => ({
      group,
      rows: [...group.querySelectorAll('details.check')],
    }));

  const filter = () => {
    rows ??= groupsOf().map(({ group, rows: own }) => ({
      group,
      own: own.map((row) => ({
        row,
        outcome: row.dataset.outcome,
        text: `${row.id} ${row.firstElementChild.textContent}`.toLowerCase(),
      })),
    }));
    const words = form.querySelector('input').value.toLowerCase().split(/\s+/).filter(Boolean);
    const active = shown.size > 0 || words.length > 0;
    let found = 0;
    let all = 0;
    for (const { group, own } of rows) {
      let here = 0;
      for (const { row, outcome, text } of own) {
        const match =
          (shown.size === 0 || shown.has(outcome)) &&
          words.every((word) => text.includes(word) || group.dataset.title.includes(word));
        if (row.hidden === match) row.hidden = !match;
        if (match) here += 1;
      }
      all += own.length;
      found += here;
      group.hidden = here === 0;
      const fold = group.querySelector('details.fold') ?? group.closest('details.fold');
      if (fold) fold.open = active && here > 0 && here <= 200;
    }
    for (const place of document.querySelectorAll('[data-place]')) {
      place.hidden = active && !place.querySelector('[data-group]:not([hidden])');
    }
    form.querySelector('output').textContent = active ? `${found} of ${all} ${all === 1 ? 'check' : 'checks'}` : '';
    document.querySelector('.nothing').hidden = found > 0 || !active;
  };

  const clearFilter = () => {
    shown.clear();
    form.querySelector('input').value = '';
    for (const button of form.querySelectorAll('[data-show]')) button.setAttribute('aria-pressed', 'false');
    filter();
  };

  if (form) {
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') clearFilter();
    });
    let soon;
    form.addEventListener('input', () => {
      clearTimeout(soon);
      soon = setTimeout(filter, 80);
    });
    form.addEventListener('click', ({ target }) => {
      const button = target instanceof Element ? target.closest('[data-show]') : null;
      if (!button) return;
      const outcome = button.dataset.show;
      if (shown.has(outcome)) shown.delete(outcome);
      else shown.add(outcome);
      button.setAttribute('aria-pressed', String(shown.has(outcome)));
      filter();
    });
  }

  // On paper the evidence stays folded, but every check has its line.
  window.addEventListener('beforeprint', () => {
    for (const fold of document.querySelectorAll('details.fold, details.looked, details.all')) {
      if (fold.querySelectorAll('details.check').length <= 500) fold.open = true;
    }
  });

  follow();
})();
