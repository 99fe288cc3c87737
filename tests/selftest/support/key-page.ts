import { randomBytes } from 'node:crypto';
import { request as httpsRequest } from 'node:https';
import type { Browser } from '@playwright/test';
import {
  type KeyPageInput,
  type KeyPageRecord,
  type KeyPageSettings,
  type Opens,
  walkThroughKeyPage,
} from '../../../src/keypage/index.js';
import { slownessOf } from '../../../src/keypage/input.js';
import { type ReferenceOptions, startReference } from '../../../src/reference/index.js';
import { createPages, type PagesOptions } from '../../../src/reference/pages/pages.js';
import { rules } from '../../../src/rules/index.js';
import { judgeWalk } from '../../../src/rules/key-page/judge-walk.js';
import type { Judgement } from '../../../src/rules/rule.js';

export const password = 'correct horse "battery" stäple';

/** A reference service with its key page. `bo` has no key, `ada` has one. */
export const startWithPages = async ({
  certificate,
  givesAway = false,
  ...options
}: Pick<PagesOptions, 'variant' | 'fault'> &
  Pick<ReferenceOptions, 'certificate'> & {
    /** Every answer names the key of `ada`. */
    readonly givesAway?: boolean;
  } = {}) => {
  let path = '';
  const adasKey = randomBytes(20).toString('hex');
  const service = await startReference({
    ...(certificate === undefined ? {} : { certificate }),
    pages: (keys) => {
      keys.set(adasKey, 'ada');
      const pages = createPages({
        ...options,
        keys,
        users: [
          { name: 'ada', password },
          { name: 'bo', password },
        ],
      });
      path = pages.path;
      return (request, response) => {
        if (givesAway) response.setHeader('x-last-key', adasKey);
        return pages(request, response);
      };
    },
  });
  return { ...service, adasKey, url: `${new URL(service.baseUrl).origin}${path}`, close: () => service.close() };
};

export type ServiceWithPages = Awaited<ReturnType<typeof startWithPages>>;

/** A real request with the key: 200 is granted, 401 refused. */
export const opensAt =
  ({ baseUrl, ca }: { readonly baseUrl: string; readonly ca: string }) =>
  (key: string, authorization = `Token ${key}`): Promise<Opens> =>
    new Promise((resolve) => {
      const request = httpsRequest(`${baseUrl}/api/v2/workout/`, { ca, agent: false, headers: { authorization } });
      request.once('response', (response) => {
        response.resume();
        resolve(response.statusCode === 200 ? 'granted' : response.statusCode === 401 ? 'refused' : 'unknown');
      });
      request.once('error', () => resolve('unknown'));
      request.end();
    });

export interface JudgedRule extends Judgement {
  readonly rule: string;
}

/** What the rules of the key page say of a walk. */
export const judgeRecord = (walk: KeyPageRecord): readonly JudgedRule[] =>
  rules.flatMap((rule) => (rule.scope === 'key-page' ? [{ ...judgeWalk(rule, walk), rule: rule.id }] : []));

export interface Judged {
  readonly findings: readonly JudgedRule[];
  /** Facts for GAP-KEY-LIFE. */
  readonly observations: readonly { readonly fact: string }[];
  /** Settings whose keys the action has revoked. */
  readonly ended: readonly string[];
  /** Rule → outcome. */
  readonly outcomes: Readonly<Record<string, string>>;
  /** Everything that came out, as one text. */
  readonly everything: string;
  readonly secrets: readonly string[];
  /** Keys that the API was asked about. */
  readonly asked: readonly string[];
}

/**
 * Default of `patienceMs`. A walk waits that long several times where nothing comes, so it is less
 * than the command's. It is multiplied where the browser is slow.
 */
const fewMs = 2_000;

let measured: { readonly browser: Browser; readonly at: number; readonly slowness: number } | undefined;

/** Measured anew each few walks, since a window for it costs a tenth of a walk. */
export const slownessNow = async (browser: Browser): Promise<number> => {
  if (measured?.browser !== browser || performance.now() - measured.at > 10_000)
    measured = { browser, at: performance.now(), slowness: await slownessOf(browser) };
  return measured.slowness;
};

/**
 * Runs `work` while Playwright notes where its calls came from without the lines of the sources: to
 * look these up costs a seventh of a walk. What fails later has them.
 */
export const withoutSourceLines = async <T>(work: () => Promise<T>): Promise<T> => {
  const prepare = Error.prepareStackTrace;
  Reflect.deleteProperty(Error, 'prepareStackTrace');
  try {
    return await work();
  } finally {
    if (prepare) Error.prepareStackTrace = prepare;
  }
};

/**
 * Settings where the way to the page is all that matters: that it says that there is no key shows
 * that the walk got there, and nothing is pressed.
 */
export const logsIn = { generate: false } as const;

/** Settings for a page that asks for no log-in. */
export const noAccount = { username: undefined, password: undefined } as const;

export const judgeAt = async (
  service: Pick<ServiceWithPages, 'url' | 'baseUrl' | 'ca'>,
  browser: Browser | undefined,
  settings: Partial<KeyPageSettings> = {},
  more: {
    readonly screenshotsDir?: string;
    readonly opens?: (key: string) => Promise<Opens>;
    readonly patienceMs?: number;
    readonly deadlineMs?: number;
    readonly lateMs?: number;
    readonly given?: KeyPageInput['given'];
  } = {},
): Promise<Judged> => {
  const secrets: string[] = [];
  const asked: string[] = [];
  const open = more.opens ?? opensAt(service);
  // A browser of one test alone may end before it is measured.
  const slowness = browser === undefined ? undefined : await slownessNow(browser).catch(() => undefined);
  const input: KeyPageInput = {
    settings: {
      url: service.url,
      username: 'bo',
      password,
      generate: true,
      ca: service.ca,
      insecureTls: false,
      ...settings,
    },
    opens: (key) => {
      asked.push(key);
      return open(key);
    },
    learn: (secret) => secrets.push(secret),
    redact: (text) => secrets.reduce((clean, secret) => clean.replaceAll(secret, '<secret>'), text),
    browser,
    patienceMs: more.patienceMs ?? fewMs,
    lateMs: more.lateMs ?? 5 * (more.patienceMs ?? fewMs),
    deadlineMs: more.deadlineMs,
    given: more.given,
    screenshotsDir: more.screenshotsDir,
    slowness,
  };
  const walk = await withoutSourceLines(() => walkThroughKeyPage(input));
  const findings = judgeRecord(walk);
  return {
    findings,
    observations: findings.flatMap(({ facts = [] }) => facts),
    ended: walk.givenKey?.opens === 'refused' ? [walk.givenKey.setting] : [],
    outcomes: Object.fromEntries(findings.map(({ rule, outcome: found }) => [rule, found])),
    everything: JSON.stringify({ walk, findings }),
    secrets,
    asked,
  };
};
