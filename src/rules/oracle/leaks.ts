import type { BodyFacts, Shape } from '../../wire/facts.js';
import type { Response } from '../../wire/types.js';
import { equalButVolatile, isSuccess, sameBody } from './compare.js';
import { type Outline, outlineOf, sameShape } from './outline.js';
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
  carriesValue(answer, owned) || carriesRecord(answer.facts, owned) || isKeyedBodyOfAnError(answer, owned);

/** Members that say whose data it is. */
const namesAPerson = (path: string): boolean =>
  path.split('/').some((name) => /^(owner|user|user_?name|me|profile|person|member|patient|athlete)$/i.test(name));

/** Digests of the scalars in lists, at every depth. */
const inLists = ({ lists }: Outline): Set<string> => {
  const found = new Set<string>();
  const walk = (shape: Shape): void => {
    if (shape.type === 'array') shape.items.forEach(walk);
    else if (shape.type === 'object') for (const [, inner] of shape.members) walk(inner);
    else found.add(shape.digest);
  };
  for (const items of lists.values()) items.forEach(walk);
  return found;
};

/**
 * A scalar that the key's owner sees in both keyed reads and nobody else does. Where it stands outside lists, it may be the
 * service's envelope (a version, a host name): then it counts in another member, or together with most of the others.
 */
const carriesValue = ({ facts }: Response, { first, protectedValues }: Owned): boolean => {
  const carried = facts.values.filter((value) => protectedValues.has(value));
  const within = (facts.parts ?? []).filter((value) => protectedValues.has(value));
  if (carried.length + within.length === 0) return false;
  const keyed = first.facts.shape && outlineOf(first.facts.shape);
  const records = keyed && inLists(keyed);
  const isOwn = (value: string): boolean =>
    records?.has(value) === true ||
    [...(keyed?.scalars ?? [])].some(([path, { digest }]) => digest === value && namesAPerson(path));
  const hasRecords = records !== undefined && records.size > 0;
  if (!facts.shape || !keyed) {
    if (hasRecords && [...carried, ...within].some(isOwn)) return true;
    const enough = first.facts.kind === 'xml' ? 1 : 2;
    return carried.length + within.length >= Math.min(enough, protectedValues.size);
  }
  if (within.some((value) => !hasRecords || isOwn(value))) return true;
  const seen = outlineOf(facts.shape);
  const envelope = new Set(
    [...keyed.scalars].flatMap(([path, { digest }]) =>
      seen.scalars.get(path)?.digest === digest && !namesAPerson(path) ? [digest] : [],
    ),
  );
  if (carried.some((value) => !envelope.has(value))) return true;
  const shared = [...keyed.members].filter((path) => seen.members.has(path)).length;
  return carried.length >= 2 && carried.length * 2 >= protectedValues.size && shared * 2 >= keyed.members.size;
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
  item.type === 'object'
    ? item.members.filter(([, value]) => (value.type === 'string' || value.type === 'number') && value.passing !== true)
        .length
    : 0;

const isLink = (item: Shape): boolean =>
  item.type === 'object' && item.members.some(([name]) => /^(href|ur[il]|rel|link)$/i.test(name));

/** A whole record of the keyed lists, dull as its values may be; or its columns, each as a list of scalars. */
const carriesRecord = (facts: BodyFacts, { first, open }: Owned): boolean => {
  if (!facts.shape || !first.facts.shape) return false;
  const known = open.flatMap(recordLists).flat();
  const records = recordLists(first)
    .flat()
    .filter((item) => telling(item) >= 2 && !isLink(item) && !known.some((other) => sameShape(item, other)));
  if (records.length === 0) return false;
  const seen = [...outlineOf(facts.shape).lists.values()];
  if (seen.flat().some((item) => item.type === 'object' && records.some((record) => sameShape(record, item))))
    return true;
  const columns = columnsOf(records);
  const found = seen.filter((items) => items.length >= 2 && columns.has(items.map(scalarOf).join()));
  return found.length >= 2 && found.flat().some(({ type }) => type === 'string');
};

const scalarOf = (shape: Shape): string => ('digest' in shape ? shape.digest : '');

/** The values of each member over all records, as the digests in order. */
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
