import { withoutWrites } from './block-writes.js';
import { click } from './click.js';
import { scoreWayToLogIn } from './control-names.js';
import { type Control, controlsOf } from './controls.js';
import { type LoginForm, waitForLoginForm } from './log-in-form.js';
import type { Visit } from './visit.js';

/** The control that leads to a log-in form by its name, such as "Log in" or "Continue with email". */
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

export const hasField = ({ username, password }: LoginForm): boolean => username || password;

/** Waits for a log-in form. Where none comes by itself, it goes the ways that lead to one. */
export const reachLogInForm = async (visit: Visit): Promise<LoginForm> => {
  const { momentMs, formMs } = visit.limits;
  let form = await waitForLoginForm(visit, momentMs, hasField);
  const taken = new Set<string>();
  for (;;) {
    let way: Control | undefined;
    form = await waitForLoginForm(visit, formMs, async (found) => {
      way = hasField(found) ? undefined : await wayToLogIn(visit, taken);
      return hasField(found) || way !== undefined;
    });
    if (way === undefined) return form;
    taken.add(way.name);
    await takeWay(visit, way);
  }
};
