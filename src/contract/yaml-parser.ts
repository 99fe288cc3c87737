import { Composer, type Document, isAlias, isCollection, isMap, isScalar, isSeq, Lexer, type Pair, Parser } from 'yaml';
import { present } from '../collections.js';
import { messageOf, yamlHint } from '../errors.js';
import type { ValuePath } from './json-values.js';

interface YamlProblem {
  readonly offset: number;
  readonly message: string;
  readonly hint?: string;
}

/** Position of a value and of its members; much smaller than the syntax tree. */
interface Position {
  /** Offset of the member name or item. */
  readonly start: number;
  readonly members?: ReadonlyMap<string, Position> | undefined;
}

/** A YAML 1.2 text: its value, its problems, and the positions of its members. */
interface ParsedYaml {
  readonly value: unknown;
  readonly problems: readonly YamlProblem[];
  /** Offset of the member name or item at `path`, or of its nearest ancestor that exists. */
  offsetOf(path: ValuePath): number;
}

/** Maximum nesting of a document: it is processed recursively. */
export const maxDepth = 500;

export const tooDeepMessage = `it is nested more than ${maxDepth} levels deep here, and no deeper document is read`;

/**
 * Maximum number of values from aliases. Generators share lists by alias; a hundred million values
 * are an attack.
 */
const maxAliasedValues = 2_000_000;

/** The text cannot be used. */
class YamlError extends Error {
  readonly offset: number;
  readonly hint: string | undefined;

  constructor(offset: number, message: string, hint?: string) {
    super(message);
    this.offset = offset;
    this.hint = hint;
  }
}

/**
 * The syntax tree of a text. `Parser` is iterative and `Composer` recursive, so the nesting is
 * checked between them: a stack overflow may end the process.
 */
const documentIn = (text: string): Document.Parsed => {
  const parser = new Parser();
  const tokens = function* () {
    for (const lexeme of new Lexer().lex(text)) {
      yield* parser.next(lexeme);
      const { stack } = parser;
      if (stack.length > maxDepth && stack.filter((token) => 'items' in token).length > maxDepth)
        throw new YamlError(stack.at(-1)?.offset ?? 0, tooDeepMessage);
    }
    yield* parser.end();
  };
  // The composer's own check for repeated members is quadratic (13 s on 6 MB); `walk` does it.
  const composer = new Composer({ uniqueKeys: false, merge: true, prettyErrors: false });
  const [document, second] = composer.compose(tokens(), true, text.length);
  if (!document) throw new TypeError('there is a document, also in an empty text');
  // Errors after the first one are mostly consequences.
  const [error] = document.errors;
  if (error) throw new YamlError(error.pos[0], error.message, yamlHint);
  if (second) throw new YamlError(second.range[0], 'a second document begins here, and a file holds one');
  return document;
};

/** Size of a value with all aliases expanded. */
interface ExpandedSize {
  /** Number of values, itself included. */
  readonly values: number;
  /** Levels of objects and lists. */
  readonly levels: number;
}

const scalarExtent: ExpandedSize = { values: 1, levels: 0 };

interface WalkedValue {
  readonly position: Position;
  readonly extent: ExpandedSize;
}

const keyText = (pair: Pair): string => (isScalar(pair.key) ? String(pair.key.value) : String(pair.key));

const offsetOf = (node: unknown): number =>
  (isScalar(node) || isCollection(node) || isAlias(node) ? node.range?.[0] : undefined) ?? 0;

/**
 * The positions of a document's members.
 * @param problems receives names that a mapping repeats
 * @throws {YamlError} where aliases name nothing, contain themselves, or stand for too much
 */
const positionsIn = ({ contents }: Document.Parsed, problems: YamlProblem[]): Position => {
  /** The latest node of each anchor, in document order. */
  const anchors = new Map<string, unknown>();
  /** Collections seen so far. The extent is set when a collection was walked completely. */
  const walked = new Map<unknown, { readonly members: Map<string, Position>; extent?: ExpandedSize }>();
  let aliased = 0;

  const aliasAt = (start: number, source: string, depth: number): WalkedValue => {
    if (!anchors.has(source))
      throw new YamlError(start, `no anchor &${source} stands in front of the alias *${source}`);
    const named = walked.get(anchors.get(source));
    if (named && !named.extent) throw new YamlError(offsetOf(contents), 'an alias in this document contains itself');
    const { members, extent = scalarExtent } = named ?? {};
    aliased += extent.values;
    if (aliased > maxAliasedValues)
      throw new YamlError(
        start,
        `the aliases of this document stand for more than ${maxAliasedValues} values, and no more are read`,
      );
    if (depth + extent.levels > maxDepth) throw new YamlError(start, tooDeepMessage);
    return { position: { start, members }, extent };
  };

  /** @param depth current nesting level, this node included */
  const walk = (node: unknown, start: number, depth: number): WalkedValue => {
    if (isAlias(node)) return aliasAt(start, node.source, depth);
    if ((isScalar(node) || isCollection(node)) && node.anchor !== undefined) anchors.set(node.anchor, node);
    if (!isCollection(node)) return { position: { start }, extent: scalarExtent };
    const members = new Map<string, Position>();
    const own: { readonly members: typeof members; extent?: ExpandedSize } = { members };
    walked.set(node, own);
    let values = 1;
    let levels = 0;
    const add = (child: unknown, at: number): Position => {
      const { position, extent } = walk(child, at, depth + 1);
      values += extent.values;
      levels = Math.max(levels, extent.levels);
      return position;
    };
    if (isSeq(node))
      for (const [index, item] of node.items.entries()) members.set(String(index), add(item, offsetOf(item)));
    if (isMap(node))
      for (const pair of node.items) {
        const name = keyText(pair);
        const at = offsetOf(pair.key);
        if (members.has(name) && name !== '<<')
          problems.push({ offset: at, message: `the member "${name}" is here twice` });
        if (isCollection(pair.key) || isAlias(pair.key)) add(pair.key, at);
        members.set(name, add(pair.value, at));
      }
    own.extent = { values, levels: levels + 1 };
    return { position: { start, members }, extent: own.extent };
  };
  return walk(contents, offsetOf(contents), 1).position;
};

/** Parses YAML 1.2 text, with merge keys. */
export const parseYaml = (text: string): ParsedYaml => {
  const problems: YamlProblem[] = [];
  let root: Position = { start: 0 };
  let value: unknown;
  try {
    const document = documentIn(text);
    root = positionsIn(document, problems);
    // The library's own limit counts aliases, not what they stand for.
    value = document.toJS({ maxAliasCount: -1 });
  } catch (error) {
    const { offset, hint } = error instanceof YamlError ? error : { offset: root.start };
    problems.push(present({ offset, message: messageOf(error), hint }));
  }
  return {
    value,
    problems,
    offsetOf: (path) => {
      let place = root;
      for (const key of path) {
        const next = place.members?.get(String(key));
        if (!next) break;
        place = next;
      }
      return place.start;
    },
  };
};
