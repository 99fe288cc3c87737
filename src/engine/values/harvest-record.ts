import type { Contract, MissingParameter } from '../../contract/model.js';
import type { Deployment } from '../../rules/rule.js';
import { listed } from '../../rules/support/judgement.js';
import { isUuid } from '../../wire/scalars.js';
import { type Choice, type KnownValue, placeholdersOf } from './placeholders.js';
import { inventedFor, type RecordedValues } from './recording.js';
import type { Wanting } from './sources.js';
import { pathParameters } from './template.js';

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
export const recordOf = (
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
