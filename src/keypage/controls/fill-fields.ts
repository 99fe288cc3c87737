import { setTimeout as pause } from 'node:timers/promises';
import type { ElementHandle, JSHandle } from '@playwright/test';
import { beyond } from '../../collections.js';
import { anyText } from '../input.js';
import { type Dom, dom, inPage } from '../reading/in-page.js';
import { withoutWrites } from '../window/block-writes.js';
import { elementsOf, ownFrames } from '../window/browser.js';
import type { Visit } from '../window/visit.js';

/**
 * The fields beside a control that a person sees and can fill in: those of its form or dialog, or
 * else of its section without other forms. A text field that nobody sees is a trap for programs.
 * Runs inside the page.
 */
const listFields = inPage(
  ({ closest, elementsIn, isShown, isWrittenIn, parentsOf }: Dom, control: HTMLElement): HTMLElement[] => {
    const opacityOf = (element: Element): number =>
      [element, ...parentsOf(element)].reduce((product, each) => product * Number(getComputedStyle(each).opacity), 1);
    const isSeen = (field: HTMLElement): boolean => {
      if (!isShown(field)) return false;
      // Something else may be drawn instead of these.
      if (field.matches('select, [type=checkbox], [type=radio], [type=file]')) return true;
      field.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
      const { x, y, width, height } = field.getBoundingClientRect();
      // Less than one step of a colour.
      if (Math.min(width, height) <= 1 || opacityOf(field) < 1 / 255) return false;
      if (closest('[inert]', field)) return true;
      // A clipped field, or one outside the window, is not hit. A banner may be above a field, but
      // no other field and none of its own containers.
      const hit = (field.getRootNode() as Document).elementsFromPoint(x + width / 2, y + height / 2);
      const at = hit.indexOf(field);
      return at >= 0 && !hit.slice(0, at).some((above) => above.contains(field) || above.matches('input, textarea'));
    };
    const buttons = '[type=submit], [type=button], [type=reset], [type=image]';
    // A button may belong to a form elsewhere.
    const form = (control as HTMLButtonElement).form ?? closest('form', control) ?? null;
    const scope =
      (form?.contains(control) ? undefined : form) ??
      closest('form, dialog, [role=dialog]', control) ??
      parentsOf(control).find(
        (each) => each.matches('fieldset, section, article, main') && isWrittenIn(control, each),
      ) ??
      document.body;
    const inScope = new Set(elementsIn(scope));
    return elementsIn(document.documentElement).filter(
      (field): field is HTMLElement =>
        field instanceof HTMLElement &&
        field.matches(
          'input, textarea, select, [contenteditable]:not([contenteditable=false]), [role=checkbox], [role=switch], [role=combobox]',
        ) &&
        !field.matches(`:disabled, [readonly], ${buttons}`) &&
        // A field may stand outside its form.
        ((field as HTMLInputElement).form ? (field as HTMLInputElement).form === form : inScope.has(field)) &&
        isSeen(field),
    );
  },
  ...dom,
);

const fieldsBeside = (control: ElementHandle<HTMLElement>): Promise<JSHandle<HTMLElement[]>> =>
  control.evaluateHandle(listFields);

export const eachFieldBeside = async (control: ElementHandle<HTMLElement>): Promise<ElementHandle<HTMLElement>[]> =>
  elementsOf(await fieldsBeside(control));

/**
 * Whether a field beside the control is empty or not ticked. The result of the control may be due
 * to that, or to what the suite enters there.
 */
export const hasBlanks = async (control: ElementHandle<HTMLElement>): Promise<boolean> =>
  (await fieldsBeside(control)).evaluate((fields) =>
    fields.some((field) => {
      if (field.matches('[type=radio]')) return field.matches(':invalid');
      if (field.matches('[type=checkbox], [role=checkbox], [role=switch]'))
        return !field.matches(':checked, [aria-checked=true]');
      // The choice in a list other than `select` is not known.
      const text = field.matches('[contenteditable]') ? field.textContent : '';
      return ((field as HTMLInputElement).value ?? text) === '';
    }),
  );

/**
 * Fills empty text fields, and required dates, numbers and checkboxes. Runs inside the page.
 * @param entries `user`: what is chosen in a list of users
 * @returns whether any was filled in
 */
const fill = (
  fields: readonly HTMLElement[],
  { text, user, onlyRequired }: { text: string; user: string | undefined; onlyRequired: boolean },
): boolean => {
  const say = (field: HTMLElement, name: string): boolean => field.dispatchEvent(new Event(name, { bubbles: true }));
  const entryFor = (field: HTMLInputElement | HTMLTextAreaElement): string | undefined => {
    if (/^(text|search|textarea)$/.test(field.type)) return text;
    if (field instanceof HTMLTextAreaElement || !field.required) return undefined;
    if (field.type === 'number') return field.min || '1';
    if (field.type !== 'date') return undefined;
    const inAMonth = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    return field.max !== '' && field.max < inAMonth ? field.max : field.min > inAMonth ? field.min : inAMonth;
  };
  let some = false;
  for (const field of fields) {
    if (onlyRequired && !field.matches(':invalid')) continue;
    if (field instanceof HTMLSelectElement) {
      const choices = [...field.options].filter(({ value, disabled }) => value !== '' && !disabled);
      const choice = choices.find((each) => each.text.trim() === user) ?? choices[0];
      if (field.value !== '' || !choice) continue;
      field.value = choice.value;
    } else if (field instanceof HTMLInputElement && /^(checkbox|radio)$/.test(field.type)) {
      if (field.matches(':invalid')) field.click();
      continue;
    } else if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) {
      const entry = entryFor(field);
      if (field.value !== '' || entry === undefined) continue;
      // Frameworks that manage the value use the setter of the class.
      const owner = field instanceof HTMLInputElement ? HTMLInputElement : HTMLTextAreaElement;
      Object.getOwnPropertyDescriptor(owner.prototype, 'value')?.set?.call(field, entry);
    } else continue;
    some = true;
    say(field, 'input');
    say(field, 'change');
  }
  return some;
};

const fillBeside = async (
  control: ElementHandle<HTMLElement>,
  onlyRequired: boolean,
  user?: string,
): Promise<boolean> => (await fieldsBeside(control)).evaluate(fill, { text: anyText, user, onlyRequired });

/** The visible fields among these that wait for an entry. Runs inside the page. */
const waitingFields = (fields: Element[]): string[] => {
  const shown = (element: Element): boolean =>
    element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  return fields.flatMap((field) => {
    const takesText = field.matches('input, textarea') && (field as HTMLInputElement).value === '';
    const isOther = field.matches(
      ':disabled, [readonly], [type=submit], [type=button], [type=reset], [type=image], [type=checkbox], [type=radio], [type=range], [type=color]',
    );
    const waits = (takesText && !isOther) || field.matches(':invalid');
    const of = ['type', 'name', 'id', 'placeholder', 'aria-label'].map((name) => field.getAttribute(name));
    return waits && shown(field) ? [JSON.stringify([field.localName, ...of])] : [];
  });
};

/**
 * Notes which fields wait for an entry.
 * @returns whether more, or others, wait by now: the page asks for something
 */
export const detectForm = async ({ page }: Visit): Promise<() => Promise<boolean>> => {
  const look = async (): Promise<string[]> =>
    (
      await Promise.all(
        ownFrames(page).map((frame) =>
          frame
            .locator('input, textarea, select')
            .evaluateAll(waitingFields)
            .catch(() => []),
        ),
      )
    ).flat();
  const before = await look();
  return async () => beyond(await look(), before, (field) => field).length > 0;
};

/**
 * Fills in what the form of the control requires. Where the browser does not ask for that, the
 * server may.
 */
export const fillRequired = async (control: ElementHandle<HTMLElement>, user: string | undefined): Promise<void> => {
  const lacks = await control.evaluate((element) => {
    const { form } = element as HTMLButtonElement;
    return form instanceof HTMLFormElement && form.matches(':invalid');
  });
  if (lacks) await fillBeside(control, true, user);
};

/** Ticks the next box that is not ticked. Runs inside the page. */
const tickNext = (fields: readonly HTMLElement[]): boolean => {
  const boxes = fields.filter((field) => field.matches('[type=checkbox], [type=radio]')) as HTMLInputElement[];
  const next = boxes.find(
    (box) => !box.checked && !boxes.some(({ checked, name, type }) => checked && type === 'radio' && name === box.name),
  );
  next?.click();
  return next !== undefined;
};

/**
 * Fills in the fields beside a disabled control, and ticks one box after another until it is
 * enabled. Writes of the page are blocked meanwhile.
 */
export const wake = async (visit: Visit, control: ElementHandle<HTMLElement>): Promise<boolean> => {
  const isAwake = async (): Promise<boolean> => {
    await visit.settle();
    return control.evaluate((element) => !element.matches(':disabled, [aria-disabled=true]'));
  };
  let awake = false;
  await withoutWrites(visit, async () => {
    await fillBeside(control, false);
    awake = await isAwake();
    while (!awake && (await (await fieldsBeside(control)).evaluate(tickNext))) awake = await isAwake();
  });
  return awake;
};

/**
 * Fills in every empty field beside the control, with writes of the page blocked: a field may be
 * saved at once.
 * @returns whether any was filled in
 */
export const fillAll = async (visit: Visit, control: ElementHandle<HTMLElement>): Promise<boolean> => {
  let some = false;
  await withoutWrites(visit, async () => {
    some = await fillBeside(control, false);
    await pause(visit.limits.momentMs);
    await visit.settle();
  });
  return some;
};
