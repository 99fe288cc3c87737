import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withTexts } from '../collections.js';
import type { Contract } from '../contract/model.js';
import { deploymentOf } from '../engine/deployment.js';
import type { VisitKeyPage } from '../engine/key-page.js';
import { rules } from '../rules/index.js';
import { judgeWalk } from '../rules/key-page/judge-walk.js';
import type { KeyPageOpens, KeyPageRecord } from '../rules/key-page/record.js';
import { onlyScheme } from '../rules/support/subjects.js';
import type { Target } from '../settings/target.js';
import { randomHex } from '../wire/key-variants.js';
import type { Exchange } from '../wire/types.js';
import { Gateway } from './gateway/gateway.js';
import { Secrets } from './gateway/secrets.js';
import {
  type KeyPageInput,
  type KeyPageSettings,
  KeyPageTrouble,
  limitsOf,
  slownessOf,
  usualPatienceMs,
} from './input.js';
import { opensWith, operationForKeys } from './key/try-key.js';
import { withoutNewWords } from './key/walk-record.js';
import type { WalkContext } from './log-in/walk-context.js';
import { ended, type Walked, walk } from './walk.js';
import { type OwnBrowser, saidOfBrowser, startBrowser } from './window/browser.js';

export type { KeyPageOpens as Opens, KeyPageRecord } from '../rules/key-page/record.js';
export type { KeyPageInput, KeyPageSettings } from './input.js';

const unreached = ({ settings }: KeyPageInput, trouble: string): Walked => ({
  record: { asked: { generate: settings.generate, emptyText: settings.emptyText !== undefined }, trouble, facts: [] },
});

const stopped = 'The run was stopped before the key page.';

/** Milliseconds for a visit, from the start of the browser. It is the same on every machine. */
const usualDeadlineMs = 300_000;

/** Milliseconds for a new key to become known to the API, since gateways cache for a minute. */
const usualLateMs = 120_000;

/** Starts what a visit needs. Whatever starts after the end of the visit is closed at once. */
const openBrowser = async (input: KeyPageInput, signal: AbortSignal): Promise<OwnBrowser> => {
  if (input.browser) return { browser: input.browser, close: async () => {} };
  const starting = startBrowser(input.settings, input.redact);
  return Promise.race([starting, ended(signal)]).catch((error: unknown) => {
    starting.then((late) => late.close()).catch(() => {});
    throw error;
  });
};

const runWalk = async (input: KeyPageInput, secrets: Secrets): Promise<Walked> => {
  const { settings, patienceMs = usualPatienceMs, deadlineMs = usualDeadlineMs, screenshotsDir } = input;
  const ending = new AbortController();
  const { signal } = ending;
  const stop = (): void => ending.abort(input.signal?.reason);
  const late = (): void =>
    ending.abort(new KeyPageTrouble(`The visit was ended after ${Math.round(deadlineMs / 1000)} s.`));
  const timer = setTimeout(late, deadlineMs);
  let own: OwnBrowser | undefined;
  let gateway: Gateway | undefined;
  try {
    if (input.signal?.aborted) return unreached(input, stopped);
    input.signal?.addEventListener('abort', stop, { once: true });
    own = await openBrowser(input, signal);
    const { browser } = own;
    const slowness = input.slowness ?? (await Promise.race([slownessOf(browser), ended(signal)]));
    const limits = limitsOf(Math.max(patienceMs, usualPatienceMs) * slowness);
    gateway = await Gateway.open(settings, secrets, limits);
    const walking: WalkContext = {
      browser,
      gateway,
      settings,
      secrets,
      given: input.given,
      patienceMs: patienceMs * slowness,
      lateMs: input.lateMs ?? usualLateMs,
      limits,
      progress: { waitsFor: 'the browser', restlessMs: limits.settleMs },
      signal,
    };
    return await walk(walking, screenshotsDir !== undefined);
  } catch (error) {
    if (error instanceof KeyPageTrouble) return unreached(input, error.message);
    if (input.signal?.aborted) return unreached(input, stopped);
    const trouble = `The browser could not be used: ${saidOfBrowser(error)}. Set CHROMIUM_PATH to another one.`;
    return unreached(input, trouble);
  } finally {
    clearTimeout(timer);
    input.signal?.removeEventListener('abort', stop);
    await own?.close();
    gateway?.close();
  }
};

const keyPageRules = rules.filter((rule) => rule.scope === 'key-page');

/** Whether a check fails or is inconclusive, so that a person needs the picture. */
const leavesOpen = (walk: KeyPageRecord): boolean =>
  keyPageRules.some((rule) => ['failed', 'inconclusive'].includes(judgeWalk(rule, walk).outcome));

/**
 * Visits the key page in a browser, for the rules to judge. Presses the action only on request, and
 * once. Never rejects for what the page or the browser does.
 */
export const walkThroughKeyPage = async (input: KeyPageInput): Promise<KeyPageRecord> => {
  const secrets = new Secrets(input);
  const { record, picture, withheld } = await runWalk(input, secrets);
  // Names, messages and errors come from the page.
  const walk = withTexts(withoutNewWords(record), (text) => secrets.redact(text));
  if (!leavesOpen(walk)) return walk;
  if (!picture || input.screenshotsDir === undefined) return withheld ? { ...walk, picture: 'withheld' } : walk;
  await mkdir(input.screenshotsDir, { recursive: true });
  const name = 'key-page.png';
  await writeFile(join(input.screenshotsDir, name), picture);
  return { ...walk, picture: { name } };
};

export interface VisitInput
  extends Pick<KeyPageInput, 'signal' | 'screenshotsDir' | 'browser' | 'slowness' | 'patienceMs' | 'lateMs'> {
  readonly contract: Contract;
  readonly target: Target;
  readonly settings: KeyPageSettings;
  /** Called with the settings whose keys the action has revoked. */
  readonly onEnded?: ((settings: readonly string[]) => void) | undefined;
  /** Called with every secret of the page. */
  readonly onLearned?: ((secret: string) => void) | undefined;
}

const isGranted = ({ opens }: { readonly opens: KeyPageOpens }): boolean => opens === 'granted';

/** A visit as a part of a run, whose client tries keys from the page on a protected operation. */
export const keyPageVisit =
  ({ contract, target, settings, onEnded, onLearned, ...rest }: VisitInput): VisitKeyPage =>
  async ({ keys, send }) => {
    const operation = operationForKeys(contract);
    const given = Object.fromEntries(Object.keys(target.keys).map((name) => [name, keys.traits(name)]));
    const deployment = deploymentOf(target, given, randomHex());
    const placeholders = new Map<string, string>();
    const tried: { readonly exchange: Exchange; readonly opens: KeyPageOpens }[] = [];
    const opened = new Set<string>();
    let endedKey: Exchange | undefined;
    let round = 0;

    const asks = async (setting: string): Promise<{ readonly opens: KeyPageOpens; readonly exchange?: Exchange }> => {
      if (operation === undefined) return { opens: 'unknown' };
      round += 1;
      const seen = await opensWith({ contract, operation, deployment }, setting, round, send);
      if (seen.opens === 'granted') opened.add(setting);
      else if (seen.opens === 'refused' && opened.has(setting)) endedKey ??= seen.exchange;
      return seen;
    };
    const own = operation && onlyScheme(operation)?.setting;
    const all = Object.values(target.keys);

    const walk = await walkThroughKeyPage({
      ...rest,
      settings,
      given:
        own !== undefined && target.keys[own] !== undefined
          ? { setting: own, is: (key) => all.includes(key), opens: async () => (await asks(own)).opens }
          : undefined,
      learn: (secret, placeholder) => {
        placeholders.set(secret, placeholder);
        onLearned?.(secret);
        keys.learn(secret, placeholder);
      },
      redact: (text) => keys.redact(text),
      opens: async (key) => {
        const placeholder = placeholders.get(key)?.replace(/^<|>$/g, '');
        if (placeholder === undefined) return 'unknown';
        const { opens, exchange } = await asks(placeholder);
        if (exchange) tried.push({ exchange, opens });
        return opens;
      },
    });
    if (walk.givenKey?.opens === 'refused') onEnded?.([walk.givenKey.setting]);
    // The keys that opened the operation come first.
    const exchanges = tried.toSorted((a, b) => Number(isGranted(b)) - Number(isGranted(a)));
    return {
      walk: endedKey ? { ...walk, endedKey } : walk,
      exchanges: exchanges.map(({ exchange }) => exchange),
    };
  };
