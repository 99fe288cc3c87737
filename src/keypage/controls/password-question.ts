import type { ElementHandle } from '@playwright/test';
import { plainWords } from '../../words.js';
import { endsSomething, isAboutKey, namesKey, passwordWords, scoreAction } from '../reading/control-names.js';
import { createNames, type Dom, dom, inPage, type Names } from '../reading/in-page.js';
import { createPhrases } from '../reading/log-in-phrases.js';
import type { Control } from './controls.js';
import { isWanted } from './find-action.js';

/** Words of a question who somebody is, with neutral ones, in several languages. */
const asking =
  /\b(please|re-?enter|enter|re-?type|type|provide|need|needs|required?|again|once more|now|before|first|to|for|of|the|an?|we|you|yours?|my|me|it|s|is|this|that|are|re|sure|and|have|must|confirm(ation|ing)?|continu(e|ing)|proceed(ing)?|access|identity|account|user|current|security|secure|area|application|check|verif(y|ying|ication)|(re-?)?authenticat(e|ion)|sudo|mode|bitte|erneut|nochmals?|eingeben|geben|sie|ihr|ein(e|en)?|zu[mr]?|um|die|der|das|fur|bestatig(en|ung)|fortzufahren|zugriff|identitat|konto|sicherheit|sicherheitsabfrage|veuillez|saisir|votre|le|la|l'acces|l'identite|confirmer|confirmez|pour|continuer|acces|identite|compte|securite|por favor|introduzca|ingrese|su|tu|confirme|confirmar|para|continuar|acceso|identidad|cuenta|seguridad)\b/g;

const { saysLogIn, saysElse } = createPhrases({ plain: plainWords });

/** Whether a title asks who presses: it has words of such a question and no others. */
const asksWhoItIs = (title: string): boolean => {
  const words = plainWords(title);
  const rest = words.replace(passwordWords, '').replace(asking, '');
  return (saysLogIn(words) && !saysElse(words)) || !/[\p{L}\p{N}]/u.test(rest);
};

/** Whether a title says that something is deleted or ended which is no key. */
const endsOther = (title: string): boolean => endsSomething(title) && !namesKey(title);

/** What a form or dialog says of itself. */
interface Titles {
  /** Its label, and the headings in it. */
  readonly own: readonly string[];
  readonly labels: readonly string[];
  /** The first text in it, which may be a title without the markup of one. */
  readonly first: string;
  /** The heading, and the text, before a form that is in no dialog. */
  readonly headingBefore: string;
  readonly textBefore: string;
}

const readTitles = (
  { closest, elementsIn, headings, isShown, labelsOf, parentsOf, textOf, tidy }: Dom & Names,
  control: HTMLElement,
) => {
  const dialog = closest('dialog, [role=dialog], [role=alertdialog], [aria-modal=true]', control);
  const scope = dialog ?? (control as HTMLButtonElement).form ?? closest('form', control) ?? control;
  const named = [scope.getAttribute('aria-label') ?? '', ...labelsOf(scope).map(textOf)];
  const own = scope === control ? [] : named.map(tidy);
  const titles = { own, labels: [] as string[], first: '', headingBefore: '', textBefore: '' };
  const around = new Set(parentsOf(control));
  const inside = new Set(elementsIn(scope));
  let isBefore = dialog === undefined;
  let last: Element | undefined;
  for (const element of elementsIn(document.documentElement)) {
    if (inside.has(element)) isBefore = false;
    if (!(isBefore || inside.has(element)) || element === control || !isShown(element)) continue;
    // A part of a text is none.
    if (last?.contains(element)) continue;
    if (!isBefore && element.matches('label')) titles.labels.push(tidy(textOf(element)));
    if (closest('label, button, a, select, textarea, nav, [role=button], script, style', element)) continue;
    const isHeading = element.matches(`${headings}, legend`);
    const ownText = [...element.childNodes].map((node) => (node instanceof Text ? node.data : '')).join(' ');
    const isWhole = (isHeading || /\S/.test(ownText)) && !around.has(element);
    const text = tidy(isWhole ? textOf(element) : ownText);
    if (text === '') continue;
    if (isWhole) last = element;
    if (!isBefore && isHeading) titles.own.push(text);
    if (!isBefore) titles.first ||= text;
    else if (isHeading) titles.headingBefore = text;
    else titles.textBefore = text;
  }
  return titles;
};

/** Runs inside the page. */
const titlesOf = inPage<Dom & Names, HTMLElement, Titles>(readTitles, ...dom, createNames);

/** What a form or dialog, which came with the press of the action, is about. */
interface Question {
  /** A title that says that it ends something other than a key. */
  readonly ends: string | undefined;
  /** A title that neither names a key nor asks who presses the action. */
  readonly other: string | undefined;
  /** A title or the control says what it is about. */
  readonly isNamed: boolean;
}

/**
 * Reads what a control confirms. A text before its form counts only if it came with the press.
 * @param known texts that the page showed before
 */
export const questionOf = async (
  { name }: Control,
  element: ElementHandle<HTMLElement>,
  known: ReadonlySet<string>,
  wanted: string | undefined,
): Promise<Question> => {
  if (scoreAction(name, '') > 0 || isWanted(name, wanted)) return { ends: undefined, other: undefined, isNamed: true };
  const { own, labels, first, headingBefore, textBefore } = await element.evaluate(titlesOf);
  const fresh = (text: string): string => ([...known].some((one) => one.includes(text)) ? '' : text);
  const headings = [...own, fresh(headingBefore)].filter((text) => text !== '');
  const titles = headings.length > 0 ? headings : [first || fresh(textBefore)].filter((text) => text !== '');
  return {
    ends: headings.find(endsOther),
    other: titles.find((title) => !isAboutKey(title) && !asksWhoItIs(title)) ?? labels.find(endsOther),
    isNamed: titles.length > 0,
  };
};
