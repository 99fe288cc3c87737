import { setTimeout as pause } from 'node:timers/promises';
import type { ElementHandle } from '@playwright/test';
import { plainWords } from '../words.js';
import { withoutWrites } from './block-writes.js';
import { namesMore, scoreAction, scoreConfirmation } from './control-names.js';
import { type Control, controlsOf, identified } from './controls.js';
import { fillRequired, wake } from './fill-fields.js';
import type { KeyPageSettings } from './input.js';
import { withoutKeys } from './key-candidates.js';
import { click } from './login.js';
import { typeSecrets } from './type-secret.js';
import type { Visit } from './visit.js';

export interface Action {
  readonly control: Control;
  /** Its name says that it makes a key, or the user named it. */
  readonly certain: boolean;
}

export type FoundAction = Action | { readonly control?: never; readonly why: string };

/** Number of parts that are expanded to find the action. */
const maxExpanded = 12;

const usable = ({ enabled, visible }: Control): boolean => enabled && visible;

const rank = (control: Control): number => {
  const score = control.here ? 0 : scoreAction(control.name, control.context) - (control.opens === 'no' ? 0 : 0.5);
  // A link in navigation rather leads to the key page.
  return score > 0 && control.aside ? score / 4 : score;
};

/** More than the words of any name give. */
const surelyWanted = 100;

/** Whether KEY_PAGE_ACTION names it. */
const isWanted = (name: string, wanted: string | undefined): boolean =>
  wanted !== undefined && plainWords(name).includes(plainWords(wanted));

/** Whether a control may be the action itself, by its name or by KEY_PAGE_ACTION. */
export const isAction = (control: Control, wanted: string | undefined): boolean =>
  rank(control) > 0 || isWanted(control.name, wanted);

/** Whether a name is that of the action, by itself or by KEY_PAGE_ACTION. */
export const isNamedLikeAction = (name: string, wanted: string | undefined): boolean =>
  scoreAction(name, 'api key') > 0 || isWanted(name, wanted);

/** Chooses among visible controls. If two are equally likely, the user has to name one. */
const choose = (controls: readonly Control[]): FoundAction | undefined => {
  const ranked = controls
    .filter(usable)
    .map((control) => ({ control, score: rank(control) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score);
  const [best] = ranked;
  if (!best) return undefined;
  const equals = ranked.filter(({ score }) => score === best.score).map(({ control }) => control.name);
  const names = [...new Set(equals.map(plainWords))];
  return names.length > 1
    ? {
        why: `Several controls could be the action (“${[...new Set(equals)].join('”, “')}”): set KEY_PAGE_ACTION to one of them.`,
      }
    : { control: best.control, certain: scoreAction(best.control.name, '') > 0 && !namesMore(best.control.name) };
};

const named = async (visit: Visit, wanted: string): Promise<FoundAction | undefined> => {
  const controls = await controlsOf(visit);
  const words = plainWords(wanted);
  const exact = controls.filter((control) => plainWords(control.name) === words);
  const near = exact.length > 0 ? exact : controls.filter((control) => plainWords(control.name).includes(words));
  const control = near.find(usable);
  if (control) return { control, certain: true };
  if (near.length > 0) return undefined;
  const element = await visit.page.$(wanted).catch(() => null);
  if (!element || !(await element.isVisible())) return undefined;
  const facts = { context: '', visible: true, enabled: true, opens: 'no', by: 'script' } as const;
  const places = { here: false, aside: false, inDialog: false, selected: false };
  const handle = async () => element as ElementHandle<HTMLElement>;
  return { control: { ...facts, ...places, name: wanted, element: handle }, certain: true };
};

const search = async (visit: Visit, wanted: string | undefined): Promise<FoundAction | undefined> =>
  wanted === undefined ? choose(await controlsOf(visit)) : named(visit, wanted);

/** Controls that expand something, likeliest first: keys, then menus, then tabs. */
const openers = async (visit: Visit): Promise<(readonly [id: string, control: Control])[]> => {
  const likely = ({ name, aside }: Control): number =>
    (/api|key|token|schlussel|cle\b|clave/.test(plainWords(name)) ? 4 : 0) +
    (/more|manage|action|option|advanced|developer|mehr|aktion|plus|mas|…|⋮/.test(plainWords(name)) ? 2 : 0) +
    (aside ? 0 : 1);
  return identified(await controlsOf(visit))
    .filter(([, control]) => control.opens !== 'no' && usable(control) && !control.selected && control.by === 'script')
    .sort(([, one], [, other]) => likely(other) - likely(one));
};

/**
 * Finds the action that makes a key, by its name. Unfolds menus if no visible control fits.
 * @param wanted KEY_PAGE_ACTION: a name or a CSS selector
 */
export const findAction = async (
  visit: Visit,
  wanted: string | undefined,
  patienceMs: number,
): Promise<FoundAction> => {
  const end = Date.now() + patienceMs;
  let found = (await search(visit, wanted)) ?? (await unfold(visit, wanted));
  while (!found && Date.now() < end) {
    await pause(200);
    found = await search(visit, wanted);
  }
  if (found) return found;
  const controls = await controlsOf(visit);
  const asleep = controls.find((control) => control.visible && !control.enabled && isAction(control, wanted));
  if (asleep && (await wake(visit, await asleep.element())))
    return { control: asleep, certain: isWanted(asleep.name, wanted) };
  if (asleep)
    return {
      why: `“${asleep.name}” cannot be pressed: it is disabled. Give the account what it waits for, or set KEY_PAGE_ACTION to another control.`,
    };
  const why =
    wanted === undefined
      ? 'No button or link on the page is named like “generate API key”: set KEY_PAGE_ACTION to the name of the one that makes a key.'
      : 'Nothing visible on the page is named, or selected by, KEY_PAGE_ACTION.';
  return {
    why: visit.loggedIn
      ? why
      : `${why} The page was not seen to ask for a log-in: if it is the first step of one, set LOGIN_URL to its address.`,
  };
};

const unfold = async (visit: Visit, wanted: string | undefined): Promise<FoundAction | undefined> => {
  const pressed = new Set<string>();
  let found: FoundAction | undefined;
  await withoutWrites(visit, async () => {
    while (found === undefined && pressed.size < maxExpanded) {
      const next = (await openers(visit)).find(([id]) => !pressed.has(id));
      if (!next) return;
      const [id, opener] = next;
      pressed.add(id);
      try {
        await click(visit, await opener.element());
      } catch {
        continue; // It is gone, since another part was expanded.
      }
      await visit.settle();
      found = await search(visit, wanted);
    }
  });
  return found;
};

/** Whether the page has a control for the action, which shows that it is rendered. */
export const offersAction = async (visit: Visit, wanted: string | undefined): Promise<boolean> =>
  (await search(visit, wanted)) !== undefined;

type Button = ElementHandle<HTMLElement>;

/** What a page showed before the action was pressed. */
export interface PageBefore {
  readonly url: string;
  /** Names of the visible controls. */
  readonly controls: readonly string[];
  /** Those in dialogs. */
  readonly inDialogs: readonly string[];
  /** Whether a field was there. */
  readonly had: (field: ElementHandle) => Promise<boolean>;
  /** Names of the fields that its forms send. */
  readonly fieldNames: readonly string[];
}

/** Reads the page that the action is pressed on. */
export const pageBefore = async (visit: Visit): Promise<PageBefore> => {
  const visible = (await controlsOf(visit)).filter((control) => control.visible);
  const fields = await visit.page.evaluateHandle(() => new Set<Node>(document.querySelectorAll('input, textarea')));
  return {
    url: visit.page.url(),
    controls: visible.map(({ name }) => name),
    inDialogs: visible.filter(({ inDialog }) => inDialog).map(({ name }) => name),
    fieldNames: await visit.page.evaluate(() =>
      [...document.forms].flatMap(({ elements }) => [...elements].map((field) => field.getAttribute('name') ?? '')),
    ),
    // The handle is gone with its document.
    had: (field) => fields.evaluate((known, one) => known.has(one), field).catch(() => false),
  };
};

/**
 * Fills in the form or dialog of a control. Without one, it fills in only fields that came with the
 * control: others belong to something else.
 */
const fillForm = async (
  visit: Visit,
  control: Button,
  { had }: PageBefore,
  settings: KeyPageSettings,
): Promise<void> => {
  const form = await control.evaluateHandle((button) => button.closest('form, dialog, [role=dialog]'));
  const own = form.asElement();
  const scope = own ?? (await visit.page.$('body'));
  if (!scope) return;
  const passwords: ElementHandle<HTMLElement>[] = [];
  for (const input of await scope.$$('input:not([readonly]):not([disabled]), textarea')) {
    if (!(await input.isVisible()) || (await input.inputValue().catch(() => 'x')) !== '') continue;
    if (!own && (await had(input))) continue;
    const [type, isNew] = await input.evaluate((field) =>
      field instanceof HTMLInputElement ? [field.type, field.autocomplete === 'new-password'] : ['text', false],
    );
    if (type === 'text' || type === 'textarea') await input.fill('access-conformance');
    else if (type === 'password' && !isNew) passwords.push(input as ElementHandle<HTMLElement>);
  }
  await fillRequired(control);
  const { password } = settings;
  if (password === undefined || passwords.length === 0) return;
  const entries = passwords.map((field) => ({ field, text: password }));
  await typeSecrets(visit, settings, entries, control);
};

/** Whether a control sends a form with new fields to the path that the action was sent to. */
const asksAgain = async (control: Control, path: string, { fieldNames }: PageBefore): Promise<boolean> =>
  control.by === 'post' &&
  (await (
    await control.element()
  ).evaluate(
    (button, { known, to }) => {
      const { form } = button as HTMLButtonElement;
      const names = form ? [...form.elements].map((field) => field.getAttribute('name') ?? '') : [];
      const action = new URL(form?.getAttribute('action') ?? '', document.baseURI);
      const isThere = action.origin === location.origin && action.pathname === to;
      return isThere && names.some((name) => name !== '' && !known.includes(name));
    },
    { known: fieldNames, to: path },
  ));

/** The control by which a page that answers a write itself asks for more, before it does it. */
const findQuestion = async (visit: Visit, before: PageBefore, path: string): Promise<Control | undefined> => {
  const { document } = visit;
  if (document?.request().method() !== 'POST' || new URL(document.url()).pathname !== path) return undefined;
  for (const control of (await controlsOf(visit)).filter(usable))
    if (scoreConfirmation(control.name) > 0 && (await asksAgain(control, path, before))) return control;
  return undefined;
};

/**
 * The control that confirms the action, in a dialog or on a second page.
 * @param written the path that the action has sent a write to: only a page that answers it with
 * a question is gone on with then
 * @returns `undefined` if there is none
 */
export const findNextStep = async (
  visit: Visit,
  before: PageBefore,
  written: string | undefined,
  wanted: string | undefined,
): Promise<Control | undefined> => {
  if (written !== undefined) return findQuestion(visit, before, written);
  const controls = (await controlsOf(visit)).filter(({ visible }) => visible);
  // A dialog that was open before asks about something else.
  const inDialog = controls.filter((control) => control.inDialog && !before.inDialogs.includes(control.name));
  const moved = visit.page.url() !== before.url;
  const left = [...before.controls];
  const fresh = controls.filter(({ name }) => {
    const at = left.indexOf(name);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
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

/** Names of the controls that came with the press. */
export const newControls = async (visit: Visit, before: PageBefore): Promise<string[]> =>
  (await controlsOf(visit))
    .filter((control) => usable(control) && !control.aside && !before.controls.includes(control.name))
    .map(({ name }) => withoutKeys(name))
    .filter((name) => name !== '');

/** Confirms: fills in a name or the password if the form asks for it. */
export const takeStep = async (
  visit: Visit,
  control: Control,
  before: PageBefore,
  settings: KeyPageSettings,
): Promise<void> => {
  const element = await control.element();
  await fillForm(visit, element, before, settings);
  await click(visit, element);
};
