import { canonicalText, type Json } from '../../collections.js';
import { plainPathOf, pointerOf, valueAt } from '../../contract/json-values.js';
import type { Operation } from '../../contract/model.js';
import { upperSnake } from '../../names.js';
import { accountPlaceholder, isAccountPlaceholder } from '../../rules/identities/account-claims.js';
import { identityViewOf, ownItemOf } from '../../rules/identities/identity-views.js';
import type { KeyHolder, OwnValue } from '../../rules/rule.js';
import { operationIn } from '../../rules/support/subjects.js';
import type { HarvestInput } from './harvest.js';
import { usable } from './members.js';

/** Finds ids that belong to one identity alone, in its own lists. */

type OwnValuesInput = Pick<HarvestInput, 'contract' | 'deployment' | 'reader' | 'values' | 'owners' | 'signal'>;

/** A value of one row, or of a body without rows. */
interface OwnCandidate {
  readonly pointer: string;
  readonly value: string;
  readonly row: string;
  /** The owner that the row names, by `x-access-owner`. */
  readonly owner: string | undefined;
}

/** The values at a pointer in all rows, where the pointer leads into one row of a list. */
const candidatesIn = (body: unknown, pointer: string, owner: string | undefined): readonly OwnCandidate[] => {
  // Such pointers lead to member names and to segments of links.
  if (/#$|@\d+$/.test(pointer)) return [];
  const path = plainPathOf(pointer);
  const at = path.findIndex((_key, index) => Array.isArray(valueAt(body, path.slice(0, index))));
  const list = at < 0 ? undefined : valueAt(body, path.slice(0, at));
  const rows: readonly (readonly [path: readonly (string | number)[], row: unknown])[] = Array.isArray(list)
    ? list.map((row: unknown, index) => [[...path.slice(0, at), index, ...path.slice(at + 1)], row] as const)
    : [[path, body]];
  return rows.flatMap(([place, row]) => {
    const value = usable(valueAt(body, place), {});
    const named = owner === undefined ? undefined : usable(valueAt(row, plainPathOf(owner)), {});
    return value === undefined
      ? []
      : [{ pointer: pointerOf(place), value, row: canonicalText(row as Json), owner: named }];
  });
};

/** The candidate that is least likely to be shared: others have neither its row nor its value. */
const ownOf = (
  all: readonly OwnCandidate[],
  others: readonly OwnCandidate[],
  owner: string | undefined,
): OwnCandidate | undefined => {
  const named = owner === undefined ? [] : all.filter((one) => one.owner === owner);
  if (named.length > 0 && named.length < all.length) return ownOf(named, others, undefined);
  const rows = new Set(others.map(({ row }) => row));
  const values = new Set(others.map(({ value }) => value));
  const apart = all.filter(({ row }) => !rows.has(row));
  return apart.find(({ value }) => !values.has(value)) ?? apart[0] ?? all[0];
};

/** Merges the identities of processes that each looked for the values of single operations. */
export const identitiesTogether = (parts: readonly (readonly KeyHolder[])[]): readonly KeyHolder[] =>
  (parts[0] ?? []).map((holder) => {
    const values = new Map(
      parts.flatMap((holders) =>
        (holders.find(({ name }) => name === holder.name)?.values ?? []).map((value) => [value.of, value] as const),
      ),
    );
    return values.size > 0 ? { ...holder, values: [...values.values()] } : holder;
  });

/**
 * Whether an identity needs its own values: it has keys, or the operation returns data of one
 * account and it has peers.
 */
const isNeededBy = ({ keys, peers }: KeyHolder, { owned }: Operation): boolean =>
  keys !== undefined || (owned === true && peers.length > 0);

/**
 * Adds to each identity the ids of its own lists: reads the source of each value again as each
 * identity. Sends only what the run would send anyway.
 */
export const withOwnValues = async (input: OwnValuesInput): Promise<readonly KeyHolder[]> => {
  const own = new OwnValues(input);
  await own.find();
  return own.holders();
};

class OwnValues {
  readonly #input: OwnValuesInput;
  readonly #identities: readonly KeyHolder[];
  /** By the name of the identity. */
  readonly #found: ReadonlyMap<string, OwnValue[]>;
  /** Where each value of the contract was read, by placeholder. */
  readonly #sources: ReadonlyMap<string, { readonly operation: string; readonly pointer: string }>;
  readonly #done = new Set<string>();

  constructor(input: OwnValuesInput) {
    const { operations } = input.contract;
    const accounts = new Set(
      operations.flatMap(({ placeholders = {} }) => Object.keys(placeholders).filter(isAccountPlaceholder)),
    );
    this.#input = input;
    this.#identities = input.deployment.identities ?? [];
    this.#sources = new Map(operations.flatMap(({ readFrom = {} }) => Object.entries(readFrom)));
    this.#found = new Map(
      this.#identities.map(({ name }) => {
        const own = input.owners.has(name) ? [...accounts] : [];
        return [name, own.map((of) => ({ of, placeholder: accountPlaceholder(name) }))];
      }),
    );
  }

  async find(): Promise<void> {
    for (const placeholder of this.#sources.keys()) await this.#findFor(placeholder);
  }

  holders(): readonly KeyHolder[] {
    return this.#identities.map((holder) =>
      (this.#found.get(holder.name) ?? []).length > 0 ? this.#withFound(holder) : holder,
    );
  }

  #withFound(holder: KeyHolder): KeyHolder {
    return { ...holder, values: this.#found.get(holder.name) ?? [] };
  }

  /** Reads the operation as an identity, with what it has so far. */
  async #read(holder: KeyHolder, operation: Operation): Promise<unknown> {
    const { contract, deployment, reader, signal } = this.#input;
    const subject = { contract, deployment, operation };
    const known = this.#withFound(holder);
    const view = ownItemOf(subject, known) ?? identityViewOf(subject, known);
    if (!view || view.isForeign || signal?.aborted) return undefined;
    return (await reader.read(view.subject.operation, view.subject.contract))?.body;
  }

  async #findFor(placeholder: string): Promise<void> {
    const { contract, owners } = this.#input;
    const source = this.#sources.get(placeholder);
    if (this.#done.has(placeholder) || !source) return;
    this.#done.add(placeholder);
    const operation = operationIn(contract, source.operation);
    if (!operation) return;
    for (const before of Object.keys(operation.placeholders ?? {})) await this.#findFor(before);
    const users = contract.operations.filter(({ readFrom = {} }) => Object.hasOwn(readFrom, placeholder));
    const all = new Map<string, readonly OwnCandidate[]>();
    await Promise.all(
      this.#identities.map(async (holder) =>
        all.set(holder.name, candidatesIn(await this.#read(holder, operation), source.pointer, operation.owner)),
      ),
    );
    for (const holder of this.#identities) {
      if (!users.some((user) => isNeededBy(holder, user))) continue;
      const others = holder.peers.flatMap((peer) => all.get(peer) ?? []);
      const own = ownOf(all.get(holder.name) ?? [], others, owners.get(holder.name));
      if (own) this.#keep(holder, placeholder, { ...source, pointer: own.pointer }, own.value);
    }
  }

  #keep(holder: KeyHolder, of: string, source: Required<Pick<OwnValue, 'operation' | 'pointer'>>, value: string): void {
    const placeholder = `${of.slice(0, -1)}_OF_${upperSnake(holder.name)}>`;
    this.#input.values.learn(placeholder, value);
    this.#found.get(holder.name)?.push({ of, placeholder, operation: source.operation, pointer: source.pointer });
  }
}
