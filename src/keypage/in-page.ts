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
export interface Dom {
  /** The element in which a node is rendered. */
  readonly parentOf: (node: Node) => Element | null;
  /** All of them, from the innermost. */
  readonly parentsOf: (node: Node) => Element[];
  /** The nodes that are rendered inside an element. */
  readonly childrenOf: (element: Element) => Node[];
  /** An element and all inside it, in order, also those that no slot renders. */
  readonly elementsIn: (root: Element) => Element[];
  /** The innermost element that matches, from an element up. */
  readonly closest: (selector: string, element: Element) => Element | undefined;
  /** The element in whose box an element is drawn: itself, or an ancestor if it has no box. */
  readonly boxOf: (element: Element) => Element;
  /** Has a box, and its style does not hide it. */
  readonly isShown: (element: Element) => boolean;
}

export const createDom = (): Dom => {
  const parentOf = (node: Node): Element | null => {
    const slot = node instanceof Element || node instanceof Text ? node.assignedSlot : null;
    const up = slot ?? node.parentNode;
    return up instanceof ShadowRoot ? up.host : up instanceof Element ? up : null;
  };
  const parentsOf = (node: Node): Element[] => {
    const up = parentOf(node);
    return up === null ? [] : [up, ...parentsOf(up)];
  };
  const childrenOf = (element: Element): Node[] => {
    const put = element instanceof HTMLSlotElement ? element.assignedNodes() : [];
    return put.length > 0 ? put : [...(element.shadowRoot ?? element).childNodes];
  };
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
  const boxOf = (element: Element): Element => {
    const parent = getComputedStyle(element).display === 'contents' ? parentOf(element) : null;
    return parent === null ? element : boxOf(parent);
  };
  return {
    parentOf,
    parentsOf,
    childrenOf,
    elementsIn,
    closest: (selector, element) => [element, ...parentsOf(element)].find((each) => each.matches(selector)),
    boxOf,
    isShown: (element) => {
      const box = boxOf(element);
      const isVisible = getComputedStyle(element).visibility === 'visible';
      return isVisible && box.checkVisibility() && box.getClientRects().length > 0;
    },
  };
};
