import type { Browser, LaunchOptions } from '@playwright/test';
import { findChromium } from '../settings/chromium.js';
import { type KeyPageSettings, KeyPageTrouble } from './input.js';

/** The origins that may get the account's name and password. */
export const ownOrigins = ({ url, loginUrl }: KeyPageSettings): string[] => [
  ...new Set([url, ...(loginUrl === undefined ? [] : [loginUrl])].map((address) => new URL(address).origin)),
];

/**
 * With `DEBUG=pw:api`, Playwright prints typed text, including the password. It reads DEBUG when
 * loaded.
 */
const removePlaywrightDebug = (): void => {
  const names = (process.env.DEBUG ?? '').split(/[\s,]+/);
  process.env.DEBUG = names.filter((name) => !/^pw|\*/.test(name)).join(',');
};

const launch = async (options: LaunchOptions): Promise<Browser> => {
  removePlaywrightDebug();
  const { chromium } = await import('@playwright/test');
  // Signals end the run, which writes what there is and closes the browser. By default Playwright
  // would end the process at the first one.
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  return chromium.launch({ ...options, ...signals, timeout: 30_000 });
};

/** Forces everything through the gateway: no name look-ups, no UDP (WebRTC, QUIC). */
const onlyThroughProxy = [
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
];

/**
 * Starts the browser of CHROMIUM_PATH, or an installed one.
 * @throws KeyPageTrouble if there is none or it does not start; the message says how to get one
 */
export const startBrowser = async (settings: KeyPageSettings): Promise<Browser> => {
  const found = findChromium({ ...process.env, CHROMIUM_PATH: settings.chromiumPath ?? process.env.CHROMIUM_PATH });
  if (found.path === undefined) throw new KeyPageTrouble(found.missing);
  const args = ['--disable-dev-shm-usage', '--disable-background-networking', ...onlyThroughProxy];
  return launchIn({ executablePath: found.path, args }, found.path);
};

const launchIn = async (options: LaunchOptions, path: string): Promise<Browser> => {
  // Chromium refuses to run its sandbox as root.
  const sandbox = process.getuid?.() !== 0;
  try {
    return await launch({ ...options, chromiumSandbox: sandbox });
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    if (sandbox && /sandbox/i.test(said)) return launch({ ...options, chromiumSandbox: false });
    const [first] = said.split('\n');
    throw new KeyPageTrouble(`The browser ${path} did not start: ${first ?? ''} Set CHROMIUM_PATH to another one.`);
  }
};
