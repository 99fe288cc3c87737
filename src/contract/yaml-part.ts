import { isAlias, isCollection, isMap, isScalar, isSeq, type Pair, parseDocument } from 'yaml';

export interface YamlProblem {
  readonly offset: number;
  readonly message: string;
}

/** Where a value stands, and its members. Much smaller than the syntax tree that it is taken from. */
export interface YamlPlace {
  /** Offset of the member name or item. */
  readonly start: number;
  readonly members: ReadonlyMap<string, YamlPlace> | undefined;
}

export interface YamlPart {
  readonly value: unknown;
  readonly place: YamlPlace;
  readonly problems: readonly YamlProblem[];
}

const keyText = (pair: Pair): string => (isScalar(pair.key) ? String(pair.key.value) : String(pair.key));

/** A member as JSON has it, also one named `__proto__`. */
export const put = (into: Record<string, unknown>, name: string, value: unknown): void => {
  if (name in into) Object.defineProperty(into, name, { value, enumerable: true, configurable: true, writable: true });
  else into[name] = value;
};

const offsetOf = (node: unknown): number | undefined =>
  isScalar(node) || isCollection(node) || isAlias(node) ? node.range?.[0] : undefined;

interface Member {
  readonly value: unknown;
  readonly place: YamlPlace;
}

/** True for a value that contains itself, as an alias inside its own anchor makes one. */
const isCyclic = (value: unknown, around = new Set<unknown>()): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (around.has(value)) return true;
  around.add(value);
  const found = Object.values(value).some((member) => isCyclic(member, around));
  around.delete(value);
  return found;
};

/**
 * For each token the parser asks the environment whether to log it (LOG_TOKENS), and each look into the real one is slow: a sixth of the
 * time that a large document takes.
 */
const parseUnlogged = (text: string): ReturnType<typeof parseDocument> => {
  const { env } = process;
  process.env = {};
  try {
    // The parser's own check for members that are there twice is quadratic: 13 s on 6 MB. `memberOf` does it on the way.
    return parseDocument(text, { uniqueKeys: false, merge: true, prettyErrors: false });
  } finally {
    process.env = env;
  }
};

/**
 * Parses YAML 1.2 text, with merge keys.
 * @param base offset of `text` in its file, added to every offset
 */
export const parseYamlPart = (text: string, base = 0): YamlPart => {
  const document = parseUnlogged(text);
  // After its first error a parser has lost its place, and finds one in nearly every line that follows.
  const problems: YamlProblem[] = document.errors
    .slice(0, 1)
    .map(({ pos, message }) => ({ offset: base + pos[0], message }));
  const known = new Map<unknown, Map<string, YamlPlace>>();
  /** The node that each anchor names so far: the walk is in document order, as the meaning of an alias is. */
  const anchors = new Map<string, unknown>();
  let aliases = false;
  /** Whether values are those of their nodes and no more: no alias, merge key, tagged collection or member named by a collection. */
  let plain = true;

  const memberOf = (node: unknown, start: number): Member => {
    if (isAlias(node)) {
      aliases = true;
      plain = false;
      return { value: undefined, place: { start, members: known.get(anchors.get(node.source)) } };
    }
    if (!isCollection(node)) return { value: isScalar(node) ? node.value : null, place: { start, members: undefined } };
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
    if (node.tag !== undefined) plain = false;
    const members = new Map<string, YamlPlace>();
    known.set(node, members);
    const place = { start, members };
    if (isSeq(node)) {
      const value = node.items.map((item, index) => {
        const member = memberOf(item, base + (offsetOf(item) ?? 0));
        members.set(String(index), member.place);
        return member.value;
      });
      return { value, place };
    }
    const value: Record<string, unknown> = {};
    if (isMap(node))
      for (const pair of node.items) {
        const name = keyText(pair);
        const from = base + (offsetOf(pair.key) ?? 0);
        if (name === '<<' || !isScalar(pair.key) || pair.key.value === null) plain = false;
        if (members.has(name) && name !== '<<')
          problems.push({ offset: from, message: `the member "${name}" is here twice` });
        const member = memberOf(pair.value, from);
        members.set(name, member.place);
        put(value, name, member.value);
      }
    return { value, place };
  };

  const start = base + (offsetOf(document.contents) ?? 0);
  if (problems.length > 0) return { value: undefined, place: { start: base, members: undefined }, problems };
  const { value: simply, place: root } = memberOf(document.contents, start);
  if (plain) return { value: simply, place: root, problems };
  try {
    // Generators write lists that are there a thousand times as aliases; a bomb of aliases inside aliases is far beyond.
    const value: unknown = document.toJS({ maxAliasCount: 10_000 });
    if (aliases && isCyclic(value))
      problems.push({ offset: root.start, message: 'an alias in this document contains itself' });
    return { value, place: root, problems };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { value: undefined, place: root, problems: [{ offset: root.start, message }] };
  }
};
