import { orUndefined } from '../collections.js';
import { type Path, setMember } from './json-values.js';
import { tooDeepInBlocks } from './nesting-limit.js';
import { type ParsedYaml, parseYaml, type YamlPosition, type YamlProblem } from './yaml-parser.js';

/** Texts up to this many characters are parsed at once. */
const largeFrom = 512 * 1024;
/** Characters per chunk of a larger text. */
const chunkSize = 128 * 1024;

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Ranges of the members of a block mapping at column `indent`; `undefined` when in doubt. */
const memberRanges = (text: string, { start, end }: Range, indent: number): readonly Range[] | undefined => {
  const starts: number[] = [];
  for (let line = start; line < end; ) {
    let at = line;
    while (text[at] === ' ') at += 1;
    const blank = at >= end || text[at] === '\n' || text[at] === '\r' || text[at] === '#';
    if (!blank && at - line <= indent) {
      const item = /^-[ \r\n]/.test(text.slice(at, at + 2));
      if (at - line < indent || /^(?:---|\.\.\.|%|[?:][ \r\n])/.test(text.slice(at, at + 3))) return undefined;
      if (starts.length === 0 && item) return undefined;
      if (!item) starts.push(line);
    }
    const next = text.indexOf('\n', at);
    line = next === -1 ? end : next + 1;
  }
  return starts.map((from, index) => ({ start: from, end: starts[index + 1] ?? end }));
};

/** Joins members into ranges of about `chunkSize`. A member of twice that size stays alone. */
const groupRanges = (members: readonly Range[]): readonly Range[] => {
  const groups: Range[] = [];
  for (const member of members) {
    const last = groups.at(-1);
    if (last && last.end - last.start < chunkSize && member.end - member.start < 2 * chunkSize)
      groups[groups.length - 1] = { start: last.start, end: member.end };
    else groups.push(member);
  }
  return groups;
};

const firstLine = (text: string, { start, end }: Range): string => {
  const next = text.indexOf('\n', start);
  return text.slice(start, next === -1 ? end : Math.min(next + 1, end));
};

/** Column of the first line that is neither blank nor a comment. */
const indentOf = (text: string, { start, end }: Range): number => {
  const found = /^(?:[ ]*(?:#[^\n]*)?\r?\n)*([ ]*)[^ \r\n#]/.exec(text.slice(start, Math.min(end, start + 10_000)));
  return found?.[1]?.length ?? 0;
};

/**
 * Parses a block mapping member by member.
 * @throws for anything else
 */
const parseMapping = (text: string, range: Range, indent: number): ParsedYaml => {
  const value: Record<string, unknown> = {};
  const members = new Map<string, YamlPosition>();
  const problems: YamlProblem[] = [];
  for (const group of groupRanges(memberRanges(text, range, indent) ?? [])) {
    const { value: part, position } = parseMember(text, group, indent);
    for (const [name, member] of position.members ?? []) {
      if (name === '<<') throw new TypeError('it cannot be parsed in parts');
      if (members.has(name)) problems.push({ offset: member.start, message: `the member "${name}" is here twice` });
      members.set(name, member);
    }
    for (const [name, member] of Object.entries(part)) setMember(value, name, member);
  }
  if (members.size === 0) throw new TypeError('it cannot be parsed in parts');
  return { value, position: { start: range.start + indent, members }, problems };
};

/** Parses one member or several small ones; a large mapping is split further. */
const parseMember = (
  text: string,
  range: Range,
  indent: number,
): { readonly value: object; readonly position: YamlPosition } => {
  const line = firstLine(text, range);
  const below: Range = { start: range.start + line.length, end: range.end };
  const inner = indentOf(text, below);
  if (range.end - range.start >= 2 * chunkSize && inner > indent && /:[ ]*(?:#.*)?\r?\n$/.test(line)) {
    const head = parseYaml(line, range.start);
    const [[name, position] = []] = head.position.members ?? [];
    if (head.problems.length > 0 || name === undefined || position === undefined)
      throw new TypeError('it cannot be parsed in parts');
    const nested = parseMapping(text, below, inner);
    if (nested.problems.length > 0) throw new TypeError('it cannot be parsed in parts');
    const value = {};
    setMember(value, name, nested.value);
    return {
      value,
      position: {
        start: position.start,
        members: new Map([[name, { start: position.start, members: nested.position.members }]]),
      },
    };
  }
  const { value, position, problems } = parseYaml(text.slice(range.start, range.end), range.start);
  if (problems.length > 0 || typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError('it cannot be parsed in parts');
  return { value, position };
};

/**
 * Parses a large document mapping by mapping: the syntax tree of the whole takes fifty times the
 * size of the text. Anything but an error-free block mapping is left to the parser as a whole.
 */
const parseLarge = (text: string): ParsedYaml | undefined => {
  const start = /^\uFEFF?(?:(?:#[^\n]*)?\r?\n)*(?:---[ ]*\r?\n)?/.exec(text)?.[0].length ?? 0;
  const part = orUndefined(() => parseMapping(text, { start, end: text.length }, 0));
  return part?.problems.length === 0 ? part : undefined;
};

/** A YAML 1.2 text: its value, its problems, and the positions of its members. */
export class YamlText {
  readonly value: unknown;
  readonly problems: readonly YamlProblem[];
  readonly #place: YamlPosition;

  constructor(text: string) {
    // The other parser reports deep nesting; this one would overflow the stack.
    const inParts = text.length > largeFrom && tooDeepInBlocks(text) === undefined;
    const { value, problems, position } = (inParts ? parseLarge(text) : undefined) ?? parseYaml(text);
    this.value = value;
    this.problems = problems;
    this.#place = position;
  }

  /** Offset of the member name or item at `path`, or of its nearest ancestor that exists. */
  offsetOf(path: Path): number {
    let place = this.#place;
    for (const key of path) {
      const next = place.members?.get(String(key));
      if (!next) break;
      place = next;
    }
    return place.start;
  }
}
