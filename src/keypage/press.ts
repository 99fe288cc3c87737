import { setTimeout as pause } from 'node:timers/promises';
import type { KeyPageRecord } from '../rules/key-page/record.js';
import { type FoundAction, findNextStep, takeStep } from './action.js';
import { type Control, controlsOf } from './controls.js';
import { fillAll, fillRequired } from './fields.js';
import { KeyPageTrouble } from './input.js';
import { click } from './login.js';
import { statementsOf } from './message.js';
import { keysOn, reveal, type Tried, tryKeys } from './shown-key.js';
import { stillnessOf } from './stillness.js';
import { isWrite, type Visit } from './visit.js';
import type { Walking } from './walking.js';

/** A dialog and a page that asks again: more than that is no longer one action. */
const mostSteps = 2;

export interface Pressed {
  readonly action: NonNullable<KeyPageRecord['action']>;
  /** What came of it: texts that look like keys and were not on the page before. */
  readonly tried: Tried;
  /** The key that the run was given, where it appeared now: no press made it. */
  readonly usedBefore: string | undefined;
  /** What the page said right after it. */
  readonly statements: readonly string[];
}

/**
 * Presses the action, once, and goes on through what it asks; no further once the page has sent anything but a read.
 * A press after which no request leaves the browser and nothing on the page changes has made nothing, so that it is done once more: a page
 * whose script came late, or that waits for a field, does something then.
 * `known` are the key-like texts that the page showed before.
 */
export const press = async (
  visit: Visit,
  { control, certain }: Pick<Extract<FoundAction, { control: Control }>, 'control' | 'certain'>,
  { settings, secrets, patienceMs, given }: Walking,
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
  let usedBefore: string | undefined;
  let twice = false;
  let idle: 'certainly' | 'asks' | undefined;
  const wrote = (): boolean => visit.requests.slice(from.requests).some(isWrite);
  visit.agrees = true;
  try {
    const element = await control.element();
    await fillRequired(element);
    await element.focus().catch(() => {});
    let still = await stillnessOf(visit);
    let reached = await click(visit, element);
    await visit.settle();
    let end = Date.now() + patienceMs;
    let did = false;
    while (tried.key === undefined) {
      const pieces = await visit.read();
      statements = statementsOf(pieces);
      const candidates = await keysOn(visit, pieces, settings.keySelector);
      const fresh = candidates.filter(({ value }) => !seen.has(value));
      for (const { value } of fresh) seen.add(value);
      usedBefore ??= fresh.find(({ value }) => given?.is(value))?.value;
      const more = await tryKeys(
        fresh.filter(({ value }) => !given?.is(value)),
        secrets,
      );
      tried = { key: more.key, refused: [...tried.refused, ...more.refused], unknown: tried.unknown || more.unknown };
      if (tried.key) break;
      const step = steps.length < mostSteps && !wrote() ? await findNextStep(visit, before) : undefined;
      if (step) {
        steps.push(step.name);
        await takeStep(visit, step, settings);
        await visit.settle();
        continue;
      }
      did ||= !(await still.holds());
      if (did && !revealed) {
        revealed = true;
        if (await reveal(visit)) continue;
      }
      if (visit.document !== wasOn && (visit.document?.status() ?? 0) >= 400) break;
      if (Date.now() >= end) {
        if (did || !reached) break;
        const asks = await fillAll(visit, element);
        if (twice) {
          idle = asks ? 'asks' : 'certainly';
          break;
        }
        twice = true;
        await element.focus().catch(() => {});
        still = await stillnessOf(visit);
        reached = await click(visit, element);
        end = Date.now() + patienceMs;
      } else await pause(150);
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
  // Of a press that did nothing, the page's own habits are no answer.
  const sent = idle === undefined ? visit.requests.slice(from.requests) : [];
  const decisive = sent.find(isWrite) ?? sent[0];
  const request = decisive && `${decisive.method} ${decisive.path}`;
  const status = visit.document === wasOn ? decisive?.status : visit.document?.status();
  return {
    action: {
      name: control.name,
      pressed: true,
      certain,
      steps: [...visit.dialogs.slice(from.dialogs), ...steps],
      ...(twice ? { twice } : {}),
      ...(idle === undefined ? {} : { idle }),
      ...(trouble === undefined ? {} : { trouble }),
      ...(request === undefined ? {} : { request }),
      ...(status === undefined ? {} : { status }),
    },
    tried,
    usedBefore,
    statements,
  };
};
