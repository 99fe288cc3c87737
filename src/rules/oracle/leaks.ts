import type { BodyFacts, Shape } from '../../wire/facts.js';
import type { Response } from '../../wire/types.js';
import { equalButVolatile, isSuccess, sameBody } from './compare.js';
import { isSameList, isScalar, isTelling, type Outline, outlineOf, sameShape } from './outline.js';
import { mayRefuse } from './refusal.js';

/**
 * What only the key's owner sees, found again in an answer of any status and kind: a value, a record, a column of records,
 * or the whole body. Pure functions of facts.
 */

export interface Owned {
  readonly first: Response;
  readonly second: Response;
  /** Digests of scalars that the key's owner sees and nobody else did. */
  readonly protectedValues: ReadonlySet<string>;
  /** What everybody may see: answers where nothing is, and of public operations. */
  readonly open: readonly Response[];
}

export const carriesOwned = (answer: Response, owned: Owned): boolean =>
  carried(answer, owned) === 'owned' || carriesRecord(answer.facts, owned) || isKeyedBodyOfAnError(answer, owned);

/** A few values of many, which may be there for another reason: a catalogue's names, a frame, a service's own words. */
export const carriesSome = (answer: Response, owned: Owned): boolean => carried(answer, owned) === 'some';

type Carried = 'owned' | 'some' | 'none';

/** Members that say whose data it is. */
const namesAPerson = (path: string): boolean =>
  path.split('/').some((name) => /^(owner|user|user_?name|me|profile|person|member|patient|athlete)$/i.test(name));

/** Digests of the scalars in lists, at every depth, but for the lists at some paths. */
const inLists = ({ lists }: Outline, except: ReadonlySet<string>): Set<string> => {
  const found = new Set<string>();
  const walk = (shape: Shape): void => {
    if (shape.type === 'array') shape.items.forEach(walk);
    else if (shape.type === 'object') for (const [, inner] of shape.members) walk(inner);
    else found.add(shape.digest);
  };
  for (const [path, items] of lists) if (!except.has(path)) items.forEach(walk);
  return found;
};

/** Members in which services speak of themselves and of the client, whoever asks. */
const namesTheService =
  /^(?:server|service|served_?by|host(?:_?name)?|node|pod|instance|region|env(?:ironment)?|version|release|build|commit|schema|api|client|agent|user_?agent|accept|ip|address|debug)$|version$|served_by$/i;

const speaksOfTheService = (path: string): boolean => path.split('/').some((name) => namesTheService.test(name));

/**
 * Lists of the keyed answer that stand in the other one too, item for item in the same place, while another list that may hold the
 * records does not: columns of a table, actions, first steps. They may be the frame of every answer, so they show nothing by themselves.
 */
const framesIn = (keyed: Outline, seen: Outline | undefined): ReadonlySet<string> => {
  const lists = [...keyed.lists].filter(([, items]) => !items.every(isScalar) || items.length === 0);
  const frames = lists.filter(([path, items]) => items.length > 0 && isSameList(items, seen?.lists.get(path) ?? []));
  return new Set(frames.length < lists.length ? frames.map(([path]) => path) : []);
};

/** Scalars that the key's owner sees in both keyed reads and nobody else does. */
const carried = ({ facts }: Response, owned: Owned): Carried => {
  const { first, protectedValues } = owned;
  const there = [...facts.values, ...(facts.parts ?? [])].filter((value) => protectedValues.has(value));
  if (there.length === 0) return 'none';
  if (!first.facts.shape) return inText(facts, owned, there.length);
  const keyed = outlineOf(first.facts.shape);
  const frames = framesIn(keyed, facts.shape && outlineOf(facts.shape));
  const records = inLists(keyed, frames);
  const paths = (value: string): string[] =>
    [...keyed.scalars].flatMap(([path, { digest }]) => (digest === value ? [path] : []));
  if (there.some((value) => paths(value).some(namesAPerson))) return 'owned';
  const listed = there.filter((value) => records.has(value)).length;
  const all = [...protectedValues].filter((value) => records.has(value)).length;
  if (listed > 0 && listed * 2 >= all) return 'owned';
  const outside = outsideLists(facts, owned, keyed, there, paths);
  return (listed > 0 || frames.size > 0) && outside === 'none' ? 'some' : outside;
};

/** Of a text nothing says what is data in it: most of its values are, unless what differs from it holds none of them. */
const inText = (facts: BodyFacts, { first, protectedValues }: Owned, count: number): Carried => {
  if (count < Math.min(first.facts.kind === 'xml' ? 1 : 2, protectedValues.size)) return 'none';
  return count * 2 < protectedValues.size || isFrame(first.facts.pieces, facts.pieces, protectedValues)
    ? 'some'
    : 'owned';
};

/** Alike at the beginning and at the end alone, and without a value where the keyed text has its own. */
const isFrame = (keyed: readonly string[] = [], seen: readonly string[] = [], values: ReadonlySet<string>): boolean => {
  const shortest = Math.min(keyed.length, seen.length);
  let start = 0;
  while (start < shortest && keyed[start] === seen[start]) start += 1;
  let end = 0;
  while (end < shortest - start && keyed.at(-1 - end) === seen.at(-1 - end)) end += 1;
  return (
    start + end > 0 &&
    keyed.length > start + end &&
    !seen.slice(start, seen.length - end).some((piece) => values.has(piece))
  );
};

/**
 * Values that stand outside lists. Beside lists they are the service's envelope (a version, a host name); without, they are the
 * record itself, of which an envelope may still repeat one in the same place.
 */
const outsideLists = (
  facts: BodyFacts,
  { protectedValues }: Owned,
  keyed: Outline,
  there: readonly string[],
  paths: (value: string) => readonly string[],
): Carried => {
  const isData = (value: string): boolean => {
    const at = paths(value);
    return at.length > 0 && !at.some(speaksOfTheService);
  };
  const data = there.filter(isData);
  if (data.length === 0) return 'none';
  const isRecord = ![...keyed.lists.values()].some((items) => items.length === 0 || !items.every(isScalar));
  const all = [...protectedValues].filter(isData).length;
  const most = data.length * 2 >= all;
  if (!facts.shape) return isRecord && most && data.length >= Math.min(2, all) ? 'owned' : 'some';
  const seen = outlineOf(facts.shape);
  const inPlace = (value: string): boolean => paths(value).some((path) => seen.scalars.get(path)?.digest === value);
  const shared = [...keyed.members].filter((path) => seen.members.has(path)).length;
  if (isRecord && most && data.some((value) => !inPlace(value))) return 'owned';
  if (data.length >= 2 && most && (isRecord ? shared * 2 >= keyed.members.size : shared === keyed.members.size))
    return 'owned';
  return data.every(inPlace) ? 'none' : 'some';
};

/** Lists whose items hold records: not of links, errors and the like, which answers of every kind have. */
const recordLists = ({ facts: { shape } }: Response): readonly (readonly Shape[])[] =>
  shape
    ? [...outlineOf(shape).lists].flatMap(([path, items]) =>
        /err|messag|warn|detail|links?$|hint|allow/i.test(path) ? [] : [items],
      )
    : [];

/** Scalars of a record that say something by their digest. */
const telling = (item: Shape): number =>
  item.type === 'object' ? item.members.filter(([, value]) => isTelling(value)).length : 0;

const isLink = (item: Shape): boolean =>
  item.type === 'object' && item.members.some(([name]) => /^(href|ur[il]|rel|link)$/i.test(name));

const objectsIn = (shape: Shape): Shape[] => {
  if (shape.type === 'array') return shape.items.flatMap(objectsIn);
  return shape.type === 'object' ? [shape, ...shape.members.flatMap(([, inner]) => objectsIn(inner))] : [];
};

interface Records {
  readonly open: readonly Response[];
  readonly records: readonly Shape[];
  /** The values of each member over all records, as the digests in order. */
  readonly columns: ReadonlySet<string>;
}

const recordsBefore = new WeakMap<Response, Records>();

/** Records of the keyed lists that nobody else was given. A hundred answers in a row are compared with the same ones. */
const ownRecords = ({ first, second, open }: Owned): Records => {
  const before = recordsBefore.get(first);
  if (before?.open.length === open.length && before.open.every((answer, index) => answer === open[index]))
    return before;
  const known = open.flatMap(recordLists).flat();
  const again = recordLists(second).flat();
  const isAmong = (item: Shape, all: readonly Shape[]): boolean => all.some((other) => sameShape(item, other));
  // What only one of the reads holds (a tip of the day, an advertisement) need not be the owner's.
  const records = recordLists(first)
    .flat()
    .filter((item) => telling(item) >= 2 && !isLink(item) && isAmong(item, again) && !isAmong(item, known));
  const own = { open, records, columns: columnsOf(records) };
  recordsBefore.set(first, own);
  return own;
};

/** A whole record of the keyed lists, dull as its values may be; or its columns, each as a list of scalars. */
const carriesRecord = (facts: BodyFacts, owned: Owned): boolean => {
  if (!facts.shape) return false;
  const { records, columns } = ownRecords(owned);
  if (records.length === 0) return false;
  const outline = outlineOf(facts.shape);
  const seen = [...outline.lists.values()];
  const { shape } = owned.first.facts;
  const frames = shape ? [...framesIn(outlineOf(shape), outline)].flatMap((path) => outline.lists.get(path) ?? []) : [];
  const ofFrames = new Set(frames.flatMap(objectsIn));
  const free = objectsIn(facts.shape).filter((item) => !ofFrames.has(item));
  if (free.some((item) => records.some((record) => sameShape(record, item)))) return true;
  const found = seen.filter((items) => items.length >= 2 && columns.has(items.map(scalarOf).join()));
  return found.length >= 2 && found.flat().some(({ type }) => type === 'string');
};

const scalarOf = (shape: Shape): string => ('digest' in shape ? shape.digest : '');

const columnsOf = (records: readonly Shape[]): Set<string> => {
  const columns = new Map<string, string[]>();
  for (const record of records)
    if (record.type === 'object')
      for (const [name, value] of record.members) columns.set(name, [...(columns.get(name) ?? []), scalarOf(value)]);
  return new Set([...columns.values()].map((column) => column.join()));
};

const smallestTelling = 16;
/** Pieces that are kept of a body: of one with so many nothing says that the rest is equal too. */
const mostPieces = 256;

const isEmptyList = (shape: Shape): boolean => {
  const lists = [...outlineOf(shape).lists.values()];
  return lists.length > 0 && lists.every((items) => items.length === 0);
};

/** The keyed body under a status that says no, equal or equal but for what differs between the keyed reads. */
const isKeyedBodyOfAnError = (answer: Response, { first, second, open }: Owned): boolean => {
  const { facts } = answer;
  if (isSuccess(answer) || facts.kind === 'empty' || facts.kind !== first.facts.kind) return false;
  if (facts.size < smallestTelling || open.some((other) => sameBody(other.facts, facts))) return false;
  if (facts.shape) return !mayRefuse(facts) && !isEmptyList(facts.shape) && sameBody(first.facts, facts);
  if (facts.digest === first.facts.digest || facts.digest === second.facts.digest) return true;
  const { pieces = [] } = first.facts;
  return (
    pieces.length > 2 &&
    pieces.length < mostPieces &&
    facts.mediaType === first.facts.mediaType &&
    equalButVolatile(first.facts, second.facts, facts, 1)
  );
};

/** A binary body under a status that says no, of the keyed media type and length: what is in it, nobody can tell. */
export const isAsLongAsKeyed = (answer: Response, { first, second }: Owned): boolean => {
  const [a, b, c] = [first.facts, second.facts, answer.facts];
  if (isSuccess(answer) || c.kind !== 'binary' || a.kind !== 'binary' || c.mediaType !== a.mediaType) return false;
  return c.size >= smallestTelling && c.size >= Math.min(a.size, b.size) && c.size <= Math.max(a.size, b.size);
};
