import { tryLoneWords } from '../key/lone-words.js';
import { alsoTried, candidatesOn, noneTried, type TriedCandidates, tryKeys } from '../key/shown-key.js';
import type { WalkContext } from '../log-in/walk-context.js';
import { withoutKeys } from '../reading/key-candidates.js';
import { statementsOf } from '../reading/page-wording.js';
import type { Piece } from '../reading/read-page.js';
import { saidAside } from '../window/page-reader.js';
import type { Visit } from '../window/visit.js';
import type { PageBefore } from './page-before.js';

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
