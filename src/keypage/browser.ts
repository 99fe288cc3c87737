import type { Browser, LaunchOptions } from '@playwright/test';
import { findChromium } from '../target/chromium.js';
import { authorityOf, placeOf } from '../wire/connect.js';
import { bypassesProxy, namedIn } from '../wire/proxy.js';
import { forward } from './forward.js';
import { type KeyPageSettings, KeyPageTrouble } from './input.js';
import { pinsUnder } from './trust.js';

/** The origins that the account's name and password may go to. */
export const ownOrigins = ({ url, loginUrl }: KeyPageSettings): string[] => [
  ...new Set([url, ...(loginUrl === undefined ? [] : [loginUrl])].map((address) => new URL(address).origin)),
];

/** For `DEBUG=pw:api` Playwright prints what it types, the password among it. It reads the variable when it is loaded. */
const typeUnheard = (): void => {
  const names = (process.env.DEBUG ?? '').split(/[\s,]+/);
  process.env.DEBUG = names.filter((name) => !/^pw|\*/.test(name)).join(',');
};

const launch = async (options: LaunchOptions): Promise<Browser> => {
  typeUnheard();
  const { chromium } = await import('@playwright/test');
  return chromium.launch({ ...options, timeout: 30_000 });
};

/** RESOLVE in the words of Chromium: `MAP host:443 203.0.113.9:443`. */
const resolverRules = ({ resolve = [] }: KeyPageSettings): readonly string[] =>
  resolve.map(({ host, port, address }) => `MAP ${host}:${port} ${authorityOf({ host: address, port })}`);

/**
 * The proxy of the environment, where the page is not among what NO_PROXY names.
 * @param forwarded origins that have a way of their own
 */
const proxyOf = (settings: KeyPageSettings, forwarded: readonly string[]): Pick<LaunchOptions, 'proxy'> => {
  const { proxy } = settings;
  const goesThrough = (origin: string): boolean => {
    const { host, port } = placeOf(origin);
    return !bypassesProxy(proxy?.noProxy ?? '', host, port);
  };
  if (!proxy || !ownOrigins(settings).some(goesThrough)) return {};
  const { origin, username, password } = new URL(proxy.url);
  // Chromium takes a name for itself alone; NO_PROXY means what is below it too.
  const names = namedIn(proxy.noProxy).flatMap((name) => (/^[.*]|\//.test(name) ? [name] : [name, `.${name}`]));
  const bypass = [...names, ...forwarded.map((own) => new URL(own).hostname)];
  return {
    proxy: {
      server: origin,
      ...(bypass.length > 0 ? { bypass: bypass.join(',') } : {}),
      ...(username === '' ? {} : { username: decodeURIComponent(username), password: decodeURIComponent(password) }),
    },
  };
};

/**
 * Starts the browser of CHROMIUM_PATH, or an installed one.
 * @throws KeyPageTrouble when there is none or it does not start; the message says how to get one.
 */
export const startBrowser = async (settings: KeyPageSettings): Promise<Browser> => {
  const found = findChromium({ ...process.env, CHROMIUM_PATH: settings.chromiumPath ?? process.env.CHROMIUM_PATH });
  if (found.path === undefined) throw new KeyPageTrouble(found.missing);
  const origins = ownOrigins(settings);
  const forwarded = await forward(settings, origins);
  const pins = forwarded?.pins ?? (await pinsUnder(settings, origins));
  // The first rule that fits a host is the one that holds.
  const rules = [...(forwarded?.rules ?? []), ...resolverRules(settings)];
  const args = [
    '--disable-dev-shm-usage',
    '--disable-background-networking',
    ...(rules.length > 0 ? [`--host-resolver-rules=${rules.join(', ')}`] : []),
    ...(pins.length > 0 ? [`--ignore-certificate-errors-spki-list=${pins.join(',')}`] : []),
  ];
  const options: LaunchOptions = { executablePath: found.path, args, ...proxyOf(settings, forwarded?.origins ?? []) };
  try {
    const browser = await launchIn(options, found.path);
    browser.once('disconnected', () => forwarded?.close());
    return browser;
  } catch (error) {
    forwarded?.close();
    throw error;
  }
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
