import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from '@playwright/test';
import { headlineIn } from '../engine/finding.js';
import type { Finding } from '../engine/results.js';
import { because } from '../rules/causes.js';
import type { KeyPageRecord } from '../rules/key-page/record.js';
import { startBrowser } from './browser.js';
import { type Gateway, openGateway } from './gateway.js';
import { type KeyPageInput, type KeyPageOutcome, KeyPageTrouble } from './input.js';
import { judgeRecord } from './judge.js';
import { limitsOf, slownessOf, usualPatienceMs } from './limits.js';
import { Secrets } from './secrets.js';
import { type Walked, walk } from './walk.js';

export type { KeyPageRecord, Opens } from '../rules/key-page/record.js';
export type { KeyPageInput, KeyPageOutcome, KeyPageSettings } from './input.js';
export { excludedKeyPage, judgeRecord } from './judge.js';

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
 * Adds the stopped requests to failed and inconclusive findings. A failure becomes inconclusive if
 * the page noticed a stopped request, since it may be the cause.
 */
const withStoppedRequests = (findings: readonly Finding[], { stopped }: KeyPageRecord): Finding[] =>
  findings.map((finding) => {
    if (stopped === undefined || (finding.outcome !== 'failed' && finding.outcome !== 'inconclusive')) return finding;
    const note = [finding.note, ...stopped.sentences].filter((part) => part !== undefined).join(' ');
    const noted = { ...finding, note };
    if (finding.outcome === 'inconclusive' || !stopped.felt) return noted;
    const { expected: _expected, seen: _seen, ...rest } = noted;
    const judgement = { outcome: 'inconclusive', cause: because('page-stopped') } as const;
    return {
      ...rest,
      ...judgement,
      ...headlineIn({ title: rest.title }, judgement),
      reason: `${finding.reason} The suite stopped a request of the page, so that this may not be the service's doing.`,
    };
  });

/**
 * Redacts everything that leaves this module, since names, messages and errors come from the page.
 */
const redacted = <T>(value: T, redact: (text: string) => string): T =>
  JSON.parse(JSON.stringify(value), (_name, member: unknown) =>
    typeof member === 'string' ? redact(member) : member,
  ) as T;

/**
 * Visits the key page in a browser and judges PAGE-1 to PAGE-3. What the contract leaves open is
 * observed. Presses the action that makes a key only on request, and once. Never rejects for what
 * the page or the browser does.
 */
export const judgeKeyPage = async (input: KeyPageInput): Promise<KeyPageOutcome> => {
  const started = performance.now();
  const secrets = new Secrets(input);
  const { record, picture, withheld } = await runWalk(input, secrets);
  const safe = redacted(record satisfies KeyPageRecord, (text) => secrets.redact(text));
  const { findings: judged, observations } = judgeRecord(safe);
  const findings = withStoppedRequests(judged, safe);
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
    // All checks share one visit; its duration is reported once.
    return { ...finding, ...(note === '' ? {} : { note }), durationMs: index === 0 ? durationMs : 0 };
  });
  const { givenKey } = record;
  const ended = givenKey?.opens === 'refused' ? [givenKey.setting] : [];
  return { findings: finished, observations, ended };
};
