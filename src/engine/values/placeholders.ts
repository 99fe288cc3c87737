import type { Contract, Operation } from '../../contract/model.js';
import { ownAccountSource } from '../../rules/identities/account-claims.js';
import type { FoundValue } from './members.js';
import { sourceWords } from './recording.js';
import { maskedPointer } from './rows.js';

/** Placeholders for values that were read: the values themselves are not stored. */

/** A value, and its placeholder. */
export interface KnownValue {
  readonly placeholder: string;
  readonly value: string;
  /** Where it was read. Absent for what `owns` in IDENTITIES says. */
  readonly from?: { readonly operation: string; readonly pointer: string };
}

/** Values for the missing parameters of an operation, by parameter name. */
export type Choice = ReadonlyMap<string, KnownValue>;

/**
 * Names the values that were read: `<ID_2>` is the first of the second place, `<ID_2_2>` the next.
 */
export const createPlaceholders = (places: Iterable<string>) => {
  const numbers = new Map<string, number>();
  const values = new Map<string, KnownValue[]>();

  const numberOf = (place: string): number => {
    const number = numbers.get(place) ?? numbers.size + 1;
    numbers.set(place, number);
    return number;
  };

  for (const place of places) numberOf(place);
  /** The placeholder of a value in a place. The same value always gets the same placeholder. */
  return (
    place: string,
    { operation }: { readonly operation: Pick<Operation, 'id'> },
    { pointer, value }: FoundValue,
  ): KnownValue => {
    const number = numberOf(place);
    const known = values.get(place) ?? [];
    values.set(place, known);
    const before = known.find((each) => each.value === value);
    if (before) return before;
    const suffix = known.length === 0 ? '' : `_${known.length + 1}`;
    const read = {
      placeholder: `<ID_${number}${suffix}>`,
      value,
      from: { operation: operation.id, pointer: maskedPointer(pointer) },
    };
    known.push(read);
    return read;
  };
};

/** The placeholders of a choice, by parameter name. */
export const placeholdersOf = (choice: Choice): ReadonlyMap<string, string> =>
  new Map([...choice].map(([name, { placeholder }]) => [name, placeholder]));

/** Descriptions of where the values of a choice come from, by placeholder. */
export const sourcesOf = (
  choice: Choice,
  { operations, unprobed }: Pick<Contract, 'operations' | 'unprobed'>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...choice.values()].flatMap(({ placeholder, from }) => {
      if (!from) return [[placeholder, ownAccountSource]];
      const source = [...operations, ...unprobed].find(({ id }) => id === from.operation);
      return source ? [[placeholder, sourceWords(source, from.pointer)]] : [];
    }),
  );
