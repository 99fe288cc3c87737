/** Where a document keeps the texts that it showed, including messages that disappear. */
export const passingTexts = 'access-conformance.passing';

export const copiedTexts = 'access-conformance.copied';

/** Replaces the clipboard and records what is copied. Runs inside the page, before its scripts. */
export const noteCopied = (name: string): void => {
  const texts = new Set<string>();
  Object.defineProperty(window, Symbol.for(name), { value: texts });
  if (!navigator.clipboard) return;
  navigator.clipboard.writeText = async (text) => {
    texts.add(String(text).slice(0, 2_000));
  };
};

/** Records texts that appear, not names of controls. Runs inside the page, before its scripts. */
export const notePassing = (name: string): void => {
  const texts = new Set<string>();
  Object.defineProperty(window, Symbol.for(name), { value: texts });
  const silent =
    'script, style, template, button, a[href], summary, option, [role=button], [role=tab], [role=menuitem]';
  const note = (node: Node): void => {
    const element = node instanceof Element ? node : node.parentElement;
    if (!element?.checkVisibility({ visibilityProperty: true }) || element.closest(silent)) return;
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    for (let text: Node | null = walker.currentNode; text && texts.size < 500; text = walker.nextNode()) {
      const said = text instanceof Text ? text.data.trim() : '';
      if (said !== '' && said.length <= 2_000 && text.parentElement?.closest(silent) == null) texts.add(said);
    }
  };
  new MutationObserver((changes) => {
    for (const { target, addedNodes, type } of changes)
      if (type === 'childList') for (const node of addedNodes) note(node);
      else note(target);
  }).observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
    attributes: true,
    attributeFilter: ['class', 'style', 'hidden', 'open'],
  });
};
