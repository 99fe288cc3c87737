/** Functions that run inside a page, and what they share there. */

/** Makes some of the tools. May use those of the makers before it. */
type Maker<Tools, Arg> = (tools: Tools, arg: Arg) => Partial<Tools>;

/**
 * Joins functions into one for `evaluate` and `evaluateHandle`. Only its source reaches the page,
 * so `main` and each maker may use nothing but their arguments.
 */
export const inPage = <Tools, Arg, Result>(
  main: (tools: Tools, arg: Arg) => Result,
  ...makers: readonly Maker<Tools, Arg>[]
): ((arg: Arg) => Result) => {
  const made = makers.map((make) => `Object.assign(tools, (${make})(tools, arg));`).join('\n');
  return new Function('arg', `const tools = {};\n${made}\nreturn (${main})(tools, arg);`) as (arg: Arg) => Result;
};

/** Reads the flat tree: shadow trees in place of their hosts' children, and slots filled. */
const createTree = () => {
  /** The element in which a node is rendered. */
  const parentOf = (node: Node): Element | null => {
    const slot = node instanceof Element || node instanceof Text ? node.assignedSlot : null;
    const up = slot ?? node.parentNode;
    return up instanceof ShadowRoot ? up.host : up instanceof Element ? up : null;
  };
  /** All of them, from the innermost. */
  const parentsOf = (node: Node): Element[] => {
    const parents: Element[] = [];
    for (let up = parentOf(node); up !== null; up = parentOf(up)) parents.push(up);
    return parents;
  };
  /** Remembers answers, since each of nested nodes asks for all around it, or all inside it. */
  const remembered = <N extends Node, T>(answer: (node: N) => T): ((node: N) => T) => {
    const known = new Map<N, T>();
    return (node) => {
      const before = known.get(node);
      if (before !== undefined) return before;
      const now = answer(node);
      known.set(node, now);
      return now;
    };
  };
  const finders = new Map<string, (element: Element) => Element | null>();
  const finderOf = (selector: string): ((element: Element) => Element | null) => {
    const find = remembered((element: Element): Element | null => {
      const parent = parentOf(element);
      return element.matches(selector) ? element : parent && find(parent);
    });
    finders.set(selector, find);
    return find;
  };
  /** The innermost element that matches, from an element up. */
  const closest = (selector: string, element: Element): Element | undefined =>
    (finders.get(selector) ?? finderOf(selector))(element) ?? undefined;
  /** The nodes that are rendered inside an element. */
  const childrenOf = (element: Element): Node[] => {
    const put = element instanceof HTMLSlotElement ? element.assignedNodes() : [];
    return put.length > 0 ? put : [...(element.shadowRoot ?? element).childNodes];
  };
  /** An element and all inside it, in order, also those that no slot renders. */
  const elementsIn = (root: Element): Element[] => {
    const found: Element[] = [];
    const visit = (element: Element): void => {
      found.push(element);
      for (const node of childrenOf(element)) if (node instanceof Element) visit(node);
      if (element.shadowRoot) for (const child of element.children) if (child.assignedSlot === null) visit(child);
    };
    visit(root);
    return found;
  };
  /**
   * Whether an element is inside another one where both are written, shadow trees included. What is
   * put into a slot is not: a component may have a section for fields, and one for buttons.
   */
  const isWrittenIn = (element: Element, outer: Element): boolean => {
    const root = element.getRootNode();
    return outer.contains(element) || (root instanceof ShadowRoot && isWrittenIn(root.host, outer));
  };
  return {
    headings: 'h1, h2, h3, h4, h5, h6, [role=heading]',
    /** What is beside the page's own matter: navigation, header, footer. */
    asides: 'nav, body > header, body > footer, [role=navigation]',
    remembered,
    parentOf,
    parentsOf,
    childrenOf,
    elementsIn,
    closest,
    isWrittenIn,
  };
};

type Tree = ReturnType<typeof createTree>;

/** What of the tree is drawn, and where. */
const createBoxes = ({ parentOf, remembered }: Tree) => {
  /** In a closed `details`, which shows its summary alone. Its own box does not tell. */
  const isFoldedAway = (node: Node): boolean => {
    const parent = parentOf(node);
    if (!(parent instanceof HTMLDetailsElement) || parent.open) return false;
    return node !== parent.querySelector(':scope > summary');
  };
  /** Its parent, if that is the one to draw it. */
  const drawerOf = (element: Element): Element | null =>
    getComputedStyle(element).display === 'contents' ? parentOf(element) : null;
  /** The element in whose box an element is drawn: itself, or an ancestor if it has no box. */
  const boxOf: (element: Element) => Element = remembered((element) => {
    const parent = drawerOf(element);
    return parent === null ? element : boxOf(parent);
  });
  const isDrawn: (element: Element) => boolean = remembered((element) => {
    const parent = drawerOf(element);
    if (parent !== null) return !isFoldedAway(element) && isDrawn(parent);
    return element.checkVisibility() && element.getClientRects().length > 0;
  });
  return {
    boxOf,
    isFoldedAway,
    /** Has a box, and its style does not hide it. */
    isShown: (element: Element): boolean => getComputedStyle(element).visibility === 'visible' && isDrawn(element),
  };
};

/** Makers for what every reader of a page uses. */
export const dom = [createTree, createBoxes] as const;

export type Dom = Tree & ReturnType<typeof createBoxes>;

/** The names of elements. */
export const createNames = ({ childrenOf, remembered }: Dom) => {
  const tidy = (words: string): string => words.replace(/\s+/g, ' ').trim();
  /** The text of a node as a screen reader says it. */
  const textOf: (node: Node) => string = remembered((node) => {
    if (node instanceof Text) return node.data;
    if (!(node instanceof Element) || node.getAttribute('aria-hidden') === 'true') return '';
    if (node.matches('style, script, template')) return '';
    if (node instanceof HTMLImageElement) return ` ${node.alt} `;
    const label = node.getAttribute('aria-label');
    if (label) return ` ${label} `;
    return childrenOf(node)
      .map(textOf)
      .join(node instanceof SVGElement ? ' ' : '');
  });
  /** The elements that `aria-labelledby` names. An id is looked up in the tree of its element. */
  const labelsOf = (element: Element): Element[] => {
    const tree = element.getRootNode() as Document | ShadowRoot;
    const ids = (element.getAttribute('aria-labelledby') ?? '').split(/\s+/);
    return ids.flatMap((id) => tree.getElementById?.(id) ?? []);
  };
  const nameOf = (element: Element): string => {
    const labelled = labelsOf(element).map(textOf).join(' ');
    const own =
      element instanceof HTMLInputElement ? element.value || element.alt : childrenOf(element).map(textOf).join('');
    const title = element.getAttribute('title') ?? '';
    // A sign such as + is no name.
    const said = title === '' || /[\p{L}\p{N}]/u.test(own) ? tidy(own) : title;
    return tidy(labelled || element.getAttribute('aria-label') || said);
  };
  /** Text without accents, capitals and repeated blanks. */
  const plain = (text: string): string => tidy(text.normalize('NFD').replace(/\p{Diacritic}/gu, '')).toLowerCase();
  return {
    tidy,
    textOf,
    labelsOf,
    nameOf,
    plain,
    plainNameOf: (control: Element): string => plain(nameOf(control)),
    plainLabelOf: (input: HTMLInputElement): string => {
      const texts = [...(input.labels ?? []), ...labelsOf(input)].map(textOf);
      return plain([...texts, input.getAttribute('aria-label') ?? '', input.placeholder, input.title].join(' '));
    },
  };
};

export type Names = ReturnType<typeof createNames>;
