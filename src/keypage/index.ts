import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from '@playwright/test';
import type { Finding } from '../engine/results.js';
import type { KeyPageRecord } from '../rules/key-page/record.js';
import { startBrowser } from './browser.js';
import { type Gateway, openGateway } from './gateway.js';
import { type KeyPageInput, type KeyPageOutcome, KeyPageTrouble } from './input.js';
import { judgeRecord } from './judge.js';
import { limitsOf, slownessOf, usualPatienceMs } from './limits.js';
import { Secrets } from './secrets.js';
import { tellStopped } from './stopped.js';
import { type Walked, walk } from './walk.js';

export type { KeyPageRecord, Opens } from '../rules/key-page/record.js';
export type { KeyPageInput, KeyPageOutcome, KeyPageSettings } from './input.js';
export { excludedKeyPage, judgeRecord } from './judge.js';

const unreached = ({ settings }: KeyPageInput, trouble: string): Walked => ({
  record: { asked: { generate: settings.generate, emptyText: settings.emptyText !== undefined }, trouble, facts: [] },
});

const usualDeadlineMs = 300_000;

const walkIn = async (input: KeyPageInput, secrets: Secrets): Promise<Walked> => {
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

/** Everything that leaves this module goes through the redaction once more: names of controls, messages and errors come from the page. */
const redacted = <T>(value: T, redact: (text: string) => string): T =>
  JSON.parse(JSON.stringify(value), (_name, member: unknown) =>
    typeof member === 'string' ? redact(member) : member,
  ) as T;

/**
 * Walks through the key page in a real browser and judges PAGE-1 to PAGE-3; what the contract leaves open is observed.
 * Presses the action that makes a key only when asked to, once. Resolves for whatever page or browser do.
 */
export const judgeKeyPage = async (input: KeyPageInput): Promise<KeyPageOutcome> => {
  const started = performance.now();
  const secrets = new Secrets(input);
  const { record, picture, withheld } = await walkIn(input, secrets);
  const safe = redacted(record satisfies KeyPageRecord, (text) => secrets.redact(text));
  const { findings: judged, observations } = judgeRecord(safe);
  const findings = tellStopped(judged, safe);
  const open = findings.some(({ outcome }) => outcome === 'failed' || outcome === 'inconclusive');
  let screenshot: string | undefined;
  if (picture && open && input.screenshotsDir !== undefined) {
    await mkdir(input.screenshotsDir, { recursive: true });
    screenshot = 'key-page.png';
    await writeFile(join(input.screenshotsDir, screenshot), picture);
  }
  const durationMs = Math.round(performance.now() - started);
  const finished = findings.map((finding, index): Finding => {
    const isOpen = finding.outcome === 'failed' || finding.outcome === 'inconclusive';
    const pictured =
      screenshot !== undefined
        ? `A picture of the page, keys blacked out: ${screenshot}.`
        : withheld
          ? 'No picture was kept: after the action the page may show a key that was not recognised.'
          : undefined;
    const note = [finding.note, isOpen ? pictured : undefined].filter((part) => part !== undefined).join(' ');
    // One walk serves all checks: its time is told once.
    return { ...finding, ...(note === '' ? {} : { note }), durationMs: index === 0 ? durationMs : 0 };
  });
  const { givenKey } = record;
  const ended = givenKey?.opens === 'refused' ? [givenKey.setting] : [];
  return { findings: finished, observations, ended };
};
