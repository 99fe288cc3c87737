import { setTimeout as pause } from 'node:timers/promises';
import type { ElementHandle, JSHandle, Page } from '@playwright/test';
import { steadily } from './browser.js';
import { createDom, createNames, type Dom, inPage, type Names } from './in-page.js';
import type { Visit } from './visit.js';

interface LoginFields {
  readonly username: HTMLElement | null;
  readonly password: HTMLElement | null;
  readonly submit: HTMLElement | null;
  /** The name of `submit` says that it logs in. */
  readonly logsIn: boolean;
}

/** What the controls and fields of a page say of themselves. */
interface Wording {
  /** Text without accents, capitals and repeated blanks. */
  readonly plain: (text: string) => string;
  readonly plainNameOf: (control: Element) => string;
  readonly labelOf: (input: HTMLInputElement) => string;
  /** The name says that it logs in. */
  readonly saysLogIn: (name: string) => boolean;
  /** The name says that it does something else, or logs in another way. */
  readonly saysElse: (name: string) => boolean;
}

const createWording = ({ nameOf, textOf, labelsOf }: Names): Wording => {
  const plain = (text: string): string =>
    text
      .normalize('NFD')
      .replace(/\p{Diacritic}/gu, '')
      .replace(/\s+/g, ' ')
      .trim()
      .toLowerCase();
  const logsIn =
    /^(log ?in|log ?on|sign ?in|anmelden|einloggen|(se )?connecter|connexion|iniciar sesion|entrar|acceder|accedi|inloggen|continue|next|weiter|suivant|siguiente|submit|absenden|ok)\b/;
  const elsewhere =
    /\b(with|via|using|google|github|gitlab|facebook|apple|microsoft|sso|saml|passkey|forgot|forgotten|reset|vergessen|oublie|olvid\w*|register|sign ?up|create|delete|deactivate|trial|buy|pay|loschen|supprimer|eliminar|registrieren|inscri\w*|show|hide|cancel|subscribe|search|remember|mit|avec|con)\b/;
  return {
    plain,
    plainNameOf: (control) => plain(nameOf(control)),
    labelOf: (input) => {
      const texts = [...(input.labels ?? []), ...labelsOf(input)].map(textOf);
      return plain([...texts, input.getAttribute('aria-label') ?? '', input.placeholder, input.title].join(' '));
    },
    saysLogIn: (name) => logsIn.test(name),
    saysElse: (name) => elsewhere.test(name),
  };
};

/** The fields in which a person can write. */
interface Fields {
  readonly groupOf: (element: Element) => Element;
  readonly writable: readonly HTMLInputElement[];
  /** How likely a field takes the name of an account: 0 is none. */
  readonly nameScore: (input: HTMLInputElement) => number;
  /** The likeliest of these fields to take a name. */
  readonly nameAmong: (inputs: readonly HTMLInputElement[]) => HTMLInputElement | null;
}

const createFields = ({
  elementsIn,
  closest,
  parentsOf,
  isWrittenIn,
  isShown,
  plain,
  labelOf,
}: Dom & Wording): Fields => {
  /**
   * Whether an element is large enough for a letter, and not outside the page to the left or above,
   * where nobody can scroll.
   */
  const isInPage = (element: Element): boolean => {
    const { right, bottom, width, height } = element.getBoundingClientRect();
    const letter = Number.parseFloat(getComputedStyle(element).fontSize);
    return Math.min(width, height) >= letter && right + scrollX > 0 && bottom + scrollY > 0;
  };
  const nameScore = (input: HTMLInputElement): number => {
    if (!/^(text|email|tel)$/.test(input.type) || closest('[role=search]', input)) return 0;
    const words = `${plain(`${input.name} ${input.id}`)} ${labelOf(input)}`;
    if (/search|suche|newsletter|coupon|captcha|\bq\b/.test(words)) return 0;
    if (/\b(username|email)\b/.test(input.autocomplete)) return 4;
    const names =
      /user|e-?mail|log-?in|name|account|benutzer|konto|identifiant|usuario|correo|courriel|gebruiker|utente/;
    return names.test(words) ? 3 : input.type === 'email' ? 2 : 1;
  };
  return {
    groupOf: (element) =>
      closest('form', element) ??
      [element, ...parentsOf(element)].find(
        (each) =>
          each.matches('[role=form], [role=dialog], dialog') ||
          (each.matches('main, section') && isWrittenIn(element, each)),
      ) ??
      document.body,
    // A page that asks for the name first may have a field outside for programs that fill in
    // passwords. Transparent fields count: some are drawn when the focus is in them.
    writable: elementsIn(document.documentElement).filter(
      (element): element is HTMLInputElement =>
        element instanceof HTMLInputElement &&
        !element.readOnly &&
        !element.disabled &&
        isShown(element) &&
        isInPage(element),
    ),
    nameScore,
    nameAmong: (inputs) => {
      const [best] = inputs.filter((input) => nameScore(input) > 0).sort((a, b) => nameScore(b) - nameScore(a));
      return best ?? null;
    },
  };
};

interface Submits {
  /** The control of a group of fields that sends it. */
  readonly submitOf: (group: Element) => HTMLElement | null;
}

const createSubmits = ({
  elementsIn,
  closest,
  boxOf,
  isShown,
  plainNameOf,
  saysLogIn,
  saysElse,
  groupOf,
}: Tools): Submits => {
  const shown = elementsIn(document.documentElement).filter(
    (element): element is HTMLElement => element instanceof HTMLElement && isShown(element),
  );
  const buttons = shown.filter((element) =>
    element.matches('button, input[type=submit], input[type=image], [role=button]'),
  );
  /** Neither a button nor a link that leads elsewhere, and a script reacts to it. */
  const looksPressable = (element: Element): boolean =>
    getComputedStyle(element).cursor === 'pointer' &&
    boxOf(element) === element &&
    !closest('label, a[href]:not([href^="#"], [href^="javascript:" i])', element) &&
    plainNameOf(element).length < 30;
  const score = (control: HTMLElement): number => {
    const name = plainNameOf(control);
    if (saysElse(name)) return -1;
    const submits = control.matches('button:not([type]), [type=submit], [type=image]') ? 1 : 0;
    return (saysLogIn(name) ? 4 : 0) + submits;
  };
  return {
    submitOf: (group) => {
      const [best] = buttons.filter((element) => groupOf(element) === group).sort((a, b) => score(b) - score(a));
      if (best && score(best) > 0) return best;
      const isSubmit = (element: HTMLElement): boolean =>
        looksPressable(element) && groupOf(element) === group && score(element) > 0;
      return shown.find(isSubmit) ?? null;
    },
  };
};

type Tools = Dom & Names & Wording & Fields & Submits;

/** Fields that belong together, with what tells a log-in from other forms. */
interface Candidate extends LoginFields {
  /** Drawn, and not inert. */
  readonly isUsable: boolean;
  /** The name of the control. */
  readonly says: string;
  /** Number of fields that may take a name. */
  readonly names: number;
}

const find = ({
  boxOf,
  closest,
  groupOf,
  writable,
  nameScore,
  nameAmong,
  submitOf,
  plainNameOf,
  saysLogIn,
}: Tools): LoginFields => {
  // Codes of a second factor are drawn as dots too.
  const passwords = writable.filter(
    ({ type, autocomplete }) => type === 'password' && /^(on|off)?$|password/.test(autocomplete),
  );
  const passwordsIn = (group: Element): HTMLInputElement[] => passwords.filter((input) => groupOf(input) === group);
  const candidateOf = (group: Element): Candidate => {
    const inputs = writable.filter((input) => groupOf(input) === group);
    const submit = submitOf(group);
    const says = submit === null ? '' : plainNameOf(submit);
    return {
      username: nameAmong(inputs),
      password: passwordsIn(group)[0] ?? null,
      submit,
      logsIn: submit !== null && saysLogIn(says),
      isUsable: boxOf(group).checkVisibility({ opacityProperty: true }) && closest('[inert]', group) === undefined,
      says,
      names: inputs.filter((input) => nameScore(input) > 0).length,
    };
  };
  /** A form that asks for more than a name and a password is less likely a log-in. */
  const order = (a: Candidate, b: Candidate): number =>
    Number(b.isUsable) - Number(a.isUsable) ||
    Number(b.logsIn) - Number(a.logsIn) ||
    Number(b.username !== null) - Number(a.username !== null) ||
    a.names - b.names;
  const asksForOnePassword = (group: Element): boolean => {
    const [password, ...others] = passwordsIn(group);
    return others.length === 0 && password?.autocomplete !== 'new-password';
  };
  const groups = [...new Set(passwords.map(groupOf))].filter(asksForOnePassword);
  const [chosen, next] = groups.map(candidateOf).sort(order);
  const none: LoginFields = { username: null, password: null, submit: null, logsIn: false };
  // One of two forms with unknown buttons may be a registration.
  if (chosen && next && !chosen.logsIn && chosen.says !== next.says && order(chosen, next) === 0) return none;
  if (chosen) return chosen;
  // A form with a password that was not chosen is a registration.
  const name = nameAmong(writable.filter((input) => nameScore(input) >= 2 && passwordsIn(groupOf(input)).length === 0));
  return name === null ? none : { ...candidateOf(groupOf(name)), username: name };
};

/**
 * Finds the log-in form by its visible texts. A form with two passwords or a new one is a
 * registration. A form for a name alone needs a sign of a log-in. Runs inside the page.
 */
const findLogin = inPage<Tools, void, LoginFields>(
  find,
  createDom,
  createNames,
  createWording,
  createFields,
  createSubmits,
);

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
