import { setTimeout as pause } from 'node:timers/promises';
import { present } from '../collections.js';
import type { KeyPageRecord } from '../rules/key-page/record.js';
import { saidOfBrowser } from './browser.js';
import { type Control, click } from './controls.js';
import { detectForm, fillAll, fillRequired, hasBlanks } from './fill-fields.js';
import type { Action } from './find-action.js';
import { isDragged, tryGestures } from './gestures.js';
import { KeyPageTrouble } from './input.js';
import { withoutKeys } from './key-candidates.js';
import { tryLoneWords } from './lone-words.js';
import { addressOf, awaitsField, fillForm, findNextStep, movedToField, offeredNames, pageBefore } from './next-step.js';
import { saidAside } from './page-reader.js';
import { isWrite, type PageRequest } from './page-traffic.js';
import { statementsOf } from './page-wording.js';
import { pointAt, visibleTexts } from './pointing.js';
import type { Piece } from './read-page.js';
import { alsoTried, candidatesOn, noneTried, reveal, type TriedCandidates, tryKeys } from './shown-key.js';
import { checkPasswordFields } from './type-secret.js';
import type { Visit } from './visit.js';
import type { WalkContext } from './walk-context.js';

/**
 * Maximum number of confirmations of one action: steps of a form, a dialog, a page that asks again.
 */
const maxSteps = 6;

/** Number of dialogs that are reported. */
const mostReported = 5;

export interface Pressed {
  readonly action: NonNullable<KeyPageRecord['action']>;
  /** New texts that look like keys, tried on the API. */
  readonly tried: TriedCandidates;
  /** The run's own key, if it appeared: the action did not make it. */
  readonly usedBefore: string | undefined;
  /** A request or a message left the browser. */
  readonly hasSent: boolean;
  /** What the page said since, also for a moment. The latest comes last. */
  readonly statements: readonly string[];
}

/** Number of parts of a page that cannot be read. */
const unreadIn = (pieces: readonly Piece[]): number => pieces.filter(({ picture, unread }) => picture || unread).length;

/**
 * Presses the action once and confirms it, until the page has sent a write and asks for nothing
 * more. If nothing happened, a form was refused, or the focus moved to an empty field, it is
 * pressed once more: its script may have come late, or it needs a field.
 * @param known key-like texts that the page showed before
 */
export const press = async (
  visit: Visit,
  { control, certain }: Action,
  { settings, secrets, given, patienceMs }: WalkContext,
  known: readonly string[],
): Promise<Pressed> => {
  const before = await pageBefore(visit);
  const sent = sentSince(visit);
  const dialogsBefore = visit.dialogs.length;
  const noticesBefore = [...visit.notices];
  const asideBefore = new Set(await saidAside(visit));
  /** Key-like texts that were there before, or were tried. */
  const seen = new Set(known);
  const statements = new Set<string>();
  const aside = new Set<string>();
  const piecesBefore = await visit.read();
  const unreadBefore = unreadIn(piecesBefore);
  const hearAside = async (): Promise<void> => {
    for (const text of await saidAside(visit)) if (!asideBefore.has(text)) aside.add(text);
  };
  const steps: string[] = [];
  let tried = noneTried;
  let usedBefore: string | undefined;
  /** Set by the second press, with the status by which the first one was refused. */
  let second: { readonly firstStatus?: number } | undefined;
  let idle: 'certainly' | 'asks' | undefined;
  let blanks = false;
  let end = Number.POSITIVE_INFINITY;
  /** What the page showed when a step was confirmed last. */
  let confirmed: string | undefined;

  /** Tries what looks like a key and was not there before. */
  const showsKey = async (): Promise<boolean> => {
    const pieces = await visit.read();
    for (const text of statementsOf(pieces)) statements.add(text);
    if (unreadIn(pieces) > unreadBefore) aside.add('(a picture without a text)');
    await hearAside();
    const candidates = await candidatesOn(visit, pieces, settings.keySelector);
    const fresh = candidates.filter(({ value }) => !seen.has(value));
    for (const { value } of fresh) seen.add(value);
    usedBefore ??= fresh.find(({ value }) => given?.is(value))?.value;
    const others = fresh.filter(({ value }) => !given?.is(value));
    tried = alsoTried(tried, await tryKeys(others, secrets));
    return tried.key !== undefined;
  };

  const nextStep = (): Promise<Control | undefined> => findNextStep(visit, before, sent.written(), settings.action);

  /** Fills in and presses what confirms the action, once for all that the page shows. */
  const confirms = async (): Promise<boolean> => {
    const step = steps.length < maxSteps ? await nextStep() : undefined;
    if (!step || (await visibleTexts(visit)) === confirmed) return false;
    steps.push(step.name);
    const button = await step.element();
    blanks ||= await hasBlanks(button);
    await fillForm(visit, button, before, settings);
    confirmed = await visibleTexts(visit);
    await click(visit, button);
    end = Date.now() + patienceMs;
    return true;
  };

  /** Presses and confirms, until a key is there, or nothing more comes. */
  const run = async (): Promise<void> => {
    const element = await control.element();
    blanks = await hasBlanks(element);
    await fillRequired(element);
    await pointAt(visit, element, settings.action);
    const asksMore = await detectForm(visit);
    let happened = await detectChange(visit);
    let reached = await click(visit, element);
    await visit.settle();
    end = Date.now() + patienceMs;
    let did = false;
    let revealed = false;
    let gestured = false;
    for (; ; await visit.settle()) {
      if (await showsKey()) return;
      if (await confirms()) continue;
      did ||= await happened();
      if (did && !revealed) {
        revealed = true;
        if (await reveal(visit)) continue;
      }
      if ((sent.newPage() ?? 0) >= 400) break;
      if (Date.now() < end) {
        await pause(150);
        continue;
      }
      // A form whose content was refused may lack a field.
      const refused = second ? undefined : sent.refusedContent();
      const wantsEntry = !second && did && !sent.hasLeft() && (await movedToField(visit, before));
      if ((did && refused === undefined && !wantsEntry) || !reached) break;
      if (second && !gestured) {
        gestured = true;
        await tryGestures(visit, element, happened);
        end = Date.now() + patienceMs;
        continue;
      }
      if (second) {
        idle = blanks || (await isDragged(element)) ? 'asks' : 'certainly';
        return;
      }
      const isFilled = await fillAll(visit, element);
      if ((refused !== undefined || wantsEntry) && !isFilled) break;
      second = refused === undefined ? {} : { firstStatus: refused };
      await element.focus().catch(() => {});
      happened = await detectChange(visit);
      // Some actions must be held down.
      reached = await click(visit, element, visit.limits.clickMs);
      end = Date.now() + patienceMs;
    }
    // Also after a write: services ask for the password again before they make a key.
    const asks =
      (await asksMore()) ||
      (await nextStep()) !== undefined ||
      (sent.written() === undefined && (await awaitsField(visit, before)));
    if (asks) {
      idle = 'asks';
      await checkPasswordFields(visit, settings);
    } else tried = alsoTried(tried, await tryLoneWords(piecesBefore, await visit.read(), tried, { secrets, given }));
  };

  const outcome = async (trouble?: string): Promise<Pressed> => {
    // If the press did nothing, requests since then are the page's own.
    const decisive = idle === undefined ? sent.decisive() : undefined;
    const offers = tried.key === undefined ? await offeredNames(visit, before).catch(() => []) : [];
    const status = sent.newPage() ?? decisive?.status;
    await hearAside();
    const notices = [...visit.notices.filter((text) => !noticesBefore.includes(text)), ...aside];
    const said = visit.dialogs.slice(dialogsBefore, dialogsBefore + mostReported).map(withoutKeys);
    return {
      action: present({
        name: control.name,
        pressed: true,
        certain,
        steps: [...said, ...steps],
        ...(second ? { twice: true, ...second } : {}),
        idle,
        blanks: blanks || visit.hasEntered ? true : undefined,
        trouble,
        request: decisive && { method: decisive.method, path: decisive.path },
        offers: offers.length > 0 ? offers : undefined,
        status,
      }),
      tried,
      usedBefore,
      hasSent: sent.hasLeft(),
      statements: [...statements, ...notices.map(withoutKeys)],
    };
  };

  visit.agrees = true;
  try {
    await run();
    return await outcome();
  } catch (error) {
    return await outcome(
      error instanceof KeyPageTrouble
        ? `The action was not finished. ${error.message}`
        : `“${control.name}” could not be pressed: ${saidOfBrowser(error)}. Look at the page in a browser, or set KEY_PAGE_ACTION to another control.`,
    );
  } finally {
    visit.agrees = false;
  }
};

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
const detectChange = async (visit: Visit): Promise<() => Promise<boolean>> => {
  const state = await stateOf(visit);
  const habits = new Set(visit.traffic.sent.filter((sent) => /^(GET|HEAD) /.test(sent)));
  const [sent, dialogs, pages] = [visit.traffic.sent.length, visit.dialogs.length, visit.context.pages().length];
  return async () =>
    visit.traffic.sent.slice(sent).some((one) => !habits.has(one)) ||
    visit.dialogs.length !== dialogs ||
    visit.context.pages().length !== pages ||
    (await stateOf(visit)) !== state;
};

/** What a page has asked its own origins for since the action was pressed. */
const sentSince = (visit: Visit) => {
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
    /** Status of the page, if it is a new one. */
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
