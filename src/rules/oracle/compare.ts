import type { BodyFacts, ScalarShape, Shape } from '../../wire/facts.js';
import type { Response } from '../../wire/types.js';

/** Comparisons of answers: is it the same one, and is it the keyed one's structure. Pure functions of facts. */

export const header = (response: Response, name: string): string | undefined =>
  response.headers.find(([field]) => field.toLowerCase() === name.toLowerCase())?.[1];

export const isSuccess = (response: Response): boolean => response.status >= 200 && response.status < 300;
export const isRedirect = (response: Response): boolean =>
  [301, 302, 303, 307, 308].includes(response.status) && header(response, 'location') !== undefined;

/**
 * Whether an answer to HEAD shows the keyed representation: its Content-Type, and its ETag or Content-Length. A length says
 * nothing where the ETag is another one although the key gets the same one `again`. `undefined` where no field tells.
 */
export const sameHead = (keyed: Response, again: Response | undefined, seen: Response): boolean | undefined => {
  const [type, etag, length] = ['content-type', 'etag', 'content-length'].map((name) => header(keyed, name));
  const telling = length === '0' ? undefined : length;
  if (type === undefined || (etag === undefined && telling === undefined)) return undefined;
  if (header(seen, 'content-type') !== type) return false;
  const seenTag = header(seen, 'etag');
  if (etag !== undefined && seenTag === etag) return true;
  const isStable = etag !== undefined && again !== undefined && header(again, 'etag') === etag;
  if (isStable && seenTag !== undefined) return false;
  return telling !== undefined && header(seen, 'content-length') === telling;
};

/** The same answer in everything that a server means by it: moments, random identifiers and our own words apart. */
export const sameAnswer = (a: Response, b: Response): boolean =>
  a.status === b.status && sameLocation(a, b) && sameBody(a.facts, b.facts);

export const sameLocation = (a: Response, b: Response): boolean => place(a) === place(b);

/** Where a redirect points, without origin, query and fragment: those carry our own path or a token. */
const place = (response: Response): string => {
  const location = header(response, 'location');
  if (location === undefined || !isRedirect(response)) return '';
  return location.replace(/^(?:[a-z]+:)?\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
};

export const sameBody = (a: BodyFacts, b: BodyFacts): boolean => {
  if (a.digest === b.digest) return true;
  if (a.kind !== b.kind || a.mediaType !== b.mediaType) return false;
  if (a.shape && b.shape) return sameShape(a.shape, b.shape);
  if (a.pieces && b.pieces) return overlap(a.pieces, b.pieces) >= 0.9;
  return false;
};

export const sameShape = (a: Shape, b: Shape): boolean => {
  if (a.type === 'object')
    return (
      b.type === 'object' &&
      a.members.length === b.members.length &&
      a.members.every(([name, value], index) => {
        const other = b.members[index];
        return other !== undefined && other[0] === name && sameShape(value, other[1]);
      })
    );
  if (a.type === 'array')
    return (
      b.type === 'array' &&
      a.length === b.length &&
      a.items.every((item, index) => {
        const other = b.items[index];
        return other !== undefined && sameShape(item, other);
      })
    );
  if (b.type === 'object' || b.type === 'array') return false;
  return a.type === b.type && (a.digest === b.digest || (a.passing === true && b.passing === true));
};

/** Share of common pieces, counted with their number; 1 for two empty lists. */
const overlap = (a: readonly string[], b: readonly string[]): number => {
  const left = new Map<string, number>();
  for (const piece of a) left.set(piece, (left.get(piece) ?? 0) + 1);
  let common = 0;
  for (const piece of b) {
    const count = left.get(piece) ?? 0;
    if (count > 0) {
      common += 1;
      left.set(piece, count - 1);
    }
  }
  const longest = Math.max(a.length, b.length);
  return longest === 0 ? 1 : common / longest;
};

/** Equal to the first keyed body but for what differs between the two keyed ones; `share` of the rest has to be there. */
export const equalButVolatile = (first: BodyFacts, second: BodyFacts, other: BodyFacts, share = 0.95): boolean => {
  if (other.digest === first.digest || other.digest === second.digest) return true;
  if (!first.pieces || !second.pieces || !other.pieces) return false;
  const again = new Set(second.pieces);
  const stable = first.pieces.filter((piece) => again.has(piece));
  const seen = new Set(other.pieces);
  const kept = stable.filter((piece) => seen.has(piece)).length;
  return stable.length > 0 && kept / stable.length >= share;
};

const isScalar = (shape: Shape): shape is ScalarShape => shape.type !== 'object' && shape.type !== 'array';

/** An object used as a dictionary: its member names are data. It counts as an array of its values. */
const itemsOf = (shape: Shape): readonly Shape[] | undefined => {
  if (shape.type === 'array') return shape.items;
  if (shape.type === 'object' && shape.members.length > 0 && shape.members.every(([name]) => name.startsWith('#')))
    return shape.members.map(([, value]) => value);
  return undefined;
};

/** What stands outside arrays, by member path. */
export interface Outline {
  readonly scalars: ReadonlyMap<string, ScalarShape>;
  readonly lists: ReadonlyMap<string, readonly Shape[]>;
  readonly members: ReadonlySet<string>;
}

export const outlineOf = (shape: Shape): Outline => {
  const scalars = new Map<string, ScalarShape>();
  const lists = new Map<string, readonly Shape[]>();
  const members = new Set<string>();
  const walk = (value: Shape, path: string): void => {
    members.add(path);
    const items = itemsOf(value);
    if (items) lists.set(path, items);
    else if (isScalar(value)) scalars.set(path, value);
    else if (value.type === 'object') for (const [name, inner] of value.members) walk(inner, `${path}/${name}`);
  };
  walk(shape, '');
  return { scalars, lists, members };
};

const memberNames = (items: readonly Shape[]): Set<string> =>
  new Set(items.flatMap((item) => (item.type === 'object' ? item.members.map(([name]) => name) : [])));

/** At least half of the keyed items' member names. */
const itemsAlike = (keyed: readonly Shape[], other: readonly Shape[]): boolean => {
  const names = memberNames(keyed);
  if (names.size === 0) {
    const types = new Set(keyed.map(({ type }) => type));
    return other.every(({ type }) => types.has(type));
  }
  const seen = memberNames(other);
  return [...names].filter((name) => seen.has(name)).length * 2 >= names.size;
};

/** Members by which an envelope says how it went. */
export const tellsTheOutcome =
  /^(code|status|state|success|ok|error|errors|err|message|msg|detail|details|reason|result|title|type)$/i;

/**
 * Whether JSON has the structure of the two keyed reads, so that whoever got it was let in:
 * filled lists of like items; or the same members with empty lists and equal scalars; or, where the keyed answer has no
 * list, the same members without another outcome told in them.
 */
export const keepsStructure = (first: Shape, second: Shape, other: Shape): boolean => {
  const keyed = outlineOf(first);
  const again = outlineOf(second);
  const seen = outlineOf(other);
  const shared = [...keyed.members].filter((path) => seen.members.has(path));
  for (const [path, items] of keyed.lists) {
    const found = seen.lists.get(path);
    if (found && found.length > 0 && items.length > 0 && itemsAlike(items, found)) {
      const listOfScalars = items.every(isScalar) && items.some(({ type }) => type === 'string');
      if (!listOfScalars || scalarsHold(keyed, again, seen)) return shared.length * 2 >= keyed.members.size;
    }
  }
  if (!sameMembers(keyed, seen)) return false;
  const records = recordLists(keyed);
  if (records.some(([path, items]) => items.length > 0 && (seen.lists.get(path)?.length ?? 0) > 0)) return false;
  if (scalarsHold(keyed, again, seen) && sameTags(keyed, seen)) return !isHollow(keyed, seen);
  return records.length === 0 && isAnothersRecord(keyed, seen);
};

type List = readonly [path: string, items: readonly Shape[]];

const isTags = ([, items]: List): boolean => items.length > 0 && items.every(isScalar);

/** Lists but for those of scalars, which belong to the record they stand in. */
const recordLists = ({ lists }: Outline): List[] => [...lists].filter((list) => !isTags(list));

/** No list of scalars that the two fill in another way; an empty one says nothing. */
const sameTags = (keyed: Outline, seen: Outline): boolean =>
  [...keyed.lists].filter(isTags).every(([path, items]) => {
    const other = seen.lists.get(path) ?? [];
    return (
      other.length === 0 || sameShape({ type: 'array', length: 0, items }, { type: 'array', length: 0, items: other })
    );
  });

/** Every member of one is a member of the other; what lies below a null may be missing. */
const sameMembers = (keyed: Outline, seen: Outline): boolean => {
  const nulls = [...seen.scalars].flatMap(([path, { type }]) => (type === 'null' ? [path] : []));
  return (
    [...keyed.members].every((path) => seen.members.has(path) || nulls.some((at) => path.startsWith(`${at}/`))) &&
    [...seen.members].every((path) => keyed.members.has(path))
  );
};

/** A record whose every scalar came back as null holds nothing: `{"user": null}` is how some services say "nobody". */
const isHollow = (keyed: Outline, seen: Outline): boolean => {
  const filled = [...keyed.scalars].filter(([, { type }]) => type !== 'null');
  const nulled = filled.filter(([path]) => (seen.scalars.get(path)?.type ?? 'null') === 'null');
  return recordLists(keyed).length === 0 && filled.length > 0 && nulled.length * 2 > filled.length;
};

/** Without lists of records: the same members with other values, unless a member that tells the outcome tells another one. */
const isAnothersRecord = (keyed: Outline, seen: Outline): boolean =>
  keyed.scalars.size >= 2 &&
  !isHollow(keyed, seen) &&
  ![...keyed.lists.keys()].some((path) => tellsTheOutcome.test(path.slice(path.lastIndexOf('/') + 1))) &&
  [...keyed.scalars].every(([path, value]) => {
    const now = seen.scalars.get(path);
    if (now?.digest === value.digest) return true;
    return !tellsTheOutcome.test(path.slice(path.lastIndexOf('/') + 1));
  });

/** Strings and booleans equal, numbers equal, 0 or a length; what changes between the keyed reads does not count; null stands for anything. */
const scalarsHold = (keyed: Outline, again: Outline, seen: Outline): boolean =>
  [...keyed.scalars].every(([path, value]) => {
    const now = seen.scalars.get(path);
    if (now === undefined) return !seen.members.has(path);
    if (now.type === 'null' || now.digest === value.digest) return true;
    const stable = again.scalars.get(path)?.digest === value.digest && value.passing !== true;
    return !stable || (value.type === 'number' && now.countLike === true);
  });
