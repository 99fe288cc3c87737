import type { Dom, Names } from '../reading/in-page.js';
import type { Phrases } from '../reading/log-in-phrases.js';
import type { Fields, Groups, Headings, Inputs, Submits } from './log-in-fields.js';

/** A form for a name or a password, and what shows that it logs in. */
export interface SignedForm {
  readonly username: HTMLElement | null;
  readonly password: HTMLElement | null;
  readonly submit: HTMLElement | null;
  /**
   * `says`: the name of its button. `marked`: its markup or its heading, which forms to confirm
   * something have too, or a form beside it that asks for more. With `none`, it may as well be a
   * short registration.
   */
  readonly sign: 'says' | 'marked' | 'none';
}

/** Fields that belong together, with what tells a log-in from other forms. */
export interface Candidate extends SignedForm {
  /** Drawn, and not inert. */
  readonly isUsable: boolean;
  /** Its button is named like a log-in, and like a registration too. */
  readonly isAmbiguous: boolean;
  /** Number of fields that may take a name. */
  readonly names: number;
}

/** What a form asks for. Runs in a page. */
export const createDemands = ({ membersOf, isShown, within, writable, nameScore }: Dom & Groups & Fields) => {
  // Codes of a second factor are drawn as dots too.
  const passwordsOf = (group: Element, all: Inputs): Inputs =>
    within(group, all).filter(
      ({ type, autocomplete }) => type === 'password' && /^(on|off)?$|password/.test(autocomplete),
    );
  const asks = (field: Element): boolean => {
    const takesText = field.matches('textarea') || (field instanceof HTMLInputElement && writable.includes(field));
    if (!takesText || field.matches('[type=checkbox], [type=radio]')) return field.matches(':required:invalid');
    const { type, value, autocomplete } = field as HTMLInputElement;
    return isShown(field) && type !== 'search' && value === '' && !autocomplete.includes('one-time-code');
  };
  return {
    passwordsOf,
    namesIn: (all: Inputs): number => all.filter((input) => nameScore(input) > 0).length,
    asksForOnePassword: (group: Element, all: Inputs): boolean => {
      const [password, ...others] = passwordsOf(group, all);
      return password !== undefined && others.length === 0 && password.autocomplete !== 'new-password';
    },
    /** Whether a form asks for more than a name and a password before it can be sent. */
    asksMore: (group: Element, { username, password }: Pick<SignedForm, 'username' | 'password'>): boolean =>
      membersOf(group).some(
        (field) => field !== username && field !== password && field.matches('input, select, textarea') && asks(field),
      ),
  };
};

export type Demands = ReturnType<typeof createDemands>;

/** Reads one form. Runs in a page. */
export const createCandidates = ({
  boxOf,
  closest,
  within,
  writable,
  nameAmong,
  passwordsOf,
  namesIn,
  asksMore,
  submitOf,
  doesElse,
  headingOf,
  plainNameOf,
  saysLogIn,
  isAmbiguous: isAmbiguousName,
  saysElse,
}: Dom & Names & Phrases & Groups & Fields & Headings & Submits & Demands) => {
  const isMarked = (field: HTMLInputElement | null): boolean =>
    field !== null && (field.type === 'password' ? /current-password/ : /username/).test(field.autocomplete);
  const signOf = (name: string, heading: string, marked: HTMLInputElement | null): SignedForm['sign'] => {
    if (saysLogIn(name) && !(isAmbiguousName(name) && saysElse(heading))) return 'says';
    return isMarked(marked) || (saysLogIn(heading) && !saysElse(heading)) ? 'marked' : 'none';
  };
  const candidateOf = (group: Element): Candidate => {
    const fields = within(group, writable);
    const username = nameAmong(fields);
    const [password = null] = passwordsOf(group, writable);
    const submit = submitOf(group);
    const name = submit === null ? '' : plainNameOf(submit);
    return {
      username,
      password,
      submit,
      sign: signOf(name, headingOf(group), password ?? username),
      isAmbiguous: isAmbiguousName(name),
      isUsable: boxOf(group).checkVisibility({ opacityProperty: true }) && closest('[inert]', group) === undefined,
      names: namesIn(fields),
    };
  };
  return {
    candidateOf,
    /** Its button says nothing else, and it asks for no more, or shows that it logs in. */
    mayLogIn: (group: Element): boolean => {
      if (doesElse(group)) return false;
      const candidate = candidateOf(group);
      return candidate.sign !== 'none' || !asksMore(group, candidate);
    },
  };
};

export type Candidates = ReturnType<typeof createCandidates>;
