import { click } from './click.js';
import { type KeyPageSettings, KeyPageTrouble } from './input.js';
import { withoutKeys } from './key-candidates.js';
import { waitForLoginForm } from './log-in-form.js';
import { hasField, reachLogInForm } from './reach-log-in-form.js';
import { typeSecrets } from './type-secret.js';
import type { Visit } from './visit.js';

/** Types name and password, on one page or on two. */
const submitLogin = async (
  visit: Visit,
  settings: KeyPageSettings,
  username: string,
  password: string,
): Promise<void> => {
  for (let step = 0; step < 2; step += 1) {
    // The second of two steps needs a password field.
    const found =
      step === 0
        ? await reachLogInForm(visit)
        : await waitForLoginForm(visit, visit.limits.formMs, ({ password: secret }) => secret);
    if (!hasField(found))
      throw new KeyPageTrouble(
        'No field for a name or a password was found on the log-in page: set LOGIN_URL to an address where it shows them.',
      );
    const button = found.submit ? await found.element('submit') : undefined;
    const entries = [
      ...(found.username ? [{ field: await found.element('username'), text: username }] : []),
      ...(found.password ? [{ field: await found.element('password'), text: password }] : []),
    ];
    await typeSecrets(visit, settings, entries, button);
    if (button) await click(visit, button);
    else await (await found.element(found.password ? 'password' : 'username')).press('Enter');
    await visit.settle();
    if (found.password) return;
  }
};

/** The page's message about a log-in, as the end of a sentence. */
export const loginMessage = async (visit: Visit): Promise<string> => {
  const texts = await visit.page.locator('[role=alert], .alert, .error, .errorlist, .invalid-feedback').allInnerTexts();
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
export const logIn = async (
  visit: Visit,
  settings: KeyPageSettings,
  username: string,
  password: string,
): Promise<void> => {
  const form = visit.page.url();
  for (let count = 1; ; count += 1) {
    const was = visit.document;
    await submitLogin(visit, settings, username, password);
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
