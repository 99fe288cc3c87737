import { forEachAtMost } from '../../collections.js';
import type { Contract, Operation } from '../../contract/model.js';
import type { Deployment } from '../../rules/rule.js';
import { pathSegments } from '../../urls.js';
import type { ReadValues } from '../../wire/read-values.js';
import { accountValueFor, withoutAccountExample } from './account-value.js';
import type { AnsweredRead } from './chains.js';
import { Choices } from './choices.js';
import { recordOf } from './harvest-record.js';
import type { OperationReader } from './operation-reader.js';
import { type Choice, type KnownValue, placeholdersOf, sourcesOf } from './placeholders.js';
import type { RecordedValues } from './recording.js';
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
    const tries = await this.#try(each);
    if (!tries) return false;
    let { opened } = tries;
    const { refused } = tries;
    if (!opened && refused && each.access === 'public' && this.#isFromPublic(refused.choice))
      if (await reader.opensWithKey(refused.operation, contract)) opened = refused;
    if (opened) {
      this.#filled.set(each.id, opened.choice);
      this.#missed.delete(each.id);
      this.#choices.note(opened);
      return true;
    }
    return false;
  }

  /** @returns `undefined` for an operation that cannot be filled in */
  async #try(each: Wanting): Promise<Tries | undefined> {
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
      if (!operation) return undefined;
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
