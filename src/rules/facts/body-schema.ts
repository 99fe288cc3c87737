import type { Json } from '../../canonical-json.js';
import type { Shape } from '../../wire/body-shape.js';
import { isPlainName } from '../../wire/shape-builder.js';
import type { Exchange } from '../../wire/types.js';
import { answerOf } from '../oracle/answers.js';
import { isMap, isScalar } from '../oracle/view.js';

/**
 * The JSON Schema of bodies: names, types and formats, never a value. What was not seen of every
 * value is not said.
 */
export interface BodySchema {
  readonly [keyword: string]: Json;
}

interface Described {
  /** Empty: nothing is known. */
  readonly types: ReadonlySet<string>;
  readonly format?: string;
  readonly members?: ReadonlyMap<string, Described>;
  /** Names of the members that every object has. */
  readonly required?: ReadonlySet<string>;
  /** Of members whose names are data. */
  readonly others?: Described;
  readonly items?: Described;
}

/** Any value fits. */
const anything: Described = { types: new Set() };

const unionOfTypes = (a: ReadonlySet<string>, b: ReadonlySet<string>): Set<string> => {
  if (a.size === 0 || b.size === 0) return new Set();
  const types = new Set([...a, ...b]);
  if (types.has('number')) types.delete('integer');
  return types;
};

const both = <T>(a: T | undefined, b: T | undefined, merge: (a: T, b: T) => T): T | undefined =>
  a === undefined ? b : b === undefined ? a : merge(a, b);

const mergeMembers = (
  a: ReadonlyMap<string, Described>,
  b: ReadonlyMap<string, Described>,
): ReadonlyMap<string, Described> => {
  const merged = new Map(a);
  for (const [name, described] of b) {
    const known = merged.get(name);
    merged.set(name, known ? merge(known, described) : described);
  }
  return merged;
};

/** What fits both: each says what every value of one body is. */
const merge = (a: Described, b: Described): Described => {
  const format = isNullAlone(a) ? b.format : isNullAlone(b) || a.format === b.format ? a.format : undefined;
  const members = both(a.members, b.members, mergeMembers);
  const required = both(a.required, b.required, (one, other) => new Set([...one].filter((name) => other.has(name))));
  const others = both(a.others, b.others, merge);
  const items = both(a.items, b.items, merge);
  return {
    types: unionOfTypes(a.types, b.types),
    ...(format === undefined ? {} : { format }),
    ...(members ? { members } : {}),
    ...(required ? { required } : {}),
    ...(others ? { others } : {}),
    ...(items ? { items } : {}),
  };
};

const isNullAlone = ({ types }: Described): boolean => types.size === 1 && types.has('null');

const mergeAll = (all: readonly Described[]): Described | undefined =>
  all.length === 0 ? undefined : all.reduce(merge);

/** The same of values of which not all were seen: names alone. */
const namesAlone = ({ members, others, items }: Described): Described => ({
  types: new Set(),
  ...(members ? { members: new Map([...members].map(([name, inner]) => [name, namesAlone(inner)])) } : {}),
  ...(others ? { others: namesAlone(others) } : {}),
  ...(items ? { items: namesAlone(items) } : {}),
});

const isData = (name: string): boolean => !isPlainName(name) || name.startsWith('#');

/** Values deeper than this are not looked into. */
const deepest = 32;

const describe = (shape: Shape, depth = 0): Described => {
  if (depth > deepest) return anything;
  const inner = (value: Shape): Described => describe(value, depth + 1);
  if (isScalar(shape))
    return shape.type === 'text'
      ? anything
      : {
          types: new Set([shape.format === 'integer' ? 'integer' : shape.type]),
          ...(shape.format === undefined || shape.format === 'integer' ? {} : { format: shape.format }),
        };
  if (shape.type === 'array') {
    const items = mergeAll(shape.items.map(inner));
    return {
      types: new Set(['array']),
      ...(items ? { items: shape.items.length < shape.length ? namesAlone(items) : items } : {}),
    };
  }
  const mapped = isMap(shape.members);
  const named = mapped ? [] : shape.members.filter(([name]) => !isData(name));
  const others = mergeAll(shape.members.filter(([name]) => mapped || isData(name)).map(([, value]) => inner(value)));
  return {
    types: new Set(['object']),
    members: new Map(named.map(([name, value]) => [name, inner(value)])),
    required: new Set(named.map(([name]) => name)),
    ...(others ? { others } : {}),
  };
};

const sorted = (names: Iterable<string>): string[] => [...names].sort();

const schemaOf = ({ types, format, members, required, others, items }: Described): BodySchema => {
  const [only] = types;
  return {
    ...(types.size === 0 ? {} : { type: types.size === 1 && only !== undefined ? only : sorted(types) }),
    ...(format === undefined ? {} : { format }),
    ...(members && members.size > 0
      ? { properties: Object.fromEntries(sorted(members.keys()).map((name) => [name, ofMember(members, name)])) }
      : {}),
    ...(required && required.size > 0 ? { required: sorted(required) } : {}),
    ...(others ? { additionalProperties: schemaOf(others) } : {}),
    ...(items ? { items: schemaOf(items) } : {}),
  };
};

const ofMember = (members: ReadonlyMap<string, Described>, name: string): BodySchema =>
  schemaOf(members.get(name) ?? anything);

/**
 * The schema that the JSON bodies of all these answers fit; `undefined` where one is no JSON or was
 * not seen as a whole.
 */
export const bodySchema = (exchanges: readonly Exchange[]): BodySchema | undefined => {
  const shapes = exchanges.map((exchange) => {
    const facts = answerOf(exchange)?.shape;
    return facts?.kind === 'json' && facts.broken !== true ? facts.shape : undefined;
  });
  const seen = shapes.flatMap((shape) => (shape ? [describe(shape)] : []));
  const merged = seen.length === shapes.length ? mergeAll(seen) : undefined;
  return merged && schemaOf(merged);
};
