import { setTimeout as pause } from 'node:timers/promises';
import type { BrowserContext, Frame, Page } from '@playwright/test';
import type { Secrets } from '../gateway/secrets.js';
import { KeyPageTrouble, type VisitLimits } from '../input.js';
import { type Dom, dom, inPage } from '../reading/in-page.js';
import { joinGroups } from '../reading/key-candidates.js';
import { type PageContent, type Piece, readPage } from '../reading/read-page.js';
import { ownFrames } from './browser.js';

/**
 * The property in which a document keeps the texts that it showed, including messages that
 * disappear.
 */
export const passingTexts = 'access-conformance.passing';

export const copiedTexts = 'access-conformance.copied';

/** Replaces the clipboard and records what is copied. Runs inside the page, before its scripts. */
export const noteCopied = (name: string): void => {
  const texts = new Set<string>();
  Object.defineProperty(window, Symbol.for(name), { value: texts });
  const note = (text: string): void => void texts.add(text.slice(0, 2_000));
  // By `execCommand`: the selection, or what a script puts in its place.
  const setData = DataTransfer.prototype.setData;
  DataTransfer.prototype.setData = function (type, text) {
    note(String(text));
    setData.call(this, type, text);
  };
  addEventListener('copy', () => {
    const field = document.activeElement;
    const isField = field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement;
    note(isField ? field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0) : String(getSelection()));
  });
  if (!navigator.clipboard) return;
  navigator.clipboard.writeText = async (text) => note(String(text));
  navigator.clipboard.write = async (items) => {
    for (const item of items) note(await (await item.getType('text/plain')).text());
  };
};

/** Records texts that appear, not names of controls. Runs inside the page, before its scripts. */
export const notePassing = (name: string): void => {
  const texts = new Set<string>();
  Object.defineProperty(window, Symbol.for(name), { value: texts });
  const silent =
    'script, style, template, button, a[href], summary, option, [role=button], [role=tab], [role=menuitem]';
  const note = (node: Node): void => {
    const element = node instanceof Element ? node : node.parentElement;
    if (!element?.checkVisibility({ visibilityProperty: true }) || element.closest(silent)) return;
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    for (let text: Node | null = walker.currentNode; text && texts.size < 500; text = walker.nextNode()) {
      const said = text instanceof Text ? text.data.trim() : '';
      if (said !== '' && said.length <= 2_000 && text.parentElement?.closest(silent) == null) texts.add(said);
    }
  };
  new MutationObserver((changes) => {
    for (const { target, addedNodes, type } of changes)
      if (type === 'childList') for (const node of addedNodes) note(node);
      else note(target);
  }).observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
    attributes: true,
    attributeFilter: ['class', 'style', 'hidden', 'open'],
  });
};

/** Maximum number of pieces of text of a page and its frames. */
export const mostPieces = 50_000;

/** Limits the time of a request to the page, since the browser sets no limit. */
export const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  const timer = new AbortController();
  const late = pause(ms, undefined, { signal: timer.signal }).then(() => {
    throw new KeyPageTrouble(
      `The page did not react for ${Math.round(ms / 1000)} s: a script of it keeps it busy. Open it in a browser and see whether it comes to rest.`,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    late.catch(() => {});
    timer.abort();
  }
};

export const pageReader = (page: Page, secrets: Pick<Secrets, 'withoutPasswords'>, { otherMs }: VisitLimits) => {
  const content = async (): Promise<Omit<PageContent, 'isCut'>> => {
    const pieces: Piece[] = [];
    let loading = false;
    for (const frame of ownFrames(page)) {
      const read = await frame.evaluate(readPage, { mostPieces });
      if (read.isCut || pieces.length + read.pieces.length > mostPieces)
        throw new KeyPageTrouble(
          'The page holds more text than a person reads, or writes more and more. Open it in a browser and see whether it comes to rest.',
        );
      if (frame === page.mainFrame()) ({ loading } = read);
      for (const piece of read.pieces) pieces.push(piece);
    }
    return { loading, pieces };
  };

  /** What the document has kept under these names. */
  const noted = (names: readonly string[]): Promise<string[][]> =>
    page
      .evaluate(
        (kept) =>
          kept.map((name) => {
            const texts: unknown = Reflect.get(window, Symbol.for(name));
            return texts instanceof Set ? [...texts].map(String) : [];
          }),
        names,
      )
      .catch(() => []);

  /**
   * Texts that buttons copied, and that the page or a dialog showed before: placeholders may be
   * among them.
   */
  const passing = async (dialogs: readonly string[]): Promise<Piece[]> => {
    const unseen = { visible: false, aside: false } as const;
    const [shown = [], copied = []] = await noted([passingTexts, copiedTexts]);
    return [
      ...[...dialogs, ...shown].map((text) => ({ ...unseen, text, role: 'heading', passing: true }) as const),
      ...copied.map((text) => ({ ...unseen, text, role: 'attribute' }) as const),
    ];
  };

  return {
    content,
    /**
     * The texts of the page and of its frames of the same origin. Passwords are replaced here:
     * where digits are normalised later, none would be recognised any more.
     */
    read: async (dialogs: readonly string[]): Promise<Piece[]> => {
      for (let attempt = 0; attempt < 5; attempt += 1) {
        const reading = await within(otherMs, content()).catch((error: unknown) => {
          if (error instanceof KeyPageTrouble) throw error;
        });
        if (reading)
          return joinGroups([...reading.pieces, ...(await passing(dialogs))]).map((piece) => ({
            ...piece,
            text: secrets.withoutPasswords(piece.text),
          }));
        await pause(200);
      }
      throw new KeyPageTrouble('The page could not be read: it keeps navigating.');
    },
  };
};

/** The title of a document, and its error messages. Runs inside the page. */
const titleAndComplaints = inPage<Dom, void, { readonly title: string; readonly complaints: readonly string[] }>(
  ({ elementsIn }) => ({
    title: document.title,
    complaints: elementsIn(document.documentElement).flatMap((each) => {
      const { validity, validationMessage } = each as HTMLInputElement;
      return each.matches(':invalid') && validity?.customError ? [validationMessage] : [];
    }),
  }),
  ...dom,
);

/**
 * Texts of windows beside their pages: their titles, and the error messages of fields and buttons.
 */
export const saidAside = async ({
  context,
  limits,
}: {
  readonly context: BrowserContext;
  readonly limits: VisitLimits;
}): Promise<string[]> => {
  const none = (): string[] => [];
  const saidIn = async (frame: Frame): Promise<readonly string[]> => {
    const { title, complaints } = await frame.evaluate(titleAndComplaints);
    return frame.parentFrame() === null ? [title, ...complaints] : complaints;
  };
  const said = context.pages().flatMap((one) => ownFrames(one).map((frame) => saidIn(frame).catch(none)));
  const texts = await within(limits.otherMs, Promise.all(said)).catch(none);
  return texts.flat().filter((text) => text !== '');
};
