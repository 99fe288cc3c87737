import type { ElementHandle } from '@playwright/test';
import { type KeyPageSettings, KeyPageTrouble, ownOrigins } from '../input.js';
import type { Visit } from '../window/visit.js';

interface SecretEntry {
  readonly field: ElementHandle<HTMLElement>;
  readonly text: string;
}

interface SubmitTarget {
  readonly to: readonly string[];
  /** The form uses GET, so its fields would be in the URL. */
  readonly inUrl: boolean;
}

/** Runs inside the page: it may use nothing from outside itself. */
const submitTargetOf = (field: HTMLElement, button: HTMLElement | null): SubmitTarget => {
  const attribute = (element: Element | null | undefined, name: string): string | null =>
    element ? Element.prototype.getAttribute.call(element, name) : null;
  const formOf = (element: HTMLElement | null): HTMLFormElement | null =>
    element instanceof HTMLInputElement ||
    element instanceof HTMLButtonElement ||
    element instanceof HTMLTextAreaElement
      ? element.form
      : (element?.closest('form') ?? null);
  const forms = [...new Set([formOf(field), formOf(button)])].filter((form) => form !== null);
  const actions = [...forms.map((form) => attribute(form, 'action')), attribute(button, 'formaction')];
  const originOf = (action: string | null): string => {
    try {
      const url = new URL(action ?? '', document.baseURI);
      // A script sends it, or nothing does.
      if (url.protocol === 'javascript:') return location.origin;
      return url.origin === 'null' ? url.protocol : url.origin;
    } catch {
      return 'null';
    }
  };
  const method = attribute(button, 'formmethod') ?? attribute(formOf(field), 'method');
  return {
    to: actions.map(originOf),
    inUrl: /^\s*get\s*$/i.test(method ?? '') && (attribute(field, 'name') ?? '') !== '',
  };
};

/** @throws KeyPageTrouble if the form would send name or password to a wrong place */
const check = async (
  visit: Visit,
  settings: KeyPageSettings,
  entries: readonly SecretEntry[],
  button: ElementHandle<HTMLElement> | undefined,
): Promise<void> => {
  const own = ownOrigins(settings);
  const belongs = (what: string, origin: string): void => {
    if (!origin.startsWith('https:'))
      throw new KeyPageTrouble(`${what} ${origin}, without TLS: the password was not typed.`);
    if (!own.includes(origin))
      throw new KeyPageTrouble(
        `${what} ${origin}, which is neither the key page's nor LOGIN_URL's: the password was not typed. Set LOGIN_URL to it if it is yours.`,
      );
  };
  const at = (url: string): void => belongs('The page that asks for name or password is at', new URL(url).origin);
  at(visit.page.url());
  for (const { field } of entries) {
    at((await field.ownerFrame())?.url() ?? 'about:blank');
    const { to, inUrl } = await field.evaluate(submitTargetOf, button ?? null);
    for (const origin of to) belongs('The form that asks for name or password sends it to', origin);
    if (inUrl)
      throw new KeyPageTrouble(
        'The form that asks for name or password sends it by GET, in a URL: the password was not typed.',
      );
  }
};

/**
 * Enters a text into a field. Keystrokes would go where the focus is: a script, or a dialog over
 * the page, may have it in another field or frame. Runs inside the page.
 */
const enter = (field: HTMLElement, text: string): void => {
  const say = (event: Event): boolean => field.dispatchEvent(event);
  field.focus();
  // Frameworks that manage the value use the setter of the class.
  const owner = field instanceof HTMLInputElement ? HTMLInputElement : HTMLTextAreaElement;
  Object.getOwnPropertyDescriptor(owner.prototype, 'value')?.set?.call(field, text);
  say(new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertText', data: text }));
  say(new Event('change', { bubbles: true }));
};

/** @throws KeyPageTrouble if a visible field for a password would send it to a wrong place */
export const checkPasswordFields = async (visit: Visit, settings: KeyPageSettings): Promise<void> => {
  const fields = await visit.page.$$('input[type=password]:not([autocomplete=new-password]):visible');
  for (const field of fields as ElementHandle<HTMLElement>[])
    await check(visit, settings, [{ field, text: '' }], undefined);
};

/**
 * Types the account's name and password; nothing else does. The page, the frame and the form's
 * target are checked before and after, since a script may change them. The gateway stops later
 * changes.
 * @throws KeyPageTrouble if they do not belong there; the fields are then empty
 */
export const typeSecrets = async (
  visit: Visit,
  settings: KeyPageSettings,
  entries: readonly SecretEntry[],
  button: ElementHandle<HTMLElement> | undefined,
): Promise<void> => {
  await check(visit, settings, entries, button);
  visit.secrets.markTyped(entries.map(({ text }) => text));
  try {
    for (const { field, text } of entries) await field.evaluate(enter, text);
    await check(visit, settings, entries, button);
  } catch (error) {
    for (const { field } of entries) await field.evaluate(enter, '').catch(() => {});
    throw error;
  }
};
