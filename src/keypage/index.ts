import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from '@playwright/test';
import { rules } from '../rules/index.js';
import { judgeWalk } from '../rules/key-page/judge-walk.js';
import type { KeyPageRecord } from '../rules/key-page/record.js';
import { startBrowser } from './browser.js';
import { type Gateway, openGateway } from './gateway.js';
import { type KeyPageInput, KeyPageTrouble } from './input.js';
import { limitsOf, slownessOf, usualPatienceMs } from './limits.js';
import { Secrets } from './secrets.js';
import { type Walked, walk } from './walk.js';

export type { KeyPageRecord, Opens } from '../rules/key-page/record.js';
export type { KeyPageInput, KeyPageSettings } from './input.js';

const unreached = ({ settings }: KeyPageInput, trouble: string): Walked => ({
  record: { asked: { generate: settings.generate, emptyText: settings.emptyText !== undefined }, trouble, facts: [] },
});

const usualDeadlineMs = 300_000;

const runWalk = async (input: KeyPageInput, secrets: Secrets): Promise<Walked> => {
  const { settings, patienceMs = usualPatienceMs, deadlineMs, screenshotsDir } = input;
  const ending = new AbortController();
  const stop = (): void => ending.abort(input.signal?.reason);
  const endAfter = (ms: number): NodeJS.Timeout =>
    setTimeout(() => ending.abort(new KeyPageTrouble(`The key page took longer than ${Math.round(ms / 1000)} s.`)), ms);
  let timer = endAfter(deadlineMs ?? usualDeadlineMs);
  let own: Browser | undefined;
  let gateway: Gateway | undefined;
  try {
    if (input.signal?.aborted) return unreached(input, 'The run was stopped before the key page.');
    input.signal?.addEventListener('abort', stop, { once: true });
    own = input.browser === undefined ? await startBrowser(settings) : undefined;
    const browser = input.browser ?? own;
    if (!browser) return unreached(input, 'There is no browser.');
    const slowness = await slownessOf(browser);
    if (deadlineMs === undefined) {
      clearTimeout(timer);
      timer = endAfter(usualDeadlineMs * slowness);
    }
    const limits = limitsOf(Math.max(patienceMs, usualPatienceMs) * slowness);
    gateway = await openGateway(settings, secrets, limits);
    const waiting = { patienceMs: patienceMs * slowness, limits, signal: ending.signal };
    return await walk(
      { browser, gateway, settings, secrets, given: input.given, ...waiting },
      screenshotsDir !== undefined,
    );
  } catch (error) {
    const said = error instanceof KeyPageTrouble ? error.message : String(error).split('\n')[0];
    return unreached(input, `The browser could not be used: ${said}`);
  } finally {
    clearTimeout(timer);
    input.signal?.removeEventListener('abort', stop);
    await own?.close().catch(() => {});
    gateway?.close();
  }
};

/**
 * Redacts everything that leaves this module, since names, messages and errors come from the page.
 */
const redacted = <T>(value: T, redact: (text: string) => string): T =>
  JSON.parse(JSON.stringify(value), (_name, member: unknown) =>
    typeof member === 'string' ? redact(member) : member,
  ) as T;

const keyPageRules = rules.filter((rule) => rule.scope === 'key-page');

/** Whether somebody will want to see the page. */
const leavesOpen = (walk: KeyPageRecord): boolean =>
  keyPageRules.some((rule) => ['failed', 'inconclusive'].includes(judgeWalk(rule, walk).outcome));

/**
 * Visits the key page in a browser, for the rules to judge. Presses the action that makes a key
 * only on request, and once. Never rejects for what the page or the browser does.
 */
export const walkThroughKeyPage = async (input: KeyPageInput): Promise<KeyPageRecord> => {
  const secrets = new Secrets(input);
  const { record, picture, withheld } = await runWalk(input, secrets);
  const walk = redacted(record satisfies KeyPageRecord, (text) => secrets.redact(text));
  if (!leavesOpen(walk)) return walk;
  if (!picture || input.screenshotsDir === undefined) return withheld ? { ...walk, picture: 'withheld' } : walk;
  await mkdir(input.screenshotsDir, { recursive: true });
  const name = 'key-page.png';
  await writeFile(join(input.screenshotsDir, name), picture);
  return { ...walk, picture: { name } };
};
