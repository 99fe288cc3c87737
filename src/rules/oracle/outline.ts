import type { ScalarShape, Shape } from '../../wire/facts.js';

/** What stands where in a JSON body. Pure functions of its shape. */

export const isScalar = (shape: Shape): shape is ScalarShape => shape.type !== 'object' && shape.type !== 'array';

/** A value that says something by its digest. */
export const isTelling = (shape: Shape): boolean =>
  (shape.type === 'string' || shape.type === 'number') && shape.passing !== true;

/** An object used as a dictionary: its member names are data. It counts as an array of its values. */
const itemsOf = (shape: Shape): readonly Shape[] | undefined => {
  if (shape.type === 'array') return shape.items;
  return shape.type === 'object' && isDictionary(shape) ? shape.members.map(([, value]) => value) : undefined;
};

/** Names that only data has; or two records or more under names of any kind, which share most of their own members' names. */
const isDictionary = ({ members }: Extract<Shape, { type: 'object' }>): boolean => {
  if (members.length > 0 && members.every(([name]) => name.startsWith('#'))) return true;
  if (members.length < 2) return false;
  const records = members.map(([, value]) => (value.type === 'object' ? value.members.map(([name]) => name) : []));
  const [first = []] = records;
  return (
    first.length >= 2 &&
    records.every((names) => {
      const shared = names.filter((name) => first.includes(name)).length;
      return shared * 2 > Math.max(names.length, first.length);
    })
  );
};

/** What stands outside arrays, by member path. */
export interface Outline {
  readonly scalars: ReadonlyMap<string, ScalarShape>;
  readonly lists: ReadonlyMap<string, readonly Shape[]>;
  readonly members: ReadonlySet<string>;
}

const outlines = new WeakMap<Shape, Outline>();

/** The outline of a body's shape, which is read once however often it is compared. */
export const outlineOf = (shape: Shape): Outline => {
  const known = outlines.get(shape);
  if (known) return known;
  const outline = readOutline(shape);
  outlines.set(shape, outline);
  return outline;
};

const readOutline = (shape: Shape): Outline => {
  const scalars = new Map<string, ScalarShape>();
  const lists = new Map<string, readonly Shape[]>();
  const members = new Set<string>();
  const walk = (value: Shape, path: string): void => {
    members.add(path);
    const items = itemsOf(value);
    if (items) lists.set(path, items);
    else if (isScalar(value)) scalars.set(path, value);
    else if (value.type === 'object') for (const [name, inner] of value.members) walk(inner, `${path}/${name}`);
  };
  walk(shape, '');
  return { scalars, lists, members };
};

export const memberNames = (items: readonly Shape[]): Set<string> =>
  new Set(items.flatMap((item) => (item.type === 'object' ? item.members.map(([name]) => name) : [])));

export const sameShape = (a: Shape, b: Shape): boolean => {
  if (a === b) return true;
  if (a.type === 'object')
    return (
      b.type === 'object' &&
      a.members.length === b.members.length &&
      a.members.every(([name, value], index) => {
        const other = b.members[index];
        return other !== undefined && other[0] === name && sameShape(value, other[1]);
      })
    );
  if (a.type === 'array')
    return (
      b.type === 'array' &&
      a.length === b.length &&
      a.items.every((item, index) => {
        const other = b.items[index];
        return other !== undefined && sameShape(item, other);
      })
    );
  if (b.type === 'object' || b.type === 'array') return false;
  return a.type === b.type && (a.digest === b.digest || (a.passing === true && b.passing === true));
};

export const isSameList = (a: readonly Shape[], b: readonly Shape[]): boolean =>
  sameShape({ type: 'array', length: a.length, items: a }, { type: 'array', length: b.length, items: b });

/** Members by which an envelope says how it went. */
export const tellsTheOutcome =
  /^(code|status|state|success|ok|error|errors|err|message|msg|detail|details|reason|result|title|type)$/i;

/** Members that an envelope has without holding any data: how it went, and where to go from there. */
const isEnvelope =
  /err|code|status|state|success|^ok$|messag|msg|detail|reason|result(?!s)|title|^type$|fault|problem|hint|help|docs?$|login|auth(?!or)|ur[il]$|links?$|href|notice|warn|curies|^ret$|^info$/i;

export const inEnvelope = (path: string): boolean => path.split('/').some((name) => isEnvelope.test(name));

/** The name at the end of a member path. */
export const lastName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
