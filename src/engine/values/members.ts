import { isObject } from '../../collections.js';
import { pointerOf } from '../../contract/json-values.js';
import type { MissingParameter } from '../../contract/model.js';
import { isUuid } from '../../wire/scalars.js';
import type { AnswerRow } from './rows.js';
import { isSingularOf, plainName } from './template.js';

/** Which members of an answer may have the value of a parameter, by their names. */

/** A value of an answer, and the JSON Pointer to it. */
export interface FoundValue {
  readonly pointer: string;
  readonly value: string;
}

/** The parameter that needs a value. */
type Sought = Pick<MissingParameter, 'name' | 'type' | 'format'> & {
  /** The last literal path segment before the parameter; `''` without one. */
  readonly noun: string;
};

/** Member names that identify a row, most specific first. */
const identifiers: readonly string[] = ['id', 'pk', 'uuid', 'guid', 'identifier', 'slug', 'key', 'code', 'name'];

const longest = 200;

/** The text of a scalar that can be one path segment and has the parameter's type. */
export const usable = (value: unknown, { type, format }: Pick<Sought, 'type' | 'format'>): string | undefined => {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value);
  if (text === '' || text === '.' || text === '..' || text.length > longest || /[\p{Cc}\p{Cs}]/u.test(text))
    return undefined;
  if ((type === 'integer' || type === 'number') && !/^-?\d+(?:\.\d+)?$/.test(text)) return undefined;
  if (format === 'uuid' && !isUuid(text)) return undefined;
  return text;
};

/** Whether a parameter name is meaningless without its collection, such as `id`. */
export const isGeneric = (name: string): boolean => identifiers.includes(plainName(name));

/** Predicates for member names that match the parameter, most reliable first. */
const namesFor = ({ name, noun }: Sought): ((member: string) => boolean)[] => {
  const wanted = plainName(name);
  /** Whether the longer name puts the singular of the collection in front of the other. */
  const adds = (longer: string, other: string): boolean =>
    other !== '' && longer.endsWith(other) && isSingularOf(longer.slice(0, -other.length), noun);
  return [
    (member) => plainName(member) === wanted,
    // `pull_number` of `/pulls` matches `number`; `id` matches `event_log_id`.
    (member) => adds(wanted, plainName(member)),
    ...(isGeneric(name) ? [(member: string) => adds(plainName(member), wanted)] : []),
  ];
};

/**
 * The value of a row for a parameter, chosen by member name.
 * @param exact match only the parameter's own name
 */
export const valueIn = (row: AnswerRow, sought: Sought, exact = false): FoundValue | undefined => {
  if (!isObject(row.value)) {
    const value = exact ? undefined : usable(row.value, sought);
    return value === undefined ? undefined : { pointer: row.pointer, value };
  }
  const members = Object.entries(row.value);
  const take = (fits: (member: string) => boolean): FoundValue | undefined => {
    for (const [member, own] of members) {
      const value = fits(member) ? usable(own, sought) : undefined;
      if (value !== undefined) return { pointer: `${row.pointer}${pointerOf([member])}`, value };
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
  return onlyIdIn(row, sought);
};

/** A single member that ends like an identifier identifies the row. */
const onlyIdIn = ({ pointer, value: row }: AnswerRow, sought: Sought): FoundValue | undefined => {
  const ends = Object.entries(isObject(row) ? row : {}).filter(
    ([member]) => /(?:^_|[a-z_-])id$/i.test(member) || /I[dD]$/.test(member),
  );
  const [[member, own] = ['', undefined], ...others] = ends;
  const value = others.length > 0 ? undefined : usable(own, sought);
  return value === undefined ? undefined : { pointer: `${pointer}${pointerOf([member])}`, value };
};

/**
 * What else may identify a row whose value was not found by the parameter's own name: `name` beside
 * `id` for `{org}`, `objectId` beside `name` for `{productId}`.
 */
export const valueBeside = (row: AnswerRow, sought: Sought, found: FoundValue): FoundValue | undefined => {
  const text = textBeside(row, sought, found);
  if (text || found.pointer === valueIn(row, sought, true)?.pointer) return text;
  const id = onlyIdIn(row, sought);
  return id?.pointer === found.pointer ? undefined : id;
};

/**
 * A text beside a number in a row, for a parameter that is a text: `name` beside `id` for `{org}`.
 */
const textBeside = (row: AnswerRow, sought: Sought, { value }: FoundValue): FoundValue | undefined => {
  if (sought.type !== 'string' || isGeneric(sought.name) || !/^\d+$/.test(value) || !isObject(row.value))
    return undefined;
  const texts = Object.entries(row.value).filter(([, own]) => typeof own === 'string');
  for (const name of identifiers)
    for (const [member, own] of texts) {
      const text = plainName(member) === name ? usable(own, sought) : undefined;
      if (text !== undefined) return { pointer: `${row.pointer}${pointerOf([member])}`, value: text };
    }
  return undefined;
};

const mostScalars = 20_000;

/**
 * Counts how many answers contain a value. A value that other answers refer to is in use, so its
 * sub-resources probably exist.
 */
export class Mentions {
  /** Counts by value, and by the name of the member with it. */
  readonly #counts = new Map<string, Map<string, number>>();

  /** Adds an answer. A value counts once for each member name. */
  note(body: unknown): void {
    const seen = new Set<string>();
    let scalars = 0;
    const look = (value: unknown, name: string): void => {
      if (scalars > mostScalars) return;
      if (Array.isArray(value)) for (const item of value) look(item, name);
      else if (isObject(value)) for (const [member, own] of Object.entries(value)) look(own, plainName(member));
      else if (typeof value === 'string' || typeof value === 'number') {
        scalars += 1;
        const mention = `${name} ${value}`;
        if (seen.has(mention)) return;
        seen.add(mention);
        const byName = this.#counts.get(String(value)) ?? new Map<string, number>();
        byName.set(name, (byName.get(name) ?? 0) + 1);
        this.#counts.set(String(value), byName);
      }
    };
    look(body, '');
  }

  /** Number of answers with a value under the parameter's name, or that of its collection. */
  of(value: string, { name, noun }: { readonly name: string; readonly noun: string }): number {
    let count = 0;
    for (const [member, times] of this.#counts.get(value) ?? []) {
      const stem = member.replace(/(?:id|pk|uuid|slug|key|name)$/, '');
      if (member === plainName(name) || (noun !== '' && (isSingularOf(member, noun) || isSingularOf(stem, noun))))
        count += times;
    }
    return count;
  }
}
