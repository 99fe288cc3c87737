/** Something that a page shows, as far as its open tree tells. */
export interface Shape {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Points of the type. */
  readonly size: number;
  /** `name`: of a control, a heading, a label. `prose`: other text. `field`: what is typed in. `image`: what no text tells. */
  readonly kind: 'name' | 'prose' | 'field' | 'image';
  /** In a control, which is drawn with a frame. */
  readonly control: boolean;
  readonly text: string;
  /** The whole text of the block or control that it is a part of. */
  readonly within: string;
  /** Values of attributes of the element that it stands in, of text that is no control's. */
  readonly attributes: readonly string[];
}

/** Lists what a document shows in its window. Runs inside the page: it may use nothing from outside itself. */
export const outline = (): Shape[] => {
  const controls = 'button, a[href], summary, option, [role=button], [role=link], [role=menuitem], [role=tab]';
  const titles = 'h1, h2, h3, h4, h5, h6, [role=heading], label, legend, caption, th, dt';
  const images = 'canvas, iframe, img, svg, picture, video, object, embed';
  type Found = Omit<Shape, 'within'> & { readonly group: Element };
  const found: Found[] = [];
  const texts = new Map<Element, string[]>();
  const groupOf = (element: Element): Element => {
    const control = element.closest(controls);
    if (control) return control;
    let group = element;
    while (group.parentElement && /^(inline|contents)/.test(getComputedStyle(group).display))
      group = group.parentElement;
    return group;
  };
  const add = (element: Element, kind: Shape['kind'], text: string, box: DOMRect, group = element): void => {
    if (box.width < 1 || box.height < 1 || box.bottom < 0 || box.top > innerHeight) return;
    const control = element.closest(controls) !== null || element.matches('[type=submit], [type=button]');
    texts.set(group, [...(texts.get(group) ?? []), text]);
    const { x, y, width, height } = box;
    const size = Number.parseFloat(getComputedStyle(element).fontSize) || 16;
    const attributes = control ? [] : [...element.attributes].map(({ value }) => value);
    found.push({ x, y, width, height, size, kind, control, text, attributes, group });
  };
  const visit = (node: Node): void => {
    if (node instanceof Text) {
      const element = node.parentElement ?? (node.parentNode instanceof ShadowRoot ? node.parentNode.host : null);
      if (!element || node.data.trim() === '') return;
      const range = document.createRange();
      range.selectNodeContents(node);
      const named = element.closest(`${controls}, ${titles}`) !== null;
      add(element, named ? 'name' : 'prose', node.data, range.getBoundingClientRect(), groupOf(element));
      return;
    }
    if (!(node instanceof Element) || node.matches('script, style, template, noscript, head')) return;
    const inner = node instanceof HTMLSlotElement ? node.assignedNodes() : [];
    const children = inner.length > 0 ? inner : [...(node.shadowRoot ?? node).childNodes];
    if (getComputedStyle(node).display !== 'contents') {
      if (!node.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return;
      const button = node instanceof HTMLInputElement && /^(submit|button|reset)$/.test(node.type);
      // What has a box and nothing in it shows something by other means: a closed shadow tree, a background, a style's text.
      const kind = button
        ? 'name'
        : node.matches('input, textarea, select')
          ? 'field'
          : node.matches(images) || (children.length === 0 && !node.matches('br, wbr, hr'))
            ? 'image'
            : undefined;
      if (kind !== undefined) {
        add(node, kind, button ? node.value : '', node.getBoundingClientRect());
        return;
      }
    }
    for (const child of children) visit(child);
  };
  if (document.body) visit(document.body);
  return found.map(({ group, ...shape }) => ({ ...shape, within: (texts.get(group) ?? []).join('') }));
};

export interface Drawn extends Pick<Shape, 'x' | 'y' | 'width' | 'height' | 'size' | 'control'> {
  /** `undefined`: covered. */
  readonly text: string | undefined;
}

/** Draws shapes on an empty page. Runs inside it. */
export const draw = (shapes: readonly Drawn[]): void => {
  document.body.style.cssText = 'margin:0;background:#fff';
  // Of two that overlap, the one that can be read is on top.
  const sorted = [...shapes].sort((one, other) => Number(one.text !== undefined) - Number(other.text !== undefined));
  for (const { x, y, width, height, size, control, text } of sorted) {
    const box = document.createElement('div');
    box.style.cssText = `position:absolute;box-sizing:border-box;left:${x}px;top:${y}px;min-width:${width}px;min-height:${height}px;font:${size}px/1.2 sans-serif;color:#222;`;
    if (text === undefined) box.style.cssText += `width:${width}px;height:${height}px;background:#000`;
    else {
      box.style.background = '#fff';
      box.style.maxWidth = `${Math.max(width + size, 40)}px`;
      if (control) box.style.outline = '1px solid #888';
      box.textContent = text;
    }
    document.body.append(box);
  }
};
