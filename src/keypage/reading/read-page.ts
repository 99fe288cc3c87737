import { type Dom, dom, inPage } from './in-page.js';

/** A piece of text that a page holds, in document order. */
export interface Piece {
  readonly text: string;
  /**
   * `text`: running text of one block, placeholders of empty fields. `heading`: headings, labels,
   * captions. `control`: names of buttons and links. `code`: pre, code, kbd, samp. `field`: value
   * of a field. `attribute`: not shown, only for scripts.
   */
  readonly role: 'text' | 'heading' | 'control' | 'code' | 'field' | 'attribute';
  readonly visible: boolean;
  /** In navigation, header or footer. */
  readonly aside: boolean;
  /** How style changes the letters: `masked`, `reversed`, or a `text-transform`. */
  readonly letters?: string;
  /** The text was shown at some time, and is hidden now. */
  readonly passing?: true;
  /** Stands for a visible part that cannot be read: a canvas, a frame of another origin. */
  readonly unread?: true;
  /** Stands for a visible picture that has no text. */
  readonly picture?: true;
  /** Index of its nodes in `PageContent`. */
  readonly at?: number;
}

export interface PageContent {
  readonly loading: boolean;
  readonly pieces: Piece[];
  /** The page is longer than what is read of it: the most pieces, or four million characters. */
  readonly isCut: boolean;
  /** For each piece its nodes, on request. */
  readonly nodes?: Node[][];
}

/** The text of a piece as it is drawn. */
export const drawnText = ({ text, letters }: Piece): string =>
  letters === 'masked'
    ? '•'.repeat(text.length)
    : letters === 'reversed'
      ? [...text].reverse().join('')
      : letters === 'uppercase'
        ? text.toUpperCase()
        : letters === 'lowercase'
          ? text.toLowerCase()
          : letters === 'capitalize'
            ? text.replace(/(?<=^|\s)\p{Ll}/gu, (letter) => letter.toUpperCase())
            : text;

type Place = Pick<Piece, 'role' | 'aside' | 'visible' | 'letters'>;

const createDrawn = ({ headings, parentsOf, isShown, boxOf }: Dom) => {
  const isVisible = (element: Element): boolean => {
    // A closed list draws its chosen option in its own box. Other options have none.
    const list = element instanceof HTMLOptionElement && element.selected ? element.closest('select') : null;
    const box = list ?? element;
    return isShown(box) && boxOf(box).checkVisibility({ opacityProperty: true });
  };
  /** Large enough for a line of text. */
  const isLarge = (element: Element): boolean => {
    const { width, height } = element.getBoundingClientRect();
    return width >= 60 && height >= 10;
  };
  const floats = (element: Element): boolean =>
    [element, ...parentsOf(element)].some((each) => getComputedStyle(each).position === 'fixed');
  return {
    isVisible,
    lettersOf: (element: Element): Pick<Place, 'letters'> => {
      const style = getComputedStyle(element);
      const isMasked = !/^(none)?$/.test(style.getPropertyValue('-webkit-text-security'));
      const isReversed = /override/.test(style.unicodeBidi) && style.direction === 'rtl';
      const letters = isMasked ? 'masked' : isReversed ? 'reversed' : style.textTransform;
      return /^(masked|reversed|uppercase|lowercase|capitalize)$/.test(letters) ? { letters } : {};
    },
    roleOf: (element: Element, inherited: Piece['role']): Piece['role'] => {
      if (inherited === 'control') return 'control';
      if (element.matches('option')) return 'field';
      if (element.matches('button, a[href], summary, [role=button], [role=link], [role=menuitem], [role=tab]'))
        return 'control';
      if (element.matches('pre, code, kbd, samp')) return 'code';
      if (element.matches(`${headings}, label, legend, caption, th, dt`)) return 'heading';
      return inherited;
    },
    isLarge,
    /** The text of a picture, `''` if it has none; `undefined` for what is no picture. */
    pictureOf: (element: Element): string | undefined => {
      const isDrawn = element.matches('img, svg, [role=img]');
      if (isDrawn) {
        const text = element.getAttribute('aria-label') || element.getAttribute('alt') || '';
        return text === '' && /\S/.test(element.textContent ?? '') ? undefined : text;
      }
      const isEmpty =
        element.firstElementChild === null &&
        !element.matches('input, textarea') &&
        !/\S/.test(element.textContent ?? '');
      return isEmpty && getComputedStyle(element).backgroundImage.includes('url(') ? '' : undefined;
    },
    /** Shows something that cannot be read, and does not float over the page as a chat does. */
    isUnreadable: (element: Element): boolean => {
      const isForeign = element instanceof HTMLIFrameElement && element.contentDocument === null;
      const cannotBeRead = isForeign || element.matches('canvas, object, embed');
      return cannotBeRead && isVisible(element) && isLarge(element) && !floats(element);
    },
  };
};

/** Collects the pieces of a page, in document order. */
const createCollector = (_: unknown, { mostPieces }: ReadOptions) => {
  const pieces: Piece[] = [];
  const nodes: Node[][] = [];
  let size = 0;
  let open: { text: string; place: Place; of: Node[] } | undefined;
  const clean = (text: string): string => text.replace(/[\u00ad\u200b-\u200d\u2060\ufeff]/g, '');
  const put = (piece: Piece, of: Node[]): void => {
    pieces.push(piece);
    nodes.push(of);
  };
  /** Ends the running text. */
  const flush = (): void => {
    const text = open && clean(open.text).trim();
    if (open && text) put({ text: text.slice(0, 20_000), ...open.place }, open.of);
    size += Math.min(20_000, text?.length ?? 0);
    open = undefined;
  };
  const isSame = (one: Place, other: Place): boolean =>
    one.role === other.role &&
    one.visible === other.visible &&
    one.aside === other.aside &&
    one.letters === other.letters;
  return {
    pieces,
    nodes,
    isFull: (): boolean => pieces.length >= mostPieces || size >= 4_000_000,
    put,
    /** Adds a piece of its own. */
    add: (text: string, place: Place, element: Element): void => {
      flush();
      open = { text, place, of: [element] };
      flush();
    },
    /** Continues the running text, or begins one if the place is another. */
    extend: (node: Text, place: Place): void => {
      if (open && !isSame(open.place, place)) flush();
      open ??= { text: '', place, of: [] };
      open.text += node.data;
      open.of.push(node);
    },
    breakLine: (): void => {
      if (open) open.text += '\n';
    },
    flush,
    clean,
  };
};

/** Reads the texts of an element that are no text nodes. */
const createElementTexts = ({ put, add, clean }: ReturnType<typeof createCollector>) => ({
  attributes: (element: Element, place: Place): void => {
    const hidden = element instanceof HTMLInputElement && element.type === 'hidden';
    if (hidden && !/key/i.test(`${element.name} ${element.id}`)) return; // Most are tokens of the form itself.
    for (const { name, value } of element.attributes) {
      if (!/^(data-|value$)/.test(name) || value.length < 8 || value.length > 2000) continue;
      if (/csrf|xsrf|nonce|sitekey|integrity|reactid|turbo|track|test-?id/i.test(name)) continue;
      if (/key|token|copy|clip|secret|value|text|content/i.test(name))
        put({ ...place, text: clean(value), role: 'attribute', visible: false }, []);
    }
    // A tool tip is shown while the element is pointed at.
    const tip = element.getAttribute('title');
    if (tip) put({ ...place, text: clean(tip), visible: false }, []);
  },
  field: (element: HTMLInputElement | HTMLTextAreaElement, place: Place): void => {
    if (element.type === 'hidden' || element.type === 'checkbox' || element.type === 'radio') return;
    if (/^(submit|button|reset|image)$/.test(element.type)) add(element.value, { ...place, role: 'control' }, element);
    else if (element.value !== '')
      add(element.value, { ...place, role: 'field', visible: place.visible && element.type !== 'password' }, element);
    else if (element.placeholder) add(element.placeholder, { ...place, role: 'text' }, element);
  },
  /** Text that a style puts before or after an element. */
  generated: (element: Element, place: Place): void => {
    for (const pseudo of ['::before', '::after']) {
      const { content } = getComputedStyle(element, pseudo);
      const [, quoted, attribute] = /^"(.*)"$|^attr\((\S+?)\)$/s.exec(content) ?? [];
      const text = quoted ?? (attribute === undefined ? '' : (element.getAttribute(attribute) ?? ''));
      if (/\p{L}{2}/u.test(text)) put({ ...place, text }, [element]);
    }
  },
});

interface ReadOptions {
  readonly mostPieces: number;
  readonly withNodes?: boolean;
}

type Tools = Dom &
  ReturnType<typeof createDrawn> &
  ReturnType<typeof createCollector> &
  ReturnType<typeof createElementTexts>;

const read = (tools: Tools, { withNodes }: ReadOptions): PageContent => {
  const { asides, childrenOf, isFoldedAway, isVisible, isLarge, roleOf, lettersOf, pictureOf, isUnreadable } = tools;
  const { pieces, nodes, isFull, put, add, extend, flush } = tools;
  const standIn = { role: 'attribute', visible: false, aside: false } as const;
  const pictures = (element: Element, place: Place): void => {
    const text = pictureOf(element);
    // An image's text is not running text.
    if (text) add(text, { ...place, role: 'heading' }, element);
    else if (text === '' && !place.aside && place.role !== 'control' && isLarge(element) && place.visible)
      put({ ...standIn, text: element.localName, picture: true }, [element]);
  };
  const visit = (node: Node, place: Place): void => {
    if (isFull()) return;
    if (node instanceof Text) extend(node, place);
    else if (!(node instanceof Element)) return;
    else if (!place.aside && isUnreadable(node)) put({ ...standIn, text: node.localName, unread: true }, [node]);
    else if (node instanceof HTMLBRElement) tools.breakLine();
    else if (!node.matches('script, style, template, noscript, head, iframe, canvas')) visitElement(node, place);
  };
  const visitElement = (element: Element, place: Place): void => {
    const inner: Place = {
      role: roleOf(element, place.role),
      aside: place.aside || element.matches(asides),
      visible: isVisible(element),
      ...lettersOf(element),
    };
    tools.attributes(element, inner);
    tools.generated(element, inner);
    pictures(element, inner);
    if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
      tools.field(element, inner);
      return;
    }
    // Code inside a sentence is a piece of its own.
    const isBlock = !/^(inline|contents)/.test(getComputedStyle(element).display) || inner.role !== place.role;
    if (isBlock) flush();
    for (const node of childrenOf(element)) visit(node, isFoldedAway(node) ? { ...inner, visible: false } : inner);
    if (isBlock) flush();
  };
  visit(document.documentElement, { role: 'text', aside: false, visible: true });
  flush();
  return { loading: document.readyState === 'loading', pieces, isCut: isFull(), ...(withNodes ? { nodes } : {}) };
};

/** Reads the texts of a document and its open shadow roots. Runs inside the page. */
export const readPage = inPage<Tools, ReadOptions, PageContent>(
  read,
  ...dom,
  createDrawn,
  createCollector,
  createElementTexts,
);
