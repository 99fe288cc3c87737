import { isObject } from '../collections.js';
import type { BodyShape } from '../wire/body-shape.js';
import type { Exchange, Probe } from '../wire/types.js';
import type { CauseResult, Drift, FactResult, Observation, Results, RunRecord } from './results.js';

/**
 * A run without the secrets that became known during it: a server may give a key away before the
 * suite gets it.
 */

type Redact = (text: string) => string;

/** Members of results that may repeat what a server said. Others name things by their ids. */
const said: ReadonlySet<string> = new Set([
  'reason',
  'note',
  'expected',
  'seen',
  'steps',
  'title',
  'fact',
  'value',
  'words',
  'was',
  'is',
  'curl',
] satisfies (
  | keyof Results['checks'][number]
  | keyof FactResult
  | keyof Drift
  | keyof Observation
  | keyof CauseResult
)[]);

/**
 * Members of exchanges that come from a server, which also chooses where it redirects to: so the
 * probe of the next step has what it said.
 */
const received: ReadonlySet<string> = new Set(['request', 'attempts', 'target', 'headers'] satisfies (
  | keyof Exchange
  | keyof Probe
)[]);

/** Members of structures that hold salted digests. */
const digests: ReadonlySet<string> = new Set(['digest', 'values', 'pieces', 'parts'] satisfies (keyof BodyShape)[]);

const isText = (value: unknown): boolean => typeof value === 'string';

/** Whether a member is one of them, and not the structure of something with such a name. */
const isDigest = (name: string, value: unknown): boolean =>
  digests.has(name) && (Array.isArray(value) ? value.every(isText) : isText(value));

const redactedBelow = (names: ReadonlySet<string>, redact: Redact) => {
  const everywhere = (value: unknown): unknown => {
    if (typeof value === 'string') return redact(value);
    if (Array.isArray(value)) return value.map(everywhere);
    return isObject(value)
      ? Object.fromEntries(
          Object.entries(value).map(([name, one]) => [redact(name), isDigest(name, one) ? one : everywhere(one)]),
        )
      : value;
  };
  const below = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(below);
    return isObject(value)
      ? Object.fromEntries(
          Object.entries(value).map(([name, one]) => [name, names.has(name) ? everywhere(one) : below(one)]),
        )
      : value;
  };
  return <Value>(value: Value): Value => below(value) as Value;
};

export const redactedRecord = (record: RunRecord, redact: Redact): RunRecord => {
  const ofExchange = redactedBelow(received, redact);
  return {
    ...record,
    results: redactedBelow(said, redact)(record.results),
    async *exchanges(wanted) {
      for await (const exchange of record.exchanges(wanted)) yield ofExchange(exchange);
    },
  };
};
