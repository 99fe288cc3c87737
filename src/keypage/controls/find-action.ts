import { setTimeout as pause } from 'node:timers/promises';
import type { ElementHandle } from '@playwright/test';
import { plainWords } from '../../words.js';
import { endsSomething, namesKey, namesMore, scoreAction } from '../reading/control-names.js';
import { withoutKeys } from '../reading/key-candidates.js';
import { exploring } from '../window/block-writes.js';
import type { Visit } from '../window/visit.js';
import { type Control, controlsOf, identified, tryClick } from './controls.js';
import { wake } from './fill-fields.js';

export interface Action {
  readonly control: Control;
  /** Its name says that it makes a key, or the user named it. */
  readonly certain: boolean;
}

type FoundAction = Action | { readonly control?: never; readonly why: string };

/** Maximum number of controls that are named if none is found. */
const mostNamed = 6;

/** Number of parts that are expanded to find the action. */
const maxExpanded = 12;

export const usable = ({ enabled, visible }: Control): boolean => enabled && visible;

/** Whether a control can be pressed to see what it expands. */
export const mayUnfold = (control: Control): boolean => {
  const { opens, by, name, selected } = control;
  const expands = opens === 'surely' || (opens === 'likely' && by === 'script' && !endsSomething(name));
  return expands && usable(control) && !selected;
};

/** A row that begins with the name of a key, such as "API key | not set | Create", is about it. */
const isAboutKey = ({ row }: Control): boolean => row !== undefined && namesKey(row.label);

const scoreOf = (control: Control): number => {
  const { name, context, section, row } = control;
  return scoreAction(name, row && isAboutKey(control) ? row.label : context, section);
};

const rank = (control: Control): number => {
  const score = control.here ? 0 : scoreOf(control) - (control.opens === 'no' ? 0 : 0.5);
  // A link in the navigation is more likely to lead to the key page.
  return score > 0 && control.aside ? score / 4 : score;
};

/** Whether KEY_PAGE_ACTION names it. */
export const isWanted = (name: string, wanted: string | undefined): boolean =>
  wanted !== undefined && plainWords(name).includes(plainWords(wanted));

/** Whether a control may be the action itself, by its name or by KEY_PAGE_ACTION. */
export const isAction = (control: Control, wanted: string | undefined): boolean =>
  rank(control) > 0 || isWanted(control.name, wanted);

/** Whether a name is that of the action, by itself or by KEY_PAGE_ACTION. */
export const isNamedLikeAction = (name: string, wanted: string | undefined): boolean =>
  scoreAction(name, 'api key') > 0 || isWanted(name, wanted);

/** Whether controls are in several rows of one list: each may be about another key or user. */
const areOfRows = (controls: readonly Control[]): boolean => {
  const rows = controls.flatMap(({ row }) => row ?? []);
  const lists = new Set(rows.map(({ list }) => list));
  return lists.size < new Set(rows.map(({ list, index }) => `${list} ${index}`)).size;
};

/**
 * The control that is meant among equal ones: that of "API key" rather than of "API key
 * (read-only)". `undefined` if they are in several rows, and no row tells.
 */
const meantAmong = (equal: readonly Control[]): Control | undefined => {
  const plain = equal.filter((control) => control.row && isAboutKey(control) && !namesMore(control.row.label));
  if (plain.length === 1) return plain[0];
  return areOfRows(equal) ? undefined : equal[0];
};

const severalRows = (name: string): FoundAction => ({
  why: `Several rows have “${name}”, and which of them is meant is not known: set KEY_PAGE_ACTION to a CSS selector of one.`,
});

/** Chooses among visible controls. If two are equally likely, the user has to name one. */
const choose = (controls: readonly Control[]): FoundAction | undefined => {
  const ranked = controls
    .filter(usable)
    .map((control) => ({ control, score: rank(control) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score);
  const [best] = ranked;
  if (!best) return undefined;
  const top = ranked.filter(({ score }) => score === best.score).map(({ control }) => control);
  const equals = top.map(({ name }) => name);
  if (new Set(equals.map(plainWords)).size > 1)
    return {
      why: `Several controls could be the action (“${[...new Set(equals)].join('”, “')}”): set KEY_PAGE_ACTION to one of them.`,
    };
  const control = meantAmong(top);
  if (!control) return severalRows(best.control.name);
  return { control, certain: scoreAction(control.name, '') > 0 && !namesMore(control.name) };
};

const controlNamed = async (visit: Visit, wanted: string): Promise<FoundAction | undefined> => {
  const controls = await controlsOf(visit);
  const words = plainWords(wanted);
  const exact = controls.filter((control) => plainWords(control.name) === words);
  const near = exact.length > 0 ? exact : controls.filter((control) => plainWords(control.name).includes(words));
  const there = near.filter(usable);
  const [first] = there;
  if (first) {
    const control = meantAmong(there.filter(({ name }) => name === first.name));
    return control ? { control, certain: true } : severalRows(first.name);
  }
  if (near.length > 0) return undefined;
  const element = await visit.page.$(wanted).catch(() => null);
  if (!element || !(await element.isVisible())) return undefined;
  const facts = { context: '', section: '', visible: true, enabled: true, opens: 'no', by: 'script' } as const;
  const places = { here: false, aside: false, inDialog: false, selected: false };
  const handle = async () => element as ElementHandle<HTMLElement>;
  return { control: { ...facts, ...places, name: wanted, element: handle }, certain: true };
};

const search = async (visit: Visit, wanted: string | undefined): Promise<FoundAction | undefined> =>
  wanted === undefined ? choose(await controlsOf(visit)) : controlNamed(visit, wanted);

/** Controls that expand something, likeliest first: keys, then menus, then tabs. */
const openers = async (visit: Visit): Promise<(readonly [id: string, control: Control])[]> => {
  const likely = ({ name, aside }: Control): number =>
    (/api|key|token|schlussel|cle\b|clave/.test(plainWords(name)) ? 4 : 0) +
    (/more|manage|action|option|advanced|developer|mehr|aktion|plus|mas|…|⋮/.test(plainWords(name)) ? 2 : 0) +
    (aside ? 0 : 1);
  return identified(await controlsOf(visit))
    .filter(([, control]) => mayUnfold(control) && control.by === 'script')
    .sort(([, one], [, other]) => likely(other) - likely(one));
};

/**
 * Finds the action that makes a key, by its name. Unfolds menus if no visible control fits.
 * @param wanted KEY_PAGE_ACTION: a name or a CSS selector
 */
export const findAction = async (
  visit: Visit,
  wanted: string | undefined,
  patienceMs: number,
): Promise<FoundAction> => {
  const end = Date.now() + patienceMs;
  let found = (await search(visit, wanted)) ?? (await unfold(visit, wanted));
  while (!found && Date.now() < end) {
    await pause(200);
    found = await search(visit, wanted);
  }
  if (found) return found;
  const controls = await controlsOf(visit);
  // Its script may send something else to the page's own address.
  const ownLink = controls.find((control) => usable(control) && control.here && !control.aside && scoreOf(control) > 0);
  if (ownLink && wanted === undefined) return { control: ownLink, certain: false };
  const asleep = controls.find((control) => control.visible && !control.enabled && isAction(control, wanted));
  if (asleep && (await wake(visit, await asleep.element())))
    return { control: asleep, certain: isWanted(asleep.name, wanted) };
  if (asleep)
    return {
      why: `“${asleep.name}” cannot be pressed: it is disabled. Give the account what it waits for, or set KEY_PAGE_ACTION to another control.`,
    };
  const folded = controls.find((control) => !control.visible && isAction(control, wanted));
  if (folded)
    return {
      why: `“${withoutKeys(folded.name)}” is in the page, but not visible, and nothing was found that shows it: set KEY_PAGE_URL to an address where it is visible.`,
    };
  const names = controls
    .filter((control) => usable(control) && !control.aside && control.name !== '')
    .map(({ name }) => name);
  const there = [...new Set(names)].slice(0, mostNamed).map((name) => `“${withoutKeys(name).slice(0, 40)}”`);
  const offers = there.length > 0 ? ` It has ${there.join(', ')}.` : '';
  const why =
    wanted === undefined
      ? `No button or link on the page is named like “generate API key”: set KEY_PAGE_ACTION to the name of the one that makes a key.${offers}`
      : `Nothing visible on the page is named, or selected by, KEY_PAGE_ACTION.${offers}`;
  return {
    why: visit.loggedIn
      ? why
      : `${why} The page was not seen to ask for a log-in: if it is the first step of one, set LOGIN_URL to its address.`,
  };
};

/** The names of controls to press one after another, from the loaded page to a part of it. */
type OpenerNames = readonly string[];

/** Presses openers until the action is there. */
const unfoldAlong = async (
  visit: Visit,
  wanted: string | undefined,
  only?: OpenerNames,
): Promise<{ readonly found?: FoundAction | undefined; readonly path: OpenerNames; readonly held: number }> => {
  const paths = new Map<string, OpenerNames>();
  const pressed = new Set<string>();
  let path: OpenerNames = [];
  let found: FoundAction | undefined;
  const { held } = await exploring(visit, async () => {
    while (found === undefined && pressed.size < maxExpanded) {
      const there = (await openers(visit)).filter(([id]) => only === undefined || only.includes(id));
      for (const [id] of there) if (!paths.has(id)) paths.set(id, [...path, id]);
      const next = there.find(([id]) => !pressed.has(id));
      if (!next) return;
      const [id, opener] = next;
      pressed.add(id);
      path = paths.get(id) ?? [];
      if (await tryClick(visit, opener)) found = await search(visit, wanted);
    }
  });
  return { found, path, held };
};

/**
 * Unfolds parts until the action is there. If a press wanted to write, the page is loaded again,
 * and only the controls that lead to the action are pressed.
 */
const unfold = async (visit: Visit, wanted: string | undefined): Promise<FoundAction | undefined> => {
  if (!(await openers(visit)).length) return undefined;
  const url = visit.page.url();
  const { found, path, held } = await unfoldAlong(visit, wanted);
  if (found && held === 0 && visit.writes.endUnlessHeld()) return found;
  await visit.load(url);
  if (!found) return undefined;
  const again = (await search(visit, wanted)) ?? (await unfoldAlong(visit, wanted, path)).found;
  if (again && visit.writes.endUnlessHeld()) return again;
  await visit.load(url);
  return {
    why: `What unfolds ${found.control ? `“${found.control.name}”` : 'the action'} sends a request or a message that may change something, and was not pressed: set KEY_PAGE_URL to an address where the action is visible.`,
  };
};

/** Whether the page has a control for the action, which shows that it is rendered. */
export const offersAction = async (visit: Visit, wanted: string | undefined): Promise<boolean> =>
  (await search(visit, wanted)) !== undefined;
