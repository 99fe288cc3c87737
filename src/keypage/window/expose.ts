import { type Dom, dom, inPage } from '../reading/in-page.js';

/** Scrolls to a text of a page and takes it away, to compare the two pictures. */

interface Exposed {
  /** The part of the text that is in the window. Absent if there is none. */
  readonly box?: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  /** Pictures may not show whether it is drawn. */
  readonly unsure: boolean;
  readonly hide: () => void;
  /** Restores the page. Returns whether the text was there all the time. */
  readonly restore: () => boolean;
}

/** `clear` hides what floats over a page, as a person does who closes a banner. */
export interface TextToExpose {
  readonly nodes: readonly Node[];
  readonly wanted: string;
  readonly clear: boolean;
}

/** Changes styles, and restores them. */
const createStyles = () => {
  const undo: (() => void)[] = [];
  return {
    setStyle: (element: Element, properties: Readonly<Record<string, string>>): void => {
      if (!(element instanceof HTMLElement || element instanceof SVGElement)) return;
      const { style } = element;
      const had = element.hasAttribute('style');
      // A policy may forbid to write the attribute as a whole.
      for (const [name, value] of Object.entries(properties)) {
        const [before, priority] = [style.getPropertyValue(name), style.getPropertyPriority(name)];
        style.setProperty(name, value, 'important');
        undo.unshift(() => style.setProperty(name, before, priority));
      }
      // An attribute that was not read since it changed cannot be removed.
      undo.push(() => void (had || element.getAttribute('style') === null || element.removeAttribute('style')));
    },
    restoreStyles: (): void => {
      for (const each of undo) each();
    },
  };
};

const createTextPlaces = ({ parentOf, parentsOf }: Dom, { nodes, wanted }: TextToExpose) => {
  const dataOf = (node: Node): string => (node instanceof Text ? node.data : '');
  const whole = nodes.map(dataOf).join('');
  const at = whole.indexOf(wanted);
  const [first, last] = at < 0 ? [0, whole.length] : [at, at + wanted.length];
  const elements = new Set<Element>();
  const places: (Range | Element)[] = [];
  let passed = 0;
  for (const node of nodes) {
    const start = passed;
    passed += dataOf(node).length;
    const list = parentsOf(node).find((each) => each instanceof HTMLSelectElement);
    const element = list ?? (node instanceof Element ? node : parentOf(node));
    if (!element || (node instanceof Text && (passed <= first || start >= last))) continue;
    elements.add(element);
    if (list || !(node instanceof Text)) places.push(element);
    else {
      const range = document.createRange();
      range.setStart(node, Math.max(0, first - start));
      range.setEnd(node, Math.min(node.length, last - start));
      places.push(range);
    }
  }
  return {
    places,
    /** The elements that hold the text itself. */
    elements: [...elements],
    /** These, and all around them. */
    holders: [...elements].flatMap((element) => [element, ...parentsOf(element)]),
    rects: (): DOMRect[] =>
      places.flatMap((place) => [...place.getClientRects()]).filter(({ width, height }) => width > 0 && height > 0),
  };
};

type TextPlaces = ReturnType<typeof createTextPlaces>;

const createScrolling = ({ holders, rects }: TextPlaces) => ({
  /** Scrolls to the text as a person can. */
  scrollToText: (): void => {
    // A box with hidden overflow is scrolled by scripts, not by people.
    const unscrollable = holders.flatMap((each) => {
      const { overflowX, overflowY } = getComputedStyle(each);
      const { scrollLeft: x, scrollTop: y } = each;
      const back = { ...(overflowX === 'hidden' ? { left: x } : {}), ...(overflowY === 'hidden' ? { top: y } : {}) };
      return each.matches('html, body') ? [] : [() => each.scrollTo({ ...back, behavior: 'instant' })];
    });
    holders
      .find((each) => getComputedStyle(each).display !== 'contents')
      ?.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    for (const scrollBack of unscrollable) scrollBack();
    const [begin] = rects();
    if (begin && (begin.top < 0 || begin.bottom > innerHeight))
      scrollBy({ top: begin.top - innerHeight / 2, behavior: 'instant' });
  },
});

/** Whether the text can be read where it is. */
const createLegibility = ({ places, elements: [text], holders, rects }: TextPlaces) => {
  const sizeOf = (element: Element): number => Number.parseFloat(getComputedStyle(element).fontSize) || 16;
  return {
    /** Letters run together if the blur is a quarter of their size or more. */
    isBlurred: (): boolean =>
      text !== undefined &&
      holders.some((each) => {
        const [, radius = '0'] = /blur\(([\d.]+)px\)/.exec(getComputedStyle(each).filter) ?? [];
        return Number(radius) >= sizeOf(text) / 4;
      }),
    /** A box clips the text, and nobody can scroll or select it there. */
    isCut: (): boolean =>
      text !== undefined &&
      places.some((place) => place instanceof Range) &&
      getComputedStyle(text).userSelect === 'none' &&
      holders.some((each) => {
        if (each.matches('html, body') || !/hidden|clip/.test(getComputedStyle(each).overflowX)) return false;
        const { left, right } = each.getBoundingClientRect();
        return rects().some((rect) => rect.right - right > sizeOf(text) || left - rect.left > sizeOf(text));
      }),
  };
};

type Tools = Dom &
  ReturnType<typeof createStyles> &
  TextPlaces &
  ReturnType<typeof createScrolling> &
  ReturnType<typeof createLegibility>;

const exposeText = (tools: Tools, { nodes, clear }: TextToExpose): Exposed => {
  const { elements, holders, setStyle } = tools;
  const before = { left: scrollX, top: scrollY };
  tools.scrollToText();
  const rects = tools.rects();
  const x = Math.max(0, Math.floor(Math.min(...rects.map(({ left }) => left))));
  const y = Math.max(0, Math.floor(Math.min(...rects.map(({ top }) => top))));
  const width = Math.min(innerWidth, Math.ceil(Math.max(...rects.map(({ right }) => right)))) - x;
  const height = Math.min(innerHeight, Math.ceil(Math.max(...rects.map(({ bottom }) => bottom)))) - y;
  const isSeen = rects.length > 0 && width > 0 && height > 0 && !tools.isBlurred() && !tools.isCut();
  if (isSeen && clear)
    for (const each of tools.elementsIn(document.documentElement))
      if (/fixed|sticky/.test(getComputedStyle(each).position) && !holders.includes(each))
        setStyle(each, { opacity: '0', transition: 'none', animation: 'none' });
  return {
    ...(isSeen ? { box: { x, y, width, height } } : {}),
    // A background that is drawn inside the letters.
    unsure: holders.some((each) => /text/.test(getComputedStyle(each).backgroundClip)),
    hide: () => {
      const none = 'transparent';
      for (const each of elements)
        setStyle(each, {
          transition: 'none',
          color: none,
          '-webkit-text-fill-color': none,
          '-webkit-text-stroke-color': none,
          'text-shadow': 'none',
          fill: none,
          stroke: none,
          ...(each instanceof HTMLImageElement ? { visibility: 'hidden' } : {}),
        });
    },
    restore: () => {
      tools.restoreStyles();
      scrollTo({ ...before, behavior: 'instant' });
      return nodes.every(({ isConnected }) => isConnected);
    },
  };
};

/** Runs inside the page. */
export const expose = inPage<Tools, TextToExpose, Exposed>(
  exposeText,
  ...dom,
  createStyles,
  createTextPlaces,
  createScrolling,
  createLegibility,
);
