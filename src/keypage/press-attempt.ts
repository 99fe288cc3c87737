import type { ElementHandle } from '@playwright/test';
import { click } from './controls.js';
import { detectChange } from './page-change.js';
import type { Visit } from './visit.js';

/** One press of the action, and what came of it. */
export interface PressAttempt {
  /** Whether the press reached the control. */
  readonly reached: boolean;
  /** Whether anything happened on the page since. */
  readonly happened: () => Promise<boolean>;
}

/** The second press of an action. */
export interface SecondPress extends PressAttempt {
  /** The status by which the first press was refused for its content. */
  readonly firstStatus?: number | undefined;
  /** Every other way in which a person uses a control was tried too. */
  readonly gestured: boolean;
}

/** @param heldMs milliseconds for which the control is held down */
export const pressOnce = async (
  visit: Visit,
  element: ElementHandle<HTMLElement>,
  heldMs?: number,
): Promise<PressAttempt> => {
  const happened = await detectChange(visit);
  return { reached: await click(visit, element, heldMs), happened };
};

/** The time that a page is given after each press. */
export class PressPatience {
  readonly #ms: number;
  #end = Number.POSITIVE_INFINITY;

  constructor(ms: number) {
    this.#ms = ms;
  }

  restart(): void {
    this.#end = Date.now() + this.#ms;
  }

  get isOver(): boolean {
    return Date.now() >= this.#end;
  }
}
