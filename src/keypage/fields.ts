import { setTimeout as pause } from 'node:timers/promises';
import type { ElementHandle } from '@playwright/test';
import { withoutWrites } from './holding.js';
import type { Visit } from './visit.js';

/**
 * Fills in what a press may wait for, in the form or part of the page that a control stands in: empty fields for text, and boxes that
 * have to be ticked. Never a field for a password. Runs inside the page.
 */
const fill = (control: HTMLElement, { text, onlyRequired }: { text: string; onlyRequired: boolean }): boolean => {
  const scope =
    control.closest('form, dialog, [role=dialog]') ??
    control.closest('fieldset, section, article, main') ??
    document.body;
  const shown = (element: Element): boolean =>
    element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  const say = (field: HTMLElement, name: string): boolean => field.dispatchEvent(new Event(name, { bubbles: true }));
  let left = false;
  for (const field of scope.querySelectorAll<HTMLElement>('input, textarea, select')) {
    if (
      !shown(field) ||
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
      if (field.value !== '' || !/^(text|search|textarea)$/.test(field.type)) {
        left ||= field.value === '';
        continue;
      }
      // A framework that keeps the value itself listens to the setter of the class.
      const owner = field instanceof HTMLInputElement ? HTMLInputElement : HTMLTextAreaElement;
      Object.getOwnPropertyDescriptor(owner.prototype, 'value')?.set?.call(field, text);
    }
    say(field, 'input');
    say(field, 'change');
  }
  return left;
};

/** Fills in what the browser would refuse to send the control's form without. */
export const fillRequired = async (control: ElementHandle<HTMLElement>): Promise<void> => {
  const invalid = await control.evaluate((element) => {
    const { form, formNoValidate } = element as HTMLButtonElement;
    return form instanceof HTMLFormElement && !form.noValidate && !formNoValidate && !form.matches(':valid');
  });
  if (invalid) await control.evaluate(fill, { text: 'access-conformance', onlyRequired: true });
};

/**
 * Fills in all that is empty beside the control. Returns whether something is left that was not filled in or chosen. A field that is
 * saved by itself is not: what it sends is held back, and it is left to the user.
 */
export const fillAll = async (visit: Visit, control: ElementHandle<HTMLElement>): Promise<boolean> => {
  let left = true;
  const { held } = await withoutWrites(visit, async () => {
    left = await control.evaluate(fill, { text: 'access-conformance', onlyRequired: false });
    await pause(visit.limits.momentMs);
    await visit.settle();
  });
  return left || held > 0;
};
