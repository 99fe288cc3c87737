import type { BodyFacts, Shape } from '../../wire/facts.js';
import type { Exchange, Response } from '../../wire/types.js';
import { again } from '../probes.js';
import type { Look } from '../rule.js';
import { isRedirect, sameAnswer } from './compare.js';
import { answerOf } from './controls.js';

/** Whether `other` is the answer to the exchange's request, which is sent once more where only what is volatile may differ. */
export const isAnswerTo = (look: Look, exchange: Exchange, other: Response): boolean => {
  const first = answerOf(exchange);
  if (!first) return false;
  if (sameAnswer(first, other)) return true;
  if (first.status !== other.status || !ofOneKind(first.facts, other.facts) || isRedirect(other)) return false;
  const second = answerOf(look(again(exchange.probe)));
  return second !== undefined && (sameButVolatile(first, second, other) || sameManner(first, second, other));
};

/** Whether `other` may be that answer, or one to a request that is repeated in it: to tell answers apart, more than this has to differ. */
export const mayBeAnswerTo = (look: Look, exchange: Exchange, other: Response): boolean => {
  if (isAnswerTo(look, exchange, other)) return true;
  const first = answerOf(exchange);
  if (first?.status !== other.status || first.facts.kind !== 'text') return false;
  const second = answerOf(look(again(exchange.probe)));
  return second?.status === other.status && isWhollyVolatile(first, second, other);
};

/** A text of one line that is never the same twice: its first words cannot be told from its clock. */
const isWhollyVolatile = (first: Response, second: Response, other: Response): boolean =>
  ofOneKind(first.facts, second.facts) &&
  ofOneKind(first.facts, other.facts) &&
  first.facts.kind === 'text' &&
  [first, second, other].every(({ facts }) => facts.pieces?.length === 1) &&
  new Set([first, second, other].map(({ facts }) => facts.digest)).size === 3;

/** Told in the same manner: by the same fields, in as many words. */
const sameManner = (first: Response, second: Response, other: Response): boolean =>
  isWhollyVolatile(first, second, other) &&
  fieldNames(first) === fieldNames(other) &&
  Math.abs(first.facts.size - other.facts.size) <= 8;

/** But those that tell of a moment or a connection, and the one that belongs to HTTPS alone (RFC 6797, section 7.2). */
const fieldNames = ({ headers }: Response): string =>
  headers
    .map(([name]) => name.toLowerCase())
    .filter(
      (name) => !/^(?:date|connection|keep-alive|content-length|set-cookie|strict-transport-security)$/.test(name),
    )
    .sort()
    .join(' ');

/** The same for bodies, whatever the status of the other. */
export const isBodyOf = (look: Look, exchange: Exchange, other: Response): boolean => {
  const first = answerOf(exchange);
  if (!first || first.facts.kind === 'empty' || !ofOneKind(first.facts, other.facts)) return false;
  if (sameFacts(first.facts, first.facts, other.facts)) return true;
  const second = answerOf(look(again(exchange.probe)));
  return second !== undefined && sameFacts(first.facts, second.facts, other.facts);
};

/**
 * Whether `other` is the answer that was read twice as `first` and `second`, but for what differed between those two: a
 * duration, a counter, a short identifier of the request, a clock. Read `second` after `other`: whatever goes by the clock has
 * then moved between the two reads as well. False where nothing stayed the same, unless JSON whose scalars are all volatile
 * (a duration beside an empty list) is to count: `hollow`.
 */
export const sameButVolatile = (first: Response, second: Response, other: Response, hollow = false): boolean => {
  if (sameAnswer(first, other) || sameAnswer(second, other)) return true;
  if ([second, other].some(({ status }) => status !== first.status)) return false;
  if ([first, second, other].some(isRedirect)) return false;
  return sameFacts(first.facts, second.facts, other.facts, hollow);
};

const ofOneKind = (a: BodyFacts, b: BodyFacts): boolean => a.kind === b.kind && a.mediaType === b.mediaType;

const sameFacts = (first: BodyFacts, second: BodyFacts, other: BodyFacts, hollow = false): boolean => {
  if (!ofOneKind(first, second) || !ofOneKind(first, other)) return false;
  if ([first, second].some(({ digest }) => digest === other.digest)) return true;
  if (first.shape && second.shape && other.shape) return sameShapes(first.shape, second.shape, other.shape, hollow);
  return first.pieces !== undefined && second.pieces !== undefined && other.pieces !== undefined
    ? samePieces(first.pieces, second.pieces, other.pieces)
    : false;
};

/** Pieces in their order: what stood still in the two reads stands there again. */
const samePieces = (first: readonly string[], second: readonly string[], other: readonly string[]): boolean => {
  if (second.length !== first.length || other.length !== first.length) return false;
  const stable = first.flatMap((piece, index) => (second[index] === piece ? [index] : []));
  return stable.length > 0 && stable.every((index) => other[index] === first[index]);
};

/** Members whose scalars differ; items of one list count as one, since lists come in another order. `undefined`: the structure differs. */
const differing = (a: Shape, b: Shape): ReadonlySet<string> | undefined => {
  const found = new Set<string>();
  const walk = (left: Shape, right: Shape, path: string): boolean => {
    if (left.type === 'object') {
      if (right.type !== 'object' || left.members.length !== right.members.length) return false;
      const others = new Map(right.members);
      return left.members.every(([name, value]) => {
        const other = others.get(name);
        return other !== undefined && walk(value, other, `${path}/${name}`);
      });
    }
    if (left.type === 'array')
      return (
        right.type === 'array' &&
        left.length === right.length &&
        left.items.every((item, index) => {
          const other = right.items[index];
          return other !== undefined && walk(item, other, `${path}/*`);
        })
      );
    if (right.type === 'object' || right.type === 'array') return false;
    if (left.digest !== right.digest && !(left.passing && right.passing)) found.add(path);
    return true;
  };
  return walk(a, b, '') ? found : undefined;
};

const scalarPaths = (shape: Shape, path = ''): string[] => {
  if (shape.type === 'object') return shape.members.flatMap(([name, value]) => scalarPaths(value, `${path}/${name}`));
  if (shape.type === 'array') return shape.items.flatMap((item) => scalarPaths(item, `${path}/*`));
  return [path];
};

const sameShapes = (first: Shape, second: Shape, other: Shape, hollow: boolean): boolean => {
  const volatile = differing(first, second);
  const seen = differing(first, other);
  return (
    volatile !== undefined &&
    seen !== undefined &&
    [...seen].every((path) => volatile.has(path)) &&
    (hollow || scalarPaths(first).some((path) => !volatile.has(path)))
  );
};
