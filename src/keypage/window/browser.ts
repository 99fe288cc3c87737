import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, ElementHandle, Frame, JSHandle, LaunchOptions, Page } from '@playwright/test';
import { messageOf } from '../../errors.js';
import { environmentWithoutSecrets } from '../../settings/child-environment.js';
import { findChromium } from '../../settings/setting-parser.js';
import { type KeyPageSettings, KeyPageTrouble } from '../input.js';

/** Playwright reads DEBUG when it is loaded, and with `pw:api` it prints the typed password. */
const removePlaywrightDebug = (): void => {
  const names = (process.env.DEBUG ?? '').split(/[\s,]+/);
  process.env.DEBUG = names.filter((name) => !/^pw|\*/.test(name)).join(',');
};

/** Milliseconds in which a browser has to start. */
const launchMs = 30_000;

const launch = async (options: LaunchOptions): Promise<Browser> => {
  removePlaywrightDebug();
  const { chromium } = await import('@playwright/test');
  // Signals end the run, which writes what there is and closes the browser. By default Playwright
  // would end the process at the first one.
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  return chromium.launch({ ...options, ...signals, timeout: launchMs });
};

/** Forces everything through the gateway: no name look-ups, no UDP (WebRTC, QUIC). */
const onlyThroughProxy = [
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
];

const closingMs = 2_000;

export interface OwnBrowser {
  readonly browser: Browser;
  /** Ends it in about two seconds at most, whatever its pages do. */
  close(): Promise<void>;
}

const processOf = async (browser: Browser): Promise<number | undefined> => {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.find(({ type }) => type === 'browser')?.id;
};

/** Ends a browser with the processes of its pages: it leads their group, where there are groups. */
const kill = (id: number): void => {
  for (const target of [-id, id])
    try {
      process.kill(target, 'SIGKILL');
      return;
    } catch {
      // There is no such group, or it ended by itself.
    }
};

/**
 * Starts the browser of CHROMIUM_PATH, or an installed one. It does not see the suite's secrets,
 * which a page that gets hold of the browser would read in its environment.
 * @param redact changes a text that holds one of them
 * @throws KeyPageTrouble if there is none or it does not start; the message says how to get one
 */
export const startBrowser = async (
  settings: KeyPageSettings,
  redact: (text: string) => string,
): Promise<OwnBrowser> => {
  const found = findChromium({ ...process.env, CHROMIUM_PATH: settings.chromiumPath ?? process.env.CHROMIUM_PATH });
  if (found.path === undefined) throw new KeyPageTrouble(found.missing);
  const args = ['--disable-dev-shm-usage', '--disable-background-networking', ...onlyThroughProxy];
  const env = environmentWithoutSecrets(process.env, (value) => redact(value) !== value);
  const browser = await launchIn({ executablePath: found.path, args, env }, found.path);
  const id = await processOf(browser).catch(() => undefined);
  return {
    browser,
    close: async () => {
      const timer = setTimeout(() => id !== undefined && kill(id), closingMs);
      await browser.close().catch(() => {});
      clearTimeout(timer);
    },
  };
};

/** The last message of the browser itself, or else what became of it. */
const whyNotStarted = (said: string): string => {
  const own = said.split('\n').flatMap((line) => /\[pid=\d+\]\[err\]\s*(\S.*)/.exec(line)?.[1] ?? []);
  const last = own.at(-1)?.trim().slice(0, 200);
  if (last !== undefined) return `it says “${last}”`;
  if (/Timeout \d+ms/.test(said)) return `it was not ready after ${launchMs / 1000} s`;
  const [, code] = /spawn .*\b(E[A-Z]+)$/m.exec(said) ?? [];
  return code === undefined ? 'it ended at once' : `it cannot be run (${code})`;
};

const launchIn = async (options: LaunchOptions, path: string): Promise<Browser> => {
  // Chromium refuses to run its sandbox as root.
  const sandbox = process.getuid?.() !== 0;
  try {
    return await launch({ ...options, chromiumSandbox: sandbox });
  } catch (error) {
    const said = messageOf(error);
    if (sandbox && /sandbox/i.test(said)) return launch({ ...options, chromiumSandbox: false });
    throw new KeyPageTrouble(
      `The browser ${path} did not start: ${whyNotStarted(said)}. Set CHROMIUM_PATH to another one.`,
    );
  }
};

/**
 * Errors that mean that the page moved to another document, or removed a frame, while it was read.
 */
const moved = /Execution context was destroyed|frame was detached|navigating/i;

/** Maximum number of times that a page is read if it keeps moving to other documents. */
const maxReadings = 5;

/** Reads a page, and reads it again if it moves to another document meanwhile. */
export const steadily = async <T>(read: () => Promise<T>): Promise<T> => {
  for (let count = 1; ; count += 1)
    try {
      return await read();
    } catch (error) {
      if (count === maxReadings || !moved.test(messageOf(error))) throw error;
      await pause(200);
    }
};

/** What an error of the browser's driver means, as the end of a sentence. */
const meanings: readonly (readonly [pattern: RegExp, means: string])[] = [
  [/intercepts pointer events/, 'something on the page lies over it'],
  [/not enabled/, 'it is disabled'],
  [/not stable/, 'it does not stop moving'],
  [/outside of the viewport/, 'it is outside of what a window shows'],
  [/not visible/, 'it is not visible'],
  [/not attached to the DOM/, 'the page replaced it in the meantime'],
  [moved, 'the page keeps navigating'],
  [/crashed/i, 'the page made its tab crash'],
  [/has been closed|Browser closed|disconnected/i, 'the page closed its window, or the browser ended'],
];

const timeout = /Timeout ([\d.]+)ms exceeded/;

export const isTimeout = (text: string): boolean => timeout.test(text);

/** Describes an error of the browser's driver for somebody who does not know the driver. */
export const saidOfBrowser = (error: unknown): string => {
  const text = messageOf(error);
  const meant = meanings.find(([pattern]) => pattern.test(text));
  if (meant) return meant[1];
  const [, waited] = timeout.exec(text) ?? [];
  if (waited !== undefined) return `the page did not react within ${Math.round(Number(waited) / 1000)} s`;
  const [first = ''] = text.split('\n');
  return `the browser says “${first.replace(/^(?:\w*Error: )?(?:\w+\.)+\w+: /, '').replace(/[\s.]+$/, '')}”`;
};

/**
 * The frames of a page's own origin, itself first. `about:srcdoc` and `about:blank` are their
 * parent's.
 */
export const ownFrames = (page: Page): Frame[] => {
  const { origin } = new URL(page.url());
  const isOwn = (frame: Frame): boolean => {
    const parent = frame.parentFrame();
    return (
      parent === null || (/^(about:|$)/.test(frame.url()) ? isOwn(parent) : new URL(frame.url()).origin === origin)
    );
  };
  return page.frames().filter(isOwn);
};

export const elementsOf = async (list: JSHandle<readonly Element[]>): Promise<ElementHandle<HTMLElement>[]> =>
  [...(await list.getProperties()).values()].flatMap(
    (element) => (element.asElement() as ElementHandle<HTMLElement> | null) ?? [],
  );
