import type { Browser } from '@playwright/test';
import { findChromium } from '../target/chromium.js';
import { type KeyPageSettings, KeyPageTrouble } from './input.js';
import { pinsUnder } from './trust.js';

/** The origins that the account's name and password may go to. */
export const ownOrigins = ({ url, loginUrl }: KeyPageSettings): string[] => [
  ...new Set([url, ...(loginUrl === undefined ? [] : [loginUrl])].map((address) => new URL(address).origin)),
];

const launch = async (executablePath: string, args: string[], chromiumSandbox: boolean): Promise<Browser> => {
  const { chromium } = await import('@playwright/test');
  return chromium.launch({ executablePath, args, chromiumSandbox, timeout: 30_000 });
};

/**
 * Starts the browser of CHROMIUM_PATH, or an installed one.
 * @throws KeyPageTrouble when there is none or it does not start; the message says how to get one.
 */
export const startBrowser = async (settings: KeyPageSettings): Promise<Browser> => {
  const found = findChromium({ ...process.env, CHROMIUM_PATH: settings.chromiumPath ?? process.env.CHROMIUM_PATH });
  if (found.path === undefined) throw new KeyPageTrouble(found.missing);
  const pins = await pinsUnder(settings.ca, ownOrigins(settings));
  const args = [
    '--disable-dev-shm-usage',
    '--disable-background-networking',
    ...(pins.length > 0 ? [`--ignore-certificate-errors-spki-list=${pins.join(',')}`] : []),
  ];
  // Chromium refuses to run its sandbox as root.
  const sandbox = process.getuid?.() !== 0;
  try {
    return await launch(found.path, args, sandbox);
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    if (sandbox && /sandbox/i.test(said)) return launch(found.path, args, false);
    const [first] = said.split('\n');
    throw new KeyPageTrouble(
      `The browser ${found.path} did not start: ${first ?? ''} Set CHROMIUM_PATH to another one.`,
    );
  }
};
