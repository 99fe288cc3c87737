import { forEachAtMost } from '../../collections.js';
import type { Contract, Operation } from '../../contract/model.js';
import type { Deployment } from '../../rules/rule.js';
import { pathSegments } from '../../urls.js';
import type { ReadValues } from '../../wire/read-values.js';
import { type AnsweredRead, Choices } from './choices.js';
import type { OperationReader } from './operation-reader.js';
import { type Choice, placeholdersOf, placesReadIn, type ReadValue } from './placeholders.js';
import { inventedFor, type RecordedValues } from './recording.js';
import { isEmptyList } from './rows.js';
import { isExampled, isWanting, operationsLeadingTo, sourceTestFor, type Wanting, withoutExamples } from './sources.js';
import { pathParameters } from './template.js';

/** Tries values from the answers of some operations on others, until these open. */

export interface HarvestInput {
  readonly contract: Contract;
  readonly deployment: Deployment;
  readonly reader: OperationReader;
  readonly values: ReadValues;
  /** Called with each operation before it is read. */
  readonly onOperation: (operation: Operation) => void;
  /** Ids of the operations that need values; all when absent. */
  readonly wanted?: ReadonlySet<string>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Maximum number of choices that are tried for an operation. Lists from which others take values
 * get more, until one is not empty.
 */
const mostTries = 3;
const mostTriesOfLists = 8;

/** Number of operations that are read in parallel. */
const together = 16;

/**
 * Finds values for parameters without one by reading the operations that can be read: from links,
 * parent lists, URLs, and members with the parameter's name. Each value may open further lists, so
 * this is repeated level by level. A value is used if the operation opens with it: a protected one
 * with the key, a public one without it. A public operation that only the key opens gets a value of
 * a public list, so that AUTH-4 is judged there.
 */
export const harvest = async (input: HarvestInput): Promise<RecordedValues> => {
  const { contract, reader, values, onOperation, wanted, signal } = input;
  const isWanted = ({ id }: { readonly id: string }): boolean => wanted === undefined || wanted.has(id);
  const stale = await withStaleExamples(input, isWanted);
  const wanting = [...contract.unprobed.filter(isWanting), ...stale];
  const choices = new Choices(input, wanting);
  const filled = new Map<string, Choice>();
  const missed = new Map<string, string>();
  const tried = new Map<string, Set<string>>();

  const read = async (operation: Operation, choice: Choice): Promise<AnsweredRead | undefined> => {
    onOperation(operation);
    const answer = await reader.read(operation, contract);
    return answer && { operation, choice, answer };
  };

  const isSource = sourceTestFor(wanting);
  const publicIds = new Set(
    [...contract.operations, ...wanting].flatMap((each) => (each.access === 'public' ? [each.id] : [])),
  );
  /** Whether everybody was given the values. Those of a list of the key's owner may be private. */
  const isFromPublic = (choice: Choice): boolean =>
    [...choice.values()].every(({ operation }) => publicIds.has(operation));
  const bind = async (each: Wanting): Promise<boolean> => {
    const most = isSource(each) ? mostTriesOfLists : mostTries;
    const before = tried.get(each.id) ?? new Set<string>();
    tried.set(each.id, before);
    let fallback: AnsweredRead | undefined;
    let refused: AnsweredRead | undefined;
    for (const choice of choices.of(each)) {
      if (before.size >= most || signal?.aborted) break;
      const texts = placeholdersOf(choice);
      const name = JSON.stringify([...texts]);
      if (before.has(name)) continue;
      before.add(name);
      const operation = each.fillable.fill(texts);
      if (!operation) return false;
      for (const { placeholder, value } of choice.values()) values.learn(placeholder, value);
      const reading = await read({ ...operation, placeholders: placesReadIn(choice, contract) }, choice);
      if (!reading) continue;
      if (!reading.answer.opens) {
        if (refused === undefined || !isFromPublic(refused.choice)) refused = reading;
        continue;
      }
      fallback ??= reading;
      if (isSource(each) && isEmptyList(reading.answer.body)) continue;
      fallback = reading;
      break;
    }
    if (!fallback && refused && each.access === 'public' && isFromPublic(refused.choice))
      if (await reader.opensWithKey(refused.operation, contract)) fallback = refused;
    if (fallback) {
      filled.set(each.id, fallback.choice);
      missed.delete(each.id);
      choices.note(fallback);
      return true;
    }
    if (refused)
      missed.set(each.id, `those that were read from the service were answered with ${refused.answer.status}`);
    return false;
  };

  // In a partial run, only operations that lead to the selected ones are read.
  const needed = wanted === undefined ? undefined : operationsLeadingTo(wanting.filter(isWanted), contract);
  const known = contract.operations.filter(
    ({ id, method }) => method === 'GET' && (needed === undefined || needed.has(id)),
  );
  if (wanting.some(isWanted)) {
    await forEachAtMost(together, known, async (operation) => {
      if (signal?.aborted) return;
      const reading = await read(operation, new Map());
      if (reading?.answer.opens) choices.note(reading);
    });
    const open = new Set(wanting.filter((each) => isWanted(each) || needed?.has(each.id)));
    const byDepth = [...open].sort((a, b) => pathSegments(a.path).length - pathSegments(b.path).length);
    for (const thorough of [false, true, true]) {
      choices.thorough = thorough;
      for (const depth of new Set(byDepth.map(({ path }) => pathSegments(path).length))) {
        const level = byDepth.filter((each) => open.has(each) && pathSegments(each.path).length === depth);
        await forEachAtMost(together, level, async (each) => {
          if (await bind(each)) open.delete(each);
        });
      }
    }
  }
  for (const { id } of stale) missed.delete(id);
  return recordOf(input, wanting.filter(isWanted), { filled, missed });
};

/** Statuses which suggest that a value does not name anything that the key may read. */
const namesNothing: ReadonlySet<number> = new Set([400, 403, 404, 410, 422]);

/** Operations that the key does not open with the examples of the document. */
const withStaleExamples = async (
  { contract, reader, onOperation, signal }: HarvestInput,
  isWanted: (operation: Operation) => boolean,
): Promise<readonly Wanting[]> => {
  const stale = new Map<string, Wanting>();
  await forEachAtMost(together, contract.operations.filter(isExampled), async (operation) => {
    if (signal?.aborted || !isWanted(operation)) return;
    onOperation(operation);
    const answer = await reader.read(operation, contract);
    if (answer && namesNothing.has(answer.status)) stale.set(operation.id, withoutExamples(operation));
  });
  // In the order of the document, not of the answers.
  return contract.operations.flatMap(({ id }) => stale.get(id) ?? []);
};

/** The record of the harvest: where values were read, invented values, and why some are missing. */
const recordOf = (
  { contract, deployment }: HarvestInput,
  wanting: readonly Wanting[],
  found: {
    readonly filled: ReadonlyMap<string, Choice>;
    readonly missed: ReadonlyMap<string, string>;
  },
): RecordedValues => {
  const probed = new Set(contract.operations.map(({ id }) => id));
  const filled: Record<string, Record<string, string>> = {};
  const invented: Record<string, Record<string, string>> = {};
  const used = new Map<string, RecordedValues['read'][number]>();
  const note = ({ placeholder, operation, pointer }: ReadValue): void =>
    void used.set(placeholder, { placeholder, operation, pointer });
  /** Values that opened an operation, by path prefix. */
  const known = new Map<string, ReadValue>();
  for (const each of wanting)
    for (const { name, prefix } of pathParameters(each.path)) {
      const value = found.filled.get(each.id)?.get(name);
      if (value && !known.has(prefix)) known.set(prefix, value);
    }
  for (const each of wanting) {
    const choice = found.filled.get(each.id);
    if (choice) {
      filled[each.id] = Object.fromEntries(placeholdersOf(choice));
      for (const value of choice.values()) note(value);
    } else if (each.access === 'protected' && !probed.has(each.id)) {
      const texts = inventedFor(each.fillable.missing, deployment.seed, each.path);
      // An invented value is placed below parents that exist, as far as their values are known. One
      // outside the path, such as a search text, is below all of them.
      const isBelow = each.fillable.missing.some((parameter) => parameter.in !== 'path');
      for (const { name, prefix } of pathParameters(each.path)
        .filter(({ name }) => name in texts)
        .slice(0, isBelow ? undefined : -1)) {
        const value = known.get(prefix);
        if (!value) break;
        texts[name] = value.placeholder;
        note(value);
      }
      invented[each.id] = texts;
    }
  }
  return { read: [...used.values()], filled, invented, missed: Object.fromEntries(found.missed) };
};
