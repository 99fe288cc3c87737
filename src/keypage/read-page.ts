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

/** Reads the texts of a document and its open shadow roots. Runs inside the page. */
export const readPage = ({ mostPieces, withNodes }: { mostPieces: number; withNodes?: boolean }): PageContent => {
  interface Place {
    readonly role: Piece['role'];
    readonly aside: boolean;
    readonly visible: boolean;
    readonly letters?: string;
  }
  const pieces: Piece[] = [];
  const nodes: Node[][] = [];
  const put = (piece: Piece, of: Node[]): void => {
    pieces.push(piece);
    nodes.push(of);
  };
  let size = 0;
  const isFull = (): boolean => pieces.length >= mostPieces || size >= 4_000_000;
  let open: { text: string; place: Place; of: Node[] } | undefined;
  const clean = (text: string): string => text.replace(/[\u00ad\u200b-\u200d\u2060\ufeff]/g, '');
  const flush = (): void => {
    const text = open && clean(open.text).trim();
    if (open && text) put({ text: text.slice(0, 20_000), ...open.place }, open.of);
    size += Math.min(20_000, text?.length ?? 0);
    open = undefined;
  };
  const add = (text: string, place: Place, element: Element): void => {
    flush();
    open = { text, place, of: [element] };
    flush();
  };
  const same = (one: Place, other: Place): boolean =>
    one.role === other.role &&
    one.visible === other.visible &&
    one.aside === other.aside &&
    one.letters === other.letters;
  /**
   * The element in whose box an element is drawn: itself, or an ancestor if it has no box, like
   * slots.
   */
  const boxOf = (element: Element): Element => {
    const up = element.assignedSlot ?? element.parentNode;
    const parent = up instanceof ShadowRoot ? up.host : up;
    return parent instanceof Element && getComputedStyle(element).display === 'contents' ? boxOf(parent) : element;
  };
  const isVisible = (element: Element): boolean => {
    const box = boxOf(element);
    return (
      getComputedStyle(element).visibility === 'visible' &&
      box.checkVisibility({ opacityProperty: true }) &&
      box.getClientRects().length > 0
    );
  };
  /** A closed list draws its chosen option in its own box. Other options have none. */
  const drawnIn = (option: HTMLOptionElement): Element => (option.selected && option.closest('select')) || option;
  const lettersOf = (element: Element): Pick<Place, 'letters'> => {
    const style = getComputedStyle(element);
    const isMasked = !/^(none)?$/.test(style.getPropertyValue('-webkit-text-security'));
    const isReversed = /override/.test(style.unicodeBidi) && style.direction === 'rtl';
    const letters = isMasked ? 'masked' : isReversed ? 'reversed' : style.textTransform;
    return /^(masked|reversed|uppercase|lowercase|capitalize)$/.test(letters) ? { letters } : {};
  };
  const roleOf = (element: Element, inherited: Piece['role']): Piece['role'] => {
    if (inherited === 'control') return 'control';
    if (element.matches('option')) return 'field';
    if (element.matches('button, a[href], summary, [role=button], [role=link], [role=menuitem], [role=tab]'))
      return 'control';
    if (element.matches('pre, code, kbd, samp')) return 'code';
    if (element.matches('h1, h2, h3, h4, h5, h6, [role=heading], label, legend, caption, th, dt')) return 'heading';
    return inherited;
  };
  const attributes = (element: Element, place: Place): void => {
    const hidden = element instanceof HTMLInputElement && element.type === 'hidden';
    if (hidden && !/key/i.test(`${element.name} ${element.id}`)) return; // Most are tokens of the form itself.
    for (const { name, value } of element.attributes) {
      if (!/^(data-|value$)/.test(name) || value.length < 8 || value.length > 2000) continue;
      if (/csrf|xsrf|nonce|sitekey|integrity|reactid|turbo|track|test-?id/i.test(name)) continue;
      if (/key|token|copy|clip|secret|value|text|content/i.test(name))
        put({ ...place, text: clean(value), role: 'attribute', visible: false }, []);
    }
  };
  const field = (element: HTMLInputElement | HTMLTextAreaElement, place: Place): void => {
    if (element.type === 'hidden' || element.type === 'checkbox' || element.type === 'radio') return;
    if (/^(submit|button|reset|image)$/.test(element.type)) add(element.value, { ...place, role: 'control' }, element);
    else if (element.value !== '')
      add(element.value, { ...place, role: 'field', visible: place.visible && element.type !== 'password' }, element);
    else if (element.placeholder) add(element.placeholder, { ...place, role: 'text' }, element);
  };
  /** Text that a style puts before or after an element. */
  const generated = (element: Element, place: Place): void => {
    for (const pseudo of ['::before', '::after']) {
      const { content } = getComputedStyle(element, pseudo);
      const [, quoted, attribute] = /^"(.*)"$|^attr\((\S+?)\)$/s.exec(content) ?? [];
      const text = quoted ?? (attribute === undefined ? '' : (element.getAttribute(attribute) ?? ''));
      if (/\p{L}{2}/u.test(text)) put({ ...place, text }, [element]);
    }
  };
  /** The text of a picture, `''` if it has none; `undefined` for what is no picture. */
  const pictureOf = (element: Element): string | undefined => {
    const isDrawn = element.matches('img, svg, [role=img]');
    if (isDrawn) {
      const text = element.getAttribute('aria-label') || element.getAttribute('alt') || '';
      return text === '' && /\S/.test(element.textContent ?? '') ? undefined : text;
    }
    const isEmpty = !element.matches('input, textarea, :has(*)') && !/\S/.test(element.textContent ?? '');
    return isEmpty && getComputedStyle(element).backgroundImage.includes('url(') ? '' : undefined;
  };
  const isLarge = (element: Element): boolean => {
    const { width, height } = element.getBoundingClientRect();
    return width >= 60 && height >= 10;
  };
  /** Large enough for a line of text, and not floating over the page as a chat does. */
  const isUnreadable = (element: Element): boolean => {
    const isForeign = element instanceof HTMLIFrameElement && element.contentDocument === null;
    if (!(isForeign || element.matches('canvas, object, embed')) || !isVisible(element)) return false;
    const floats = (each: Element | null): boolean =>
      each !== null && (getComputedStyle(each).position === 'fixed' || floats(each.parentElement));
    return isLarge(element) && !floats(element);
  };
  const visitAll = (nodes: Iterable<Node>, place: Place): void => {
    for (const node of nodes) {
      if (isFull()) return;
      visit(node, place);
    }
  };
  const visit = (node: Node, place: Place): void => {
    if (node instanceof Text) {
      if (open && same(open.place, place)) {
        open.text += node.data;
        open.of.push(node);
      } else {
        flush();
        open = { text: node.data, place, of: [node] };
      }
      return;
    }
    if (!(node instanceof Element)) return;
    if (!place.aside && isUnreadable(node)) {
      put({ text: node.localName, role: 'attribute', visible: false, aside: false, unread: true }, [node]);
      return;
    }
    if (node.matches('script, style, template, noscript, head, iframe, canvas')) return;
    if (node instanceof HTMLBRElement) {
      if (open) open.text += '\n';
      return;
    }
    const inner: Place = {
      role: roleOf(node, place.role),
      aside: place.aside || node.matches('nav, body > header, body > footer, [role=navigation]'),
      visible: isVisible(node instanceof HTMLOptionElement ? drawnIn(node) : node),
      ...lettersOf(node),
    };
    attributes(node, inner);
    generated(node, inner);
    // The text is shown while the element is pointed at.
    const tip = node.getAttribute('title');
    if (tip) put({ ...inner, text: clean(tip), visible: false }, []);
    // An image's text is not running text.
    const named = pictureOf(node);
    if (named) add(named, { ...inner, role: 'heading' }, node);
    else if (named === '' && !inner.aside && inner.role !== 'control' && isLarge(node) && inner.visible)
      put({ text: node.localName, role: 'attribute', visible: false, aside: false, picture: true }, [node]);
    if (node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement) {
      field(node, inner);
      return;
    }
    const block = !/^(inline|contents)/.test(getComputedStyle(node).display) || inner.role !== place.role;
    // Code inside a sentence is a piece of its own.
    if (block) flush();
    if (node instanceof HTMLSlotElement && node.assignedNodes().length > 0) visitAll(node.assignedNodes(), inner);
    else visitAll((node.shadowRoot ?? node).childNodes, inner);
    if (block) flush();
  };
  visit(document.documentElement, { role: 'text', aside: false, visible: true });
  flush();
  return { loading: document.readyState === 'loading', pieces, isCut: isFull(), ...(withNodes ? { nodes } : {}) };
};
