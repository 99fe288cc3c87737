import { setTimeout as pause } from 'node:timers/promises';
import type { ElementHandle } from '@playwright/test';
import { beyond } from '../collections.js';
import { withoutWrites } from './block-writes.js';
import { ownFrames } from './browser.js';
import { anyText } from './input.js';
import type { Visit } from './visit.js';

/**
 * Whether a person sees a field for text. Others are traps for programs, and have to stay empty.
 * Runs inside the page.
 */
export const isSeen = (field: Element): boolean => {
  const { right, bottom, width, height } = field.getBoundingClientRect();
  const isDrawn = field.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  return isDrawn && Math.min(width, height) > 1 && right + scrollX > 0 && bottom + scrollY > 0;
};

/** Whether fields were filled in, and whether some are left. */
interface Filled {
  readonly some: boolean;
  readonly left: boolean;
}

/**
 * Fills empty text fields, and required dates, numbers and checkboxes, beside the control. Runs
 * inside the page.
 */
const fill = (control: HTMLElement, { text, onlyRequired }: { text: string; onlyRequired: boolean }): Filled => {
  const scope =
    control.closest('form, dialog, [role=dialog]') ??
    control.closest('fieldset, section, article, main') ??
    document.body;
  const shown = (element: Element): boolean =>
    element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  const say = (field: HTMLElement, name: string): boolean => field.dispatchEvent(new Event(name, { bubbles: true }));
  const entryFor = (field: HTMLInputElement | HTMLTextAreaElement): string | undefined => {
    if (/^(text|search|textarea)$/.test(field.type)) return text;
    if (field instanceof HTMLTextAreaElement || !field.required) return undefined;
    if (field.type === 'number') return field.min || '1';
    if (field.type !== 'date') return undefined;
    const inAMonth = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    return field.max !== '' && field.max < inAMonth ? field.max : field.min > inAMonth ? field.min : inAMonth;
  };
  /** As `isSeen`. Boxes may be drawn by their labels. */
  const isTrap = (field: HTMLElement): boolean => {
    const { right, bottom, width, height } = field.getBoundingClientRect();
    const isDrawn = field.checkVisibility({ opacityProperty: true }) && Math.min(width, height) > 1;
    const takesText = !field.matches('select, [type=checkbox], [type=radio]');
    return takesText && !(isDrawn && right + scrollX > 0 && bottom + scrollY > 0);
  };
  let left = false;
  let some = false;
  for (const field of scope.querySelectorAll<HTMLElement>('input, textarea, select')) {
    if (
      !shown(field) ||
      isTrap(field) ||
      field.matches(':disabled, [readonly], [type=submit], [type=button], [type=reset], [type=image]')
    )
      continue;
    const { form } = field as HTMLInputElement;
    if (form !== null && form !== control.closest('form')) continue;
    if (onlyRequired && !field.matches(':invalid')) continue;
    if (field instanceof HTMLSelectElement) {
      const choice = [...field.options].find(({ value, disabled }) => value !== '' && !disabled);
      if (field.value !== '' || !choice) continue;
      field.value = choice.value;
    } else if (field instanceof HTMLInputElement && /^(checkbox|radio)$/.test(field.type)) {
      if (field.matches(':invalid')) field.click();
      else left ||= !field.checked && field.type === 'checkbox';
      continue;
    } else if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) {
      const entry = entryFor(field);
      if (field.value !== '' || entry === undefined) {
        left ||= field.value === '';
        continue;
      }
      // Frameworks that manage the value use the setter of the class.
      const owner = field instanceof HTMLInputElement ? HTMLInputElement : HTMLTextAreaElement;
      Object.getOwnPropertyDescriptor(owner.prototype, 'value')?.set?.call(field, entry);
    }
    some = true;
    say(field, 'input');
    say(field, 'change');
  }
  return { some, left };
};

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

/** Fills in the required fields of the control's form. */
export const fillRequired = async (control: ElementHandle<HTMLElement>): Promise<void> => {
  const invalid = await control.evaluate((element) => {
    const { form, formNoValidate } = element as HTMLButtonElement;
    return form instanceof HTMLFormElement && !form.noValidate && !formNoValidate && !form.matches(':valid');
  });
  if (invalid) await control.evaluate(fill, { text: anyText, onlyRequired: true });
};

/** Ticks the next box of the control's form that is not ticked. Runs inside the page. */
const tickNext = (control: HTMLElement): boolean => {
  const scope = control.closest('form, dialog, [role=dialog]') ?? control.closest('fieldset, section, article, main');
  const boxes = [...(scope ?? document).querySelectorAll<HTMLInputElement>('input[type=checkbox], input[type=radio]')];
  const next = boxes.find(
    (box) =>
      box.checkVisibility({ visibilityProperty: true }) &&
      !box.disabled &&
      box.form === control.closest('form') &&
      !boxes.some(({ checked, name, type }) => checked && type === 'radio' && name === box.name) &&
      !box.checked,
  );
  next?.click();
  return next !== undefined;
};

/**
 * Fills in the fields beside a disabled control, and ticks one box after another, until it is
 * enabled. Writes of the page are blocked meanwhile.
 */
export const wake = async (visit: Visit, control: ElementHandle<HTMLElement>): Promise<boolean> => {
  const isAwake = async (): Promise<boolean> => {
    await visit.settle();
    return control.evaluate((element) => !element.matches(':disabled, [aria-disabled=true]'));
  };
  let awake = false;
  await withoutWrites(visit, async () => {
    await control.evaluate(fill, { text: anyText, onlyRequired: false });
    awake = await isAwake();
    while (!awake && (await control.evaluate(tickNext))) awake = await isAwake();
  });
  return awake;
};

/**
 * Fills in every empty field beside the control, with writes of the page blocked.
 * @returns `left` also if a write was blocked, as for a field that is saved at once
 */
export const fillAll = async (visit: Visit, control: ElementHandle<HTMLElement>): Promise<Filled> => {
  let filled: Filled = { some: false, left: true };
  const { held } = await withoutWrites(visit, async () => {
    filled = await control.evaluate(fill, { text: anyText, onlyRequired: false });
    await pause(visit.limits.momentMs);
    await visit.settle();
  });
  return { ...filled, left: filled.left || held > 0 };
};
