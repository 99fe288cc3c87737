import type { MissingParameter } from '../../contract/model.js';
import { isMembers, pointerTo, type Row } from './rows.js';
import { isSingularOf, plainName } from './template.js';

/** A value in an answer. */
export interface FoundValue {
  readonly pointer: string;
  readonly value: string;
}

/** What a value is looked for. */
export type Sought = Pick<MissingParameter, 'name' | 'type' | 'format'> & {
  /** The segment of the path in front of the parameter; `''` where there is none. */
  readonly noun: string;
};

/** Members by which rows are named, those that name nothing else first. */
const identifiers: readonly string[] = ['id', 'pk', 'uuid', 'guid', 'slug', 'key', 'code', 'name'];

const longest = 200;
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** A scalar that can be one segment of a path and is of the parameter's type. */
export const usable = (value: unknown, { type, format }: Pick<Sought, 'type' | 'format'>): string | undefined => {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value);
  if (text === '' || text === '.' || text === '..' || text.length > longest || /[\p{Cc}\p{Cs}]/u.test(text))
    return undefined;
  if ((type === 'integer' || type === 'number') && !/^-?\d+(?:\.\d+)?$/.test(text)) return undefined;
  if (format === 'uuid' && !uuid.test(text)) return undefined;
  return text;
};

/** Whether a name says nothing without the thing that it belongs to. */
export const isGeneric = (name: string): boolean => identifiers.includes(plainName(name));

/** Member names that mean the parameter, the surest first. */
const namesFor = ({ name, noun }: Sought): ((member: string) => boolean)[] => {
  const wanted = plainName(name);
  const inOwnName = identifiers.filter(
    (each) => wanted.endsWith(each) && isSingularOf(wanted.slice(0, -each.length), noun),
  );
  return [
    (member) => plainName(member) === wanted,
    // `pool_name` of `/pools`: the rows have a `name`; `event_log_id`, where the parameter is
    // called `id`.
    ...inOwnName.map((each) => (member: string) => plainName(member) === each),
    ...(isGeneric(name)
      ? [
          (member: string) =>
            plainName(member).endsWith(wanted) && isSingularOf(plainName(member).slice(0, -wanted.length), noun),
        ]
      : []),
  ];
};

/**
 * The value of a row for a parameter, by the name of its member; `exact`: by the parameter's own
 * name alone.
 */
export const valueIn = (row: Row, sought: Sought, exact = false): FoundValue | undefined => {
  if (!isMembers(row.value)) {
    const value = exact ? undefined : usable(row.value, sought);
    return value === undefined ? undefined : { pointer: row.pointer, value };
  }
  const members = Object.entries(row.value);
  const take = (fits: (member: string) => boolean): FoundValue | undefined => {
    for (const [member, own] of members) {
      const value = fits(member) ? usable(own, sought) : undefined;
      if (value !== undefined) return { pointer: pointerTo(row.pointer, member), value };
    }
    return undefined;
  };
  const [own, ...others] = namesFor(sought);
  const named = own && take(own);
  if (named || exact) return named;
  for (const fits of others) {
    const found = take(fits);
    if (found) return found;
  }
  if (row.key !== undefined && usable(row.key, sought) !== undefined)
    return { pointer: `${row.pointer}#`, value: row.key };
  for (const name of identifiers) {
    const found = take((member) => plainName(member) === name);
    if (found) return found;
  }
  // One member alone that ends like an identifier is the row's.
  const ends = members.filter(([member]) => /(?:^_|[a-z_-])id$/i.test(member) || /I[dD]$/.test(member));
  return ends.length === 1 ? take((member) => member === ends[0]?.[0]) : undefined;
};
