import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '../engine/results.js';
import { startBrowser } from './browser.js';
import { type KeyPageInput, type KeyPageOutcome, KeyPageTrouble } from './input.js';
import { judgeRecord } from './judge.js';
import type { KeyPageRecord } from './record.js';
import { Secrets } from './secrets.js';
import { type Walked, walk } from './walk.js';

export type { KeyPageInput, KeyPageObservation, KeyPageOutcome, KeyPageSettings, Opens } from './input.js';
export { checkOf, excludedKeyPage, judgeRecord, keyPageChecks } from './judge.js';
export type { Again, KeyPageRecord } from './record.js';

const unreached = ({ settings }: KeyPageInput, trouble: string): Walked => ({
  record: { asked: { generate: settings.generate, emptyText: settings.emptyText !== undefined }, trouble, facts: [] },
});

const walkIn = async (input: KeyPageInput, secrets: Secrets): Promise<Walked> => {
  let browser = input.browser;
  const stop = (): void => void browser?.close().catch(() => {});
  try {
    browser ??= await startBrowser(input.settings);
    if (input.signal?.aborted) return unreached(input, 'The run was stopped.');
    input.signal?.addEventListener('abort', stop, { once: true });
    return await walk({ browser, settings: input.settings, secrets, patienceMs: input.patienceMs ?? 6_000 }, input);
  } catch (error) {
    return unreached(
      input,
      error instanceof KeyPageTrouble
        ? error.message
        : `The browser could not be used: ${String(error).split('\n')[0]}`,
    );
  } finally {
    input.signal?.removeEventListener('abort', stop);
    if (browser !== input.browser) await browser?.close().catch(() => {});
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
  const { record, picture } = await walkIn(input, secrets);
  const { findings, observations } = judgeRecord(
    redacted(record satisfies KeyPageRecord, (text) => secrets.redact(text)),
  );
  const open = findings.some(({ outcome }) => outcome === 'failed' || outcome === 'inconclusive');
  let screenshot: string | undefined;
  if (picture && open && input.screenshotsDir !== undefined) {
    await mkdir(input.screenshotsDir, { recursive: true });
    screenshot = 'key-page.png';
    await writeFile(join(input.screenshotsDir, screenshot), picture);
  }
  const durationMs = Math.round(performance.now() - started);
  const finished = findings.map((finding, index): Finding => {
    const pictured = screenshot !== undefined && (finding.outcome === 'failed' || finding.outcome === 'inconclusive');
    const note = [finding.note, pictured ? `A picture of the page, keys blacked out: ${screenshot}.` : undefined]
      .filter((part) => part !== undefined)
      .join(' ');
    // One walk serves all checks: its time is told once.
    return { ...finding, ...(note === '' ? {} : { note }), durationMs: index === 0 ? durationMs : 0 };
  });
  return { findings: finished, observations };
};
