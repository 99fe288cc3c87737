import { setTimeout as pause } from 'node:timers/promises';
import { type FoundAction, findNextStep, takeStep } from './action.js';
import { type Control, controlsOf } from './controls.js';
import { KeyPageTrouble } from './input.js';
import { click } from './login.js';
import { statementsOf } from './message.js';
import type { KeyPageRecord } from './record.js';
import { keysOn, reveal, type Tried, tryKeys } from './shown-key.js';
import { isWrite, type Visit } from './visit.js';
import type { Walking } from './walking.js';

/** A dialog and a page that asks again: more than that is no longer one action. */
const mostSteps = 2;

export interface Pressed {
  readonly action: NonNullable<KeyPageRecord['action']>;
  /** What came of it: texts that look like keys and were not on the page before. */
  readonly tried: Tried;
  /** What the page said right after it. */
  readonly statements: readonly string[];
}

/**
 * Presses the action, once, and goes on through what it asks; no further once the page has sent anything but a read.
 * `known` are the key-like texts that the page showed before.
 */
export const press = async (
  visit: Visit,
  { control, certain }: Pick<Extract<FoundAction, { control: Control }>, 'control' | 'certain'>,
  { settings, secrets, patienceMs }: Walking,
  known: readonly string[],
): Promise<Pressed> => {
  const before = {
    url: visit.page.url(),
    controls: (await controlsOf(visit)).filter(({ visible }) => visible).map(({ name }) => name),
  };
  const from = { requests: visit.requests.length, dialogs: visit.dialogs.length };
  const wasOn = visit.document;
  const steps: string[] = [];
  const seen = new Set(known);
  let tried: Tried = { key: undefined, refused: [], unknown: false };
  let trouble: string | undefined;
  let revealed = false;
  let statements: string[] = [];
  const wrote = (): boolean => visit.requests.slice(from.requests).some(isWrite);
  visit.agrees = true;
  try {
    await click(await control.element());
    await visit.settle();
    const end = Date.now() + patienceMs;
    while (tried.key === undefined) {
      const pieces = await visit.read();
      statements = statementsOf(pieces);
      const candidates = await keysOn(visit, pieces, settings.keySelector);
      const fresh = candidates.filter(({ value }) => !seen.has(value));
      for (const { value } of fresh) seen.add(value);
      const more = await tryKeys(fresh, secrets);
      tried = { key: more.key, refused: [...tried.refused, ...more.refused], unknown: tried.unknown || more.unknown };
      if (tried.key) break;
      const step = steps.length < mostSteps && !wrote() ? await findNextStep(visit, before) : undefined;
      if (step) {
        steps.push(step.name);
        await takeStep(visit, step, settings);
        await visit.settle();
        continue;
      }
      if (!revealed) {
        revealed = true;
        if (await reveal(visit)) continue;
      }
      if (Date.now() >= end || (visit.document !== wasOn && (visit.document?.status() ?? 0) >= 400)) break;
      await pause(150);
      await visit.settle();
    }
  } catch (error) {
    trouble =
      error instanceof KeyPageTrouble
        ? `The action was not finished. ${error.message}`
        : `Pressing it did not work: ${String(error).split('\n')[0]}`;
  } finally {
    visit.agrees = false;
  }
  const sent = visit.requests.slice(from.requests);
  const decisive = sent.find(isWrite) ?? sent[0];
  const request = decisive && `${decisive.method} ${decisive.path}`;
  const status = visit.document === wasOn ? decisive?.status : visit.document?.status();
  return {
    action: {
      name: control.name,
      pressed: true,
      certain,
      steps: [...visit.dialogs.slice(from.dialogs), ...steps],
      ...(trouble === undefined ? {} : { trouble }),
      ...(request === undefined ? {} : { request }),
      ...(status === undefined ? {} : { status }),
    },
    tried,
    statements,
  };
};
