import { setTimeout as pause } from 'node:timers/promises';
import type { ElementHandle } from '@playwright/test';
import { present } from '../collections.js';
import type { KeyPageRecord } from '../rules/key-page/record.js';
import { saidOfBrowser } from './browser.js';
import { type Control, click } from './controls.js';
import { detectForm, fillAll, fillRequired, hasBlanks } from './fill-fields.js';
import type { Action } from './find-action.js';
import { isDragged, tryGestures } from './gestures.js';
import { KeyPageTrouble } from './input.js';
import {
  awaitsField,
  fillForm,
  findNextStep,
  movedToField,
  offeredNames,
  type PageBefore,
  pageBefore,
} from './next-step.js';
import { detectChange } from './page-change.js';
import { pointAt, visibleTexts } from './pointing.js';
import { SeenSince } from './seen-since.js';
import { type SentSince, sentSince } from './sent-since.js';
import { reveal, type TriedCandidates } from './shown-key.js';
import { checkPasswordFields } from './type-secret.js';
import type { Visit } from './visit.js';
import type { WalkContext } from './walk-context.js';

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
  readonly #visit: Visit;
  readonly #action: Action;
  readonly #context: WalkContext;
  readonly #before: PageBefore;
  readonly #seen: SeenSince;
  readonly #sent: SentSince;
  readonly #steps: string[] = [];
  /** Set by the second press, with the status by which the first one was refused. */
  #second: { readonly firstStatus?: number } | undefined;
  #idle: 'certainly' | 'asks' | undefined;
  #blanks = false;
  #end = Number.POSITIVE_INFINITY;
  /** What the page showed when a step was confirmed last. */
  #confirmed: string | undefined;
  /** Whether anything happened since the last press, and since the first one. */
  #happened: () => Promise<boolean> = async () => false;
  #did = false;
  /** Whether the last press reached the control. */
  #reached = false;
  #revealed = false;
  #gestured = false;

  constructor({ visit, action, context, before, sent, seen }: PressStart) {
    this.#visit = visit;
    this.#action = action;
    this.#context = context;
    this.#before = before;
    this.#seen = seen;
    this.#sent = sent;
  }

  /** Presses and confirms, until a key is there, or nothing more comes. */
  async run(): Promise<void> {
    const visit = this.#visit;
    const element = await this.#action.control.element();
    this.#blanks = await hasBlanks(element);
    await fillRequired(element);
    await pointAt(visit, element, this.#context.settings.action);
    const asksMore = await detectForm(visit);
    this.#happened = await detectChange(visit);
    this.#reached = await click(visit, element);
    await visit.settle();
    this.#wait();
    for (; ; await visit.settle()) {
      if (await this.#seen.showsKey()) return;
      const next = (await this.#advances()) ? 'goes on' : await this.#tryAgain(element);
      if (next === 'ends') return;
      if (next === 'rests') break;
    }
    await this.#conclude(asksMore);
  }

  #wait(): void {
    this.#end = Date.now() + this.#context.patienceMs;
  }

  /** Whether the page goes on by itself, or by a confirmation. */
  async #advances(): Promise<boolean> {
    if (await this.#confirms()) return true;
    this.#did ||= await this.#happened();
    if (this.#did && !this.#revealed) {
      this.#revealed = true;
      if (await reveal(this.#visit)) return true;
    }
    if ((this.#sent.newPage() ?? 0) >= 400 || Date.now() >= this.#end) return false;
    await pause(150);
    return true;
  }

  /**
   * Presses once more, or tries gestures.
   * @returns `rests` if the page has done what it does, `ends` if nothing can be done with it
   */
  async #tryAgain(element: ElementHandle<HTMLElement>): Promise<'goes on' | 'rests' | 'ends'> {
    const visit = this.#visit;
    const second = this.#second;
    if ((this.#sent.newPage() ?? 0) >= 400) return 'rests';
    // A form whose content was refused may lack a field.
    const refused = second ? undefined : this.#sent.refusedContent();
    const wantsEntry = !second && this.#did && !this.#sent.hasLeft() && (await movedToField(visit, this.#before));
    if ((this.#did && refused === undefined && !wantsEntry) || !this.#reached) return 'rests';
    if (second && !this.#gestured) {
      this.#gestured = true;
      await tryGestures(visit, element, this.#happened);
      this.#wait();
      return 'goes on';
    }
    if (second) {
      this.#idle = this.#blanks || (await isDragged(element)) ? 'asks' : 'certainly';
      return 'ends';
    }
    const isFilled = await fillAll(visit, element);
    if ((refused !== undefined || wantsEntry) && !isFilled) return 'rests';
    this.#second = refused === undefined ? {} : { firstStatus: refused };
    await element.focus().catch(() => {});
    this.#happened = await detectChange(visit);
    // Some actions must be held down.
    this.#reached = await click(visit, element, visit.limits.clickMs);
    this.#wait();
    return 'goes on';
  }

  /** Also after a write: services ask for the password again before they make a key. */
  async #conclude(asksMore: () => Promise<boolean>): Promise<void> {
    const asks =
      (await asksMore()) ||
      (await this.#nextStep()) !== undefined ||
      (this.#sent.written() === undefined && (await awaitsField(this.#visit, this.#before)));
    if (!asks) return this.#seen.tryLoneWords();
    this.#idle = 'asks';
    await checkPasswordFields(this.#visit, this.#context.settings);
  }

  #nextStep(): Promise<Control | undefined> {
    return findNextStep(this.#visit, this.#before, this.#sent.written(), this.#context.settings.action);
  }

  /** Fills in and presses what confirms the action, once for all that the page shows. */
  async #confirms(): Promise<boolean> {
    const visit = this.#visit;
    const step = this.#steps.length < maxSteps ? await this.#nextStep() : undefined;
    if (!step || (await visibleTexts(visit)) === this.#confirmed) return false;
    this.#steps.push(step.name);
    const button = await step.element();
    this.#blanks ||= await hasBlanks(button);
    await fillForm(visit, step, this.#before, this.#context.settings);
    this.#confirmed = await visibleTexts(visit);
    await click(visit, button);
    this.#wait();
    return true;
  }

  async outcome(trouble?: string): Promise<Pressed> {
    const visit = this.#visit;
    const { control, certain } = this.#action;
    const { tried, usedBefore } = this.#seen;
    // If the press did nothing, requests since then are the page's own.
    const decisive = this.#idle === undefined ? this.#sent.decisive() : undefined;
    const offers = tried.key === undefined ? await offeredNames(visit, this.#before).catch(() => []) : [];
    const status = this.#sent.newPage() ?? decisive?.status;
    const statements = await this.#seen.statements();
    return {
      action: present({
        name: control.name,
        pressed: true,
        certain,
        steps: [...this.#seen.dialogs(), ...this.#steps],
        ...(this.#second ? { twice: true, ...this.#second } : {}),
        idle: this.#idle,
        blanks: this.#blanks || visit.hasEntered ? true : undefined,
        trouble,
        request: decisive && { method: decisive.method, path: decisive.path },
        offers: offers.length > 0 ? offers : undefined,
        status,
      }),
      tried,
      usedBefore,
      hasSent: this.#sent.hasLeft(),
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
  const seen = await SeenSince.from(visit, context, known);
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
