import { isWrite } from '../gateway/holding.js';
import { tryLoneWords } from '../key/lone-words.js';
import { alsoTried, candidatesOn, noneTried, type TriedCandidates, tryKeys } from '../key/shown-key.js';
import type { WalkContext } from '../log-in/walk-context.js';
import { withoutKeys } from '../reading/key-candidates.js';
import { statementsOf } from '../reading/page-wording.js';
import type { Piece } from '../reading/read-page.js';
import { saidAside } from '../window/page-reader.js';
import type { PageRequest } from '../window/page-traffic.js';
import type { Visit } from '../window/visit.js';
import { addressOf, type PageBefore } from './page-before.js';

/** Number of dialogs that are reported. */
const mostReported = 5;

/** Number of parts of a page that cannot be read. */
const unreadIn = (pieces: readonly Piece[]): number => pieces.filter(({ picture, unread }) => picture || unread).length;

/** What a page has shown and said since an action is pressed, also for a moment. */
export class SeenSince {
  readonly #visit: Visit;
  readonly #context: WalkContext;
  readonly #before: PageBefore;
  /** Key-like texts that were there before, or were tried. */
  readonly #known: Set<string>;
  readonly #statements = new Set<string>();
  readonly #aside = new Set<string>();
  #tried = noneTried;
  #usedBefore: string | undefined;

  /** @param known key-like texts that the page showed before */
  constructor(visit: Visit, context: WalkContext, before: PageBefore, known: readonly string[]) {
    this.#visit = visit;
    this.#context = context;
    this.#before = before;
    this.#known = new Set(known);
  }

  /** New texts that look like keys, tried on the API. */
  get tried(): TriedCandidates {
    return this.#tried;
  }

  /** The run's own key, if it appeared. */
  get usedBefore(): string | undefined {
    return this.#usedBefore;
  }

  /** Tries what looks like a key and was not there before. */
  async showsKey(): Promise<boolean> {
    const { settings, secrets, given } = this.#context;
    const pieces = await this.#visit.read();
    for (const text of statementsOf(pieces)) this.#statements.add(text);
    if (unreadIn(pieces) > unreadIn(this.#before.pieces)) this.#aside.add('(a picture without a text)');
    await this.#hearAside();
    const candidates = await candidatesOn(this.#visit, pieces, settings.keySelector);
    const fresh = candidates.filter(({ value }) => !this.#known.has(value));
    for (const { value } of fresh) this.#known.add(value);
    this.#usedBefore ??= fresh.find(({ value }) => given?.is(value))?.value;
    const others = fresh.filter(({ value }) => !given?.is(value));
    this.#tried = alsoTried(this.#tried, await tryKeys(others, secrets));
    return this.#tried.key !== undefined;
  }

  /** Tries the new texts of the page that are one word each. */
  async tryLoneWords(): Promise<void> {
    const tried = await tryLoneWords(this.#before.pieces, await this.#visit.read(), this.#tried, this.#context);
    this.#tried = alsoTried(this.#tried, tried);
  }

  /** What the page said. The latest comes last. */
  async statements(): Promise<readonly string[]> {
    await this.#hearAside();
    const notices = this.#visit.notices.filter((text) => !this.#before.notices.includes(text));
    return [...this.#statements, ...[...notices, ...this.#aside].map(withoutKeys)];
  }

  dialogs(): readonly string[] {
    const { dialogs } = this.#before;
    return this.#visit.dialogs.slice(dialogs, dialogs + mostReported).map(withoutKeys);
  }

  async #hearAside(): Promise<void> {
    for (const text of await saidAside(this.#visit)) if (!this.#before.aside.has(text)) this.#aside.add(text);
  }
}

/** What a page has asked its own origins for since the action was pressed. */
export const sentSince = (visit: Visit) => {
  const { document } = visit;
  const [from, allFrom] = [visit.traffic.requests.length, visit.traffic.sent.length];
  const isNewPage = (): boolean => visit.document !== document;
  const writes = (): PageRequest[] => visit.traffic.requests.slice(from).filter(isWrite);
  /** A write that is refused while the page stays has made nothing. */
  const isRefused = ({ status = 0 }: PageRequest): boolean => !isNewPage() && status >= 400 && status < 500;
  const isRefusedForItsContent = (one: PageRequest): boolean =>
    isRefused(one) && (one.status === 400 || one.status === 422);
  return {
    /** Whether a request or a message left the browser, to any origin. */
    hasLeft: (): boolean => visit.traffic.sent.length > allFrom,
    newPage: (): number | undefined => (isNewPage() ? visit.document?.status() : undefined),
    /** Path of the last write that was not refused. */
    written: (): string | undefined => writes().findLast((one) => !isRefused(one))?.path,
    /** The status by which each write was refused for its content: a form may lack a field. */
    refusedContent: (): number | undefined =>
      writes().every(isRefusedForItsContent) ? writes()[0]?.status : undefined,
    /** The request that probably made the key. */
    decisive: (): PageRequest | undefined =>
      writes().find((one) => !isRefused(one)) ?? writes()[0] ?? visit.traffic.requests[from],
  };
};

export type SentSince = ReturnType<typeof sentSince>;

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
