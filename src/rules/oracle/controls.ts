import { recently } from '../../collections.js';
import type { Contract, Operation } from '../../contract/model.js';
import type { BodyFacts } from '../../wire/facts.js';
import type { Exchange, Probe, Response } from '../../wire/types.js';
import { oncePerLook } from '../once-per-look.js';
import { baseOf, missingOf, read } from '../probes.js';
import type { OperationRule, OperationSubject } from '../rule.js';
import { isSuccess, sameAnswer } from './compare.js';
import { isDocumentedData } from './documented-data.js';
import { mayRefuse, refusedLike } from './refusal.js';
import { sameStructure } from './structure.js';

/** What "granted" and "nothing there" look like on this server, for one protected operation. */
export interface Controls {
  readonly keyed: readonly [Exchange, Exchange];
  readonly anonymous: Exchange;
  readonly missing: Exchange;
  /** The missing path with the key: a service that says the same to every request with a key has shown nothing. */
  readonly keyedMissing: Exchange;
  readonly base: Exchange;
  /** With a random key, asked only where the answer with the key may be a refusal that is told in the body. */
  readonly random?: Exchange;
  /** The document says that it is data, where it may else be such a refusal. */
  readonly documented?: true;
  /** Reads of a few public operations: what everybody may see. */
  readonly publics: readonly Exchange[];
  readonly all: readonly Exchange[];
}

/** Controls whose keyed reads opened the operation: others can be compared with them. */
export interface UsableControls extends Controls {
  readonly first: Response;
  readonly second: Response;
  /** Digests of scalars that the key's owner sees and nobody else did. */
  readonly protectedValues: ReadonlySet<string>;
}

export const answerOf = (exchange: Exchange): Response | undefined => exchange.attempts.at(-1)?.response;

const mostPublics = 3;

const firstPublic = recently((contract: Contract): readonly Operation[] =>
  contract.operations.filter(({ access, method }) => access === 'public' && method === 'GET').slice(0, mostPublics),
);

export const publicOperations = ({ contract }: OperationSubject): readonly Operation[] => firstPublic(contract);

/** The probes of everything that is read without a key before any key is sent. */
export const anonymousControls = recently((subject: OperationSubject): readonly Probe[] => [
  read(subject, { name: 'without a key', credential: 'none' }),
  missingOf(subject, read(subject, { name: 'a path that does not exist', credential: 'none' })),
  baseOf(subject, read(subject, { name: 'the base path', credential: 'none' })),
]);

const keyedReads = recently((_subject: OperationSubject) => new Map<string, Probe>());

/** The documented read. `occasion` tells it from the same read at other times: what was sent for one rule is not read for another. */
export const keyedControl = (subject: OperationSubject, round: number, occasion?: string): Probe => {
  const reads = keyedReads(subject);
  const called = `${round} ${occasion ?? ''}`;
  const probe =
    reads.get(called) ??
    read(subject, {
      name: 'with the key',
      credential: 'valid',
      round,
      ...(occasion === undefined ? {} : { occasion }),
    });
  reads.set(called, probe);
  return probe;
};

/** What tells the reads that follow a rule's requests from all others. */
export const after = ({ id }: Pick<OperationRule, 'id'>): string => `after ${id}`;

/**
 * The read with the key after a rule's requests: where it no longer opens, their refusals say nothing. Nothing but reads goes out before the
 * controls, so the second of these stands behind the rules of their own stage.
 */
export const healthRead = (subject: OperationSubject, rule: Pick<OperationRule, 'id' | 'stage'>): Probe =>
  rule.stage === 'keyed' ? keyedControl(subject, 2) : keyedControl(subject, 1, after(rule));

/** Two reads with the key, and a path that does not exist with it. */
export const keyedControls = recently((subject: OperationSubject): readonly Probe[] => [
  keyedControl(subject, 1),
  keyedControl(subject, 2),
  missingOf(subject, { ...keyedControl(subject, 1), name: 'a path that does not exist, with the key' }),
]);

const publicReads = recently((subject: OperationSubject): readonly Probe[] =>
  publicOperations(subject).map((operation) =>
    read({ ...subject, operation }, { name: `the public ${operation.id}`, credential: 'none' }),
  ),
);

/** Reads the controls, those without a key first. */
export const controlsOf = oncePerLook((subject: OperationSubject, look): Controls => {
  const open = look.all([...anonymousControls(subject), ...publicReads(subject)]);
  const [anonymous, missing, base] = open;
  const [first, second, keyedMissing] = look.all(keyedControls(subject));
  if (!anonymous || !missing || !base || !first || !second || !keyedMissing)
    throw new TypeError('a look returns an exchange for every probe');
  const keyed = [first, second] as const;
  const answer = answerOf(first);
  const random =
    answer && isSuccess(answer) && mayRefuse(answer.facts)
      ? look(read(subject, { name: 'with a random key', credential: 'random' }))
      : undefined;
  const nowhere = [missing, keyedMissing, base].flatMap((exchange) => answerOf(exchange) ?? []);
  const repeated = answerOf(second);
  const documented = random && answer && repeated && isDocumentedData(subject, answer, repeated, nowhere);
  return {
    keyed,
    anonymous,
    missing,
    keyedMissing,
    base,
    ...(random ? { random } : {}),
    ...(documented ? { documented } : {}),
    publics: open.slice(3),
    all: [...keyed, anonymous, missing, keyedMissing, base, ...(random ? [random] : [])],
  };
});

const judged = new WeakMap<Exchange, { readonly controls: Controls; readonly result: UsableControls | string }>();

const same = (a: Controls, b: Controls): boolean =>
  a.all.every((exchange, index) => exchange === b.all[index]) &&
  a.publics.length === b.publics.length &&
  a.publics.every((exchange, index) => exchange === b.publics[index]);

/** A sentence that says why the keyed control is not usable, or the usable controls. Every rule of an operation asks. */
export const usable = (controls: Controls): UsableControls | string => {
  const before = judged.get(controls.keyed[0]);
  if (before && same(before.controls, controls)) return before.result;
  const result = examine(controls);
  judged.set(controls.keyed[0], { controls, result });
  return result;
};

/** How a sentence of `usable` begins where the key got what something else got: the only reasons to look for another way. */
export const answeredLike = 'the read with the key was answered like';

/** Why controls are not usable whose key was refused with a 2xx, as far as can be seen. */
export const refusedInBody = `${answeredLike} one without a key or with a random one, in a body that may be a refusal`;

const examine = (controls: Controls): UsableControls | string => {
  const [first, second] = controls.keyed.map(answerOf);
  if (!first || !second) return 'the read with the key got no answer';
  if (!isSuccess(first)) return `the read with the key was answered with ${first.status}`;
  if (!isSuccess(second)) return `the second read with the key was answered with ${second.status}`;
  if (!agree(first, second)) return 'two reads with the key differ in media type or structure';
  for (const [name, exchange] of [
    ['a path that does not exist', controls.missing],
    ['a path that does not exist, with the key', controls.keyedMissing],
    ['the base path', controls.base],
  ] as const) {
    const answer = answerOf(exchange);
    if (!answer && !closesEachTime(exchange)) return `${name} got no answer, so there is nothing to compare with`;
    if (answer && sameAnswer(first, answer)) return `${answeredLike} ${name}`;
  }
  const others = [controls.anonymous, ...(controls.random ? [controls.random] : [])];
  if (!controls.documented && others.some((other) => refusedLike(first, second, answerOf(other)))) return refusedInBody;
  return { ...controls, first, second, protectedValues: protectedValues(first, second, controls) };
};

/** A connection that is closed on every try is how some gateways say that nothing is there: unlike any success. */
export const closesEachTime = ({ attempts }: Exchange): boolean =>
  attempts.length > 0 && attempts.every(({ error }) => error?.code === 'reset');

/** Same media type and structure; of a text, much of it the same, or told in as many pieces of about the same length. */
export const agree = (first: Response, second: Response): boolean => {
  const [a, b] = [first.facts, second.facts];
  if (a.mediaType !== b.mediaType || a.kind !== b.kind) return false;
  if (a.digest === b.digest) return true;
  if (a.shape && b.shape) return sameStructure(a.shape, b.shape);
  return !a.pieces || !b.pieces || areAlike(a, b);
};

/** What goes by a clock may be other in every piece, and a list may be in another order: another page has other pieces. */
const areAlike = (a: BodyFacts, b: BodyFacts): boolean => {
  const [left = [], right = []] = [a.pieces, b.pieces];
  const seen = new Set(right);
  if (left.filter((piece) => seen.has(piece)).length * 2 >= Math.max(left.length, right.length)) return true;
  return left.length === right.length && Math.min(a.size, b.size) * 4 >= Math.max(a.size, b.size) * 3;
};

const protectedValues = (first: Response, second: Response, controls: Controls): Set<string> => {
  const open = [controls.missing, controls.base, ...controls.publics].map(answerOf);
  const common = new Set(
    open.flatMap((response) => [...(response?.facts.values ?? []), ...(response?.facts.parts ?? [])]),
  );
  const again = new Set(second.facts.values);
  return new Set(first.facts.values.filter((value) => again.has(value) && !common.has(value)));
};
