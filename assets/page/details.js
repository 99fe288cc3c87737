import { data } from './data.js';
import { byId, make } from './dom.js';

/** Packed details of checks and exchanges, which were escaped when the page was written. */

const blocks = new Map();
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

export const nodesOf = (html) => {
  const template = document.createElement('template');
  template.innerHTML = html;
  return template.content;
};

let blockOfExchange;
const exchangeHtml = async (id) => {
  if (!blockOfExchange) {
    blockOfExchange = new Map();
    const index = JSON.parse(byId('index')?.textContent || '{"exchanges":[]}');
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
      else log.append(make('p', { class: 'facts' }, `Exchange ${id} is not in this page; it is beside results.json.`));
    }
  }
};

/** Fills an opened check or card; resolves when everything is there. */
export const fill = (details) => {
  if (!details.filled) details.filled = fillNow(details);
  return details.filled;
};

const fillNow = async (details) => {
  const number = Number(details.dataset.check);
  const { checksInBlock } = data();
  const inside = (await block(`checks-${Math.floor(number / checksInBlock)}`))?.[number % checksInBlock];
  if (inside === undefined) return;
  const nodes = nodesOf(inside);
  // A card says the reason itself; from the inside it takes the wire log.
  if (details.dataset.part === 'exchanges')
    for (const node of nodes.querySelectorAll('.inside > .reason, .inside > .note, .inside > .versus, .inside > .self'))
      node.remove();
  await fillLogs(nodes);
  details.append(nodes);
};
