import { hash } from 'node:crypto';
import { exec } from 'jsonpath-rfc9535';
import parsePath from 'jsonpath-rfc9535/parser';
import { isObject } from '../collections.js';
import { messageOf } from '../errors.js';
import { EditableDocument, IncompatibleOverlayError, kindOf } from './editable-document.js';
import { isArray, type ValuePath, valueAt } from './json-values.js';
import type { AppliedOverlay } from './model.js';
import { childNode, itemNodes, type Node, type Problems } from './node.js';
import { type ParsedFile, readSource } from './source.js';

/** RFC 9535 (section 2.7) escapes member names in normalised paths. */
const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

const unescapeName = (key: string | number): string | number =>
  typeof key === 'number'
    ? key
    : key.replace(/\\(?:u([0-9a-f]{4})|(.))/gi, (_whole, hex: string | undefined, letter: string) =>
        hex === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(hex, 16)),
      );

/**
 * The paths that a JSONPath selects, without duplicates; `undefined`, reported, when it is invalid.
 */
const selectPaths = (document: unknown, expression: Node, problems: Problems): readonly ValuePath[] | undefined => {
  if (typeof expression.value !== 'string') {
    problems.error(expression, 'the target must be a JSONPath expression, as text', "For example $.paths['/pets'].get");
    return undefined;
  }
  const found = new Map<string, ValuePath>();
  try {
    exec(document as Parameters<typeof exec>[0], expression.value, (_value, path) => {
      const names = path.map(unescapeName);
      found.set(JSON.stringify(names), names);
    });
  } catch (error) {
    problems.error(
      expression,
      `${JSON.stringify(expression.value)} is no JSONPath expression: ${messageOf(error)}`,
      'RFC 9535 tells how to write one.',
    );
    return undefined;
  }
  return [...found.values()];
};

/** The names of a path that none of the values it selects lies below: one of a list, misspelt. */
const idleNames = (expression: string, targets: readonly ValuePath[]): readonly string[] => {
  const { segments } = parsePath(expression);
  // Below a descendant segment, a name may stand at any depth.
  const depth = segments.findIndex(({ type }) => type !== 'ChildSegment');
  return segments
    .slice(0, depth < 0 ? segments.length : depth)
    .flatMap(({ node }, at) =>
      node.type === 'BracketedSelection'
        ? node.selectors.flatMap((one) =>
            one.type === 'NameSelector' && targets.every((path) => path[at] !== unescapeName(one.value))
              ? [one.value]
              : [],
          )
        : [],
    );
};

/** Whether an empty list of `update` meets a filled one, to which it adds nothing. */
const addsNothing = (target: unknown, update: unknown): boolean =>
  isArray(update)
    ? update.length === 0 && isArray(target) && target.length > 0
    : isObject(update) &&
      isObject(target) &&
      Object.entries(update).some(([name, value]) => Object.hasOwn(target, name) && addsNothing(target[name], value));

/**
 * Whether an update adds security requirements to those that are there. They are alternatives, so
 * what was to be narrowed opens in more ways.
 */
const addsRequirements = (name: string | number | undefined, target: unknown, update: unknown): boolean => {
  if (name === 'security' && isArray(target)) return target.length > 0 && !(isArray(update) && update.length === 0);
  return (
    isObject(update) &&
    isObject(target) &&
    Object.entries(update).some(
      ([member, value]) => Object.hasOwn(target, member) && addsRequirements(member, target[member], value),
    )
  );
};

/** Applies one Action Object (Overlay 1.1, section 4.4.3). */
const applyAction = (document: EditableDocument, action: Node, problems: Problems): void => {
  if (!isObject(action.value)) {
    problems.error(action, 'an action must be an object with target and update or remove');
    return;
  }
  const { update, remove } = action.value;
  const unknown = Object.keys(action.value).find((name) => !/^(target|description|update|remove|x-.*)$/.test(name));
  if (unknown !== undefined)
    problems.error(
      childNode(action, unknown),
      `"${unknown}" is not allowed in an action`,
      'Allowed: target, description, update, remove, x-…. The copy of Overlay 1.1 is not supported: write the value as update.',
    );
  const targets = selectPaths(document.root, childNode(action, 'target'), problems);
  if (!targets) return;
  if (targets.length === 0) {
    problems.warn(
      childNode(action, 'target'),
      `this action matches nothing: ${String(action.value.target)} selects no value of the document`,
    );
    return;
  }
  const idle = idleNames(String(action.value.target), targets);
  if (idle.length > 0)
    problems.warn(
      childNode(action, 'target'),
      `a part of this target matches nothing: ${idle.map((name) => `'${name}'`).join(', ')}`,
    );
  if (remove === true) {
    // From the end, so that indexes stay valid.
    for (const path of targets.toSorted(byPath).reverse()) document.remove(path);
    return;
  }
  const kinds = new Set(targets.map((path) => kindOf(valueAt(document.root, path))));
  if (kinds.size > 1) {
    problems.error(
      childNode(action, 'target'),
      `the target selects ${[...kinds].join(' and ')}`,
      'It must select only objects, only arrays or only primitive values.',
    );
    return;
  }
  if (update === undefined) {
    problems.warn(action, 'this action changes nothing: it has no update, and remove is not true');
    return;
  }
  if (targets.some((path) => addsNothing(valueAt(document.root, path), update)))
    problems.warn(
      childNode(action, 'update'),
      'an empty list changes nothing here: an update adds to the list that is there',
      'Remove that list in an action before: the target is the list, and `remove: true` stands in place of update.',
    );
  if (targets.some((path) => addsRequirements(path.at(-1), valueAt(document.root, path), update)))
    problems.warn(
      childNode(action, 'update'),
      'this adds to the security requirements that are there, and each of them is enough',
      'To replace them, remove that list in an action before: the target is the list, and `remove: true` stands in place of update.',
    );
  for (const path of targets) document.update(path, update, childNode(action, 'update'));
};

const byPath = (a: ValuePath, b: ValuePath): number => {
  for (const [index, key] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    if (key === other) continue;
    return typeof key === 'number' && typeof other === 'number' ? key - other : String(key) < String(other) ? -1 : 1;
  }
  return a.length - b.length;
};

const applyOverlay = (document: EditableDocument, overlay: ParsedFile, problems: Problems): void => {
  const root: Node = { source: overlay, path: [], value: overlay.value };
  const at = (name: string): Node => childNode(root, name);
  const { value } = at('overlay');
  if (typeof value !== 'string' || !/^1\.[01]\.\d+$/.test(value)) {
    const found = value === undefined ? 'there is none' : `it is ${JSON.stringify(value)}`;
    problems.error(
      at('overlay'),
      `"overlay" must name the version of the Overlay Specification, and ${found}`,
      'Write `overlay: 1.1.0`; 1.0 and 1.1 are supported.',
    );
    return;
  }
  const actions = at('actions');
  if (!isArray(actions.value) || actions.value.length === 0) {
    problems.error(
      actions,
      '"actions" must be a list with at least one action',
      'If all actions are comments, take the # away before those that are right.',
    );
    return;
  }
  for (const action of itemNodes(actions)) {
    try {
      applyAction(document, action, problems);
    } catch (error) {
      if (!(error instanceof IncompatibleOverlayError)) throw error;
      problems.error(action, `the action does not fit its target: ${error.message}`);
    }
  }
};

/** A document with its overlays applied. */
export interface OverlaidSource extends ParsedFile {
  readonly overlays: readonly AppliedOverlay[];
}

const describeOverlay = ({ file, bytes }: ParsedFile): AppliedOverlay => ({ file, sha256: hash('sha256', bytes) });

/**
 * Applies OpenAPI Overlays 1.0 and 1.1 to a document, one after the other.
 * @param files paths separated by commas, in the order in which they apply
 * @returns the merged document; its positions lead to the file that each part was written in
 * @throws {ContractError} when a file cannot be read
 */
export const applyOverlays = (document: ParsedFile, files: string, problems: Problems): OverlaidSource => {
  const editable = new EditableDocument(document);
  const overlays = files
    .split(',')
    .map((file) => file.trim())
    .filter((file) => file !== '')
    .map((file) => readSource(file));
  for (const overlay of overlays) applyOverlay(editable, overlay, problems);
  const source = editable.source(() => {
    for (const each of [document, ...overlays]) each.release();
  });
  return { ...source, overlays: overlays.map(describeOverlay) };
};
