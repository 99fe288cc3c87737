import { forEachAtMost } from '../../collections.js';
import type { Contract, MissingParameter, Operation } from '../../contract/model.js';
import type { Deployment } from '../../rules/rule.js';
import { listed } from '../../rules/support/judgement.js';
import { pathSegments } from '../../urls.js';
import type { ReadValues } from '../../wire/read-values.js';
import { isUuid } from '../../wire/scalars.js';
import { accountValueFor, withoutAccountExample } from './account-value.js';
import type { AnsweredRead } from './chains.js';
import { Choices } from './choices.js';
import type { OperationReader } from './operation-reader.js';
import { type Choice, type KnownValue, placeholdersOf, sourcesOf } from './placeholders.js';
import { inventedFor, type RecordedValues } from './recording.js';
import { isEmptyList } from './rows.js';
import { isExampled, isWanting, operationsLeadingTo, sourceTestFor, type Wanting, withoutExamples } from './sources.js';
import { pathParameters, patternOf } from './template.js';

/** Tries values from the answers of some operations on others, until these open. */

export interface HarvestInput {
  readonly contract: Contract;
  readonly deployment: Deployment;
  readonly reader: OperationReader;
  readonly values: ReadValues;
  /** Identity name → the value with which rows name it as their owner. */
  readonly owners: ReadonlyMap<string, string>;
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
  const { contract, wanted } = input;
  const isWanted = ({ id }: { readonly id: string }): boolean => wanted === undefined || wanted.has(id);
  const stale = await withStaleExamples(input, isWanted);
  const wanting = [...contract.unprobed.filter(isWanting), ...stale];
  const found = await new Harvest(input, wanting).run(wanting.filter(isWanted));
  for (const { id } of stale) found.missed.delete(id);
  return recordOf(input, wanting.filter(isWanted), found);
};

/** What an operation answered to the values that were tried on it. */
interface Tries {
  /** The best answer that opened it. */
  readonly opened?: AnsweredRead;
  readonly refused?: AnsweredRead;
}

class Harvest {
  readonly #input: HarvestInput;
  readonly #wanting: readonly Wanting[];
  readonly #choices: Choices;
  /** Whether others take values from an operation. */
  readonly #isSource: (operation: Wanting) => boolean;
  readonly #publicIds: ReadonlySet<string>;
  readonly #filled = new Map<string, Choice>();
  /** The statuses with which values were answered that opened nothing, by operation. */
  readonly #missed = new Map<string, Set<number>>();
  /** Values of the list in front of an operation with which it refused the key. */
  readonly #refused = new Map<string, Choice>();
  /** The choices that were tried, by operation. */
  readonly #tried = new Map<string, Set<string>>();

  constructor(input: HarvestInput, wanting: readonly Wanting[]) {
    this.#input = input;
    this.#wanting = wanting;
    this.#choices = new Choices(input, wanting, (each) => accountValueFor(each, input.deployment, input.owners));
    this.#isSource = sourceTestFor(wanting);
    this.#publicIds = new Set(
      [...input.contract.operations, ...wanting].flatMap(({ id, access }) => (access === 'public' ? [id] : [])),
    );
  }

  async run(wanted: readonly Wanting[]) {
    // In a partial run, only operations that lead to the selected ones are read.
    const needed = this.#input.wanted === undefined ? undefined : operationsLeadingTo(wanted, this.#input.contract);
    if (wanted.length > 0) {
      await this.#readKnown(needed);
      await this.#fillByDepth(new Set(this.#wanting.filter((each) => wanted.includes(each) || needed?.has(each.id))));
    }
    return { filled: this.#filled, refused: this.#refused, missed: this.#missed };
  }

  /** Reads the operations that need no value. */
  async #readKnown(needed: ReadonlySet<string> | undefined): Promise<void> {
    const { contract, signal } = this.#input;
    const known = contract.operations.filter(
      ({ id, method }) => method === 'GET' && (needed === undefined || needed.has(id)),
    );
    await forEachAtMost(together, known, async (operation) => {
      if (signal?.aborted) return;
      const reading = await this.#read(operation, new Map());
      if (reading?.answer.opens) this.#choices.note(reading);
    });
  }

  async #fillByDepth(open: Set<Wanting>): Promise<void> {
    const depthOf = ({ path }: Wanting): number => pathSegments(path).length;
    const byDepth = [...open].sort((a, b) => depthOf(a) - depthOf(b));
    for (const thorough of [false, true, true]) {
      this.#choices.thorough = thorough;
      for (const depth of new Set(byDepth.map(depthOf))) {
        const level = byDepth.filter((each) => open.has(each) && depthOf(each) === depth);
        await forEachAtMost(together, level, async (each) => {
          if (await this.#bind(each)) open.delete(each);
        });
      }
    }
  }

  async #read(operation: Operation, choice: Choice): Promise<AnsweredRead | undefined> {
    const { onOperation, reader, contract } = this.#input;
    onOperation(operation);
    const answer = await reader.read(operation, contract);
    return answer && { operation, choice, answer };
  }

  /** Whether everybody was given the values. Those of a list of the key's owner may be private. */
  #isFromPublic(choice: Choice): boolean {
    return [...choice.values()].every(({ from }) => from !== undefined && this.#publicIds.has(from.operation));
  }

  /** Whether all values are of a list at the path in front of them, which the key opens. */
  #isListed({ path, access }: Wanting, choice: Choice): boolean {
    const { operations, unprobed } = this.#input.contract;
    const listOf = ({ from }: KnownValue): string =>
      patternOf(pathSegments([...operations, ...unprobed].find(({ id }) => id === from?.operation)?.path ?? ''));
    return (
      access === 'protected' &&
      [...choice].every(([name, value]) =>
        pathParameters(path).some((each) => each.name === name && each.collections.includes(listOf(value))),
      )
    );
  }

  /** Finds values that open an operation. */
  async #bind(each: Wanting): Promise<boolean> {
    const { reader, contract } = this.#input;
    const { opened, refused } = await this.#try(each);
    const mayOpen = opened === undefined && each.access === 'public' && refused && this.#isFromPublic(refused.choice);
    const found = mayOpen && (await reader.opensWithKey(refused.operation, contract)) ? refused : opened;
    if (!found) return false;
    this.#filled.set(each.id, found.choice);
    this.#missed.delete(each.id);
    this.#choices.note(found);
    return true;
  }

  /** @returns nothing for an operation that cannot be filled in */
  async #try(each: Wanting): Promise<Tries> {
    const { values, contract, signal } = this.#input;
    const isSource = this.#isSource(each);
    const before = this.#tried.get(each.id) ?? new Set<string>();
    this.#tried.set(each.id, before);
    let opened: AnsweredRead | undefined;
    let refused: AnsweredRead | undefined;
    for (const choice of this.#choices.of(each)) {
      if (before.size >= (isSource ? mostTriesOfLists : mostTries) || signal?.aborted) break;
      const texts = placeholdersOf(choice);
      const name = JSON.stringify([...texts]);
      if (before.has(name)) continue;
      before.add(name);
      const operation = each.fillable.fill(texts);
      if (!operation) return {};
      for (const { placeholder, value } of choice.values()) values.learn(placeholder, value);
      const reading = await this.#read({ ...operation, placeholders: sourcesOf(choice, contract) }, choice);
      if (!reading) continue;
      if (!reading.answer.opens) {
        const statuses = this.#missed.get(each.id) ?? new Set();
        this.#missed.set(each.id, statuses.add(reading.answer.status));
        if (!this.#refused.has(each.id) && this.#isListed(each, choice) && refusesKey(reading.answer.status))
          this.#refused.set(each.id, choice);
        if (refused === undefined || !this.#isFromPublic(refused.choice)) refused = reading;
        continue;
      }
      opened ??= reading;
      if (isSource && isEmptyList(reading.answer.body)) continue;
      opened = reading;
      break;
    }
    return { ...(opened ? { opened } : {}), ...(refused ? { refused } : {}) };
  }
}

/** Whether a status says that something is there, and not given. */
const refusesKey = (status: number): boolean => status === 401 || status === 403 || status >= 500;

/** Statuses which suggest that a value does not name anything that the key may read. */
const namesNothing: ReadonlySet<number> = new Set([400, 403, 404, 410, 422]);

/**
 * Operations that the key does not open with the examples of the document, or whose example stands
 * for the account of the key.
 */
const withStaleExamples = async (
  { contract, deployment, reader, owners, onOperation, signal }: HarvestInput,
  isWanted: (operation: Operation) => boolean,
): Promise<readonly Wanting[]> => {
  const stale = new Map<string, Wanting>();
  await forEachAtMost(together, contract.operations.filter(isExampled), async (operation) => {
    if (signal?.aborted || !isWanted(operation)) return;
    const ofAccount = withoutAccountExample(operation, deployment, owners);
    if (ofAccount) {
      stale.set(operation.id, ofAccount);
      return;
    }
    onOperation(operation);
    const answer = await reader.read(operation, contract);
    if (answer && namesNothing.has(answer.status)) stale.set(operation.id, withoutExamples(operation));
  });
  // In the order of the document, not of the answers.
  return contract.operations.flatMap(({ id }) => stale.get(id) ?? []);
};

const isNumber = ({ value }: KnownValue): boolean => /^\d+$/.test(value);

/**
 * The form that all of some ids have, for an id that the document calls any text. A route may take
 * that form alone, and a text would then be answered as a path that does not exist.
 */
const formOf = (
  { in: place, type = 'string', format }: MissingParameter,
  ids: readonly KnownValue[],
): Partial<MissingParameter> => {
  if (place !== 'path' || type !== 'string' || format !== undefined || ids.length === 0) return {};
  if (ids.every(isNumber)) return { type: 'integer' };
  return ids.every(({ value }) => isUuid(value)) ? { format: 'uuid' } : {};
};

/** The record of the harvest: where values were read, invented values, and why some are missing. */
const recordOf = (
  { contract, deployment }: { readonly contract: Contract; readonly deployment: Deployment },
  wanting: readonly Wanting[],
  found: {
    readonly filled: ReadonlyMap<string, Choice>;
    readonly refused: ReadonlyMap<string, Choice>;
    readonly missed: ReadonlyMap<string, ReadonlySet<number>>;
  },
): RecordedValues => {
  const probed = new Set(contract.operations.map(({ id }) => id));
  const filled: Record<string, Record<string, string>> = {};
  const invented: Record<string, Record<string, string>> = {};
  const used = new Map<string, RecordedValues['read'][number]>();
  const note = ({ placeholder, from }: KnownValue): void =>
    from && void used.set(placeholder, { placeholder, ...from });
  /** Values that opened an operation, by path prefix. */
  const known = new Map<string, KnownValue>();
  for (const each of wanting)
    for (const { name, prefix } of pathParameters(each.path)) {
      const value = found.filled.get(each.id)?.get(name);
      if (value && !known.has(prefix)) known.set(prefix, value);
    }
  for (const each of wanting) {
    // The service lists what it then refuses, so the key is sent, and the refusal is judged.
    const choice = found.filled.get(each.id) ?? found.refused.get(each.id);
    if (choice) {
      filled[each.id] = Object.fromEntries(placeholdersOf(choice));
      for (const value of choice.values()) note(value);
    } else if (each.access === 'protected' && !probed.has(each.id)) {
      const parents = pathParameters(each.path).flatMap(({ prefix }) => known.get(prefix) ?? []);
      const ids = parents.length > 0 ? parents : [...known.values()];
      const missing = each.fillable.missing.map((parameter) => ({ ...parameter, ...formOf(parameter, ids) }));
      const texts = inventedFor(missing, deployment.seed, each.path);
      // An invented value is placed below parents that exist, as far as their values are known: a
      // service may look for them before the key. So none is invented where all values are known.
      for (const { name, prefix } of pathParameters(each.path).filter(({ name }) => name in texts)) {
        const value = known.get(prefix);
        if (!value) break;
        texts[name] = value.placeholder;
        note(value);
      }
      invented[each.id] = texts;
    }
  }
  const missed = [...found.missed].map(([id, statuses]) => [
    id,
    `those that were read from the service were answered with ${listed([...statuses].map(String))}`,
  ]);
  return { read: [...used.values()], filled, invented, missed: Object.fromEntries(missed) };
};
