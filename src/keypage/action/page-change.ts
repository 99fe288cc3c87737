import type { Visit } from '../window/visit.js';
import { addressOf } from './page-before.js';

/** The state of a document: markup, open shadow roots, fields. Runs inside the page. */
const wholeState = (): string => {
  const stateOf = (root: Document | ShadowRoot): string =>
    [...root.querySelectorAll('*')]
      .map((element) => {
        const own = [...element.attributes].map(({ name, value }) => `${name}=${value}`).join(' ');
        const text = [...element.childNodes].map((node) => (node instanceof Text ? node.data : '')).join('');
        const held =
          element instanceof HTMLInputElement
            ? `${element.value} ${element.checked}`
            : ((element as HTMLSelectElement).value ?? '');
        const complaint = (element as HTMLButtonElement).validationMessage ?? '';
        const inner = element.shadowRoot ? stateOf(element.shadowRoot) : '';
        return `<${element.localName} ${own} ${held} ${complaint}>${text}${inner}`;
      })
      .join('');
  return stateOf(document);
};

const stateOf = async (visit: Visit): Promise<string> => {
  const frames = await Promise.all(
    visit.page.frames().map((frame) => frame.evaluate(wholeState).catch(() => String(Math.random()))),
  );
  return JSON.stringify([addressOf(visit), frames]);
};

/**
 * Notes the state of the page.
 * @returns whether anything happened since: a change, a dialog, a window, or a request other than
 * reads that the page had sent before
 */
export const detectChange = async (visit: Visit): Promise<() => Promise<boolean>> => {
  const state = await stateOf(visit);
  const habits = new Set(visit.traffic.sent.filter((sent) => /^(GET|HEAD) /.test(sent)));
  const [sent, dialogs, pages] = [visit.traffic.sent.length, visit.dialogs.length, visit.context.pages().length];
  return async () =>
    visit.traffic.sent.slice(sent).some((one) => !habits.has(one)) ||
    visit.dialogs.length !== dialogs ||
    visit.context.pages().length !== pages ||
    (await stateOf(visit)) !== state;
};
