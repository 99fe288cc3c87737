import type { ScalarShape, Shape } from '../../wire/facts.js';
import {
  inEnvelope,
  isSameList,
  isScalar,
  lastName,
  memberNames,
  type Outline,
  outlineOf,
  tellsTheOutcome,
} from './outline.js';

/** Whether JSON has the structure of what the key opens, so that whoever got it was let in. Pure functions of shapes. */

/** `unclear`: it may be data of somebody else as well as a refusal that is told in the members of the data. */
export type Structure = 'kept' | 'unclear' | 'other';

/**
 * Filled lists of like items keep it; or the same members with empty lists and equal scalars; or, where the keyed answer has
 * no list, a record of somebody else's: the same members, none of them telling another outcome.
 */
export const structureOf = (first: Shape, second: Shape, other: Shape): Structure => {
  const compared = { keyed: outlineOf(first), again: outlineOf(second), seen: outlineOf(other) };
  return byLists(compared) ?? byMembers(compared);
};

export const keepsStructure = (first: Shape, second: Shape, other: Shape): boolean =>
  structureOf(first, second, other) === 'kept';

/** Whether both hold the same filled lists, in rows with the same members. */
export const sameRows = (a: Shape, b: Shape): boolean => {
  const rows = (shape: Shape): string =>
    recordLists(outlineOf(shape))
      .filter(([, items]) => items.length > 0)
      .map(([path, items]) => [path, ...[...memberNames(items)].sort()].join('\n'))
      .sort()
      .join('\n\n');
  const told = rows(a);
  return told !== '' && told === rows(b);
};

/** Whether two reads of one source have the same structure: what differs between them is what changes there. */
export const sameStructure = (first: Shape, second: Shape): boolean => {
  const [keyed, seen] = [outlineOf(first), outlineOf(second)];
  const compared = { keyed, again: seen, seen };
  const listed = byLists(compared);
  if (listed) return listed !== 'other';
  return byMembers(compared) !== 'other' || (sameMembers(keyed, seen) && tagsApart(keyed, seen));
};

interface Compared {
  readonly keyed: Outline;
  readonly again: Outline;
  readonly seen: Outline;
}

type List = readonly [path: string, items: readonly Shape[]];

const isTags = ([, items]: List): boolean => items.length > 0 && items.every(isScalar);

/** Lists but for those of scalars, which belong to the record they stand in. */
const recordLists = ({ lists }: Outline): List[] => [...lists].filter((list) => !isTags(list));

/** Lists that hold the data: those of messages and links stand beside them in answers of every kind. */
const mainLists = ({ lists }: Outline): List[] => {
  const data = [...lists].filter(([path]) => !inEnvelope(path));
  return data.length > 0 ? data : [...lists];
};

/** How a filled list of the keyed answer stands in the other; `nameless`: filled, and nothing but the types says with what. */
type Standing = 'alike' | 'nameless' | 'empty' | 'gone';

const standingOf = ([path, items]: List, seen: Outline): Standing => {
  const found = seen.lists.get(path);
  if (found === undefined) return seen.scalars.get(path)?.type === 'null' ? 'empty' : 'gone';
  if (found.length === 0) return 'empty';
  const names = memberNames(items);
  if (names.size > 0) {
    const there = memberNames(found);
    return [...names].filter((name) => there.has(name)).length * 2 >= names.size ? 'alike' : 'gone';
  }
  const kinds = new Set(items.map(kindOf));
  if (!found.every((item) => kinds.has(kindOf(item)) || item.type === 'null')) return 'gone';
  return [...kinds].every((kind) => kind === 'string' || kind === 'boolean' || /^\[(?:string,?)*\]$/.test(kind))
    ? 'nameless'
    : 'alike';
};

/** The type of a scalar, and of a row the types of its columns: `[number,string]`. */
const kindOf = (shape: Shape): string =>
  shape.type === 'array' ? `[${shape.items.map(({ type }) => type).join()}]` : shape.type;

/** What filled lists say; `undefined` where none of them is filled in both answers. */
const byLists = (compared: Compared): Structure | undefined => {
  const { keyed, seen } = compared;
  const standings = mainLists(keyed)
    .filter(([, items]) => items.length > 0)
    .map((list) => standingOf(list, seen));
  const has = (standing: Standing): boolean => standings.includes(standing);
  const shared = [...keyed.members].filter((path) => seen.members.has(path));
  const covers = shared.length * 2 >= keyed.members.size;
  if (has('alike')) {
    if (!covers) return 'other';
    if (tellsAnError(compared) || namesOtherColumns(compared)) return 'unclear';
    return has('gone') || (has('empty') && !scalarsHold(compared)) ? 'unclear' : 'kept';
  }
  if (!has('nameless') || has('gone') || !scalarsHold(compared)) return undefined;
  if (!covers) return 'other';
  return saysSomething(compared) ? 'kept' : 'unclear';
};

/**
 * Another outcome, in the envelope or in every row of a list: services that answer in batches or in parts tell a refusal in the members
 * in which they tell the data.
 */
const tellsAnError = ({ keyed, again, seen }: Compared): boolean =>
  [...keyed.scalars].some(([path, value]) => {
    const now = seen.scalars.get(path);
    if (!now || !inEnvelope(path) || now.digest === value.digest || !isStable(value, again.scalars.get(path)))
      return false;
    return now.outcome === 'error' || hasTurned(lastName(path), value, now);
  }) ||
  [...keyed.lists].some(([path, items]) => {
    const rows = seen.lists.get(path) ?? [];
    return rows.length > 0 && rows.every(isErrorRow) && !items.some(isErrorRow);
  });

/** Rows without names, beside a list of other names than the key gets. */
const namesOtherColumns = ({ keyed, seen }: Compared): boolean =>
  mainLists(keyed).some(([, items]) => items.length > 0 && memberNames(items).size === 0 && !items.every(isScalar)) &&
  !tagsHold(keyed, seen);

const isErrorRow = (item: Shape): boolean =>
  item.type === 'object' &&
  item.members.some(
    ([name, value]) =>
      (isScalar(value) && value.outcome === 'error') ||
      (/^errors?$/i.test(name) && !(isScalar(value) && (value.type === 'null' || value.type === 'boolean'))),
  );

/** Some value that stands outside records is there again. */
const saysSomething = ({ keyed, again, seen }: Compared): boolean =>
  [...keyed.scalars].some(
    ([path, value]) =>
      value.type !== 'null' &&
      isStable(value, again.scalars.get(path)) &&
      seen.scalars.get(path)?.digest === value.digest,
  ) ||
  [...keyed.lists]
    .filter(isTags)
    .some(([path, items]) => items.length > 1 && isSameList(items, seen.lists.get(path) ?? []));

const isStable = (value: ScalarShape, again: ScalarShape | undefined): boolean =>
  again?.digest === value.digest && value.passing !== true;

const byMembers = (compared: Compared): Structure => {
  const { keyed, seen } = compared;
  if (!sameMembers(keyed, seen)) return 'other';
  const records = recordLists(keyed);
  const isFilled = records.some(([, items]) => items.length > 0);
  const both = records.filter(([path, items]) => items.length > 0 && (seen.lists.get(path)?.length ?? 0) > 0);
  if (both.length > 0)
    return both.every((list) => standingOf(list, seen) === 'alike') && scalarsHold(compared) ? 'unclear' : 'other';
  const filled = records.flatMap(([path, items]) => (items.length === 0 ? (seen.lists.get(path) ?? []) : []));
  if (filled.length > 0 && filled.every(isError)) return 'other';
  if (filled.length === 1 && filled.every(({ type }) => type === 'string')) return 'unclear';
  const lost = [...keyed.lists].filter(([path]) => !seen.lists.has(path));
  if (lost.some(([path]) => (seen.scalars.get(path)?.type ?? 'null') !== 'null')) return 'other';
  if (scalarsHold(compared) && tagsHold(keyed, seen)) {
    if (!isFilled && isHollow(keyed, seen)) return 'other';
    // Some languages write an empty list as null, and some services so say that there is nothing to see.
    if (lost.some((list) => list[0] === '' || !isTags(list))) return saysSomething(compared) ? 'unclear' : 'other';
    return 'kept';
  }
  return isFilled ? 'other' : asAnothersRecord(compared);
};

/** An item that tells an outcome and holds nothing else. */
const isError = (item: Shape): boolean =>
  item.type === 'object' &&
  item.members.some(([name]) => tellsTheOutcome.test(name)) &&
  item.members.every(([name, value]) => inEnvelope(name) || (isScalar(value) && value.passing === true));

/** No list of scalars that the two fill in another way; an empty one says nothing. */
const tagsHold = (keyed: Outline, seen: Outline): boolean =>
  [...keyed.lists].filter(isTags).every(([path, items]) => {
    const other = seen.lists.get(path) ?? [];
    return other.length === 0 || isSameList(items, other);
  });

/** Nothing but lists of scalars differs, which one source fills as it likes. */
const tagsApart = (keyed: Outline, seen: Outline): boolean =>
  recordLists(keyed).every(([path, items]) => items.length === 0 || seen.lists.get(path)?.length === 0) &&
  [...keyed.lists.keys()].every((path) => seen.lists.has(path));

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
  return filled.length > 0 && nulled.length * 2 > filled.length;
};

/** Strings and booleans equal, numbers equal, 0 or a length; what changes between the keyed reads does not count; null stands for anything. */
const scalarsHold = ({ keyed, again, seen }: Compared): boolean =>
  [...keyed.scalars].every(([path, value]) => {
    const now = seen.scalars.get(path);
    if (now === undefined) return !seen.members.has(path);
    if (now.type === 'null' || now.digest === value.digest) return true;
    return !isStable(value, again.scalars.get(path)) || (value.type === 'number' && now.countLike === true);
  });

/** Members whose number is a result code, whatever stands for success there. */
const isResultCode = /^(?:code|status|ret|err|errno|(?:status|error|err|result|ret|return)_?(?:code|no|num))$/i;

/** Members that say whose or which record it is. */
const isIdentity = /^(?:_?id|uu?id|guid|pk|key|slug|owner|user|user_?name|login|name|e-?mail|\w+(?:_id|Id|ID))$/;

/** Somebody else's record, where nothing is listed: the same members with other values, none of which tells another outcome. */
const asAnothersRecord = ({ keyed, again, seen }: Compared): Structure => {
  if (isHollow(keyed, seen)) return 'other';
  const changed = [...keyed.scalars].flatMap(([path, value]) => {
    const now = seen.scalars.get(path);
    if (!now || now.digest === value.digest || !isStable(value, again.scalars.get(path))) return [];
    return [{ path, name: lastName(path), value, now }];
  });
  if (changed.some(({ path, name, value, now }) => (inEnvelope(path) ? hasTurned(name, value, now) : false)))
    return 'other';
  const data = changed.filter(({ path, now }) => !inEnvelope(path) && now.type !== 'null' && now.countLike !== true);
  const says = changed.length > data.length && changed.some(({ path }) => inEnvelope(path));
  if (data.some(({ name }) => isIdentity.test(name)))
    return says || keyed.lists.size > tagsOf(keyed) ? 'unclear' : 'kept';
  return data.length === 0 || says ? 'other' : 'unclear';
};

const tagsOf = (outline: Outline): number => [...outline.lists].filter(isTags).length;

/** Another outcome: another result code, no error before and one now, the other boolean, or a zero that became something. */
const hasTurned = (name: string, value: ScalarShape, now: ScalarShape): boolean =>
  value.type === 'boolean' ||
  value.type === 'null' ||
  (value.type === 'number' && (isResultCode.test(name) || (value.countLike === true && now.countLike !== true)));
