import type { Contract, Operation } from '../../contract/model.js';
import type { FoundValue } from './members.js';
import { sourceWords } from './recording.js';

/** A value with where it was read and the placeholder that stands for it. */
export interface ReadValue {
  readonly placeholder: string;
  readonly operation: string;
  readonly pointer: string;
  readonly value: string;
}

/** Values for the missing parameters of an operation, by name. */
export type Choice = ReadonlyMap<string, ReadValue>;

/**
 * Names the values that were read: `<ID_2>` for the first one of the second place, `<ID_2_2>` for
 * its next.
 */
export class Placeholders {
  readonly #numbers = new Map<string, number>();
  readonly #values = new Map<string, ReadValue[]>();

  /** @param places in the order of their numbers */
  constructor(places: Iterable<string>) {
    for (const place of places) this.#numberOf(place);
  }

  /** A value of a place; the one that is known already, wherever it is read again. */
  of(
    place: string,
    { operation }: { readonly operation: Pick<Operation, 'id'> },
    { pointer, value }: FoundValue,
  ): ReadValue {
    const number = this.#numberOf(place);
    const known = this.#values.get(place) ?? [];
    this.#values.set(place, known);
    const before = known.find((each) => each.value === value);
    if (before) return before;
    const suffix = known.length === 0 ? '' : `_${known.length + 1}`;
    const read = { placeholder: `<ID_${number}${suffix}>`, operation: operation.id, pointer, value };
    known.push(read);
    return read;
  }

  #numberOf(place: string): number {
    const number = this.#numbers.get(place) ?? this.#numbers.size + 1;
    this.#numbers.set(place, number);
    return number;
  }
}

/** The texts that stand for a choice, by name of the parameter. */
export const placeholdersOf = (choice: Choice): ReadonlyMap<string, string> =>
  new Map([...choice].map(([name, { placeholder }]) => [name, placeholder]));

/** Where the values of a choice were read, by placeholder. */
export const placesReadIn = (
  choice: Choice,
  { operations, unprobed }: Pick<Contract, 'operations' | 'unprobed'>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...choice.values()].flatMap(({ placeholder, operation, pointer }) => {
      const source = [...operations, ...unprobed].find(({ id }) => id === operation);
      return source ? [[placeholder, sourceWords(source, pointer)]] : [];
    }),
  );
