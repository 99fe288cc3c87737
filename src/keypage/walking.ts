import type { Browser } from '@playwright/test';
import { enter } from './enter.js';
import type { Gateway } from './gateway.js';
import type { KeyPageInput, KeyPageSettings } from './input.js';
import type { Limits } from './limits.js';
import type { Secrets } from './secrets.js';
import { Visit } from './visit.js';

/** What every step of a walk needs. */
export interface Walking {
  readonly browser: Browser;
  readonly gateway: Gateway;
  readonly settings: KeyPageSettings;
  readonly secrets: Secrets;
  /** For something that the page may still be about to render. */
  readonly patienceMs: number;
  readonly limits: Limits;
  readonly given?: KeyPageInput['given'];
  /** Ends the walk: its windows are closed. */
  readonly signal: AbortSignal;
}

/** Opens a window of its own for a part of the walk, at the key page, logged in. */
export const inNewWindow = async <T>(walking: Walking, part: (visit: Visit) => Promise<T>): Promise<T> => {
  const { browser, settings, patienceMs, signal } = walking;
  signal.throwIfAborted();
  const visit = await Visit.open(browser, settings, walking);
  const stop = (): void => void visit.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    visit.readsOnly = !settings.generate;
    await enter(visit, settings, patienceMs);
    return await part(visit);
  } finally {
    signal.removeEventListener('abort', stop);
    await visit.close();
  }
};
