import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  type YAMLMap,
} from 'yaml';
import type { Path } from './tree.js';

export interface YamlProblem {
  readonly offset: number;
  readonly message: string;
}

const keyText = (pair: Pair): string => (isScalar(pair.key) ? String(pair.key.value) : String(pair.key));

const offsetOfNode = (node: unknown): number | undefined => {
  if (!isScalar(node) && !isCollection(node) && !isAlias(node)) return undefined;
  return node.range?.[0];
};

/** Members that one map names twice. `yaml` can look for them itself, in quadratic time: 13 s on 6 MB. */
const repeatedKeys = (root: unknown): YamlProblem[] => {
  const problems: YamlProblem[] = [];
  const waiting: unknown[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (isMap(node)) {
      const seen = new Set<string>();
      for (const pair of node.items) {
        const name = keyText(pair);
        if (seen.has(name) && name !== '<<')
          problems.push({ offset: offsetOfNode(pair.key) ?? 0, message: `the member "${name}" is here twice` });
        seen.add(name);
        if (pair.value !== null) waiting.push(pair.value);
      }
    } else if (isSeq(node)) waiting.push(...node.items);
  }
  return problems;
};

/** A YAML 1.2 text: its value, what is wrong with it, and where its members stand. */
export class YamlText {
  readonly value: unknown;
  readonly problems: readonly YamlProblem[];
  readonly #pairs = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();
  #document: Document | undefined;

  constructor(text: string) {
    const lineCounter = new LineCounter();
    const document = parseDocument(text, { uniqueKeys: false, merge: true, prettyErrors: false, lineCounter });
    const problems: YamlProblem[] = document.errors.map(({ pos, message }) => ({ offset: pos[0], message }));
    this.#document = document;
    if (problems.length === 0) {
      problems.push(...repeatedKeys(document.contents));
      try {
        this.value = document.toJS();
      } catch (error) {
        problems.push({ offset: 0, message: error instanceof Error ? error.message : String(error) });
      }
    }
    this.problems = problems;
  }

  /** Offset of the member name or item at `path`, or of the nearest thing above it that is there. */
  offsetOf(path: Path): number {
    let node: unknown = this.#document?.contents;
    let offset = offsetOfNode(node) ?? 0;
    for (const key of path) {
      if (isAlias(node) && this.#document) node = node.resolve(this.#document);
      let next: unknown;
      if (isMap(node)) {
        const pair = this.#pairsOf(node).get(String(key));
        next = pair?.value;
        offset = (pair && offsetOfNode(pair.key)) ?? offset;
      } else if (isSeq(node)) {
        next = node.items[Number(key)];
        offset = offsetOfNode(next) ?? offset;
      }
      if (next === undefined || next === null) break;
      node = next;
    }
    return offset;
  }

  /** Lets go of the syntax tree, which is many times the size of the text. Positions are gone with it. */
  release(): void {
    this.#document = undefined;
  }

  #pairsOf(map: YAMLMap): ReadonlyMap<string, Pair> {
    let pairs = this.#pairs.get(map);
    if (!pairs) {
      pairs = new Map(map.items.map((pair) => [keyText(pair), pair]));
      this.#pairs.set(map, pairs);
    }
    return pairs;
  }
}
