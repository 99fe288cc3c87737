import type { ElementHandle } from '@playwright/test';
import { beyond } from '../../collections.js';
import { type Control, controlsOf } from '../controls/controls.js';
import { eachFieldBeside, fillRequired, wake } from '../controls/fill-fields.js';
import { isNamedLikeAction, isWanted, usable } from '../controls/find-action.js';
import { questionOf } from '../controls/password-question.js';
import { anyText, type KeyPageSettings, KeyPageTrouble } from '../input.js';
import { typeSecrets } from '../log-in/type-secret.js';
import { scoreConfirmation } from '../reading/control-names.js';
import { withoutKeys } from '../reading/key-candidates.js';
import type { Visit } from '../window/visit.js';
import { addressOf, type PageBefore } from './page-before.js';

/** Higher than the score of any name. */
const surelyWanted = 100;

/** An empty field beside a control. */
interface Blank {
  readonly field: ElementHandle<HTMLElement>;
  readonly type: string;
  readonly isNew: boolean;
  readonly isMarked: boolean;
}

const blanksBeside = async (control: ElementHandle<HTMLElement>, isOther: PageBefore['had']): Promise<Blank[]> => {
  const blanks: Blank[] = [];
  for (const field of await eachFieldBeside(control)) {
    if ((await field.inputValue().catch(() => 'x')) !== '' || (await isOther(field))) continue;
    const facts = await field.evaluate((one) => {
      const [type, completes] = one instanceof HTMLInputElement ? [one.type, one.autocomplete] : [one.localName, ''];
      return { type, isNew: completes === 'new-password', isMarked: completes.includes('current-password') };
    });
    blanks.push({ field, ...facts });
  }
  return blanks;
};

/**
 * Fills in the form or dialog of a control. Without one, it fills in only fields that came with the
 * control: others belong to something else. The password confirms who asks for the key: its form
 * has to name the making of a key, or ask who presses, or name nothing. A form of two passwords
 * changes it, and one with other fields is about something else, unless its control or its markup
 * says so.
 * @throws KeyPageTrouble if the form is about something else, or asks for a password in another
 * way; nothing is typed then
 */
export const fillForm = async (
  visit: Visit,
  step: Control,
  { showed, texts: known }: PageBefore,
  settings: KeyPageSettings,
): Promise<void> => {
  const { name } = step;
  const control = await step.element();
  const isApart = await control.evaluate((button) => button.closest('form, dialog, [role=dialog]') === null);
  const blanks = await blanksBeside(control, async (field) => isApart && showed(field));
  const passwords = blanks.filter(({ type }) => type === 'password');
  const texts = blanks.filter(({ type }) => /^(text|tel|number|textarea)$/.test(type));
  const [asked] = passwords.filter(({ isNew }) => !isNew);
  const { ends, other } = await questionOf(step, control, known, settings.action);
  const title = asked ? other : ends;
  if (title !== undefined)
    throw new KeyPageTrouble(
      `“${withoutKeys(name)}” is below “${withoutKeys(title)}”, which may be about something else than the key, and nothing was typed or pressed: see in a browser what it does.`,
    );
  const isAbout = asked?.isMarked || texts.length === 0 || isNamedLikeAction(name, settings.action);
  if (asked && (passwords.length > 1 || !isAbout))
    throw new KeyPageTrouble(
      `“${withoutKeys(name)}” sends a form that asks for more than the password of the account, and nothing was typed: see in a browser what it does.`,
    );
  for (const { field, type } of texts) if (/^text/.test(type)) await field.fill(anyText);
  await fillRequired(control, settings.username);
  const { password } = settings;
  if (password === undefined || !asked) return;
  await typeSecrets(visit, settings, [{ field: asked.field, text: password }], control);
};

/** What a control sends, compared with the page before. */
const sentBy = async (control: Control, { fieldNames }: PageBefore) =>
  (await control.element()).evaluate(
    (button, known) => {
      const { form } = button as HTMLButtonElement;
      const fields = form ? [...form.elements] : [];
      const action = new URL(form?.getAttribute('action') ?? '', document.baseURI);
      return {
        path: action.origin === location.origin ? action.pathname : undefined,
        hasNew: fields.some((field) => !known.includes(field.getAttribute('name') ?? '')),
        hasPassword: fields.some((field) => field.matches('[type=password]')),
      };
    },
    ['', ...fieldNames],
  );

/**
 * The control of a page that answered the write with a question instead of doing it. It sends new
 * fields to the same path, or a password from a page of its own that says why it asks.
 */
const findQuestion = async (
  visit: Visit,
  before: PageBefore,
  path: string,
  wanted: string | undefined,
): Promise<Control | undefined> => {
  const { document } = visit;
  if (!document || document === before.document) return undefined;
  const isAnswer = document.request().method() === 'POST' && new URL(document.url()).pathname === path;
  const isApart = addressOf(visit) !== before.url;
  for (const control of (await controlsOf(visit)).filter(usable)) {
    if (control.by !== 'post' || scoreConfirmation(control.name) === 0) continue;
    const sends = await sentBy(control, before);
    if (sends.path === undefined || !sends.hasNew) continue;
    if (isAnswer && sends.path === path) return control;
    if (!isApart || !sends.hasPassword) continue;
    const { other, isNamed } = await questionOf(control, await control.element(), before.texts, wanted);
    if (isNamed && other === undefined) return control;
  }
  return undefined;
};

/**
 * The control that confirms the action, in a dialog or on a second page.
 * @param written the path that the action has already sent a write to. Then only a question that
 * answers this write is confirmed
 * @returns `undefined` if there is none
 */
export const findNextStep = async (
  visit: Visit,
  before: PageBefore,
  written: string | undefined,
  wanted: string | undefined,
): Promise<Control | undefined> => {
  if (written !== undefined) return findQuestion(visit, before, written, wanted);
  const controls = (await controlsOf(visit)).filter(({ visible }) => visible);
  // A dialog that was open before asks about something else.
  const inDialog = controls.filter((control) => control.inDialog && !before.inDialogs.includes(control.name));
  const moved = addressOf(visit) !== before.url;
  const fresh = beyond(controls, before.controls, ({ name }) => name);
  const scope =
    inDialog.length > 0
      ? inDialog
      : (moved ? controls : fresh).filter((control) => !control.aside && !control.inDialog);
  const scoreOf = ({ name, context, here }: Control): number =>
    (here ? 0 : scoreConfirmation(name, moved && inDialog.length === 0 ? context : '')) +
    (isWanted(name, wanted) ? surelyWanted : 0);
  const [best] = scope
    .map((control) => ({ control, score: scoreOf(control) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => Number(usable(other.control)) - Number(usable(one.control)) || other.score - one.score);
  if (!best || usable(best.control)) return best?.control;
  return (await wake(visit, await best.control.element())) ? best.control : undefined;
};

/** The controls that came with the press. */
const newControls = async (visit: Visit, { controls }: PageBefore): Promise<Control[]> =>
  (await controlsOf(visit)).filter(({ visible, aside, name }) => visible && !aside && !controls.includes(name));

/** Names of the controls that came with the press. */
export const offeredNames = async (visit: Visit, before: PageBefore): Promise<string[]> =>
  (await newControls(visit, before))
    .filter(usable)
    .map(({ name }) => withoutKeys(name))
    .filter((name) => name !== '');

/** Whether the control that would confirm the press is disabled until some field is filled in. */
export const awaitsField = async (visit: Visit, before: PageBefore): Promise<boolean> =>
  (await newControls(visit, before)).some(({ enabled, name }) => !enabled && scoreConfirmation(name) > 0);

/**
 * Whether the focus is in an empty field that was there before the press, since its script asks for
 * it.
 */
export const movedToField = async ({ page }: Visit, { had }: PageBefore): Promise<boolean> => {
  const focused = await page.$('input:focus, textarea:focus');
  return focused !== null && (await focused.inputValue().catch(() => 'x')) === '' && had(focused);
};
