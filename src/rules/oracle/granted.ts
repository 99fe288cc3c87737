import type { BodyFacts } from '../../wire/facts.js';
import type { Exchange, Probe, Response } from '../../wire/types.js';
import { equalButVolatile, header, isRedirect, isSuccess, isUnavailable, sameAnswer, sameHead } from './compare.js';
import { answerOf, closesEachTime, type UsableControls } from './controls.js';
import { carriesOwned, carriesSome, isAsLongAsKeyed, type Owned } from './leaks.js';
import { mayRefuse, showsRecords } from './refusal.js';
import { sameRows, structureOf } from './structure.js';

/** How one answer to a request without the key reads, compared with the controls. */
export interface Reading {
  readonly verdict: 'granted' | 'refused' | 'unclear';
  /** What was seen, in words that finish "…": `401`, `200 with another body`. */
  readonly seen: string;
  /** True for a refusal worth a remark: told in a 2xx body, or by a server error. */
  readonly remarkable?: true;
  /** True where it is the answer of a place where nothing is. */
  readonly nothing?: true;
  /** True where one look is not enough (a server error): asked again before it counts. */
  readonly again?: true;
}

const reading = (verdict: Reading['verdict'], seen: string, more: Partial<Reading> = {}): Reading => ({
  verdict,
  seen,
  ...more,
});

export interface ReadingOptions {
  /** The answers of a redirect chain, followed without credentials. */
  readonly followed?: readonly Exchange[];
  /** Answers to the same request without its trick: an answer equal to one of them is not the operation's. */
  readonly withoutTrick?: readonly Exchange[];
  /** Whether a connection that is closed or reset each time counts as a refusal (odd paths, wrong keys). */
  readonly resetRefuses?: boolean;
}

export const read = (exchange: Exchange, controls: UsableControls, options: ReadingOptions = {}): Reading => {
  const answer = answerOf(exchange);
  return answer ? readResponse(answer, controls, options) : readError(exchange, options);
};

const readings = new WeakMap<UsableControls, WeakMap<Response, Reading>>();

/** The same for an answer whose exchange does not matter. Servers refuse with the same answer again and again: it is read once. */
export const readResponse = (answer: Response, controls: UsableControls, options: ReadingOptions = {}): Reading => {
  const { followed = [], withoutTrick = [] } = options;
  if (followed.length > 0 || withoutTrick.length > 0) return readAnew(answer, controls, options);
  const known = readings.get(controls) ?? new WeakMap<Response, Reading>();
  readings.set(controls, known);
  const found = known.get(answer) ?? readAnew(answer, controls, {});
  known.set(answer, found);
  return found;
};

const readAnew = (answer: Response, controls: UsableControls, options: ReadingOptions): Reading => {
  const owned = ownedBy(controls, options);
  const found = readAgainst(answer, controls, options, owned);
  if (found.verdict !== 'refused' || found.nothing || !carriesSome(answer, owned)) return found;
  return reading(
    'unclear',
    `${answer.status} with a few of the values that the key's owner sees, which may be there for another reason`,
  );
};

/** What anybody gets where nothing is. No public resource: empty lists look alike wherever they come from. */
const nothingThereOf = (
  { missing, base }: UsableControls,
  { withoutTrick = [] }: ReadingOptions,
): readonly Exchange[] => [missing, base, ...withoutTrick];

const readAgainst = (answer: Response, controls: UsableControls, options: ReadingOptions, owned: Owned): Reading => {
  const nothing = nothingThereOf(controls, options);
  const open = [...nothing, ...controls.publics];
  const nothingThere = nothing.map(answerOf);
  const alike = nothingThere.filter((other) => other !== undefined && sameAnswer(answer, other));
  const opened = isRedirect(answer)
    ? (options.followed ?? []).find(
        (next) =>
          !open.some(({ probe }) => isSameRequest(probe, next.probe)) &&
          read(next, controls, { ...options, followed: [] }).verdict === 'granted',
      )
    : undefined;
  const to = header(answer, 'location') ?? '';
  // A redirect that every path gets, with the path in its query, may still lead to the data.
  const isNothing = alike.some((other) => !opened || (other && header(other, 'location')) === to);
  if (!isNothing && carriesOwned(answer, owned))
    return reading('granted', `${answer.status} with values that only the key's owner sees`);
  if (answer.status === 429) return reading('unclear', '429 to the end');
  if (isUnavailable(answer) && !(isNothing && isHowNothingIsTold(answer, controls)))
    return reading('unclear', `${answer.status}, which is no answer`);
  if (isNothing) return reading('refused', `${answer.status}, as where nothing is`, { nothing: true });
  if (isAsLongAsKeyed(answer, owned))
    return reading('unclear', `${answer.status} with a body of the media type and the length that the key gets`);
  if (isRedirect(answer))
    return opened
      ? reading('granted', `a redirect to ${to}, which opens`)
      : reading('refused', `${answer.status} to ${to}`);
  if (answer.status >= 500)
    return reading('refused', `${answer.status}, a server error`, { remarkable: true, again: true });
  if (!isSuccess(answer)) return reading('refused', `${answer.status}`);
  return controls.keyed[0].probe.method === 'HEAD'
    ? readHead(answer, controls)
    : readSuccess(answer, controls, owned, options);
};

/** What everybody gets at that place, however its values change: a redirect that leads to a public resource opens nothing. */
const isSameRequest = (a: Probe, b: Probe): boolean =>
  a.method === b.method && a.origin === b.origin && a.target === b.target;

/**
 * A gateway that knows no backend for a path says 503 of it, on every try and whoever asks. An outage would have met the
 * reads with the key too.
 */
const isHowNothingIsTold = (answer: Response, { missing, keyedMissing, base }: UsableControls): boolean => {
  const says = ({ attempts }: Exchange): boolean =>
    attempts.every(({ response }) => response !== undefined && sameAnswer(answer, response));
  return says(base) || [missing, keyedMissing].every(says);
};

const ownedBy = (controls: UsableControls, options: ReadingOptions): Owned => ({
  ...controls,
  open: [...nothingThereOf(controls, options), controls.keyedMissing, ...controls.publics]
    .map(answerOf)
    .filter((other) => other !== undefined),
});

/** A success without a body, where the operation is itself read with HEAD. */
const readHead = (answer: Response, { first, second }: UsableControls): Reading => {
  const same = sameHead(first, second, answer);
  if (same === undefined) return reading('unclear', `${answer.status} to HEAD, with nothing to compare`);
  return same
    ? reading('granted', `${answer.status} with the fields that the key gets`)
    : reading('refused', `${answer.status} to HEAD, unlike with the key`, { remarkable: true });
};

const readError = (exchange: Exchange, { resetRefuses = false }: ReadingOptions): Reading => {
  const error = exchange.attempts.at(-1)?.error;
  if (resetRefuses && closesEachTime(exchange)) return reading('refused', 'the connection closed each time');
  return reading('unclear', error ? `no answer (${error.code}: ${error.message})` : 'no answer');
};

/** A filled list whose rows have the members of one that everybody gets: that may come in another order, or with other rows, each time. */
const listsLike = ({ shape }: BodyFacts, { facts }: Response): boolean =>
  shape !== undefined && facts.shape !== undefined && sameRows(facts.shape, shape);

/** A 2xx with the structure that the key opens. */
const readKept = (
  { status }: Response,
  isAmong: (others: readonly Response[]) => boolean,
  { open }: Owned,
  { withoutTrick = [] }: ReadingOptions,
): Reading => {
  const words = `${status} with the structure that the key opens`;
  if (isAmong(withoutTrick.flatMap((other) => answerOf(other) ?? [])))
    return reading('refused', `${words}, as without the trick`);
  return isAmong(open) ? reading('unclear', `${words}, which everybody gets elsewhere too`) : reading('granted', words);
};

/** A 2xx: the keyed representation, or something else that says no. */
const readSuccess = (
  answer: Response,
  { first, second }: UsableControls,
  owned: Owned,
  options: ReadingOptions,
): Reading => {
  const [keyed, seen] = [first.facts, answer.facts];
  const refusedInBody = reading('refused', `${answer.status} with another body`, { remarkable: true });
  if (seen.digest === keyed.digest && seen.kind === keyed.kind)
    return reading('granted', `${answer.status} with the same body`);
  // Of a body that was cut, no structure is known to compare with.
  if (keyed.truncated && seen.mediaType === keyed.mediaType && !equalButVolatile(keyed, second.facts, seen))
    return mayRefuse(seen)
      ? refusedInBody
      : reading('unclear', `${answer.status} with another body, and what the key opens is too long to compare`);
  if (keyed.shape && second.facts.shape) {
    const structure = seen.shape ? structureOf(keyed.shape, second.facts.shape, seen.shape) : 'other';
    const isAmong = (others: readonly Response[]): boolean => others.some((other) => listsLike(seen, other));
    if (structure === 'kept') return readKept(answer, isAmong, owned, options);
    if (structure === 'unclear')
      return reading(
        'unclear',
        `${answer.status} with the members that the key opens and other values, which cannot be told from data`,
      );
    return showsRecords(keyed.shape, seen) && !isAmong(owned.open)
      ? reading('unclear', `${answer.status} with records of another structure, which cannot be told from data`)
      : refusedInBody;
  }
  if (seen.kind === 'empty' || seen.kind !== keyed.kind || seen.mediaType !== keyed.mediaType) return refusedInBody;
  if (equalButVolatile(keyed, second.facts, seen)) return reading('granted', `${answer.status} with the same body`);
  if (keyed.kind === 'html') return refusedInBody;
  return reading(
    'unclear',
    `${answer.status} with another body of the same media type, which cannot be told from data`,
  );
};
