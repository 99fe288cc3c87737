import { click } from '../controls/controls.js';
import { offersAction } from '../controls/find-action.js';
import { sentenceOf } from '../gateway/leak-guard.js';
import { type KeyPageSettings, KeyPageTrouble, ownOrigins, type Progress } from '../input.js';
import { candidatesOf, likelyKey, withoutKeys } from '../reading/key-candidates.js';
import { namesLogIn } from '../reading/log-in-phrases.js';
import { showsMessage } from '../reading/page-wording.js';
import { steadily } from '../window/browser.js';
import { samePage, type Visit } from '../window/visit.js';
import { isSameForm, type LoginForm, takesNameAndPassword, waitForLoginForm } from './log-in-form.js';
import { hasField, isShownToLogIn, type Needed, reachLogInForm, type WayIn, wayToLogIn } from './reach-log-in.js';
import { typeSecrets } from './type-secret.js';

/** A form for the password alone, with which a logged-in user confirms the identity. */
const confirms = ({ username, password, submit }: LoginForm): boolean => password && submit && !username;

type WithAccount = KeyPageSettings & { readonly username: string; readonly password: string };

const sendForm = async (visit: Visit, settings: WithAccount, found: LoginForm): Promise<void> => {
  const button = found.submit ? await found.element('submit') : undefined;
  const entries = [
    ...(found.username ? [{ field: await found.element('username'), text: settings.username }] : []),
    ...(found.password ? [{ field: await found.element('password'), text: settings.password }] : []),
  ];
  await typeSecrets(visit, settings, entries, button);
  if (button) await click(visit, button);
  else await (await found.element(found.password ? 'password' : 'username')).press('Enter');
  await visit.settle();
};

/** Types name and password, on one page or on two. */
const submitLogin = async (visit: Visit, settings: WithAccount, way: WayIn): Promise<void> => {
  const { form, isLogIn } = await reachLogInForm(visit, way);
  if (!hasField(form))
    throw new KeyPageTrouble(
      'No form was found on the log-in page that asks for a name and a password and no more, or several that may log in: nothing was typed. Set LOGIN_URL to an address that shows the log-in form alone.',
    );
  if (!isLogIn) {
    const { origin, pathname } = new URL(visit.page.url());
    throw new KeyPageTrouble(
      `The form at ${origin}${pathname} may log in or do something else, as to make an account, and nothing was typed: set LOGIN_URL to this address if the form logs in, or to the one of the log-in form.`,
    );
  }
  await sendForm(visit, settings, form);
  if (form.password) return;
  // The second of two steps.
  const isGiven = async (found: LoginForm): Promise<boolean> =>
    !found.username ||
    (await isSameForm(form, found, ['username'])) ||
    (await (await found.element('username')).inputValue()) !== '';
  // A form that asks for another name, and does not say that it logs in, may make an account.
  const isAsked = async (found: LoginForm): Promise<boolean> =>
    found.password && (found.sign !== 'none' || isGiven(found));
  const second = await waitForLoginForm(visit, visit.limits.formMs, isAsked);
  if (!(await isAsked(second)))
    throw new KeyPageTrouble(
      'After the user name, no form was found that asks for the password and no more: the password was not typed. Set LOGIN_URL to an address that shows the log-in form alone.',
    );
  await sendForm(visit, settings, second);
};

/** The page's message about a log-in, as the end of a sentence. */
const loginMessage = async (visit: Visit): Promise<string> => {
  const messages = visit.page.locator('[role=alert], .alert, .error, .errorlist, .invalid-feedback');
  const texts = await steadily(() => messages.allInnerTexts());
  const [said] = texts.map((text) => text.replace(/\s+/g, ' ').trim()).filter((text) => text !== '');
  return said ? ` It says: “${withoutKeys(said).slice(0, 200)}”` : '';
};

/** Whether a log-in was answered: a new document, no password field, or a message. */
const isAnswered = async (visit: Visit, was: Visit['document']): Promise<boolean> =>
  visit.document !== was ||
  (await visit.page.locator('input[type=password]:visible').count()) === 0 ||
  (await loginMessage(visit)) !== '';

/**
 * Logs in, again later where the server limits how often somebody may.
 * @throws KeyPageTrouble if it does to the end
 */
const logIn = async (visit: Visit, settings: WithAccount, way: WayIn): Promise<void> => {
  const form = visit.page.url();
  for (let count = 1; ; count += 1) {
    const was = visit.document;
    await submitLogin(visit, settings, way);
    visit.loggedIn = true;
    await waitForLoginForm(visit, visit.limits.formMs, () => isAnswered(visit, was));
    const limited = visit.document?.status() === 429 ? visit.document : visit.traffic.limited;
    if (limited === undefined) return;
    if (!(await visit.traffic.waitAfter(limited, count)))
      throw new KeyPageTrouble(
        'The log-in is answered 429: the server limits how often somebody may log in. Run this again later.',
      );
    await visit.load(form);
    way.taken.clear();
  }
};

/** Whether the window shows the answer to a GET of this URL, as after a log-in that leads back. */
const isAt = ({ page, document }: Visit, url: string): boolean =>
  page.url() === new URL(url).href &&
  document?.url() === page.url() &&
  document.request().method() === 'GET' &&
  document.status() < 300;

const isSentAway = (visit: Visit, url: string): boolean =>
  !samePage(visit.page.url(), url) || [401, 403].includes(visit.document?.status() ?? 0);

/**
 * What a form of the window needs to be taken for the log-in. LOGIN_URL and the status 401 say that
 * a page is to log in at. Its own name does if the key page leads to it. A form on the key page
 * itself may change the account.
 */
const neededAt = async (visit: Visit, { url, loginUrl }: KeyPageSettings): Promise<Needed> => {
  const at = visit.page.url();
  if (visit.document?.status() === 401 || (loginUrl !== undefined && samePage(at, loginUrl))) return 'none';
  const isNamed = namesLogIn(at, await steadily(() => visit.page.title()));
  if (isSentAway(visit, url)) return isNamed ? 'none' : 'marked';
  return isNamed ? 'marked' : 'says';
};

/**
 * Whether no log-in form will come: the window shows the key page, an error, or a log-in by HTTP.
 */
const isSettled = async (visit: Visit, { action }: KeyPageSettings): Promise<boolean> => {
  const { document } = visit;
  if (document && (document.status() >= 400 || 'authorization' in (await document.request().allHeaders()))) return true;
  const pieces = await visit.read();
  return (
    candidatesOf(pieces).some(({ score }) => score >= likelyKey) ||
    showsMessage(pieces) ||
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

/** What is needed to get past a log-in. */
export interface Entering {
  readonly settings: KeyPageSettings;
  /** Time to wait for what the page may still render. */
  readonly patienceMs: number;
  readonly progress: Progress;
}

/** Forms to change an e-mail address or to delete the account take a name and a password too. */
const asksToLogIn = (visit: Visit, { url }: KeyPageSettings, form: LoginForm): boolean =>
  (takesNameAndPassword(form) && form.sign === 'says') || (isSentAway(visit, url) && hasField(form));

/** The same, or a registration, which may stand there first, or a form that is not shown yet. */
const mayAskToLogIn = (visit: Visit, { url }: KeyPageSettings, form: LoginForm): boolean =>
  takesNameAndPassword(form) || (isSentAway(visit, url) && (form.asksPassword || form.hidesPassword));

/** Opens the key page, and waits for what tells whether it asks to log in. */
const arrive = async (visit: Visit, settings: KeyPageSettings): Promise<LoginForm> => {
  const { url, loginUrl, username, password } = settings;
  await visit.load(url);
  const mayLogIn = username !== undefined && password !== undefined && loginUrl === undefined;
  return waitForLoginForm(
    visit,
    mayLogIn ? visit.limits.formMs : 0,
    async (found) =>
      mayAskToLogIn(visit, settings, found) ||
      asksToLogIn(visit, settings, found) ||
      (await wayToLogIn(visit)) !== undefined ||
      (await isSettled(visit, settings)) ||
      (await framedLogIn(visit)) !== undefined,
  );
};

/** @throws KeyPageTrouble if the log-in form is in a frame */
const refuseFrame = async (visit: Visit, settings: KeyPageSettings): Promise<void> => {
  const framed = await framedLogIn(visit);
  if (framed === undefined || (await isSettled(visit, settings))) return;
  const { origin, pathname } = new URL(framed);
  throw new KeyPageTrouble(
    `The log-in form is in a frame of the page, from ${origin}${pathname}, where nothing was typed: set LOGIN_URL to the address of that form, if it is yours.`,
  );
};

/** The way to the log-in that the key page asks for; `undefined` if it asks for none. */
const wayInFrom = async (visit: Visit, settings: KeyPageSettings, form: LoginForm): Promise<WayIn | undefined> => {
  const { url, loginUrl, username } = settings;
  const asked = asksToLogIn(visit, settings, form);
  if (!asked && loginUrl === undefined) await refuseFrame(visit, settings);
  const needed = await neededAt(visit, settings);
  const taken = new Set<string>();
  if (loginUrl !== undefined && username !== undefined && !(asked && isShownToLogIn(form, needed))) {
    await visit.load(loginUrl);
    return { needed: 'none', taken };
  }
  if (asked) return { needed, taken };
  if (username === undefined) return undefined;
  // Its button may say so in words that are not known here.
  if (!(await wayToLogIn(visit)))
    return mayAskToLogIn(visit, settings, form) && !(await isSettled(visit, settings)) ? { needed, taken } : undefined;
  const reached = await reachLogInForm(visit, { needed, taken });
  // The control led to it.
  if (reached.isLogIn) return { needed: 'none', taken };
  // What was opened may be no log-in, or one of several forms that may be it.
  if (hasField(reached.form) || (isSentAway(visit, url) && reached.form.asksPassword)) return { needed, taken };
  await visit.load(url);
  return undefined;
};

/** @throws KeyPageTrouble if the key page still asks to log in */
const returnToKeyPage = async (visit: Visit, settings: WithAccount, patienceMs: number): Promise<void> => {
  const { url } = settings;
  const asks = (form: LoginForm): boolean => asksToLogIn(visit, settings, form);
  const said = await loginMessage(visit);
  if (!isAt(visit, url)) await visit.load(url);
  // The page may show the form until it knows who is logged in.
  let again = await waitForLoginForm(visit, said === '' ? patienceMs : 0, (found) => !asks(found) || confirms(found));
  // The server leads to this form from the key page: some ask for the password again before it.
  if (said === '' && asks(again) && confirms(again)) {
    await sendForm(visit, settings, again);
    await visit.load(url);
    again = await waitForLoginForm(visit, patienceMs, (found) => !asks(found));
  }
  if (asks(again))
    throw new KeyPageTrouble(
      `Logging in as ${namesOf(settings).username} did not lead to the key page.${said} ${adviceOn(visit, settings)}`,
    );
};

/** What may have kept a log-in from working. The note of the finding tells what was stopped. */
const adviceOn = ({ gateway }: Visit, settings: KeyPageSettings): string => {
  const felt = gateway.guard.stopped.filter((one) => one.felt);
  if (felt.some(({ origin }) => ownOrigins(settings).includes(origin)))
    return 'The suite stopped a request of the page, since its URL holds the password or another secret, and logs keep URLs: send them in the body of a POST.';
  const { username, password } = namesOf(settings);
  return felt.length > 0
    ? `${[...new Set(felt.map(sentenceOf))].join(' ')} If that origin is yours and has TLS, set LOGIN_URL to it.`
    : `Check ${username} and ${password}, and that the account needs no second factor.`;
};

/** Names of the settings of the account. */
const namesOf = ({
  accountSuffix = '',
}: KeyPageSettings): { readonly username: string; readonly password: string } => ({
  username: `WEB_USERNAME${accountSuffix}`,
  password: `WEB_PASSWORD${accountSuffix}`,
});

/** @throws KeyPageTrouble if the page cannot be opened, or the log-in fails; it says what to set */
export const enter = async (visit: Visit, { settings, patienceMs, progress }: Entering): Promise<void> => {
  const { username, password } = settings;
  progress.waitsFor = 'the key page, or its log-in form';
  const way = await wayInFrom(visit, settings, await arrive(visit, settings));
  if (way) {
    if (username === undefined || password === undefined) {
      const names = namesOf(settings);
      throw new KeyPageTrouble(`The key page asks to log in: set ${names.username} and ${names.password}.`);
    }
    progress.waitsFor = 'the answer to the log-in';
    const account = { ...settings, username, password };
    await logIn(visit, account, way);
    await returnToKeyPage(visit, account, patienceMs);
  }
  const status = visit.document?.status() ?? 200;
  if (status >= 400) throw new KeyPageTrouble(`The key page answers ${status}: check KEY_PAGE_URL.`);
};
