import { setTimeout as pause } from 'node:timers/promises';
import type { ElementHandle } from '@playwright/test';
import type { KeyPageRecord } from '../rules/key-page/record.js';
import { saidOfBrowser } from './browser.js';
import { type Control, click } from './controls.js';
import { detectForm, fillAll, fillRequired } from './fill-fields.js';
import { type Action, isNamedLikeAction } from './find-action.js';
import { KeyPageTrouble } from './input.js';
import { withoutKeys } from './key-candidates.js';
import { awaitsField, findNextStep, offeredNames, type PageBefore, pageBefore, takeStep } from './next-step.js';
import { statementsOf } from './page-wording.js';
import { alsoTried, candidatesOn, noneTried, reveal, type TriedKeys, tryKeys } from './shown-key.js';
import { detectChange, SentSince } from './since-press.js';
import { checkPasswordFields } from './type-secret.js';
import type { Visit } from './visit.js';
import type { WalkContext } from './walk-context.js';

/** Confirmations of one action: a dialog, and a page that asks again. */
const maxSteps = 2;

/** Dialogs that are told. */
const mostTold = 5;

export interface Pressed {
  readonly action: NonNullable<KeyPageRecord['action']>;
  /** New texts that look like keys, tried on the API. */
  readonly tried: TriedKeys;
  /** The run's own key, if it appeared: the action did not make it. */
  readonly usedBefore: string | undefined;
  /** A request or a message left the browser. */
  readonly hasSent: boolean;
  /** What the page said since, also for a moment. The latest comes last. */
  readonly statements: readonly string[];
}

const nameOf = (element: ElementHandle<HTMLElement>): Promise<string> =>
  element.evaluate((node) => {
    const own = node instanceof HTMLInputElement ? node.value : node.textContent;
    return (node.getAttribute('aria-label') || own || node.title).replace(/\s+/g, ' ').trim();
  });

/**
 * Points at the action, as a user does before pressing it.
 * @throws KeyPageTrouble if it then has the name of another one
 */
const pointAt = async (
  visit: Visit,
  element: ElementHandle<HTMLElement>,
  wanted: string | undefined,
): Promise<void> => {
  const before = await nameOf(element);
  await element.focus().catch(() => {});
  await element.hover({ timeout: visit.limits.clickMs, noWaitAfter: true }).catch(() => {});
  const name = await nameOf(element);
  if (name === before || isNamedLikeAction(name, wanted)) return;
  throw new KeyPageTrouble(`“${before}” became “${name}” when it was pointed at, and was not pressed.`);
};

/** One press of the action, and what it brings. */
class Pressing {
  readonly #visit: Visit;
  readonly #action: Action;
  readonly #walking: WalkContext;
  readonly #before: PageBefore;
  readonly #sent: SentSince;
  readonly #dialogsBefore: number;
  /** Key-like texts that were there before, or were tried. */
  readonly #seen: Set<string>;
  readonly #steps: string[] = [];
  #tried = noneTried;
  #usedBefore: string | undefined;
  readonly #statements = new Set<string>();
  #twice = false;
  #firstStatus: number | undefined;
  #idle: 'certainly' | 'asks' | undefined;

  constructor(visit: Visit, action: Action, walking: WalkContext, before: PageBefore, known: readonly string[]) {
    this.#visit = visit;
    this.#action = action;
    this.#walking = walking;
    this.#before = before;
    this.#sent = new SentSince(visit);
    this.#dialogsBefore = visit.dialogs.length;
    this.#seen = new Set(known);
  }

  /** Presses and confirms, until a key is there, or nothing more comes. */
  async run(): Promise<void> {
    const visit = this.#visit;
    const { settings, patienceMs } = this.#walking;
    const element = await this.#action.control.element();
    await fillRequired(element);
    await pointAt(visit, element, settings.action);
    const asksMore = await detectForm(visit);
    let happened = await detectChange(visit);
    let reached = await click(visit, element);
    await visit.settle();
    let end = Date.now() + patienceMs;
    let did = false;
    let revealed = false;
    for (; ; await visit.settle()) {
      if (await this.#showsKey()) return;
      if (await this.#takeStep()) continue;
      did ||= await happened();
      if (did && !revealed) {
        revealed = true;
        if (await reveal(visit)) continue;
      }
      if ((this.#sent.newPage ?? 0) >= 400) break;
      if (Date.now() < end) {
        await pause(150);
        continue;
      }
      // A form whose content was refused may lack a field.
      const refused = this.#twice ? undefined : this.#sent.refusedContent;
      if ((did && refused === undefined) || !reached) break;
      const { some, left } = await fillAll(visit, element);
      if (refused !== undefined && !some) break;
      if (this.#twice) {
        this.#idle = left ? 'asks' : 'certainly';
        return;
      }
      this.#twice = true;
      this.#firstStatus = refused;
      await element.focus().catch(() => {});
      happened = await detectChange(visit);
      // Some actions must be held down.
      reached = await click(visit, element, visit.limits.clickMs);
      end = Date.now() + patienceMs;
    }
    // Also after a write: services ask for the password again before they make a key.
    const asks =
      (await asksMore()) ||
      (await this.#nextStep()) !== undefined ||
      (this.#sent.written === undefined && (await awaitsField(visit, this.#before)));
    if (asks) {
      this.#idle = 'asks';
      await checkPasswordFields(visit, settings);
    }
  }

  /** Tries what looks like a key and was not there before. */
  async #showsKey(): Promise<boolean> {
    const { settings, secrets, given } = this.#walking;
    const pieces = await this.#visit.read();
    for (const text of statementsOf(pieces)) this.#statements.add(text);
    const candidates = await candidatesOn(this.#visit, pieces, settings.keySelector);
    const fresh = candidates.filter(({ value }) => !this.#seen.has(value));
    for (const { value } of fresh) this.#seen.add(value);
    this.#usedBefore ??= fresh.find(({ value }) => given?.is(value))?.value;
    const others = fresh.filter(({ value }) => !given?.is(value));
    this.#tried = alsoTried(this.#tried, await tryKeys(others, secrets));
    return this.#tried.key !== undefined;
  }

  #nextStep(): Promise<Control | undefined> {
    return findNextStep(this.#visit, this.#before, this.#sent.written, this.#walking.settings.action);
  }

  async #takeStep(): Promise<boolean> {
    const step = this.#steps.length < maxSteps ? await this.#nextStep() : undefined;
    if (!step) return false;
    this.#steps.push(step.name);
    await takeStep(this.#visit, step, this.#before, this.#walking.settings);
    return true;
  }

  async outcome(trouble: string | undefined): Promise<Pressed> {
    const { control, certain } = this.#action;
    const { dialogs } = this.#visit;
    // If the press did nothing, requests since then are the page's own.
    const decisive = this.#idle === undefined ? this.#sent.decisive : undefined;
    const offers =
      this.#tried.key === undefined && decisive === undefined
        ? await offeredNames(this.#visit, this.#before).catch(() => [])
        : [];
    const status = this.#sent.newPage ?? decisive?.status;
    const said = dialogs.slice(this.#dialogsBefore, this.#dialogsBefore + mostTold).map(withoutKeys);
    return {
      action: {
        name: control.name,
        pressed: true,
        certain,
        steps: [...said, ...this.#steps],
        ...(this.#twice ? { twice: true } : {}),
        ...(this.#firstStatus === undefined ? {} : { firstStatus: this.#firstStatus }),
        ...(this.#idle === undefined ? {} : { idle: this.#idle }),
        ...(trouble === undefined ? {} : { trouble }),
        ...(decisive === undefined ? {} : { request: { method: decisive.method, path: decisive.path } }),
        ...(offers.length > 0 ? { offers } : {}),
        ...(status === undefined ? {} : { status }),
      },
      tried: this.#tried,
      usedBefore: this.#usedBefore,
      hasSent: this.#sent.hasLeft,
      statements: [...this.#statements],
    };
  }
}

/**
 * Presses the action once and confirms it, until the page has sent a write and asks for nothing
 * more. If nothing happened, or a form was refused, it is pressed once more: its script may have come
 * late, or it needs a field.
 * @param known key-like texts that the page showed before
 */
export const press = async (
  visit: Visit,
  action: Action,
  walking: WalkContext,
  known: readonly string[],
): Promise<Pressed> => {
  const pressing = new Pressing(visit, action, walking, await pageBefore(visit), known);
  visit.agrees = true;
  try {
    await pressing.run();
    return await pressing.outcome(undefined);
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
