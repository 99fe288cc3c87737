import type { ElementHandle, Frame, Locator } from '@playwright/test';
import { literally } from '../../names.js';
import { createNames, type Dom, dom, inPage, type Names } from '../reading/in-page.js';
import { isTimeout, ownFrames, steadily } from '../window/browser.js';
import type { Visit } from '../window/visit.js';

/** A control that a user can press. */
interface ControlFacts {
  /** Approximate accessible name. */
  readonly name: string;
  /**
   * Nearest heading, legend, caption, summary or label before it. A label of a box names that box.
   */
  readonly context: string;
  /** Nearest heading before it. */
  readonly section: string;
  readonly visible: boolean;
  readonly enabled: boolean;
  /**
   * Expands a part of the page. `surely`: by its element, such as `summary` or a tab. `likely`: by
   * its attributes, such as `aria-expanded`, or because something hidden follows it or is referred
   * to.
   */
  readonly opens: 'surely' | 'likely' | 'no';
  /** A form's method, `link` for a link that leads elsewhere, `script` for the rest. */
  readonly by: 'get' | 'post' | 'link' | 'script';
  /** A link to the page that it is on. */
  readonly here: boolean;
  /** The control is in navigation, header or footer, and expands nothing elsewhere. */
  readonly aside: boolean;
  readonly inDialog: boolean;
  readonly selected: boolean;
  /**
   * The numbers of its table or list in the page, and of its row in that, and what the row begins
   * with.
   */
  readonly row?: { readonly list: number; readonly index: number; readonly label: string };
}

export interface Control extends ControlFacts {
  /** Its handle. Rejects if the page has navigated. */
  readonly element: () => Promise<ElementHandle<HTMLElement>>;
}

/** Folded parts: hidden, with something in them that a control may show. */
const createFolds = ({ elementsIn, isShown }: Dom) => {
  const holdsSomething = (element: Element): boolean =>
    /\S/.test(element.textContent ?? '') || element.querySelector('button, input, img') !== null;
  const isFolded = (element: Element): boolean =>
    !element.matches('script, style, template, link') && !isShown(element) && holdsSomething(element);
  const foldedById = new Map(
    elementsIn(document.documentElement)
      .filter((each) => each.id !== '' && isFolded(each))
      .map((each) => [each.id, each]),
  );
  /** The radio button or checkbox that a label is for. */
  const boxOfLabel = (element: Element): HTMLInputElement | undefined =>
    element instanceof HTMLLabelElement &&
    element.control instanceof HTMLInputElement &&
    /^(radio|checkbox)$/.test(element.control.type)
      ? element.control
      : undefined;
  /** The label of a hidden radio button or checkbox, whose state only a style sheet reads. */
  const togglesByStyle = (element: Element): boolean => {
    const box = boxOfLabel(element);
    return box !== undefined && (!isShown(box) || box.offsetWidth < 2 || getComputedStyle(box).opacity === '0');
  };
  const spoken = /^(id|class|name|style|title|value|type|alt|aria-label|aria-labelledby|aria-describedby)$/;
  /** The folded parts that an attribute such as `href`, `aria-controls` or `data-…` names. */
  const foldedNamedBy = (element: Element): Element[] =>
    [...element.attributes].flatMap(({ name, value }) =>
      spoken.test(name) ? [] : value.split(/[^\w-]+/).flatMap((word) => foldedById.get(word) ?? []),
    );
  const standsBeforeFolded = (element: Element): boolean => {
    const row = element.parentElement;
    const next = element.nextElementSibling ?? (row?.childElementCount === 1 ? row.nextElementSibling : null);
    return next !== null && isFolded(next);
  };
  return {
    boxOfLabel,
    togglesByStyle,
    foldedNamedBy,
    opensOf: (element: HTMLElement): ControlFacts['opens'] => {
      if (element.matches('[aria-expanded=true], details[open] > summary')) return 'no';
      if (element.matches('summary, [role=tab], [popovertarget]') || togglesByStyle(element)) return 'surely';
      if (element.matches('[aria-expanded=false], [aria-haspopup]:not([aria-haspopup=false])')) return 'likely';
      const [, id] =
        /^#(?!\/)(.+)/.exec((element instanceof HTMLAnchorElement && element.getAttribute('href')) || '') ?? [];
      const leadsNowhere = id !== undefined && document.getElementById(id) === null;
      return leadsNowhere || foldedNamedBy(element).length > 0 || standsBeforeFolded(element) ? 'likely' : 'no';
    },
  };
};

/** What a person presses. */
const createPressables = ({ togglesByStyle }: ReturnType<typeof createFolds>) => {
  const controls =
    'button, a[href], input[type=submit], input[type=button], input[type=image], summary, [role=button], [role=link], [role=menuitem], [role=tab], [onclick], [hx-post], [hx-get], [hx-put]';
  const hasPointer = (element: Element | null): boolean =>
    element !== null && getComputedStyle(element).cursor === 'pointer';
  /** An element that is no control by its markup, but has the pointer of one. */
  const looksPressable = (element: Element): boolean =>
    element.childElementCount < 4 &&
    /\S/.test(element.textContent ?? '') &&
    hasPointer(element) &&
    !hasPointer(element.parentElement) &&
    !element.matches('label, option, select, textarea') &&
    !element.closest(controls) &&
    !element.querySelector(`${controls}, input, select, textarea`);
  return {
    isControl: (element: Element): element is HTMLElement =>
      element instanceof HTMLElement &&
      (element.matches(controls) || togglesByStyle(element) || looksPressable(element)) &&
      !(element.matches('[onclick]') && element.querySelector('button, a[href]')),
  };
};

type Tools = Dom & Names & ReturnType<typeof createFolds> & ReturnType<typeof createPressables>;

interface FoundControl {
  readonly element: HTMLElement;
  readonly facts: ControlFacts;
}

const list = (tools: Tools): FoundControl[] => {
  const { asides, closest, headings, isShown, tidy, textOf, boxOfLabel, foldedNamedBy } = tools;
  const isAside = (element: Element): boolean => closest(asides, element) !== undefined;
  const lists: Element[] = [];
  const rowOf = (element: Element): Pick<ControlFacts, 'row'> => {
    const row = element.closest('tr, li, [role=row], [role=listitem]');
    const parent = row?.parentElement;
    if (!row || !parent) return {};
    if (!lists.includes(parent)) lists.push(parent);
    const [first] = row.children;
    const label = first && !first.contains(element) ? tidy(textOf(first)) : '';
    return { row: { list: lists.indexOf(parent), index: [...parent.children].indexOf(row), label } };
  };
  const submitMethodOf = (element: HTMLElement): 'get' | 'post' | undefined => {
    const form = (element as HTMLButtonElement).form ?? element.closest('form');
    if (form === null || !element.matches('button:not([type]), [type=submit], [type=image]')) return undefined;
    if (element.matches('a, summary')) return undefined;
    return /post|put|delete/i.test((element as HTMLButtonElement).formMethod || form.method) ? 'post' : 'get';
  };
  const factsOf = (element: HTMLElement, place: Pick<ControlFacts, 'context' | 'section'>): ControlFacts => {
    const link = element instanceof HTMLAnchorElement ? element : undefined;
    const leads = link !== undefined && !/^(#|javascript:)/i.test(link.getAttribute('href') ?? '#');
    return {
      name: tools.nameOf(element),
      ...place,
      visible: isShown(element),
      enabled: !element.matches(':disabled, [aria-disabled=true]'),
      opens: tools.opensOf(element),
      by: submitMethodOf(element) ?? (leads ? 'link' : 'script'),
      here: leads && link.href.split('#')[0] === location.href.split('#')[0],
      aside: isAside(element) && foldedNamedBy(element).every(isAside),
      inDialog: closest('dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true]', element) !== undefined,
      selected: element.getAttribute('aria-selected') === 'true' || boxOfLabel(element)?.checked === true,
      ...rowOf(element),
    };
  };
  const titles = `${headings}, legend, caption, label, dt`;
  let [context, section] = ['', ''];
  return tools.elementsIn(document.documentElement).flatMap((element) => {
    if (element.matches(titles) && !boxOfLabel(element)) context = tidy(textOf(element)) || context;
    if (element.matches(headings)) section = context;
    if (!tools.isControl(element)) return [];
    const summary = element.closest('details, fieldset')?.querySelector('summary, legend');
    const place = { context: tidy(`${summary ? textOf(summary) : ''} ${context}`), section };
    return [{ element, facts: factsOf(element, place) }];
  });
};

/** Lists the controls of a document. Runs inside the page. */
const listControls = inPage<Tools, void, FoundControl[]>(list, ...dom, createNames, createFolds, createPressables);

const controlsIn = async (frame: Frame): Promise<Control[]> => {
  const list = await frame.evaluateHandle(listControls);
  const facts = await list.evaluate((found) => found.map((each) => each.facts));
  return facts.map((each, index) => ({
    ...each,
    element: async () =>
      (
        await list.evaluateHandle((found, at) => found[at]?.element ?? document.body, index)
      ).asElement() as ElementHandle<HTMLElement>,
  }));
};

/** The controls of a page, frames of its own origin included, in document order. */
export const controlsOf = async ({ page }: Visit): Promise<Control[]> =>
  (await steadily(() => Promise.all(ownFrames(page).map(controlsIn)))).flat();

/** Controls with a stable id: name, context, and the number of equal ones before. */
export const identified = (controls: readonly Control[]): (readonly [id: string, control: Control])[] => {
  const counts = new Map<string, number>();
  return controls.map((control) => {
    const name = JSON.stringify([control.name, control.context]);
    const nth = counts.get(name) ?? 0;
    counts.set(name, nth + 1);
    return [`${name}${nth}`, control];
  });
};

/** The element that replaced a removed one: the only one with its tag and text. */
const twinOf = async (element: ElementHandle<HTMLElement>): Promise<Locator | undefined> => {
  const { kind, text } = await element.evaluate((node) => ({ kind: node.localName, text: node.textContent ?? '' }));
  const frame = await element.ownerFrame();
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (!frame || words.length === 0) return undefined;
  const same = new RegExp(`^\\s*${words.map(literally).join('\\s+')}\\s*$`);
  return frame.locator(kind).filter({ hasText: same, visible: true });
};

/**
 * Clicks an element. Returns false if a script clicked, since a banner covers or blocks the
 * element. Some pages ignore such clicks.
 * @param heldMs milliseconds for which the mouse button is held
 */
export const click = async ({ limits }: Visit, element: ElementHandle<HTMLElement>, heldMs = 0): Promise<boolean> => {
  const way = { timeout: limits.clickMs + heldMs, noWaitAfter: true, delay: heldMs };
  const isClicking = (log: string): boolean => /performing click action/.test(log);
  try {
    await element.click(way);
    return true;
  } catch (error) {
    const log = String(error);
    const wasClicking = isClicking(log);
    const wasInTheWay = /intercepts pointer events|outside of the viewport|not stable|is inert/.test(log);
    const twin = !wasClicking && /not attached to the DOM/.test(log) ? await twinOf(element) : undefined;
    if (twin) {
      await twin.click(way).catch((later: unknown) => {
        throw isClicking(String(later)) ? later : error;
      });
      return true;
    }
    // The click happened, and its script keeps the page busy.
    if (wasClicking && !wasInTheWay && isTimeout(log)) return true;
    // A script clicks only if the error came before the click, since nothing is pressed twice.
    if (wasClicking || !wasInTheWay) throw error;
    await element.evaluate((target) => target.click());
    return false;
  }
};

/**
 * Clicks what may be gone by now, as when another part was expanded, and waits until the page is at
 * rest.
 * @returns whether it was clicked
 */
export const tryClick = async (visit: Visit, { element }: Pick<Control, 'element'>): Promise<boolean> => {
  const clicked = await element()
    .then((one) => click(visit, one))
    .then(
      () => true,
      () => false,
    );
  await visit.settle();
  return clicked;
};
