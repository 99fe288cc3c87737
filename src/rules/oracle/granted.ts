import type { Exchange, Response } from '../../wire/types.js';
import {
  equalButVolatile,
  header,
  headFingerprint,
  isRedirect,
  isSuccess,
  keepsStructure,
  outlineOf,
  sameAnswer,
} from './compare.js';
import { answerOf, type UsableControls } from './controls.js';

/** How one answer to a request without the key reads, compared with the controls. */
export interface Reading {
  readonly verdict: 'granted' | 'refused' | 'unclear';
  /** What was seen, in words that finish "…": `401`, `200 with another body`. */
  readonly seen: string;
  /** True for a refusal worth a remark: told in a 2xx body, or by a server error. */
  readonly remarkable?: true;
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

/** The same for an answer whose exchange does not matter. */
export const readResponse = (answer: Response, controls: UsableControls, options: ReadingOptions = {}): Reading => {
  if (answer.status === 429) return reading('unclear', '429 to the end');
  if ([502, 503, 504].includes(answer.status)) return reading('unclear', `${answer.status}, which is no answer`);
  const nothingThere = [controls.missing, controls.base, ...(options.withoutTrick ?? [])].map(answerOf);
  if (nothingThere.some((other) => other !== undefined && sameAnswer(answer, other)))
    return reading('refused', `${answer.status}, as where nothing is`);
  if (carriesProtectedValue(answer, controls))
    return reading('granted', `${answer.status} with values that only the key's owner sees`);
  if (isRedirect(answer)) {
    const opened = (options.followed ?? []).find(
      (next) => read(next, controls, { ...options, followed: [] }).verdict === 'granted',
    );
    const to = header(answer, 'location') ?? '';
    return opened
      ? reading('granted', `a redirect to ${to}, which opens`)
      : reading('refused', `${answer.status} to ${to}`);
  }
  if (answer.status >= 500)
    return reading('refused', `${answer.status}, a server error`, { remarkable: true, again: true });
  if (!isSuccess(answer)) return reading('refused', `${answer.status}`);
  return controls.keyed[0].probe.method === 'HEAD' ? readHead(answer, controls) : readSuccess(answer, controls);
};

/** A success without a body, where the operation is itself read with HEAD. */
const readHead = (answer: Response, { first }: UsableControls): Reading => {
  const [keyed, seen] = [headFingerprint(first), headFingerprint(answer)];
  if (keyed === undefined) return reading('unclear', `${answer.status} to HEAD, with nothing to compare`);
  return keyed === seen
    ? reading('granted', `${answer.status} with the fields that the key gets`)
    : reading('refused', `${answer.status} to HEAD, unlike with the key`, { remarkable: true });
};

const readError = (exchange: Exchange, { resetRefuses = false }: ReadingOptions): Reading => {
  const error = exchange.attempts.at(-1)?.error;
  const closes = error?.code === 'reset' && exchange.attempts.every((attempt) => attempt.error?.code === 'reset');
  if (closes && resetRefuses) return reading('refused', 'the connection closed each time');
  return reading('unclear', error ? `no answer (${error.code}: ${error.message})` : 'no answer');
};

/** A 2xx: the keyed representation, or something else that says no. */
const readSuccess = (answer: Response, { first, second }: UsableControls): Reading => {
  const [keyed, seen] = [first.facts, answer.facts];
  const refusedInBody = reading('refused', `${answer.status} with another body`, { remarkable: true });
  if (seen.digest === keyed.digest && seen.kind === keyed.kind)
    return reading('granted', `${answer.status} with the same body`);
  if (keyed.shape && second.facts.shape)
    return seen.shape && keepsStructure(keyed.shape, second.facts.shape, seen.shape)
      ? reading('granted', `${answer.status} with the structure that the key opens`)
      : refusedInBody;
  if (seen.kind === 'empty' || seen.kind !== keyed.kind || seen.mediaType !== keyed.mediaType) return refusedInBody;
  if (equalButVolatile(keyed, second.facts, seen)) return reading('granted', `${answer.status} with the same body`);
  if (keyed.kind === 'html') return refusedInBody;
  return reading(
    'unclear',
    `${answer.status} with another body of the same media type, which cannot be told from data`,
  );
};

/**
 * A scalar that the key's owner sees in both keyed reads and nobody else does. Where it stands in the same member outside
 * lists in both answers, it may be the service's envelope (a version, a host name), so most of them have to be there.
 */
const carriesProtectedValue = (answer: Response, { first, protectedValues }: UsableControls): boolean => {
  const carried = answer.facts.values.filter((value) => protectedValues.has(value));
  if (carried.length === 0) return sameFilledBody(answer, first);
  const { shape: keyed } = first.facts;
  const { shape: seen } = answer.facts;
  if (!keyed || !seen) return carried.length >= Math.min(2, protectedValues.size);
  const keyedOutline = outlineOf(keyed);
  const seenOutline = outlineOf(seen);
  const envelope = new Set(
    [...keyedOutline.scalars].flatMap(([path, { digest }]) =>
      seenOutline.scalars.get(path)?.digest === digest ? [digest] : [],
    ),
  );
  if (carried.some((value) => !envelope.has(value))) return true;
  const shared = [...keyedOutline.members].filter((path) => seenOutline.members.has(path)).length;
  return carried.length >= 2 && carried.length * 2 >= protectedValues.size && shared * 2 >= keyedOutline.members.size;
};

/** The whole keyed body under another status, where it is small and holds nothing distinctive. */
const sameFilledBody = (answer: Response, first: Response): boolean =>
  answer.facts.kind === 'json' &&
  answer.facts.size > 2 &&
  answer.facts.digest === first.facts.digest &&
  !isSuccess(answer) &&
  [...outlineOf(answer.facts.shape ?? { type: 'array', length: 0, items: [] }).lists.values()].some(
    (items) => items.length > 0,
  );
