/** Elements of the page. */

export const byId = (id) => document.getElementById(id);
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];

/** An element with attributes and children; strings become text. */
export const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

export const counted = (value, one, many = `${one}s`) => `${value.toLocaleString('en')} ${value === 1 ? one : many}`;
