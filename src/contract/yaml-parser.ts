import { isAlias, isCollection, isMap, isScalar, isSeq, type Pair, parseDocument } from 'yaml';
import { setMember } from './json-values.js';
import { maxDepth, tooDeepInYaml, tooDeepMessage } from './nesting-limit.js';

export interface YamlProblem {
  readonly offset: number;
  readonly message: string;
}

/** Position of a value and of its members; much smaller than the syntax tree. */
export interface YamlPosition {
  /** Offset of the member name or item. */
  readonly start: number;
  readonly members: ReadonlyMap<string, YamlPosition> | undefined;
}

export interface ParsedYaml {
  readonly value: unknown;
  readonly position: YamlPosition;
  readonly problems: readonly YamlProblem[];
}

const keyText = (pair: Pair): string => (isScalar(pair.key) ? String(pair.key.value) : String(pair.key));

const offsetOf = (node: unknown): number | undefined =>
  isScalar(node) || isCollection(node) || isAlias(node) ? node.range?.[0] : undefined;

interface Member {
  readonly value: unknown;
  readonly place: YamlPosition;
  readonly extent: Extent;
}

/** Size of a value with all aliases expanded. */
interface Extent {
  /** Number of values, itself included. */
  readonly values: number;
  /** Levels of objects and lists. */
  readonly levels: number;
}

const single: Extent = { values: 1, levels: 0 };

/**
 * Maximum number of values from aliases. Generators share lists by alias; a hundred million values
 * are an attack.
 */
const maxAliasedValues = 2_000_000;

/**
 * Parses YAML 1.2 text, with merge keys.
 * @param base offset of `text` in its file, added to every offset
 */
export const parseYaml = (text: string, base = 0): ParsedYaml => {
  const deep = tooDeepInYaml(text);
  if (deep !== undefined)
    return {
      value: undefined,
      position: { start: base, members: undefined },
      problems: [{ offset: base + deep, message: tooDeepMessage }],
    };
  // The parser's own check for repeated members is quadratic (13 s on 6 MB); `walkNode` does it.
  const document = parseDocument(text, { uniqueKeys: false, merge: true, prettyErrors: false });
  // Errors after the first one are mostly consequences.
  const problems: YamlProblem[] = document.errors
    .slice(0, 1)
    .map(({ pos, message }) => ({ offset: base + pos[0], message }));
  const known = new Map<unknown, Map<string, YamlPosition>>();
  /** The latest node of each anchor, in document order. */
  const anchors = new Map<string, unknown>();
  const extents = new Map<unknown, Extent>();
  let aliased = 0;
  /** Whether the document has no alias, merge key, tagged collection or complex key. */
  let plain = true;

  let refused: YamlProblem | undefined;
  const refuse = (offset: number, message: string): void => {
    refused ??= { offset, message };
  };

  /** @param around current nesting level, this node included */
  const walkNode = (node: unknown, start: number, around = 1): Member => {
    if (isAlias(node)) {
      plain = false;
      const named = anchors.get(node.source);
      if (known.has(named) && !extents.has(named)) refuse(top, 'an alias in this document contains itself');
      const extent = extents.get(named) ?? single;
      aliased += extent.values;
      if (aliased > maxAliasedValues)
        refuse(
          start,
          `the aliases of this document stand for more than ${maxAliasedValues} values, and no more are read`,
        );
      if (around + extent.levels > maxDepth) refuse(start, tooDeepMessage);
      return { value: undefined, place: { start, members: known.get(named) }, extent };
    }
    if (isScalar(node) && node.anchor !== undefined) anchors.set(node.anchor, node);
    if (!isCollection(node))
      return { value: isScalar(node) ? node.value : null, place: { start, members: undefined }, extent: single };
    if (around > maxDepth) refuse(start, tooDeepMessage);
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
    if (node.tag !== undefined) plain = false;
    const members = new Map<string, YamlPosition>();
    known.set(node, members);
    const place = { start, members };
    let values = 1;
    let levels = 0;
    const count = ({ extent }: Member): void => {
      values += extent.values;
      levels = Math.max(levels, extent.levels);
    };
    const settle = (of: unknown, value: unknown, at: YamlPosition): Member => {
      const extent = { values, levels: levels + 1 };
      extents.set(of, extent);
      return { value, place: at, extent };
    };
    if (isSeq(node)) {
      const value = node.items.map((item, index) => {
        const member = walkNode(item, base + (offsetOf(item) ?? 0), around + 1);
        members.set(String(index), member.place);
        count(member);
        return member.value;
      });
      return settle(node, value, place);
    }
    const value: Record<string, unknown> = {};
    if (isMap(node))
      for (const pair of node.items) {
        const name = keyText(pair);
        const from = base + (offsetOf(pair.key) ?? 0);
        if (name === '<<' || !isScalar(pair.key) || pair.key.value === null) plain = false;
        if (members.has(name) && name !== '<<')
          problems.push({ offset: from, message: `the member "${name}" is here twice` });
        if (!isScalar(pair.key) && pair.key !== null) count(walkNode(pair.key, from, around + 1));
        const member = walkNode(pair.value, from, around + 1);
        members.set(name, member.place);
        count(member);
        setMember(value, name, member.value);
      }
    return settle(node, value, place);
  };

  const top = base + (offsetOf(document.contents) ?? 0);
  if (problems.length > 0) return { value: undefined, position: { start: base, members: undefined }, problems };
  const { value: simply, place: root } = walkNode(document.contents, top);
  if (refused) return { value: undefined, position: root, problems: [refused] };
  if (plain) return { value: simply, position: root, problems };
  try {
    // The parser's own limit counts aliases, not what they stand for.
    return { value: document.toJS({ maxAliasCount: -1 }), position: root, problems };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { value: undefined, position: root, problems: [{ offset: root.start, message }] };
  }
};
