import { setTimeout as pause } from 'node:timers/promises';
import type { ElementHandle, JSHandle, Page } from '@playwright/test';
import { createNames, type Dom, dom, inPage, type Names } from '../reading/in-page.js';
import { createPhrases, type Phrases } from '../reading/log-in-phrases.js';
import { steadily } from '../window/browser.js';
import type { Visit } from '../window/visit.js';
import {
  type Candidate,
  type Candidates,
  createCandidates,
  createDemands,
  type Demands,
  type SignedForm,
} from './log-in-candidates.js';
import {
  createFields,
  createGroups,
  createHeadings,
  createSubmits,
  type Fields,
  type Groups,
  type Headings,
  type Inputs,
  type Submits,
} from './log-in-fields.js';

interface LoginFields extends SignedForm {
  /** The page shows a form with a password, which may be another one. */
  readonly asksPassword: boolean;
  /** The page holds a form with a password, and shows none. */
  readonly hidesPassword: boolean;
}

type Tools = Dom & Names & Phrases & Groups & Fields & Headings & Submits & Demands & Candidates;

const find = ({
  groupOf,
  within,
  inputs,
  writable,
  nameScore,
  nameAmong,
  doesElse,
  kindOf,
  candidateOf,
  passwordsOf,
  namesIn,
  asksForOnePassword,
  mayLogIn,
}: Tools): LoginFields => {
  const signs: readonly Candidate['sign'][] = ['none', 'marked', 'says'];
  const order = (a: Candidate, b: Candidate): number =>
    Number(b.isUsable) - Number(a.isUsable) ||
    signs.indexOf(b.sign) - signs.indexOf(a.sign) ||
    Number(a.isAmbiguous) - Number(b.isAmbiguous) ||
    Number(b.username !== null) - Number(a.username !== null) ||
    a.names - b.names;
  const withPassword = (all: Inputs): Element[] =>
    [...new Set(all.map(groupOf))].filter((group) => passwordsOf(group, all).length > 0);
  const asking = withPassword(writable);
  const [chosen] = asking
    .filter((group) => asksForOnePassword(group, writable) && mayLogIn(group))
    .map(candidateOf)
    .sort(order);
  const asksPassword = asking.length > 0;
  const asks = { asksPassword, hidesPassword: !asksPassword && withPassword(inputs).length > 0 };
  const none: LoginFields = { username: null, password: null, submit: null, sign: 'none', ...asks };
  if (chosen?.password) {
    const own = groupOf(chosen.password);
    // Forms that the page shows at another time, or in another place, as a tab or a panel.
    const others = withPassword(inputs).filter(
      (group) => group !== own && nameAmong(within(group, inputs)) !== null && kindOf(group) !== kindOf(own),
    );
    // One that asks for no more than the chosen one may be the log-in instead of it.
    const isRival = (group: Element): boolean =>
      asksForOnePassword(group, inputs) && namesIn(within(group, inputs)) <= chosen.names && !doesElse(group);
    if (chosen.sign !== 'none') return { ...chosen, ...asks };
    return others.some(isRival) ? none : { ...chosen, sign: others.length > 0 ? 'marked' : 'none', ...asks };
  }
  // A form with a password that was not chosen is a registration.
  const name = nameAmong(writable.filter((input) => nameScore(input) >= 2 && !asking.includes(groupOf(input))));
  const named = name && { ...candidateOf(groupOf(name)), username: name, ...asks };
  if (!named || !mayLogIn(groupOf(named.username))) return none;
  return named.sign === 'none' && asksPassword ? none : named;
};

/**
 * Finds the form that may be the log-in. It takes a name and one password that is not new, no more,
 * and its button says nothing else. Runs inside the page.
 */
const findLogin = inPage<Tools, void, LoginFields>(
  find,
  ...dom,
  createNames,
  createPhrases,
  createGroups,
  createFields,
  createHeadings,
  createSubmits,
  createDemands,
  createCandidates,
);

type Field = 'username' | 'password' | 'submit';

export interface LoginForm extends Readonly<Record<Field, boolean>> {
  readonly sign: SignedForm['sign'];
  readonly asksPassword: boolean;
  readonly hidesPassword: boolean;
  readonly element: (field: Field) => Promise<ElementHandle<HTMLElement>>;
  readonly fields: JSHandle<LoginFields>;
}

export const findLoginForm = async (page: Page): Promise<LoginForm> => {
  const fields: JSHandle<LoginFields> = await page.evaluateHandle(findLogin);
  const found = await fields.evaluate(({ username, password, submit, sign, asksPassword, hidesPassword }) => ({
    username: username !== null,
    password: password !== null,
    submit: submit !== null,
    sign,
    asksPassword,
    hidesPassword,
  }));
  return {
    ...found,
    fields,
    element: async (field) =>
      (
        await fields.evaluateHandle((all, name) => all[name] ?? document.body, field)
      ).asElement() as ElementHandle<HTMLElement>,
  };
};

/** Whether two forms have the same fields, in the same document. */
export const isSameForm = (
  { fields }: LoginForm,
  other: LoginForm,
  of: readonly Field[] = ['username', 'password'],
): Promise<boolean> =>
  // A handle is gone with its document.
  fields
    .evaluate((one, { two, names }) => names.every((name) => one[name] === two[name]), { two: other.fields, names: of })
    .catch(() => false);

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
