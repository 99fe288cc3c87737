import { memoizePerObject, memoizePerPair } from '../../collections.js';
import type { BodyShape } from '../../wire/body-shape.js';
import type { Exchange, Response } from '../../wire/types.js';
import { answerOf, answersOf, closesEachTime, header, isRedirect, partialAnswerOf, redirectPathOf } from './answers.js';
import { type Background, withoutSiblings } from './background.js';
import { digestsIn, fieldsIn, withoutFields } from './contents.js';
import { type Evidence, evidenceOf } from './evidence.js';
import type { Keyed } from './keyed.js';
import { type Reading, table } from './table.js';

/** Reads an answer to a request without the key: the first line of the table that fits decides. */

export interface ReadOptions {
  /** Answers that open nothing, in addition to those of the controls. */
  readonly nothing?: readonly Response[];
  readonly missingDiffers?: () => boolean;
  /** The answers along a redirect chain, followed without credentials. */
  readonly followed?: readonly Exchange[];
  readonly endsPublic?: boolean;
  /** The redirect leads back to where it came from. */
  readonly endsInCircle?: boolean;
}

export interface ReadExchange {
  readonly exchange: Exchange;
  readonly reading: Reading;
}

export const readExchange = (exchange: Exchange, background: Background, options: ReadOptions = {}): Reading => {
  const broken = readCutShort(exchange, background);
  if (broken) return broken;
  const answer = answerOf(exchange);
  if (!answer) return readSilence(exchange);
  return isRedirect(answer)
    ? readRedirect(answer, exchange, background, options)
    : readResponse(answer, background, options);
};

const answersWith = memoizePerObject((_body: BodyShape) => new Map<string, Response>());

/** Whether a field has a value of the keyed answer. Other fields show nothing. */
const tellsInFields = memoizePerPair(({ first }: Keyed, answer: Response): boolean => {
  const fields = fieldsIn(answer);
  return fields !== undefined && [...digestsIn(fields)].some((digest) => digestsIn(first.shape).has(digest));
});

/**
 * Returns one object for all answers that read alike beside a keyed answer, so that readings can be
 * cached by it. The table looks only at the status, the redirect's path, the body, fields with
 * values of the keyed answer and whether the key is in it. Date or a request id do not matter.
 */
const representativeOf = (answer: Response, { keyed }: Background): Response => {
  if (answer.givesKey || tellsInFields(keyed, answer)) return answer;
  const all = answersWith(answer.shape);
  const name = `${answer.status} ${redirectPathOf(answer)}`;
  const first = all.get(name) ?? withoutFields(answer);
  all.set(name, first);
  return first;
};

const nothingIn = memoizePerObject(
  (background: Background) => new Set(background.nothing.map((one) => representativeOf(one, background))),
);

const withExtraNothing = memoizePerPair(
  (background: Background, one: Response): Background => ({ ...background, nothing: [...background.nothing, one] }),
);

const withOptions = (background: Background, { nothing = [], missingDiffers }: ReadOptions): Background => {
  let all = background;
  for (const one of nothing.map((answer) => representativeOf(answer, background)))
    if (!nothingIn(all).has(one)) all = withExtraNothing(all, one);
  return missingDiffers ? { ...all, missingDiffers } : all;
};

const readingOf = memoizePerPair((background: Background, answer: Response) => decide(evidenceOf(answer, background)));

/** Cached, since servers give the same refusal again and again. */
export const readResponse = (answer: Response, background: Background, options: ReadOptions = {}): Reading =>
  readingOf(withOptions(background, options), representativeOf(answer, background));

const isRecord = memoizePerPair((background: Background, answer: Response) => {
  const evidence = evidenceOf(answer, background);
  return table.find(({ line, decide: decideLine }) => line > 1 || decideLine(evidence))?.line === 1;
});

/** Whether line 1 decides an answer. The lines after it are not evaluated. */
export const readsAsRecord = (answer: Response, background: Background): boolean =>
  isRecord(background, representativeOf(answer, background));

const decide = (evidence: Evidence): Reading => {
  for (const { line, decide: decideLine } of table) {
    const decision = decideLine(evidence);
    if (!decision) continue;
    const [verdict, words, more = {}] = decision;
    return { verdict, line, seen: words === '' ? `${evidence.status}` : `${evidence.status}, ${words}`, ...more };
  }
  throw new TypeError('the last line of the table fits every answer');
};

/** Line 1 for an answer that breaks off, also if a later attempt got a refusal. */
const readCutShort = (exchange: Exchange, background: Background): Reading | undefined => {
  const part = partialAnswerOf(exchange);
  const reading = part && readResponse(part, background);
  return reading?.line === 1 ? { ...reading, seen: `${reading.seen}, in an answer that breaks off` } : undefined;
};

/** Line 3. A connection that is closed each time is a refusal: the key got through. */
const readSilence = (exchange: Exchange): Reading => {
  if (closesEachTime(exchange) && !partialAnswerOf(exchange))
    return { verdict: 'refused', line: 3, seen: 'the connection closed each time' };
  const error = exchange.attempts.at(-1)?.error;
  return { verdict: 'unclear', line: 3, seen: error ? `no answer (${error.code}: ${error.message})` : 'no answer' };
};

/** Line 4: a redirect is read as the answer at its end is. */
const readRedirect = (answer: Response, exchange: Exchange, background: Background, options: ReadOptions): Reading => {
  const own = readResponse(answer, background, options);
  if (own.verdict === 'granted') return own;
  const { followed = [], endsPublic = false } = options;
  const to = header(answer, 'location') ?? '';
  const redirected = `${answer.status} to ${to}`;
  if (endsPublic) return { verdict: 'refused', line: 4, seen: `${redirected}, a public resource` };
  const hops = answersOf(followed).map((one) => readResponse(one, background, options));
  const record = hops.find(({ line }) => line === 1);
  if (record) return { ...record, line: 4, seen: `a redirect to ${to}, which opens: ${record.seen}` };
  const last = followed.at(-1);
  const end = last && answerOf(last);
  if (end && !isRedirect(end)) {
    // A redirect refuses by its status. So its end is no refusal in a 2xx body.
    const { verdict, seen } = readResponse(end, withoutSiblings(background), options);
    const words = {
      granted: `a redirect to ${to}, which opens: ${seen}`,
      unclear: `a redirect to ${to}, answered with ${seen}`,
      refused: redirected,
    };
    return { verdict, line: 4, seen: words[verdict] };
  }
  if (options.endsInCircle || endsUnanswered(exchange, last) || (own.verdict === 'refused' && isOfApplication(to)))
    return { verdict: 'refused', line: 4, seen: redirected, remarkable: true };
  return own.line === 2
    ? { verdict: 'refused', line: 4, seen: `${redirected}, as a path that does not exist` }
    : { verdict: 'unclear', line: 4, seen: `${redirected}, which may not be followed or gives no answer` };
};

/**
 * Whether the last request of a chain shows nothing: it got no answer outside the deployment, or
 * its connection was closed, which is a refusal at the end of a redirect too.
 */
const endsUnanswered = ({ probe }: Exchange, last: Exchange | undefined): boolean =>
  last !== undefined &&
  !answerOf(last) &&
  (readSilence(last).verdict === 'refused' || last.probe.origin !== probe.origin);

/** A URL of another scheme opens an application (`app://login`), and no request follows it. */
const isOfApplication = (location: string): boolean => /^(?!https?:)[a-z][a-z0-9+.-]*:/i.test(location);
