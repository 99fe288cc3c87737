import { withoutWrites } from './block-writes.js';
import { ownOrigins, steadily } from './browser.js';
import { scoreWayToLogIn } from './control-names.js';
import { type Control, click, controlsOf } from './controls.js';
import { offersAction } from './find-action.js';
import { type KeyPageSettings, KeyPageTrouble, type Progress } from './input.js';
import { candidatesOf, withoutKeys } from './key-candidates.js';
import { type LoginForm, takesNameAndPassword, waitForLoginForm } from './log-in-form.js';
import { showsMessage } from './page-wording.js';
import { sentenceOf } from './secrets.js';
import { likelyKey } from './shown-key.js';
import { typeSecrets } from './type-secret.js';
import { samePage, type Visit } from './visit.js';

/**
 * The control that leads to a log-in form by its name, such as "Log in" or "Continue with email".
 */
export const wayToLogIn = async (
  visit: Visit,
  taken: ReadonlySet<string> = new Set(),
): Promise<Control | undefined> => {
  const [best] = (await controlsOf(visit))
    .filter(({ visible, enabled, by, name }) => visible && enabled && /link|script/.test(by) && !taken.has(name))
    .map((control) => ({ control, score: scoreWayToLogIn(control.name) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score);
  return best?.control;
};

/** Follows a link, or presses a button with writes blocked. A press may lead to another page. */
export const takeWay = async (visit: Visit, { by, element }: Control): Promise<void> => {
  const control = await element();
  const target = by === 'link' ? await control.evaluate((link) => (link as HTMLAnchorElement).href) : '';
  if (/^https?:/.test(target)) return visit.load(target);
  await withoutWrites(
    visit,
    () =>
      click(visit, control)
        .catch(() => {})
        .then(() => visit.settle()),
    { mayLeave: true },
  );
};

/** A form for the password alone, with which a logged-in user confirms the identity. */
const confirms = ({ username, password, submit }: LoginForm): boolean => password && submit && !username;

export const hasField = ({ username, password }: LoginForm): boolean => username || password;

/** A form for a name alone, whose button is not known to log in, may send an e-mail. */
const surelyLogsIn = ({ username, password, logsIn }: LoginForm): boolean => password || (username && logsIn);

/** Waits for a log-in form. If no certain one appears, uses the controls that may lead to one. */
export const reachLogInForm = async (visit: Visit): Promise<LoginForm> => {
  const { momentMs, formMs } = visit.limits;
  let form = await waitForLoginForm(visit, momentMs, hasField);
  const taken = new Set<string>();
  for (;;) {
    let way: Control | undefined;
    form = await waitForLoginForm(visit, formMs, async (found) => {
      way = surelyLogsIn(found) ? undefined : await wayToLogIn(visit, taken);
      return hasField(found) || way !== undefined;
    });
    if (way === undefined) return form;
    taken.add(way.name);
    await takeWay(visit, way);
  }
};

type WithAccount = KeyPageSettings & { readonly username: string; readonly password: string };

/** Types what a form asks for, and sends it. */
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
const submitLogin = async (visit: Visit, settings: WithAccount): Promise<void> => {
  for (let step = 0; step < 2; step += 1) {
    // The second of two steps needs a password field.
    const found =
      step === 0
        ? await reachLogInForm(visit)
        : await waitForLoginForm(visit, visit.limits.formMs, ({ password: secret }) => secret);
    if (!hasField(found))
      throw new KeyPageTrouble(
        'No log-in form was found on the log-in page, or several forms that may be it: set LOGIN_URL to an address that shows it alone.',
      );
    await sendForm(visit, settings, found);
    if (found.password) return;
  }
};

/** The page's message about a log-in, as the end of a sentence. */
export const loginMessage = async (visit: Visit): Promise<string> => {
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
export const logIn = async (visit: Visit, settings: WithAccount): Promise<void> => {
  const form = visit.page.url();
  for (let count = 1; ; count += 1) {
    const was = visit.document;
    await submitLogin(visit, settings);
    visit.loggedIn = true;
    await waitForLoginForm(visit, visit.limits.formMs, () => isAnswered(visit, was));
    const limited = visit.document?.status() === 429 ? visit.document : visit.traffic.limited;
    if (limited === undefined) return;
    if (!(await visit.traffic.waitAfter(limited, count)))
      throw new KeyPageTrouble(
        'The log-in is answered 429: the server limits how often somebody may log in. Run this again later.',
      );
    await visit.load(form);
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
    await logIn(visit, { ...settings, username, password });
    const said = await loginMessage(visit);
    if (!isAt(visit, url)) await visit.load(url);
    // The page may show the form until it knows who is logged in.
    const waits = (): Promise<LoginForm> =>
      waitForLoginForm(visit, said === '' ? patienceMs : 0, (found) => !asks(found) || confirms(found));
    let again = await waits();
    // The server leads to this form from the key page: some ask for the password again before it.
    if (said === '' && asks(again) && confirms(again)) {
      await sendForm(visit, { ...settings, username, password }, again);
      await visit.load(url);
      again = await waitForLoginForm(visit, patienceMs, (found) => !asks(found));
    }
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
