import type { Browser } from '@playwright/test';
import type { Gateway } from '../gateway/gateway.js';
import type { Secrets } from '../gateway/secrets.js';
import type { KeyPageInput, VisitLimits } from '../input.js';
import { Visit } from '../window/visit.js';
import { type Entering, enter } from './log-in.js';

/** What every step of a visit needs. */
export interface WalkContext extends Entering {
  readonly browser: Browser;
  readonly gateway: Gateway;
  readonly secrets: Secrets;
  readonly limits: VisitLimits;
  readonly given?: KeyPageInput['given'];
  /** Time in which a new key may become known to the API, or appear. */
  readonly lateMs: number;
  /** Ends the visit and closes its windows. */
  readonly signal: AbortSignal;
}

/** Runs a part of the visit in a new window, logged in, at the key page. */
export const inNewWindow = async <T>(walking: WalkContext, part: (visit: Visit) => Promise<T>): Promise<T> => {
  const { browser, settings, signal } = walking;
  signal.throwIfAborted();
  const visit = await Visit.open(browser, settings, walking);
  const stop = (): void => void visit.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    visit.readsOnly = !settings.generate;
    await enter(visit, walking);
    return await part(visit);
  } finally {
    signal.removeEventListener('abort', stop);
    await visit.close();
  }
};
