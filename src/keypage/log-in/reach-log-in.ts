import type { ElementHandle } from '@playwright/test';
import { type Control, controlsOf, tryClick } from '../controls/controls.js';
import { mayUnfold, usable } from '../controls/find-action.js';
import { scoreWayToLogIn } from '../reading/control-names.js';
import { withoutWrites } from '../window/block-writes.js';
import type { Visit } from '../window/visit.js';
import { isSameForm, type LoginForm, waitForLoginForm } from './log-in-form.js';

/**
 * The control that leads to a log-in form by its name, such as "Log in" or "Continue with email".
 */
export const wayToLogIn = async (
  visit: Visit,
  taken: ReadonlySet<string> = new Set(),
): Promise<Control | undefined> => {
  const [best] = (await controlsOf(visit))
    .filter((control) => usable(control) && /link|script/.test(control.by) && !taken.has(control.name))
    .map((control) => ({ control, score: scoreWayToLogIn(control.name) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score);
  return best?.control;
};

type Way = Pick<Control, 'name' | 'by' | 'element'>;

const radioButtons = async ({ page }: Visit): Promise<Way[]> => {
  const found = (await page.$$('input[type=radio]:not(:checked):visible')) as ElementHandle<HTMLInputElement>[];
  return Promise.all(
    found.map(async (radio) => ({
      name: await radio.evaluate(({ name, value, id }) => JSON.stringify([name, value, id])),
      by: 'script' as const,
      element: async () => radio,
    })),
  );
};

/** A control that may show another form, by its structure alone. */
const wayToOtherForm = async (visit: Visit, taken: ReadonlySet<string>): Promise<Way | undefined> =>
  (await controlsOf(visit)).find((control) => mayUnfold(control) && !taken.has(control.name)) ??
  (await radioButtons(visit)).find(({ name }) => !taken.has(name));

/** Follows a link, or presses a button with writes blocked. A press may lead to another page. */
const takeWay = async (visit: Visit, way: Way): Promise<void> => {
  const target =
    way.by === 'link' ? await (await way.element()).evaluate((link) => (link as HTMLAnchorElement).href) : '';
  if (/^https?:/.test(target)) return visit.load(target);
  await withoutWrites(visit, async () => void (await tryClick(visit, way)), { mayLeave: true });
};

export const hasField = ({ username, password }: LoginForm): boolean => username || password;

/**
 * What a form needs to be taken for the log-in. `says`: its button says so. `marked`: its markup
 * says so. `none`: nothing more, since its page is known to be one to log in at.
 */
export type Needed = 'says' | 'marked' | 'none';

export const isShownToLogIn = (form: LoginForm, needed: Needed): boolean =>
  hasField(form) && (form.sign === 'says' || needed === 'none' || form.sign === needed);

/** How the search for the log-in begins. */
export interface WayIn {
  readonly needed: Needed;
  /** Names of the controls that were used. */
  readonly taken: Set<string>;
}

interface Reached {
  readonly form: LoginForm;
  readonly isLogIn: boolean;
}

/**
 * Waits for a log-in form. If none shows by itself that it is one, uses the controls that may lead
 * to it.
 */
export const reachLogInForm = async (visit: Visit, { needed: neededHere, taken }: WayIn): Promise<Reached> => {
  const { momentMs, formMs } = visit.limits;
  let needed = neededHere;
  let form = await waitForLoginForm(visit, momentMs, hasField);
  for (;;) {
    let named: Control | undefined;
    let other: Way | undefined;
    const known = neededHere === 'says' ? 'says' : 'marked';
    // What else such a page has comes with its form.
    const enough = Date.now() + momentMs;
    form = await waitForLoginForm(visit, formMs, async (found) => {
      named = isShownToLogIn(found, known) ? undefined : await wayToLogIn(visit, taken);
      const isOnlyOther = (found.asksPassword || found.hidesPassword) && !hasField(found);
      other = isOnlyOther && !named ? await wayToOtherForm(visit, taken) : undefined;
      const isRendered = (hasField(found) || found.asksPassword) && Date.now() >= enough;
      return isShownToLogIn(found, needed) || named !== undefined || other !== undefined || isRendered;
    });
    const way = named ?? other;
    if (way === undefined) return { form, isLogIn: isShownToLogIn(form, needed) };
    taken.add(way.name);
    await takeWay(visit, way);
    const before = form;
    const led = await waitForLoginForm(
      visit,
      momentMs,
      async (found) => hasField(found) && !(await isSameForm(before, found)),
    );
    if (named && !(await isSameForm(before, led))) needed = 'none';
  }
};
