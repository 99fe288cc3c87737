import type { Json } from '../canonical-json.js';
import { curlLine } from '../engine/curl-line.js';
import type { Drift } from '../engine/results.js';
import type { Exchange } from '../wire/types.js';
import { clip, counted, firstOf } from '../words.js';
import type { RunSummary } from './run-summary.js';

/** A place in which two values differ; a side that is absent has nothing there. */
interface Difference {
  /** Member names and positions, separated by dots. */
  readonly place: string;
  readonly was: Json | undefined;
  readonly is: Json | undefined;
}

const entriesOf = (value: Json | undefined): ReadonlyMap<string, Json> | undefined =>
  typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined;

/** Lists of texts are sets: order and position mean nothing. */
const isSet = (value: Json | undefined): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

const differencesOf = (was: Json | undefined, is: Json | undefined, place = ''): readonly Difference[] => {
  if (JSON.stringify(was) === JSON.stringify(is)) return [];
  const [before, after] = [entriesOf(was), entriesOf(is)];
  if (!before || !after || isSet(was) || isSet(is)) return [{ place, was, is }];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.flatMap((name) =>
    differencesOf(before.get(name), after.get(name), place === '' ? name : `${place}.${name}`),
  );
};

const text = (value: Json): string => clip(typeof value === 'string' ? value : JSON.stringify(value), 80);

/** A place in a schema as in a body: `results[].id`. */
const placeInBody = (place: string): string =>
  place.replace(/(^|\.)properties\./g, '$1').replace(/\.items(?=\.|$)/g, '[]');

const differenceWords = ({ place, was, is }: Difference): string => {
  const name = place === '' ? 'it' : placeInBody(place);
  if (was === undefined) return `${name} is new`;
  return is === undefined ? `${name} is gone` : `${name} was ${text(was)}, is ${text(is)}`;
};

const most = 5;

/** What differs from the baseline: `status was 401, is 403`. */
export const driftWords = ({ was, is }: Drift): string => {
  if (is === undefined) return was === undefined ? 'it is gone' : `it is gone; it was ${text(was)}`;
  if (was === undefined) return `it is new: ${text(is)}`;
  return firstOf(differencesOf(was, is).map(differenceWords), most);
};

/** `driftWords`, with how sure it is: a fact of one read may be a passing one. */
export const sureDriftWords = (drift: Drift): string => {
  const surety = drift.reads > 1 ? `the same in ${counted(drift.reads, 'read')}` : 'seen once';
  return drift.is === undefined ? driftWords(drift) : `${driftWords(drift)} (${surety})`;
};

/** The request that shows what is, as a curl command; none for what is gone. */
export const driftCurl = (
  { exchanges: [id = ''] }: Drift,
  decisive: ReadonlyMap<string, Exchange> = new Map(),
  options: RunSummary['options'],
): string | undefined => {
  const exchange = decisive.get(id);
  return exchange && curlLine(exchange, options);
};
