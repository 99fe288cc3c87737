import type { Visit } from './visit.js';

/** Everything of a document that a press could change: markup, open shadow roots, what fields hold. Runs inside the page. */
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
        const inner = element.shadowRoot ? stateOf(element.shadowRoot) : '';
        return `<${element.localName} ${own} ${held}>${text}${inner}`;
      })
      .join('');
  return stateOf(document);
};

const stateOf = async ({ page }: Visit): Promise<string> => {
  const frames = await Promise.all(
    page.frames().map((frame) => frame.evaluate(wholeState).catch(() => String(Math.random()))),
  );
  return JSON.stringify([page.url(), frames]);
};

/** The page at one moment, and whether a press did anything since then. */
export interface Stillness {
  /** No request left the browser but reads that the page had made by itself before, nothing on the page changed, nobody asked anything. */
  holds(): Promise<boolean>;
}

export const stillnessOf = async (visit: Visit): Promise<Stillness> => {
  const state = await stateOf(visit);
  const habits = new Set(visit.sent.filter((sent) => /^(GET|HEAD) /.test(sent)));
  const [sent, dialogs, pages] = [visit.sent.length, visit.dialogs.length, visit.context.pages().length];
  return {
    holds: async () =>
      visit.sent.slice(sent).every((one) => habits.has(one)) &&
      visit.dialogs.length === dialogs &&
      visit.context.pages().length === pages &&
      (await stateOf(visit)) === state,
  };
};
