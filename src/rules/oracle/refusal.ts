import type { BodyFacts, ScalarShape, Shape } from '../../wire/facts.js';
import type { Response } from '../../wire/types.js';
import { equalButVolatile, isSuccess, sameBody, sameHead } from './compare.js';
import { inEnvelope, isTelling, lastName, memberNames, type Outline, outlineOf, tellsTheOutcome } from './outline.js';
import { keepsStructure } from './structure.js';

/**
 * Whether a 2xx with the key may itself be a refusal that is told in the body: the key is wrong or expired, or is not taken
 * where the contract puts it. Such an answer is no control. Pure functions of facts.
 */

/** As many pieces as an error in XML comes with; lines that a refusal in text has; bytes of one in a binary format. */
const smallest = { xml: 8, text: 2, binary: 128 } as const;

/** A body that shows nothing by which data can be told from a refusal with status 200. */
export const mayRefuse = ({ kind, mediaType, size, truncated, shape, pieces = [] }: BodyFacts): boolean => {
  if (truncated) return false;
  if (shape) return isBareEnvelope(outlineOf(shape));
  if (kind === 'html') return true;
  if (kind === 'empty') return mediaType === '' || mediaType.includes('html');
  if (kind === 'xml' || kind === 'text') return pieces.length <= smallest[kind];
  return size <= smallest.binary;
};

const filledLists = ({ lists }: Outline): readonly (readonly Shape[])[] =>
  [...lists].flatMap(([path, items]) => (items.length > 0 && holdsData(path, items) ? [items] : []));

/** Services call the list of their records `result`, `messages` or `links` too; what stands in one of errors is an error. */
const holdsData = (path: string, items: readonly Shape[]): boolean =>
  !inEnvelope(path) || (!/err|warn|fault|problem|detail|hint|reason/i.test(path) && items.every(isRecord));

/** An item that holds data, whatever the list around it is called: an error, a link or a notice has an envelope's members alone. */
const isRecord = (item: Shape): boolean => {
  if (item.type !== 'object') return false;
  const data = [...outlineOf(item).scalars].filter(([path, value]) => !inEnvelope(path) && isTelling(value));
  return data.length >= 2 && data.length * 2 > item.members.length;
};

/**
 * A list of what may be somebody's records, where the key gets another structure: items that hold data, or that have members
 * of the keyed items and no others.
 */
export const showsRecords = (keyed: Shape, { shape }: BodyFacts): boolean => {
  if (!shape) return false;
  const named = [...outlineOf(keyed).lists].flatMap(([path, items]) => (inEnvelope(path) ? [] : items));
  const known = memberNames(named);
  return [...outlineOf(shape).lists].some(([path, items]) =>
    items.some((item) => {
      const names = inEnvelope(path) ? [] : [...memberNames([item])];
      return isRecord(item) || (names.length > 0 && names.every((name) => known.has(name)));
    }),
  );
};

/** No filled list, and no record: of the values that say something, most stand in members of an envelope. */
const isBareEnvelope = (outline: Outline): boolean => {
  if (filledLists(outline).length > 0) return false;
  if (outline.lists.size > 0 && ![...outline.members].some(inEnvelope)) return false;
  const telling = [...outline.scalars].filter(([, value]) => isTelling(value));
  const data = telling.filter(([path]) => !inEnvelope(path));
  return data.length < 2 || data.length * 2 <= telling.length;
};

/** Whether the read with the key was answered as `other` was, one without the key, in a body that may be a refusal. */
export const refusedLike = (first: Response, second: Response, other: Response | undefined): boolean => {
  if (!other || !isSuccess(other) || !mayRefuse(first.facts)) return false;
  return isLike(first, second, other) || tellsAnotherRefusal(first, other) || holdsMore(other);
};

const isLike = (first: Response, second: Response, other: Response): boolean => {
  const [a, b, c] = [first.facts, second.facts, other.facts];
  if (a.kind !== c.kind || a.mediaType !== c.mediaType) return false;
  if (a.kind === 'empty') return sameHead(first, second, other) ?? true;
  if (sameBody(a, c)) return true;
  if (a.shape && b.shape && c.shape) return keepsStructure(a.shape, b.shape, c.shape);
  return equalButVolatile(a, b, c);
};

/** The same members, nothing in their lists, and no difference but in what tells the outcome: "is needed" and "has expired". */
const tellsAnotherRefusal = ({ facts: a }: Response, { facts: b }: Response): boolean => {
  if (!a.shape || !b.shape || !mayRefuse(b)) return false;
  const [keyed, other] = [outlineOf(a.shape), outlineOf(b.shape)];
  if ([...keyed.members].some((path) => !other.members.has(path))) return false;
  if ([...keyed.lists.keys()].some((path) => !other.lists.has(path))) return false;
  return [...keyed.scalars].every(([path, value]) => {
    const said = other.scalars.get(path);
    if (said?.digest === value.digest) return true;
    if (said === undefined || turned(value, said)) return false;
    return value.passing === true || tellsTheOutcome.test(lastName(path));
  });
};

/** The key made the outcome another one: no error, the code 0, a status of success, or the other boolean. */
const turned = (keyed: ScalarShape, other: ScalarShape): boolean =>
  (keyed.type === 'null' && other.type !== 'null') ||
  (keyed.type === 'boolean' && other.type === 'boolean') ||
  (keyed.outcome === 'success' && other.outcome === 'error') ||
  (keyed.type === 'number' && keyed.countLike === true && other.countLike !== true);

/** Data where the key gets an envelope without any. */
const holdsMore = ({ facts: { shape } }: Response): boolean =>
  shape !== undefined && filledLists(outlineOf(shape)).length > 0;
