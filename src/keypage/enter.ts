import { saysNoKey } from '../rules/key-page/no-key-message.js';
import { offersAction } from './action.js';
import { candidatesOf } from './candidates.js';
import { type KeyPageSettings, KeyPageTrouble } from './input.js';
import { asksToLogIn, awaited, type Found, fillIn, whatItSays } from './login.js';
import { statementsOf } from './message.js';
import { isLogInLink } from './names.js';
import { sentenceOf } from './outgoing.js';
import { likelyKey } from './shown-key.js';
import type { Visit } from './visit.js';

const samePage = (one: string, other: string): boolean => {
  const [a, b] = [new URL(one), new URL(other)];
  return a.origin === b.origin && a.pathname === b.pathname;
};

/** Whether the window shows the answer to a GET of this very URL already, as after a log-in that leads back. */
const isAt = ({ page, document }: Visit, url: string): boolean =>
  page.url() === new URL(url).href &&
  document?.url() === page.url() &&
  document.request().method() === 'GET' &&
  document.status() < 300;

const isSentAway = (visit: Visit, url: string): boolean =>
  !samePage(visit.page.url(), url) || [401, 403].includes(visit.document?.status() ?? 0);

/** Where a link leads that is named like the way to log in. */
const logInLink = async ({ page }: Visit): Promise<string | undefined> => {
  const links = await page
    .locator('a[href]:visible')
    .evaluateAll((all) =>
      all.map((link) => ({ name: link.textContent ?? '', target: (link as HTMLAnchorElement).href })),
    );
  return links.find(({ name }) => isLogInLink(name))?.target;
};

/** Nothing more is to come that asks to log in: something of a key page is there, an error, or the browser has logged in by itself. */
const isSettled = async (visit: Visit, { action }: KeyPageSettings): Promise<boolean> => {
  const { document } = visit;
  if (document && (document.status() >= 400 || 'authorization' in (await document.request().allHeaders()))) return true;
  const pieces = await visit.read();
  return (
    candidatesOf(pieces).some(({ score }) => score >= likelyKey) ||
    statementsOf(pieces).some(saysNoKey) ||
    (await offersAction(visit, action))
  );
};

/** Whether an attempt to log in was answered: another document came, no password is asked for, or the page says something. */
const isAnswered = async (visit: Visit, was: Visit['document']): Promise<boolean> =>
  visit.document !== was ||
  (await visit.page.locator('input[type=password]:visible').count()) === 0 ||
  (await whatItSays(visit)) !== '';

/** Names of the settings of the account that logs in. */
interface AccountNames {
  readonly username: string;
  readonly password: string;
}

const adviceFor = ({ gateway }: Visit, { username, password }: AccountNames): string => {
  const stopped = gateway.stopped.filter(({ felt }) => felt);
  return stopped.length === 0
    ? `Check ${username} and ${password}, and that the account needs no second factor.`
    : `${[...new Set(stopped.map(sentenceOf))].join(' ')} If an origin of these is yours and has TLS, set LOGIN_URL to it.`;
};

/**
 * Comes to the key page, logging in where it takes that. A form that a script renders late is waited for.
 * @throws KeyPageTrouble when it cannot; the message says what to set.
 */
export const enter = async (visit: Visit, settings: KeyPageSettings, patienceMs: number): Promise<void> => {
  const { url, loginUrl, username, password, accountSuffix = '' } = settings;
  const names: AccountNames = { username: `WEB_USERNAME${accountSuffix}`, password: `WEB_PASSWORD${accountSuffix}` };
  const mayLogIn = username !== undefined && password !== undefined;
  const asks = (form: Found): boolean =>
    asksToLogIn(form) || (isSentAway(visit, url) && (form.username || form.password));
  await visit.load(url);
  const form = await awaited(
    visit,
    mayLogIn && loginUrl === undefined ? visit.limits.formMs : 0,
    async (found) => asks(found) || (await logInLink(visit)) !== undefined || (await isSettled(visit, settings)),
  );
  let asked = asks(form);
  if (!asked && loginUrl !== undefined && username !== undefined) {
    await visit.load(loginUrl);
    asked = true;
  } else if (!asked && username !== undefined) {
    asked = await followLogInLink(visit);
  }
  if (asked) {
    if (!mayLogIn)
      throw new KeyPageTrouble(`The key page asks to log in: set ${names.username} and ${names.password}.`);
    const was = visit.document;
    await fillIn(visit, settings, username, password);
    await awaited(visit, visit.limits.formMs, () => isAnswered(visit, was));
    const said = await whatItSays(visit);
    if (!isAt(visit, url)) await visit.load(url);
    // A page that has yet to learn who is logged in may ask at first.
    const again = await awaited(visit, said === '' ? patienceMs : 0, (found) => !asks(found));
    if (asks(again))
      throw new KeyPageTrouble(
        `Logging in as ${names.username} did not lead to the key page.${said} ${adviceFor(visit, names)}`,
      );
  }
  const status = visit.document?.status() ?? 200;
  if (status >= 400) throw new KeyPageTrouble(`The key page answers ${status}: check KEY_PAGE_URL.`);
};

const followLogInLink = async (visit: Visit): Promise<boolean> => {
  const target = await logInLink(visit);
  if (target === undefined) return false;
  await visit.load(target);
  const form = await awaited(visit, visit.limits.formMs, (found) => found.username || found.password);
  return form.username || form.password;
};
