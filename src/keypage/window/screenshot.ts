import type { Page } from '@playwright/test';
import { KeyRing } from '../../wire/keyring.js';
import { ownFrames } from './browser.js';

/** A visible item of a page, found in its open tree. */
interface OutlineBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly size: number;
  /** `name`: of a control, heading or label. `prose`: other text. `image`: no text. */
  readonly kind: 'name' | 'prose' | 'field' | 'image';
  /** In a control, which is drawn with a frame. */
  readonly control: boolean;
  readonly text: string;
  /** The whole text of its block or control. */
  readonly within: string;
  /** Values of the element's attributes, except for controls. */
  readonly attributes: readonly string[];
}

/** Lists the visible items of a document. Runs inside the page and uses nothing from outside. */
const outline = (): OutlineBox[] => {
  const controls = 'button, a[href], summary, option, [role=button], [role=link], [role=menuitem], [role=tab]';
  const titles = 'h1, h2, h3, h4, h5, h6, [role=heading], label, legend, caption, th, dt';
  const images = 'canvas, iframe, img, svg, picture, video, object, embed';
  type Found = Omit<OutlineBox, 'within'> & { readonly group: Element };
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
  const add = (element: Element, kind: OutlineBox['kind'], text: string, box: DOMRect, group = element): void => {
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
      // An empty box shows something else: a closed shadow tree, a background, text of a style.
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

interface DrawnBox extends Pick<OutlineBox, 'x' | 'y' | 'width' | 'height' | 'size' | 'control'> {
  /** `undefined`: blacked out. */
  readonly text: string | undefined;
}

/** Draws the items on an empty page. Runs inside it. */
const draw = (boxes: readonly DrawnBox[]): void => {
  document.body.style.cssText = 'margin:0;background:#fff';
  // Readable items are drawn last, on top.
  const sorted = [...boxes].sort((one, other) => Number(one.text !== undefined) - Number(other.text !== undefined));
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

/** `all`: prose too. `names`: only controls, headings and labels, if a key may be unrecognised. */
export type Readable = 'all' | 'names';

const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();

/** Ordinary words: letters of one case after the first. Keys have digits or mixed case. */
const isPlain = (text: string): boolean => {
  const words = text.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== '');
  return (
    words.some((word) => /\p{L}{3}|[^\p{Script=Latin}\p{N}]/u.test(word)) &&
    words.every((word) => /^\p{L}?[\p{Ll}\p{Lo}\p{M}]*$|^\p{Lu}+$/u.test(word) && word.length <= 24)
  );
};

/** Decides which items are blacked out. Runs outside the page, which must not see the secrets. */
const covering = (secrets: readonly string[], readable: Readable): ((shape: OutlineBox) => boolean) => {
  const ring = new KeyRing({ keys: {}, secrets });
  const holds = (text: string): boolean => ring.redact(text) !== text;
  const bare = secrets.map(lettersOf);
  return ({ kind, within, attributes }) => {
    if (kind === 'image' || kind === 'field') return true;
    if (!isPlain(within) || holds(within) || attributes.some(holds)) return true;
    if (kind === 'name') return false;
    return readable === 'names' || bare.some((secret) => secret.includes(lettersOf(within)));
  };
};

/** The visible items of the page and its frames of the same origin. */
const boxesOf = async (page: Page): Promise<OutlineBox[]> => {
  const boxes: OutlineBox[] = [];
  for (const frame of ownFrames(page)) {
    const isMain = frame === page.mainFrame();
    const box = isMain ? { x: 0, y: 0 } : await (await frame.frameElement()).boundingBox();
    const own = await frame.evaluate(outline);
    if (box) boxes.push(...own.map((shape) => ({ ...shape, x: shape.x + box.x, y: shape.y + box.y })));
  }
  return boxes;
};

/**
 * A picture of the page, drawn anew from its ordinary words. All else is black or left out.
 * `undefined` if the page navigated.
 */
export const pictureOf = async (
  page: Page,
  secrets: readonly string[],
  readable: Readable = 'all',
): Promise<Buffer | undefined> => {
  const browser = page.context().browser();
  const viewport = page.viewportSize();
  if (!browser || !viewport) return undefined;
  const context = await browser.newContext({ viewport, offline: true }).catch(() => undefined);
  try {
    const covers = covering(secrets, readable);
    const drawn = (await boxesOf(page)).map((box): DrawnBox => {
      const { x, y, width, height, size, control } = box;
      return { x, y, width, height, size, control, text: covers(box) ? undefined : box.text };
    });
    const empty = await context?.newPage();
    await empty?.evaluate(draw, drawn);
    return await empty?.screenshot({ timeout: 5_000 });
  } catch {
    return undefined;
  } finally {
    await context?.close().catch(() => {});
  }
};
