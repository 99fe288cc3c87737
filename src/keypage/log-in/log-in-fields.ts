import type { Dom, Names } from '../reading/in-page.js';
import type { Phrases } from '../reading/log-in-phrases.js';

export type Inputs = readonly HTMLInputElement[];

/** Which elements belong together: those of a form, a dialog or a section. */
export const createGroups = ({ remembered, elementsIn, closest, parentOf }: Dom) => {
  const dialog = '[role=form], [role=dialog], dialog';
  /** A section holds what is written in it: not what a slot puts there. */
  const partAround = remembered((element: Element): Element => {
    const parent = parentOf(element);
    if (parent === null) return document.body;
    if (element.matches(`${dialog}, main, section`)) return element;
    const host = element.assignedSlot && element.parentElement;
    if (host === null) return partAround(parent);
    const inside = closest(dialog, parent);
    return inside !== undefined && inside !== closest(dialog, host) ? inside : partAround(host);
  });
  const groupOf = (element: Element): Element =>
    ('form' in element && element.form instanceof HTMLFormElement ? element.form : closest('form', element)) ??
    partAround(element);
  const elements = elementsIn(document.documentElement);
  const members = new Map<Element, Element[]>();
  for (const element of elements) {
    const group = groupOf(element);
    const its = members.get(group);
    if (its) its.push(element);
    else members.set(group, [element]);
  }
  return {
    /** All of the page. */
    elements,
    groupOf,
    /** All elements that belong to a group, also those that are outside of its form. */
    membersOf: (group: Element): readonly Element[] => members.get(group) ?? [],
    within: (group: Element, some: Inputs): Inputs => some.filter((input) => groupOf(input) === group),
  };
};

export type Groups = ReturnType<typeof createGroups>;

/** The fields in which a person can write. */
export const createFields = ({ elements, closest, isShown, plain, plainLabelOf }: Dom & Names & Groups) => {
  /**
   * Whether an element is large enough for a letter, and not outside the page to the left or above,
   * where nobody can scroll.
   */
  const isInPage = (element: Element): boolean => {
    const { right, bottom, width, height } = element.getBoundingClientRect();
    const letter = Number.parseFloat(getComputedStyle(element).fontSize);
    return Math.min(width, height) >= letter && right + scrollX > 0 && bottom + scrollY > 0;
  };
  /** How likely a field takes the name of an account: 0 is none. */
  const nameScore = (input: HTMLInputElement): number => {
    if (!/^(text|email|tel)$/.test(input.type) || closest('[role=search]', input)) return 0;
    const words = `${plain(`${input.name} ${input.id}`)} ${plainLabelOf(input)}`;
    if (/search|suche|newsletter|coupon|captcha|\bq\b/.test(words)) return 0;
    if (/\b(username|email)\b/.test(input.autocomplete)) return 4;
    const names =
      /user|e-?mail|log-?in|name|account|benutzer|konto|identifiant|usuario|correo|courriel|gebruiker|utente/;
    return names.test(words) ? 3 : input.type === 'email' ? 2 : 1;
  };
  /**
   * All that can be written in, also what is not shown now: a page that asks for the name first may
   * have a field for programs that fill in passwords.
   */
  const inputs: Inputs = elements.filter(
    (element): element is HTMLInputElement =>
      element instanceof HTMLInputElement &&
      !/^(submit|image|button|reset)$/.test(element.type) &&
      !element.readOnly &&
      !element.disabled,
  );
  return {
    inputs,
    /** Transparent fields count: some are drawn when the focus is in them. */
    writable: inputs.filter((input) => isShown(input) && isInPage(input)) as Inputs,
    nameScore,
    /** The likeliest of these fields to take a name. */
    nameAmong: (some: Inputs): HTMLInputElement | null => {
      const [best] = some.filter((input) => nameScore(input) > 0).sort((a, b) => nameScore(b) - nameScore(a));
      return best ?? null;
    },
  };
};

export type Fields = ReturnType<typeof createFields>;

/** What stands above a group of fields. */
export const createHeadings = ({
  headings: headingTags,
  closest,
  isShown,
  plainNameOf,
  elements,
  groupOf,
  writable,
}: Dom & Names & Groups & Fields) => {
  /** A text that is no part of a control or a label, larger or bolder than the page's text. */
  const isDrawnAsHeading = (element: Element): boolean => {
    const hasText = [...element.childNodes].some((node) => node instanceof Text && /\S/.test(node.data));
    if (!hasText || closest('label, button, a, nav, select, [role=button], [role=tab]', element)) return false;
    const [own, page] = [getComputedStyle(element), getComputedStyle(document.body)];
    return Number.parseFloat(own.fontSize) > Number.parseFloat(page.fontSize) || own.fontWeight > page.fontWeight;
  };
  const headings = new Map<Element, string>();
  let heading = '';
  let drawn = '';
  for (const element of elements) {
    const isHeading = element.matches(`${headingTags}, legend, [role=tab][aria-selected=true]`);
    if (isHeading && isShown(element)) heading = plainNameOf(element);
    else if (isShown(element) && isDrawnAsHeading(element)) drawn = plainNameOf(element);
    if (!(element instanceof HTMLInputElement) || !writable.includes(element)) continue;
    if (!headings.has(groupOf(element))) headings.set(groupOf(element), heading || drawn);
    heading = '';
    drawn = '';
  }
  return {
    /**
     * The heading or the selected tab right before a group, without other fields between; or else a
     * text that is drawn like one.
     */
    headingOf: (group: Element): string => headings.get(group) ?? '',
  };
};

export type Headings = ReturnType<typeof createHeadings>;

/** What sends a group of fields. */
export const createSubmits = ({
  closest,
  boxOf,
  isShown,
  plainNameOf,
  saysLogIn,
  saysElse,
  membersOf,
  within,
  inputs,
}: Dom & Names & Phrases & Groups & Fields) => {
  /** Names that controls of a log-in have, and those of other forms too. */
  const goesOn = /^(continue|next|weiter|suivant|siguiente|submit|absenden|ok)\b/;
  /** Names of what logs in in another way. */
  const otherWay = /\b(with|via|using|google|github|gitlab|facebook|apple|microsoft|sso|saml|passkey|mit|avec|con)\b/;
  /** Names of what helps with the fields, and sends none of them. */
  const aside = /\b(forgot|forgotten|reset|vergessen|oublie|olvid\w*|show|hide|cancel|search|remember)\b/;
  const isButton = (element: Element): boolean =>
    element.matches('button, input[type=submit], input[type=image], [role=button]');
  const sends = (control: Element): boolean => control.matches('button:not([type]), [type=submit], [type=image]');
  /** Neither a button nor a link that leads elsewhere, and a script reacts to it. */
  const looksPressable = (element: Element): boolean =>
    getComputedStyle(element).cursor === 'pointer' &&
    boxOf(element) === element &&
    !closest('label, a[href]:not([href^="#"], [href^="javascript:" i])', element) &&
    plainNameOf(element).length < 30;
  const score = (control: Element): number => {
    const name = plainNameOf(control);
    if (saysElse(name) || aside.test(name)) return -1;
    const submits = sends(control) ? 1 : 0;
    // A form's own button may say by what it logs in: "Sign in with your account".
    if (otherWay.test(name)) return submits / 2;
    return (saysLogIn(name) ? 4 : goesOn.test(name) ? 3 : 0) + submits;
  };
  const controlsOf = (group: Element): HTMLElement[] =>
    membersOf(group).filter((element): element is HTMLElement => element instanceof HTMLElement);
  const bestOf = (controls: readonly HTMLElement[]): HTMLElement | null => {
    const [best] = controls.filter(isButton).sort((a, b) => score(b) - score(a));
    if (best && score(best) > 0) return best;
    return controls.find((element) => looksPressable(element) && score(element) > 0) ?? null;
  };
  return {
    submitOf: (group: Element): HTMLElement | null => bestOf(controlsOf(group).filter(isShown)),
    /** Whether what sends the group, visible or not, is known to do something else. */
    doesElse: (group: Element): boolean => {
      const controls = controlsOf(group);
      const isElse = (control: HTMLElement): boolean =>
        (isButton(control) && sends(control)) ||
        ((isButton(control) || looksPressable(control)) && saysElse(plainNameOf(control)));
      return bestOf(controls) === null && controls.some(isElse);
    },
    /** What a form sends where, and by what: equal for copies of one form. */
    kindOf: (group: Element): string =>
      JSON.stringify([
        group.getAttribute('action'),
        ...within(group, inputs).map(({ name, type }) => [name, type]),
        ...controlsOf(group).filter(isButton).map(plainNameOf),
      ]),
  };
};

export type Submits = ReturnType<typeof createSubmits>;
