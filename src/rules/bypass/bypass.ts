import { groupBy } from '../../collections.js';
import { withQuery } from '../../urls.js';
import {
  type Exchange,
  exchangeId,
  type HeaderPair,
  type Probe,
  type Response,
  type WireErrorCode,
} from '../../wire/types.js';
import { answerOf, answersOf, isRedirect, isUnavailable } from '../oracle/answers.js';
import { type ReadExchange, type ReadOptions, readExchange, readResponse, readsAsRecord } from '../oracle/reading.js';
import { isSame } from '../oracle/same.js';
import type { Reading } from '../oracle/table.js';
import type { UsableControls } from '../oracle/usable-controls.js';
import type { Ask, Judgement, OperationRule, OperationSubject } from '../rule.js';
import { bundled } from '../support/bundles.js';
import { follow, isCircle } from '../support/follow-up.js';
import { missingOf, type RequestOptions, requestFor } from '../support/requests.js';
import { splitTarget, targetOf } from '../support/targets.js';

/** Bypasses: requests without the key that must not open the operation. */

export type ReadWith = (ask: Ask, exchange: Exchange, controls: UsableControls) => Reading;

export interface Bypass {
  /** What is sent, as the start of "… opens it": `a key that shares only its first half`. */
  readonly words: string;
  /** Its name in the battery. Needed if `words` name something of the operation. */
  readonly trick?: string;
  /** Its effect, if several bypasses have the same at different places. Default: the name. */
  readonly way?: string;
  /** The end of a title: `with // in its path`. Default: `with` and the words. */
  readonly how?: string;
  readonly probe: Probe;
  /** Sent right before it, such as a keyed read that leaves something behind. */
  readonly before?: Probe;
  /** Sent at one moment, in this order: the probe, and a keyed read that is answered meanwhile. */
  readonly together?: readonly Probe[];
  /** The same request without the bypass. An answer equal to one of theirs opens nothing. */
  readonly baseline?: readonly Probe[];
  /** The bypass at a path that does not exist. Sent only if the bypass seems to open something. */
  readonly missing?: () => Probe;
  /** `missing` for an empty answer alone, if other answers need none. */
  readonly missingIfEmpty?: () => Probe;
  /** The answer may have another format, in which the key's answer is read to compare. */
  readonly changesForm?: true;
  /** Reads the answer by something other than its body: HEAD has none. */
  readonly readWith?: ReadWith;
  /** The bypass asks for more than one answer of HTTP. The server may switch, or wait for more. */
  readonly leavesHttp?: true;
  /** The single changes of a bundle. Each is sent alone if the bundle makes a difference. */
  readonly parts?: () => readonly Bypass[];
  /**
   * A request with less in it. It is sent if this one opens, and reported instead if it opens too.
   */
  readonly simpler?: Bypass;
  /** The request without the changes of a bundle. Default: the read without a key. */
  readonly unchanged?: Probe;
}

/** The end of a title: `with a Range`. */
export const howOf = ({ how, words }: Bypass): string => how ?? `with ${words}`;

/** Whether a bypass is the plain request without a key. */
export const isPlain = ({ anonymous }: UsableControls): ((bypass: Pick<Bypass, 'probe'>) => boolean) => {
  const plain = exchangeId(anonymous.probe);
  return ({ probe }) => exchangeId(probe) === plain;
};

export interface BypassPlan {
  readonly bypasses: readonly Bypass[];
  /** The keyed read after these bypasses. */
  readonly health: Probe;
  /** The occasion of requests that follow these bypasses. */
  readonly occasion?: string | undefined;
  /** Sends each bypass right after the request that comes before it (`before`). */
  readonly inSeries?: boolean;
  /** The rule about what the owner's requests leave behind. Its failure explains others. */
  readonly leftovers?: OperationRule;
}

export interface Attempted extends ReadExchange {
  readonly bypass: Bypass;
}

export const readingsOf = (read: readonly ReadExchange[]): NonNullable<Judgement['readings']> =>
  read.map(({ exchange, reading: { line, verdict } }) => ({ exchange, line, verdict }));

export interface Judging {
  readonly ask: Ask;
  readonly subject: OperationSubject;
  readonly controls: UsableControls;
  readonly plan: BypassPlan;
  readonly health: Exchange;
  /** The judgement of the request without any bypass. */
  readonly plain: () => Judgement;
}

export const readBypass = (ask: Ask, bypass: Bypass, exchange: Exchange, controls: UsableControls): Reading => {
  if (bypass.readWith) return bypass.readWith(ask, exchange, controls);
  const left = bypass.leavesHttp && readSwitch(exchange);
  if (left) return left;
  const baseline = answersOf(ask.all(bypass.baseline ?? []));
  // If the answer is that of the request without the bypass, a record in it is a finding about that
  // request.
  const unchanged = baseline.filter((one) => isSame(one, answerOf(exchange), controls.background.volatile));
  return readWithEnd(ask, exchange, controls, { nothing: [...withoutRecords(baseline, controls), ...unchanged] });
};

/** Sends a bypass, if it was not sent yet, and reads the answer. */
export const attempt = (ask: Ask, bypass: Bypass, controls: UsableControls): Attempted => {
  const exchange = ask(bypass.probe);
  return { bypass, exchange, reading: readBypass(ask, bypass, exchange, controls) };
};

/** An answer in another protocol, a gateway error and a missing answer open nothing. */
const readSwitch = (exchange: Exchange): Reading | undefined => {
  const answer = answerOf(exchange);
  if (answer && answer.status !== 101 && !isUnavailable(answer)) return undefined;
  const { error, partial } = exchange.attempts.at(-1) ?? {};
  if (partial || error?.code === 'aborted') return undefined;
  return { verdict: 'refused', line: 3, seen: answer ? `${answer.status}` : `no answer (${error?.code ?? 'none'})` };
};

/**
 * Reads an answer. A redirect is followed without credentials and read by its end, unless the
 * redirect itself already opens the operation.
 */
export const readWithEnd = (
  ask: Ask,
  exchange: Exchange,
  controls: UsableControls,
  options: ReadOptions = {},
): Reading => {
  const answer = answerOf(exchange);
  if (!answer || !isRedirect(answer)) return readExchange(exchange, controls.background, options);
  const opens = readResponse(answer, controls.background, options).verdict === 'granted';
  const chain = opens ? [] : follow(ask, exchange);
  return readExchange(exchange, controls.background, {
    ...options,
    followed: chain,
    endsPublic: chain.some((step) => isPublicPlace(ask, step, controls)),
    endsInCircle: isCircle(exchange, chain),
  });
};

/** Reads an error with this code as a refusal: there was nothing to ask. */
export const refusedAtError =
  (code: WireErrorCode, seen: string): ReadWith =>
  (ask, exchange, controls) =>
    exchange.attempts.at(-1)?.error?.code === code
      ? { verdict: 'refused', line: 3, seen }
      : readWithEnd(ask, exchange, controls);

/** Whether a redirect leads to a public resource, which opens nothing. */
const isPublicPlace = (ask: Ask, step: Exchange, { publics, anonymous }: UsableControls): boolean => {
  const place = ({ probe }: Exchange): string => `${probe.origin}${splitTarget(probe.target)[0]}`;
  const open = publics.flatMap((one) => [one, ...follow(ask, one)]);
  return place(step) !== place(anonymous) && open.some((one) => place(one) === place(step));
};

/** Granted by a record of the owner, or by the keyed answer itself. No other service has these. */
export const showsOwners = ({ verdict, line }: Reading): boolean => verdict === 'granted' && (line === 1 || line === 5);

/**
 * Reads the answer of what may be another resource: only what the key gets at the operation's own
 * path counts.
 */
export const onlyOwnersData: ReadWith = (ask, exchange, controls) => {
  const reading = readWithEnd(ask, exchange, controls);
  return showsOwners(reading)
    ? reading
    : { verdict: 'refused', line: reading.line, seen: 'nothing of what the key gets' };
};

/** The comparison answers without those that carry a record of the owner. */
export const withoutRecords = (answers: readonly Response[], { background }: UsableControls): readonly Response[] =>
  answers.filter((answer) => !readsAsRecord(answer, background));

/** A change of the documented request without a key. */
export interface Change
  extends Pick<Bypass, 'words' | 'how'>,
    Pick<RequestOptions, 'method' | 'target' | 'headers' | 'protocol' | 'connection'> {
  /** Query parameters with their values. */
  readonly parameters?: readonly string[];
}

export const change = (...field: HeaderPair): Change => ({
  words: field[1].length > 60 ? `${field[0]} with a made-up value` : field.join(': '),
  headers: [field],
});

export const changes = (value: string, ...fields: readonly string[]): readonly Change[] =>
  fields.map((field) => change(field, value));

export const headerChange = (words: string, how: string, ...headers: readonly HeaderPair[]): Change => ({
  words,
  how,
  headers,
});

/** A change that is named after the request: `a request with a crawler's User-Agent`. */
export const requestWith = (what: string, more: Pick<Change, 'headers' | 'parameters'>): Change => ({
  words: `a request with ${what}`,
  how: `with ${what}`,
  ...more,
});

/** The bypass that makes a change, also at a missing path. */
export const bypassOf = (subject: OperationSubject, { words, how, parameters = [], ...more }: Change): Bypass => {
  const target = parameters.length > 0 ? { target: withQuery(targetOf(subject), parameters) } : {};
  const probe = requestFor(subject, { name: words, credential: 'none', ...more, ...target });
  return { words, ...(how === undefined ? {} : { how }), probe, missing: () => missingOf(subject, probe) };
};

/** One line for each field: many servers read the first of several lines alone. */
const inOneLine = (headers: readonly HeaderPair[]): readonly HeaderPair[] =>
  [...groupBy(headers, ([name]) => name)].map(
    ([name, lines]): HeaderPair => [name, lines.map(([, value]) => value).join(', ')],
  );

/**
 * One request with all changes, and its parts with one each. These are sent where the answer is not
 * that of the request without a key.
 * @param more what is true of all of them
 */
export const bundleOf = (
  subject: OperationSubject,
  words: string,
  changes: readonly Change[],
  more: Pick<Bypass, 'changesForm' | 'leavesHttp'> = {},
): Bypass => {
  const make = (one: Change): Bypass => ({ ...bypassOf(subject, one), ...more });
  const parameters = changes.flatMap((one) => one.parameters ?? []);
  const headers = inOneLine(changes.flatMap((one) => one.headers ?? []));
  return bundled({ ...make(requestWith(words, { headers, parameters })), trick: words }, () => changes.map(make));
};
