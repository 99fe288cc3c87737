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
export const withOwnValues = async ({
  contract,
  deployment,
  reader,
  values,
  owners,
  signal,
}: OwnValuesInput): Promise<readonly KeyHolder[]> => {
  const { identities = [] } = deployment;
  const accounts = new Set(
    contract.operations.flatMap(({ placeholders = {} }) => Object.keys(placeholders).filter(isAccountPlaceholder)),
  );
  const found = new Map<string, OwnValue[]>(
    identities.map(({ name }) => {
      const own = owners.has(name) ? [...accounts] : [];
      return [name, own.map((of) => ({ of, placeholder: accountPlaceholder(name) }))];
    }),
  );
  const now = (holder: KeyHolder): KeyHolder => ({ ...holder, values: found.get(holder.name) ?? [] });
  const sources = new Map<string, { readonly operation: string; readonly pointer: string }>();
  for (const { readFrom = {} } of contract.operations)
    for (const [placeholder, source] of Object.entries(readFrom)) sources.set(placeholder, source);

  const read = async (holder: KeyHolder, operation: Operation): Promise<unknown> => {
    const subject = { contract, deployment, operation };
    const view = ownItemOf(subject, now(holder)) ?? identityViewOf(subject, now(holder));
    if (!view || view.isForeign || signal?.aborted) return undefined;
    return (await reader.read(view.subject.operation, view.subject.contract))?.body;
  };

  const done = new Set<string>();
  const find = async (placeholder: string): Promise<void> => {
    const source = sources.get(placeholder);
    if (done.has(placeholder) || !source) return;
    done.add(placeholder);
    const operation = operationIn(contract, source.operation);
    if (!operation) return;
    for (const before of Object.keys(operation.placeholders ?? {})) await find(before);
    const users = contract.operations.filter(({ readFrom = {} }) => Object.hasOwn(readFrom, placeholder));
    const all = new Map<string, readonly OwnCandidate[]>();
    await Promise.all(
      identities.map(async (holder) =>
        all.set(holder.name, candidatesIn(await read(holder, operation), source.pointer, operation.owner)),
      ),
    );
    for (const holder of identities) {
      if (!users.some((user) => isNeededBy(holder, user))) continue;
      const own = ownOf(
        all.get(holder.name) ?? [],
        holder.peers.flatMap((peer) => all.get(peer) ?? []),
        owners.get(holder.name),
      );
      if (!own) continue;
      const name = `${placeholder.slice(0, -1)}_OF_${upperSnake(holder.name)}>`;
      values.learn(name, own.value);
      found
        .get(holder.name)
        ?.push({ of: placeholder, placeholder: name, operation: source.operation, pointer: own.pointer });
    }
  };
  for (const placeholder of sources.keys()) await find(placeholder);
  return identities.map((holder) => ((found.get(holder.name) ?? []).length > 0 ? now(holder) : holder));
};
