import { ownOrigins } from './browser.js';
import { offersAction } from './find-action.js';
import { type KeyPageSettings, KeyPageTrouble, type Progress } from './input.js';
import { candidatesOf } from './key-candidates.js';
import { type LoginForm, takesNameAndPassword, waitForLoginForm } from './log-in-form.js';
import { logIn, loginMessage } from './login.js';
import { saysNoKey, statementsOf } from './page-wording.js';
import { hasField, reachLogInForm, takeWay, wayToLogIn } from './reach-log-in-form.js';
import { sentenceOf } from './secret-scanner.js';
import { likelyKey } from './shown-key.js';
import { samePage, type Visit } from './visit.js';

/** Whether the window shows the answer to a GET of this URL, as after a log-in that leads back. */
const isAt = ({ page, document }: Visit, url: string): boolean =>
  page.url() === new URL(url).href &&
  document?.url() === page.url() &&
  document.request().method() === 'GET' &&
  document.status() < 300;

const isSentAway = (visit: Visit, url: string): boolean =>
  !samePage(visit.page.url(), url) || [401, 403].includes(visit.document?.status() ?? 0);

/** No log-in form will come: there is the key page, an error, or a log-in by HTTP. */
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

/** The address of a frame with a visible password field. The suite logs in on pages only. */
const framedLogIn = async ({ page }: Visit): Promise<string | undefined> => {
  for (const frame of page.frames()) {
    if (frame === page.mainFrame() || !/^https?:/.test(frame.url())) continue;
    const fields = await frame
      .locator('input[type=password]:visible')
      .count()
      .catch(() => 0);
    if (fields > 0) return frame.url();
  }
  return undefined;
};

interface Entering {
  readonly settings: KeyPageSettings;
  /** Time to wait for what the page may still render. */
  readonly patienceMs: number;
  readonly progress: Progress;
}

/** @throws KeyPageTrouble if the page cannot be opened, or the log-in fails; it says what to set */
export const enter = async (visit: Visit, { settings, patienceMs, progress }: Entering): Promise<void> => {
  const { url, loginUrl, username, password, accountSuffix = '' } = settings;
  const names = { username: `WEB_USERNAME${accountSuffix}`, password: `WEB_PASSWORD${accountSuffix}` };
  const mayLogIn = username !== undefined && password !== undefined;
  // Forms to change an e-mail address or to delete the account take a name and a password too.
  const asks = (form: LoginForm): boolean =>
    (takesNameAndPassword(form) && form.logsIn) || (isSentAway(visit, url) && (form.username || form.password));
  progress.waitsFor = 'the key page, or its log-in form';
  await visit.load(url);
  const form = await waitForLoginForm(
    visit,
    mayLogIn && loginUrl === undefined ? visit.limits.formMs : 0,
    async (found) =>
      takesNameAndPassword(found) ||
      asks(found) ||
      (await wayToLogIn(visit)) !== undefined ||
      (await isSettled(visit, settings)) ||
      (await framedLogIn(visit)) !== undefined,
  );
  let asked = asks(form);
  const framed = asked || loginUrl !== undefined ? undefined : await framedLogIn(visit);
  if (framed !== undefined && !(await isSettled(visit, settings))) {
    const { origin, pathname } = new URL(framed);
    throw new KeyPageTrouble(
      `The log-in form is in a frame of the page, from ${origin}${pathname}, where nothing was typed: set LOGIN_URL to the address of that form, if it is yours.`,
    );
  }
  if (!asked && loginUrl !== undefined && username !== undefined) {
    await visit.load(loginUrl);
    asked = true;
  } else if (!asked && username !== undefined) {
    const way = await wayToLogIn(visit);
    if (way) await takeWay(visit, way);
    asked = way
      ? hasField(await reachLogInForm(visit))
      : // Its button may say so in words that are not known here.
        takesNameAndPassword(form) && !(await isSettled(visit, settings));
    if (way && !asked) await visit.load(url);
  }
  if (asked) {
    if (!mayLogIn)
      throw new KeyPageTrouble(`The key page asks to log in: set ${names.username} and ${names.password}.`);
    progress.waitsFor = 'the answer to the log-in';
    await logIn(visit, settings, username, password);
    const said = await loginMessage(visit);
    if (!isAt(visit, url)) await visit.load(url);
    // The page may show the form until it knows who is logged in.
    const again = await waitForLoginForm(visit, said === '' ? patienceMs : 0, (found) => !asks(found));
    // The note of the finding tells what was stopped.
    const felt = visit.gateway.stopped.filter((one) => one.felt);
    const advice = felt.some(({ origin }) => ownOrigins(settings).includes(origin))
      ? 'The suite stopped a request of the page, since its URL holds the password or another secret, and logs keep URLs: send them in the body of a POST.'
      : felt.length > 0
        ? `${[...new Set(felt.map(sentenceOf))].join(' ')} If that origin is yours and has TLS, set LOGIN_URL to it.`
        : `Check ${names.username} and ${names.password}, and that the account needs no second factor.`;
    if (asks(again))
      throw new KeyPageTrouble(`Logging in as ${names.username} did not lead to the key page.${said} ${advice}`);
  }
  const status = visit.document?.status() ?? 200;
  if (status >= 400) throw new KeyPageTrouble(`The key page answers ${status}: check KEY_PAGE_URL.`);
};
