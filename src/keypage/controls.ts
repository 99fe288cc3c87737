import type { ElementHandle, Frame, Locator } from '@playwright/test';
import { literally } from '../names.js';
import { isTimeout, ownFrames, steadily } from './browser.js';
import type { Visit } from './visit.js';

/** A control that a user can press. */
export interface ControlFacts {
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
  /** The numbers of its table or list in the page, and of its row in that. */
  readonly row?: { readonly list: number; readonly index: number };
}

export interface Control extends ControlFacts {
  /** Its handle. Rejects if the page has navigated. */
  readonly element: () => Promise<ElementHandle<HTMLElement>>;
}

/** Lists the controls of a document. Runs inside the page and uses nothing from outside. */
const listControls = (): { readonly element: HTMLElement; readonly facts: ControlFacts }[] => {
  const parentOf = (node: Node): Node | null =>
    (node instanceof Element ? node.assignedSlot : null) ??
    node.parentNode ??
    (node instanceof ShadowRoot ? node.host : null);
  /**
   * The nodes that are rendered inside a node: the shadow tree of a host, and what is assigned to a
   * slot.
   */
  const shownIn = (node: Element): Node[] => {
    const put = node instanceof HTMLSlotElement ? node.assignedNodes() : [];
    return put.length > 0 ? put : [...(node.shadowRoot ?? node).childNodes];
  };
  const elements: Element[] = [];
  const list = (element: Element): void => {
    elements.push(element);
    for (const node of shownIn(element)) if (node instanceof Element) list(node);
    // Children of a host that are in no slot. They are not rendered now.
    if (element.shadowRoot) for (const child of element.children) if (child.assignedSlot === null) list(child);
  };
  list(document.documentElement);
  const text = (node: Node): string => {
    if (node instanceof Text) return node.data;
    if (!(node instanceof Element) || node.getAttribute('aria-hidden') === 'true') return '';
    if (node.matches('style, script, template')) return '';
    if (node instanceof HTMLImageElement) return ` ${node.alt} `;
    const label = node.getAttribute('aria-label');
    if (label) return ` ${label} `;
    return shownIn(node)
      .map(text)
      .join(node instanceof SVGElement ? ' ' : '');
  };
  const tidy = (words: string): string => words.replace(/\s+/g, ' ').trim();
  const nameOf = (element: Element): string => {
    const labelled = (element.getAttribute('aria-labelledby') ?? '')
      .split(' ')
      .flatMap((id) => document.getElementById(id) ?? [])
      .map(text)
      .join(' ');
    const own =
      element instanceof HTMLInputElement ? element.value || element.alt : shownIn(element).map(text).join('');
    const title = element.getAttribute('title') ?? '';
    // A sign such as + is no name.
    const said = title === '' || /[\p{L}\p{N}]/u.test(own) ? tidy(own) : title;
    return tidy(labelled || element.getAttribute('aria-label') || said);
  };
  const shown = (element: Element): boolean => {
    const { display, visibility } = getComputedStyle(element);
    const parent = parentOf(element);
    const up = parent instanceof ShadowRoot ? parent.host : parent;
    // An element without a box of its own is drawn in its parent's.
    if (display === 'contents' && up instanceof Element) return visibility === 'visible' && shown(up);
    return element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  };
  const holdsSomething = (element: Element): boolean =>
    /\S/.test(element.textContent ?? '') || element.querySelector('button, input, img') !== null;
  const folded = (element: Element | null | undefined): boolean =>
    element != null && !element.matches('script, style, template, link') && !shown(element) && holdsSomething(element);
  const foldedById = new Map(elements.filter((each) => each.id !== '' && folded(each)).map((each) => [each.id, each]));
  const boxOf = (element: Element): HTMLInputElement | undefined =>
    element instanceof HTMLLabelElement &&
    element.control instanceof HTMLInputElement &&
    /^(radio|checkbox)$/.test(element.control.type)
      ? element.control
      : undefined;
  /** The label of a hidden radio button or checkbox, whose state only a style sheet reads. */
  const togglesByStyle = (element: Element): boolean => {
    const box = boxOf(element);
    return box !== undefined && (!shown(box) || box.offsetWidth < 2 || getComputedStyle(box).opacity === '0');
  };
  const spoken = /^(id|class|name|style|title|value|type|alt|aria-label|aria-labelledby|aria-describedby)$/;
  /** An attribute such as `href`, `aria-controls`, `data-…` holds the id of something hidden. */
  const foldedNamedBy = (element: Element): Element[] =>
    [...element.attributes].flatMap(({ name, value }) =>
      spoken.test(name) ? [] : value.split(/[^\w-]+/).flatMap((word) => foldedById.get(word) ?? []),
    );
  const isWithin = (selector: string, node: Node | null): boolean =>
    node !== null && ((node instanceof Element && node.matches(selector)) || isWithin(selector, parentOf(node)));
  const isAside = (element: Element): boolean =>
    isWithin('nav, body > header, body > footer, [role=navigation]', element);
  const standsBeforeFolded = (element: Element): boolean => {
    const row = element.parentElement;
    const next = element.nextElementSibling ?? (row?.childElementCount === 1 ? row.nextElementSibling : null);
    return folded(next);
  };
  const opensOf = (element: HTMLElement, href: string | null): ControlFacts['opens'] => {
    if (element.matches('[aria-expanded=true], details[open] > summary')) return 'no';
    if (element.matches('summary, [role=tab], [popovertarget]') || togglesByStyle(element)) return 'surely';
    if (element.matches('[aria-expanded=false], [aria-haspopup]:not([aria-haspopup=false])')) return 'likely';
    const target = href !== null && /^#[^/]/.test(href) ? document.getElementById(href.slice(1)) : undefined;
    return target === null || foldedNamedBy(element).length > 0 || standsBeforeFolded(element) ? 'likely' : 'no';
  };
  const headings = 'h1, h2, h3, h4, h5, h6, [role=heading]';
  const titles = `${headings}, legend, caption, label, dt`;
  const controls =
    'button, a[href], input[type=submit], input[type=button], input[type=image], summary, [role=button], [role=link], [role=menuitem], [role=tab], [onclick], [hx-post], [hx-get], [hx-put]';
  const pointer = (element: Element | null): boolean =>
    element !== null && getComputedStyle(element).cursor === 'pointer';
  /** An element that is no control by its markup, but has the pointer of one. */
  const looksPressable = (element: HTMLElement): boolean =>
    element.childElementCount < 4 &&
    /\S/.test(element.textContent ?? '') &&
    pointer(element) &&
    !pointer(element.parentElement) &&
    !element.matches('label, option, select, textarea') &&
    !element.closest(controls) &&
    !element.querySelector(`${controls}, input, select, textarea`);
  const lists: Element[] = [];
  const rowOf = (element: Element): Pick<ControlFacts, 'row'> => {
    const row = element.closest('tr, li, [role=row], [role=listitem]');
    const list = row?.parentElement;
    if (!row || !list) return {};
    if (!lists.includes(list)) lists.push(list);
    return { row: { list: lists.indexOf(list), index: [...list.children].indexOf(row) } };
  };
  let [context, section] = ['', ''];
  const found: { element: HTMLElement; facts: ControlFacts }[] = [];
  for (const element of elements) {
    if (element.matches(titles) && !boxOf(element)) context = tidy(text(element)) || context;
    if (element.matches(headings)) section = context;
    if (
      !(element instanceof HTMLElement) ||
      !(element.matches(controls) || togglesByStyle(element) || looksPressable(element))
    )
      continue;
    if (element.matches('[onclick]') && element.querySelector('button, a[href]')) continue;
    const form = (element as HTMLButtonElement).form ?? element.closest('form');
    const submits =
      form != null &&
      element.matches('button:not([type]), [type=submit], [type=image]') &&
      !element.matches('a, summary');
    const href = element instanceof HTMLAnchorElement ? element.getAttribute('href') : null;
    const leads = href !== null && !/^(#|javascript:)/i.test(href);
    const summaryOf = element.closest('details, fieldset')?.querySelector('summary, legend');
    found.push({
      element,
      facts: {
        name: nameOf(element),
        context: tidy(`${summaryOf ? text(summaryOf) : ''} ${context}`),
        section,
        visible: shown(element),
        enabled: !element.matches(':disabled, [aria-disabled=true]'),
        opens: opensOf(element, href),
        by: submits
          ? /post|put|delete/i.test((element as HTMLButtonElement).formMethod || form.method)
            ? 'post'
            : 'get'
          : leads
            ? 'link'
            : 'script',
        here:
          element instanceof HTMLAnchorElement && leads && element.href.split('#')[0] === location.href.split('#')[0],
        aside: isAside(element) && foldedNamedBy(element).every(isAside),
        inDialog: isWithin('dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true]', element),
        selected: element.getAttribute('aria-selected') === 'true' || boxOf(element)?.checked === true,
        ...rowOf(element),
      },
    });
  }
  return found;
};

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
