import { type Browser, chromium } from '@playwright/test';
import { findChromium } from '../../../src/settings/setting-parser.js';

/**
 * What Playwright turns off already (the last `--disable-features` wins, so its own list is
 * repeated), and what only a person at a window needs and costs a renderer or two for every window,
 * or a frame for every document: a third of a walk's processor time.
 */
const disabledFeatures = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'SpareRendererForSitePerProcess',
  'BackForwardCache',
  'ProactivelySwapBrowsingInstance',
  'RenderDocument',
];

/**
 * The browser of the self-tests, as lean as Chromium can be. @throws Error when there is none, with
 * how to get one.
 */
export const launchBrowser = (...args: string[]): Promise<Browser> => {
  const found = findChromium(process.env);
  if (found.path === undefined) throw new Error(found.missing);
  return chromium.launch({
    executablePath: found.path,
    chromiumSandbox: false,
    timeout: 240_000,
    args: [
      `--disable-features=${disabledFeatures.join(',')}`,
      '--disable-dev-shm-usage',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      ...args,
    ],
  });
};
