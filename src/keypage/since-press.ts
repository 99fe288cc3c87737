import { isWrite, type PageTraffic } from './page-traffic.js';
import type { Visit } from './visit.js';

/** The state of a document: markup, open shadow roots, values of fields. Runs inside the page. */
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

type Asked = PageTraffic['requests'][number];

/** What a page has asked its own origins for since the action was pressed. */
export const sentSince = (visit: Visit) => {
  const { document } = visit;
  const [from, allFrom] = [visit.requests.length, visit.traffic.sent.length];
  const isNewPage = (): boolean => visit.document !== document;
  const writes = (): Asked[] => visit.requests.slice(from).filter(isWrite);
  /** A write that is refused while the page stays has made nothing. */
  const isRefused = ({ status = 0 }: Asked): boolean => !isNewPage() && status >= 400 && status < 500;
  const isRefusedForItsContent = (one: Asked): boolean => isRefused(one) && (one.status === 400 || one.status === 422);
  return {
    /** Whether a request or a message left the browser, to any origin. */
    hasLeft: (): boolean => visit.traffic.sent.length > allFrom,
    /** Status of the page, if it is a new one. */
    newPage: (): number | undefined => (isNewPage() ? visit.document?.status() : undefined),
    /** Path of the last write that was not refused. */
    written: (): string | undefined => writes().findLast((one) => !isRefused(one))?.path,
    /** The status by which each write was refused for its content: a form may lack a field. */
    refusedContent: (): number | undefined =>
      writes().every(isRefusedForItsContent) ? writes()[0]?.status : undefined,
    /** The request that probably made the key. */
    decisive: (): Asked | undefined => writes().find((one) => !isRefused(one)) ?? writes()[0] ?? visit.requests[from],
  };
};
