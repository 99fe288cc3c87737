import { setTimeout as pause } from 'node:timers/promises';
import type { ElementHandle } from '@playwright/test';
import type { KeyPageRecord } from '../rules/key-page/record.js';
import { saidOfBrowser } from './browser-errors.js';
import { detectChange } from './change-detector.js';
import { click } from './click.js';
import { detectForm, fillAll, fillRequired } from './fill-fields.js';
import { type Action, isNamedLikeAction } from './find-action.js';
import { KeyPageTrouble } from './input.js';
import { withoutKeys } from './key-candidates.js';
import { findNextStep, newControls, pageBefore, takeStep } from './next-step.js';
import { isWrite } from './page-traffic.js';
import { statementsOf } from './page-wording.js';
import { alsoTried, candidatesOn, noneTried, reveal, type TriedKeys, tryKeys } from './shown-key.js';
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
  /** What the page said right afterwards. */
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

/**
 * Presses the action once and confirms it, until the page has sent a write and asks for nothing
 * more. If nothing happened, it is pressed once more: its script may have come late, or it needs a
 * field.
 * @param known key-like texts that the page showed before
 */
export const press = async (
  visit: Visit,
  { control, certain }: Action,
  { settings, secrets, patienceMs, given }: WalkContext,
  known: readonly string[],
): Promise<Pressed> => {
  const before = await pageBefore(visit);
  const from = {
    requests: visit.requests.length,
    dialogs: visit.dialogs.length,
    sent: visit.traffic.sent.length,
  };
  const wasOn = visit.document;
  const steps: string[] = [];
  const seen = new Set(known);
  let tried = noneTried;
  let trouble: string | undefined;
  let revealed = false;
  let statements: string[] = [];
  let usedBefore: string | undefined;
  let twice = false;
  let firstStatus: number | undefined;
  let idle: 'certainly' | 'asks' | undefined;
  // A write that is refused while the page stays has made nothing.
  const isRefused = ({ status = 0 }: { status?: number }): boolean =>
    visit.document === wasOn && status >= 400 && status < 500;
  const isContentRefused = (one: { status?: number }): boolean => isRefused(one) && /^4(00|22)$/.test(`${one.status}`);
  const sent = () => visit.requests.slice(from.requests);
  const written = () => sent().findLast((one) => isWrite(one) && !isRefused(one));
  visit.agrees = true;
  try {
    const element = await control.element();
    await fillRequired(element);
    await pointAt(visit, element, settings.action);
    const asksMore = await detectForm(visit);
    let happened = await detectChange(visit);
    let reached = await click(visit, element);
    await visit.settle();
    let end = Date.now() + patienceMs;
    let did = false;
    while (tried.key === undefined) {
      const pieces = await visit.read();
      statements = statementsOf(pieces);
      const candidates = await candidatesOn(visit, pieces, settings.keySelector);
      const fresh = candidates.filter(({ value }) => !seen.has(value));
      for (const { value } of fresh) seen.add(value);
      usedBefore ??= fresh.find(({ value }) => given?.is(value))?.value;
      const others = fresh.filter(({ value }) => !given?.is(value));
      tried = alsoTried(tried, await tryKeys(others, secrets));
      if (tried.key) break;
      const step =
        steps.length < maxSteps ? await findNextStep(visit, before, written()?.path, settings.action) : undefined;
      if (step) {
        steps.push(step.name);
        await takeStep(visit, step, before, settings);
        await visit.settle();
        continue;
      }
      did ||= await happened();
      if (did && !revealed) {
        revealed = true;
        if (await reveal(visit)) continue;
      }
      if (visit.document !== wasOn && (visit.document?.status() ?? 0) >= 400) break;
      if (Date.now() >= end) {
        // A form whose content was refused may lack a field.
        const writes = sent().filter(isWrite);
        const lacksContent = !twice && writes.length > 0 && writes.every(isContentRefused);
        if ((did && !lacksContent) || !reached) break;
        const { some, left } = await fillAll(visit, element);
        if (lacksContent && !some) break;
        if (twice) {
          idle = left ? 'asks' : 'certainly';
          break;
        }
        twice = true;
        firstStatus = lacksContent ? writes[0]?.status : undefined;
        await element.focus().catch(() => {});
        happened = await detectChange(visit);
        // Some actions must be held down.
        reached = await click(visit, element, visit.limits.clickMs);
        end = Date.now() + patienceMs;
      } else await pause(150);
      await visit.settle();
    }
    // Also after a write: services ask for the password again before they make a key.
    const asksStill = async (): Promise<boolean> =>
      (await findNextStep(visit, before, written()?.path, settings.action)) !== undefined;
    if (tried.key === undefined && idle === undefined && ((await asksMore()) || (await asksStill()))) {
      idle = 'asks';
      await checkPasswordFields(visit, settings);
    }
  } catch (error) {
    trouble =
      error instanceof KeyPageTrouble
        ? `The action was not finished. ${error.message}`
        : `“${control.name}” could not be pressed: ${saidOfBrowser(error)}. Look at the page in a browser, or set KEY_PAGE_ACTION to another control.`;
  } finally {
    visit.agrees = false;
  }
  // If the press did nothing, requests since then are the page's own.
  const own = idle === undefined ? sent() : [];
  const decisive = own.find((one) => isWrite(one) && !isRefused(one)) ?? own.find(isWrite) ?? own[0];
  const offers =
    tried.key === undefined && decisive === undefined ? await newControls(visit, before).catch(() => []) : [];
  const request = decisive && { method: decisive.method, path: decisive.path };
  const status = visit.document === wasOn ? decisive?.status : visit.document?.status();
  return {
    action: {
      name: control.name,
      pressed: true,
      certain,
      steps: [...visit.dialogs.slice(from.dialogs, from.dialogs + mostTold).map(withoutKeys), ...steps],
      ...(twice ? { twice } : {}),
      ...(firstStatus === undefined ? {} : { firstStatus }),
      ...(idle === undefined ? {} : { idle }),
      ...(trouble === undefined ? {} : { trouble }),
      ...(request === undefined ? {} : { request }),
      ...(offers.length > 0 ? { offers } : {}),
      ...(status === undefined ? {} : { status }),
    },
    tried,
    usedBefore,
    hasSent: visit.traffic.sent.length > from.sent,
    statements,
  };
};
