import { type Browser, chromium } from '@playwright/test';
import { findChromium } from '../../../src/settings/setting-parser.js';

/**
 * What Playwright turns off already (the last `--disable-features` wins, so its own list is
 * repeated), and three things that only a person at a window needs and that cost a renderer or two
 * for every window: a third of a walk's processor time. RenderDocument stays, since without it the
 * mouse hovers over the next document.
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
];

/**
 * The browser of the self-tests, as lean as Chromium can be. @throws Error when there is none, with
 * how to get one.
 */
export const launchBrowser = (args: readonly string[] = [], disabled: readonly string[] = []): Promise<Browser> => {
  const found = findChromium(process.env);
  if (found.path === undefined) throw new Error(found.missing);
  return chromium.launch({
    executablePath: found.path,
    chromiumSandbox: false,
    timeout: 240_000,
    args: [
      `--disable-features=${[...disabledFeatures, ...disabled].join(',')}`,
      '--disable-dev-shm-usage',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      ...args,
    ],
  });
};
