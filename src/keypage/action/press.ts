import { setTimeout as pause } from 'node:timers/promises';
import type { ElementHandle } from '@playwright/test';
import { present } from '../../collections.js';
import type { KeyPageRecord } from '../../rules/key-page/record.js';
import { type Control, click } from '../controls/controls.js';
import { detectForm, fillAll, fillRequired, hasBlanks } from '../controls/fill-fields.js';
import type { Action } from '../controls/find-action.js';
import { isDragged, pointAt, tryGestures, visibleTexts } from '../controls/gestures.js';
import { KeyPageTrouble } from '../input.js';
import { reveal, type TriedCandidates } from '../key/shown-key.js';
import { checkPasswordFields } from '../log-in/type-secret.js';
import type { WalkContext } from '../log-in/walk-context.js';
import { saidOfBrowser } from '../window/browser.js';
import type { Visit } from '../window/visit.js';
import { awaitsField, fillForm, findNextStep, movedToField, offeredNames } from './next-step.js';
import { type PageBefore, pageBefore } from './page-before.js';
import { detectChange, SeenSince, type SentSince, sentSince } from './since-pressed.js';

/**
 * Maximum number of confirmations of one action: steps of a form, a dialog, a page that asks again.
 */
const maxSteps = 6;

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

/** One press of the action, and what came of it. */
interface PressAttempt {
  /** Whether the press reached the control. */
  readonly reached: boolean;
  /** Whether anything happened on the page since. */
  readonly happened: () => Promise<boolean>;
}

interface PressStart {
  readonly visit: Visit;
  readonly action: Action;
  readonly context: WalkContext;
  readonly before: PageBefore;
  readonly sent: SentSince;
  readonly seen: SeenSince;
}

/**
 * One action that is pressed once and confirmed, until the page has sent a write and asks for
 * nothing more. If nothing happened, a form was refused, or the focus moved to an empty field, it
 * is pressed once more: its script may have come late, or it needs a field.
 */
class Press {
  readonly #start: PressStart;
  /** Names of the controls that confirmed the action. */
  readonly #steps: string[] = [];
  /** What the page showed when a step was confirmed last. */
  #confirmed: string | undefined;
  /** When the page has had its time since the last press of anything. */
  #patienceEnds = Number.POSITIVE_INFINITY;
  /** The last press of the action, which may be the second. */
  #last: PressAttempt = { reached: false, happened: async () => false };
  /** `gestured`: every other way in which a person uses a control was tried too. */
  #stage: 'once' | 'twice' | 'gestured' = 'once';
  /** The status by which the first press was refused for its content. */
  #firstStatus: number | undefined;
  readonly #page = { reacted: false, revealed: false };
  /** What the record says of the end. */
  readonly #result: { idle?: 'certainly' | 'asks'; blanks: boolean } = { blanks: false };

  constructor(start: PressStart) {
    this.#start = start;
  }

  /** Presses and confirms, until a key is there, or nothing more comes. */
  async run(): Promise<void> {
    const { visit, action, context, seen } = this.#start;
    const element = await action.control.element();
    this.#result.blanks = await hasBlanks(element);
    await fillRequired(element, context.settings.username);
    await pointAt(visit, element, context.settings.action);
    const asksMore = await detectForm(visit);
    await this.#press(element);
    await visit.settle();
    this.#restartPatience();
    for (; ; await visit.settle()) {
      if (await seen.showsKey()) return;
      const next = (await this.#advances()) ? 'goes on' : await this.#tryAgain(element);
      if (next === 'ends') return;
      if (next === 'rests') break;
    }
    await this.#conclude(asksMore);
  }

  /** @param heldMs milliseconds for which the control is held down */
  async #press(element: ElementHandle<HTMLElement>, heldMs?: number): Promise<void> {
    const { visit } = this.#start;
    const happened = await detectChange(visit);
    this.#last = { reached: await click(visit, element, heldMs), happened };
    await visit.moveMouseOff();
  }

  #restartPatience(): void {
    this.#patienceEnds = Date.now() + this.#start.context.patienceMs;
  }

  /** Whether the page goes on by itself, or by a confirmation. */
  async #advances(): Promise<boolean> {
    if (await this.#confirms()) return true;
    const page = this.#page;
    page.reacted ||= await this.#last.happened();
    if (page.reacted && !page.revealed) {
      page.revealed = true;
      if (await reveal(this.#start.visit)) return true;
    }
    if (this.#isErrorPage() || Date.now() >= this.#patienceEnds) return false;
    await pause(150);
    return true;
  }

  #isErrorPage(): boolean {
    return (this.#start.sent.newPage() ?? 0) >= 400;
  }

  /**
   * Presses once more, or tries gestures.
   * @returns `rests` if the page has done what it does, `ends` if nothing can be done with it
   */
  async #tryAgain(element: ElementHandle<HTMLElement>): Promise<'goes on' | 'rests' | 'ends'> {
    if (this.#isErrorPage()) return 'rests';
    if (this.#stage === 'once') return this.#pressSecond(element);
    if (this.#page.reacted || !this.#last.reached) return 'rests';
    if (this.#stage === 'gestured') {
      this.#result.idle = this.#result.blanks || (await isDragged(element)) ? 'asks' : 'certainly';
      return 'ends';
    }
    this.#stage = 'gestured';
    await tryGestures(this.#start.visit, element, this.#last.happened);
    this.#restartPatience();
    return 'goes on';
  }

  async #pressSecond(element: ElementHandle<HTMLElement>): Promise<'goes on' | 'rests'> {
    const { visit, sent, before } = this.#start;
    const { reacted } = this.#page;
    // A form whose content was refused may lack a field.
    const firstStatus = sent.refusedContent();
    const wantsEntry = reacted && !sent.hasLeft() && (await movedToField(visit, before));
    const asksEntry = firstStatus !== undefined || wantsEntry;
    if ((reacted && !asksEntry) || !this.#last.reached) return 'rests';
    const isFilled = await fillAll(visit, element);
    if (asksEntry && !isFilled) return 'rests';
    await element.focus().catch(() => {});
    // Known before the press, which may throw.
    [this.#stage, this.#firstStatus] = ['twice', firstStatus];
    // Some actions must be held down.
    await this.#press(element, visit.limits.clickMs);
    this.#restartPatience();
    return 'goes on';
  }

  /** Also after a write: services ask for the password again before they make a key. */
  async #conclude(asksMore: () => Promise<boolean>): Promise<void> {
    const { visit, sent, before, seen, context } = this.#start;
    const asks =
      (await asksMore()) ||
      (await this.#nextStep()) !== undefined ||
      (sent.written() === undefined && (await awaitsField(visit, before)));
    if (!asks) return seen.tryLoneWords();
    this.#result.idle = 'asks';
    await checkPasswordFields(visit, context.settings);
  }

  #nextStep(): Promise<Control | undefined> {
    const { visit, before, sent, context } = this.#start;
    return findNextStep(visit, before, sent.written(), context.settings.action);
  }

  /** Fills in and presses what confirms the action, once for all that the page shows. */
  async #confirms(): Promise<boolean> {
    const { visit, before, context } = this.#start;
    const step = this.#steps.length < maxSteps ? await this.#nextStep() : undefined;
    if (!step || (await visibleTexts(visit)) === this.#confirmed) return false;
    this.#steps.push(step.name);
    const button = await step.element();
    this.#result.blanks ||= await hasBlanks(button);
    await fillForm(visit, step, before, context.settings);
    this.#confirmed = await visibleTexts(visit);
    await click(visit, button);
    this.#restartPatience();
    return true;
  }

  async outcome(trouble?: string): Promise<Pressed> {
    const { visit, action, before, sent, seen } = this.#start;
    const { control, certain } = action;
    const { tried, usedBefore } = seen;
    const { idle, blanks } = this.#result;
    // If the press did nothing, requests since then are the page's own.
    const decisive = idle === undefined ? sent.decisive() : undefined;
    const offers = tried.key === undefined ? await offeredNames(visit, before).catch(() => []) : [];
    const statements = await seen.statements();
    return {
      action: present({
        name: control.name,
        pressed: true,
        certain,
        steps: [...seen.dialogs(), ...this.#steps],
        twice: this.#stage === 'once' ? undefined : true,
        firstStatus: this.#firstStatus,
        idle,
        blanks: blanks || visit.hasEntered ? true : undefined,
        trouble,
        request: decisive && { method: decisive.method, path: decisive.path },
        offers: offers.length > 0 ? offers : undefined,
        status: sent.newPage() ?? decisive?.status,
      }),
      tried,
      usedBefore,
      hasSent: sent.hasLeft(),
      statements,
    };
  }
}

/**
 * Presses the action.
 * @param known key-like texts that the page showed before
 */
export const press = async (
  visit: Visit,
  action: Action,
  context: WalkContext,
  known: readonly string[],
): Promise<Pressed> => {
  const before = await pageBefore(visit);
  const sent = sentSince(visit);
  const seen = new SeenSince(visit, context, before, known);
  const pressing = new Press({ visit, action, context, before, sent, seen });
  visit.agrees = true;
  try {
    await pressing.run();
    return await pressing.outcome();
  } catch (error) {
    return await pressing.outcome(
      error instanceof KeyPageTrouble
        ? `The action was not finished. ${error.message}`
        : `“${action.control.name}” could not be pressed: ${saidOfBrowser(error)}. Look at the page in a browser, or set KEY_PAGE_ACTION to another control.`,
    );
  } finally {
    visit.agrees = false;
  }
};
