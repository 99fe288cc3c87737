import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { orUndefined, wordsIn } from '../collections.js';

export type Chromium =
  | { readonly path: string; readonly missing?: never }
  /** How to get one, in one or two sentences. */
  | { readonly missing: string; readonly path?: never };

/** The headless shell first: without a window it is twice as fast. */
const names = wordsIn(`
  chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable chrome
  microsoft-edge
`);

const usualPlaces: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ['/usr/lib/chromium/chromium', '/opt/google/chrome/chrome', '/snap/bin/chromium'],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: [
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
  ],
};

const runnable = (path: string): boolean =>
  orUndefined(() => {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  }) === true;

/** Finds the browser for the key page: `CHROMIUM_PATH`, else an installed Chromium or Chrome. */
export const findChromium = (env: Readonly<Record<string, string | undefined>>): Chromium => {
  const named = env.CHROMIUM_PATH;
  if (named)
    return runnable(named)
      ? { path: named }
      : { missing: `CHROMIUM_PATH is ${named}, and no program is there. Give the program file of Chromium or Chrome.` };
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const onPath = names.flatMap((name) => folders.map((folder) => join(folder, name + suffix)));
  const path = [...onPath, ...(usualPlaces[process.platform] ?? [])].find(runnable);
  return path
    ? { path }
    : {
        missing:
          'No Chromium or Chrome was found. Install one (Debian: apt-get install chromium; anywhere: npx playwright install chromium, then set CHROMIUM_PATH to it).',
      };
};
