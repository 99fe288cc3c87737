import { setTimeout as pause } from 'node:timers/promises';
import type { ElementHandle, JSHandle, Page } from '@playwright/test';
import { steadily } from './browser.js';
import type { Visit } from './visit.js';

interface LoginFields {
  readonly username: HTMLElement | null;
  readonly password: HTMLElement | null;
  readonly submit: HTMLElement | null;
  /** The name of `submit` says that it logs in. */
  readonly logsIn: boolean;
}

/**
 * Finds the log-in form by its visible texts. A form with two passwords or a new one is a
 * registration. A form for a name alone needs a sign of a log-in. Runs inside the page.
 */
const findLogin = (): LoginFields => {
  const all = (root: ParentNode): Element[] =>
    [...root.querySelectorAll('*')].flatMap((element) => [
      element,
      ...(element.shadowRoot ? all(element.shadowRoot) : []),
    ]);
  const shown = (element: Element): boolean =>
    element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  const elements = all(document).filter(shown);
  const plain = (text: string): string =>
    text
      .normalize('NFD')
      .replace(/\p{Diacritic}/gu, '')
      .replace(/\s+/g, ' ')
      .trim()
      .toLowerCase();
  const labelOf = (input: HTMLInputElement): string =>
    plain(
      [
        ...(input.labels ?? []),
        ...(input.getAttribute('aria-labelledby') ?? '').split(' ').flatMap((id) => document.getElementById(id) ?? []),
      ]
        .map((label) => label.textContent ?? '')
        .concat(input.getAttribute('aria-label') ?? '', input.placeholder, input.title)
        .join(' '),
    );
  const nameOf = (control: Element): string =>
    plain(
      control.getAttribute('aria-label') ||
        (control instanceof HTMLInputElement ? control.value || control.alt : control.textContent) ||
        control.getAttribute('title') ||
        '',
    );
  /**
   * Whether an element is large enough for a letter, and not outside the page to the left or above,
   * where nobody can scroll.
   */
  const isInPage = (element: Element): boolean => {
    const { right, bottom, width, height } = element.getBoundingClientRect();
    const letter = Number.parseFloat(getComputedStyle(element).fontSize);
    return Math.min(width, height) >= letter && right + scrollX > 0 && bottom + scrollY > 0;
  };
  // A page that asks for the name first may have a field outside for programs that fill in
  // passwords. Transparent fields count: some are drawn when the focus is in them.
  const writable = elements.filter(
    (element): element is HTMLInputElement =>
      element instanceof HTMLInputElement && !element.readOnly && !element.disabled && isInPage(element),
  );
  const groupOf = (input: Element): Element =>
    input.closest('form') ?? input.closest('[role=form], [role=dialog], dialog, main, section') ?? document.body;
  const logsIn =
    /^(log ?in|log ?on|sign ?in|anmelden|einloggen|(se )?connecter|connexion|iniciar sesion|entrar|acceder|accedi|inloggen|continue|next|weiter|suivant|siguiente|submit|absenden|ok)\b/;
  const elsewhere =
    /\b(with|via|using|google|github|gitlab|facebook|apple|microsoft|sso|saml|passkey|forgot|forgotten|reset|vergessen|oublie|olvid\w*|register|sign ?up|create|delete|deactivate|trial|buy|pay|loschen|supprimer|eliminar|registrieren|inscri\w*|show|hide|cancel|subscribe|search|remember|mit|avec|con)\b/;
  /** Neither a button nor a link that leads elsewhere, and a script reacts to it. */
  const looksPressable = (element: Element): boolean =>
    getComputedStyle(element).cursor === 'pointer' &&
    !element.closest('label, a[href]:not([href^="#"], [href^="javascript:" i])') &&
    nameOf(element).length < 30;
  const submitOf = (group: Element): HTMLElement | null => {
    const inGroup = elements.filter(
      (element): element is HTMLElement => element instanceof HTMLElement && groupOf(element) === group,
    );
    const controls = inGroup.filter((element) =>
      element.matches('button, input[type=submit], input[type=image], [role=button]'),
    );
    const score = (control: HTMLElement): number => {
      const name = nameOf(control);
      if (elsewhere.test(name)) return -1;
      const submits = control.matches('button:not([type]), [type=submit], [type=image]') ? 1 : 0;
      return (logsIn.test(name) ? 4 : 0) + submits;
    };
    const [best] = controls.map((control) => ({ control, score: score(control) })).sort((a, b) => b.score - a.score);
    if (best && best.score > 0) return best.control;
    return inGroup.find((element) => looksPressable(element) && score(element) > 0) ?? null;
  };
  const isName = (input: HTMLInputElement): number => {
    if (!/^(text|email|tel)$/.test(input.type) || input.closest('[role=search]')) return -1;
    const words = `${plain(`${input.name} ${input.id}`)} ${labelOf(input)}`;
    if (/search|suche|newsletter|coupon|captcha|\bq\b/.test(words)) return -1;
    if (/\b(username|email)\b/.test(input.autocomplete)) return 4;
    return /user|e-?mail|log-?in|name|account|benutzer|konto|identifiant|usuario|correo|courriel|gebruiker|utente/.test(
      words,
    )
      ? 3
      : input.type === 'email'
        ? 2
        : 1;
  };
  const nameIn = (group: Element): HTMLInputElement | null => {
    const [best] = writable
      .filter((input) => groupOf(input) === group && isName(input) > 0)
      .sort((a, b) => isName(b) - isName(a));
    return best ?? null;
  };
  // Codes of a second factor are drawn as dots too.
  const passwords = writable.filter(
    ({ type, autocomplete }) => type === 'password' && /^(on|off)?$|password/.test(autocomplete),
  );
  const groups = [...new Set(passwords.map(groupOf))].filter((group) => {
    const own = passwords.filter((input) => groupOf(input) === group);
    return own.length === 1 && own[0]?.autocomplete !== 'new-password';
  });
  interface Form {
    readonly username: HTMLElement | null;
    readonly drawn: boolean;
    readonly logs: boolean;
    readonly fields: number;
  }
  /** A form that asks for more than a name and a password is less likely a log-in. */
  const order = (a: Form, b: Form): number =>
    Number(b.drawn) - Number(a.drawn) ||
    Number(b.logs) - Number(a.logs) ||
    Number(b.username !== null) - Number(a.username !== null) ||
    a.fields - b.fields;
  const ranked = groups
    .map((group) => {
      const submit = submitOf(group);
      return {
        group,
        submit,
        named: submit === null ? '' : nameOf(submit),
        username: nameIn(group),
        drawn: group.checkVisibility({ opacityProperty: true }),
        logs: submit !== null && logsIn.test(nameOf(submit)),
        fields: writable.filter((input) => groupOf(input) === group && isName(input) > 0).length,
      };
    })
    .sort(order);
  const [chosen, next] = ranked;
  // One of two forms with unknown buttons may be a registration.
  const isOpen = chosen && next && !chosen.logs && chosen.named !== next.named && order(chosen, next) === 0;
  if (isOpen) return { username: null, password: null, submit: null, logsIn: false };
  if (chosen) {
    const password = passwords.find((input) => groupOf(input) === chosen.group) ?? null;
    return { username: chosen.username, password, submit: chosen.submit, logsIn: chosen.logs };
  }
  // A form with a password that was not chosen is a registration.
  const asksForPassword = (input: Element): boolean => passwords.some((each) => groupOf(each) === groupOf(input));
  const [name] = writable
    .filter((input) => isName(input) >= 2 && !asksForPassword(input))
    .sort((a, b) => isName(b) - isName(a));
  const submit = name ? submitOf(groupOf(name)) : null;
  return {
    username: name ?? null,
    password: null,
    submit,
    logsIn: submit !== null && logsIn.test(nameOf(submit)),
  };
};

type Field = 'username' | 'password' | 'submit';

export interface LoginForm extends Readonly<Record<Field | 'logsIn', boolean>> {
  readonly element: (field: Field) => Promise<ElementHandle<HTMLElement>>;
}

export const findLoginForm = async (page: Page): Promise<LoginForm> => {
  const fields: JSHandle<LoginFields> = await page.evaluateHandle(findLogin);
  const found = await fields.evaluate(({ username, password, submit, logsIn }) => ({
    username: username !== null,
    password: password !== null,
    submit: submit !== null,
    logsIn,
  }));
  return {
    ...found,
    element: async (field) =>
      (
        await fields.evaluateHandle((all, name) => all[name] ?? document.body, field)
      ).asElement() as ElementHandle<HTMLElement>,
  };
};

export const waitForLoginForm = async (
  visit: Visit,
  patienceMs: number,
  wanted: (found: LoginForm) => boolean | Promise<boolean>,
): Promise<LoginForm> => {
  const end = Date.now() + patienceMs;
  for (;;) {
    // The page may be navigating.
    const found = await findLoginForm(visit.page).catch(() => undefined);
    if (found && ((await steadily(async () => wanted(found))) || Date.now() >= end)) return found;
    if (!found && Date.now() >= end) return findLoginForm(visit.page);
    await pause(150);
    await visit.settle();
  }
};

/** Whether a form has a name and a password, which others than a log-in have too. */
export const takesNameAndPassword = ({ username, password }: LoginForm): boolean => username && password;
