import type { Exchange, Probe, Response } from '../../wire/types.js';
import { answerOf, isRedirect } from '../oracle/answers.js';
import { type ReadOptions, readExchange, readResponse, readsAsRecord } from '../oracle/reading.js';
import type { Reading } from '../oracle/table.js';
import type { UsableControls } from '../oracle/usable-controls.js';
import type { Ask, Judgement, OperationSubject } from '../rule.js';
import { follow, nextHop } from '../support/follow-redirects.js';
import { type RequestOptions, requestFor } from '../support/requests.js';
import { missingOf, splitTarget } from '../support/targets.js';

/** Ways to come without the key, and how their answers are read. */

/** Reads one answer against the controls. */
export type ReadWith = (ask: Ask, exchange: Exchange, controls: UsableControls) => Reading;

/** One way to come without the key. */
export interface Bypass {
  /** What it is, as the start of "… opens it": `a key that shares only its first half`. */
  readonly words: string;
  /** Its name in the battery, where the words name something of the operation. */
  readonly trick?: string;
  /** What it does, where several do it in different places of a request. Default: its name. */
  readonly way?: string;
  /**
   * The same as the end of a title, whatever the operation: `with // in its path`. Default: `with`
   * and the words.
   */
  readonly how?: string;
  readonly probe: Probe;
  /** Sent right before it, one after the other (a keyed read that leaves something behind). */
  readonly before?: Probe;
  /** The same request without the bypass: answers equal to theirs are not the operation's. */
  readonly baseline?: readonly Probe[];
  /**
   * The bypass at a path that does not exist. It is sent only where the bypass seems to open
   * something.
   */
  readonly missing?: () => Probe;
  /**
   * The answer may have another form (CSV, HTML, a byte range). It is then compared with what the
   * key gets in that form.
   */
  readonly changesForm?: true;
  /** Reads the answer in another way than by its body (HEAD has none). */
  readonly readWith?: ReadWith;
}

export const trickOf = ({ trick, words }: Pick<Bypass, 'trick' | 'words'>): string => trick ?? words;

/**
 * A bypass that is one request. Where it seems to open something, it is also sent to a path that
 * does not exist.
 */
export const bypassWith = (
  subject: OperationSubject,
  words: string,
  request: Omit<RequestOptions, 'name' | 'credential'>,
  how?: string,
): Bypass => {
  const probe = requestFor(subject, { name: words, credential: 'none', ...request });
  return { words, ...(how === undefined ? {} : { how }), probe, missing: () => missingOf(subject, probe) };
};

/** How the bypass comes, as the end of a title. */
export const howOf = ({ how, words }: Bypass): string => how ?? `with ${words}`;

export interface BypassPlan {
  readonly bypasses: readonly Bypass[];
  /** The read with the key after these bypasses. */
  readonly health: Probe;
  /**
   * Tells what is asked after these bypasses from what was asked before. Default: that of `health`.
   */
  readonly occasion?: string | undefined;
  /** Each bypass right after what comes before it. */
  readonly inSeries?: boolean;
  /** The check of what an owner's requests leave behind, which explains why it opens by now. */
  readonly leftovers?: { readonly rule: string; readonly judge: () => Judgement };
}

export interface Attempted {
  readonly bypass: Bypass;
  readonly exchange: Exchange;
  readonly reading: Reading;
}

export interface Judging {
  readonly ask: Ask;
  readonly subject: OperationSubject;
  readonly controls: UsableControls;
  readonly plan: BypassPlan;
  readonly health: Exchange;
}

export const readBypass = (ask: Ask, bypass: Bypass, exchange: Exchange, controls: UsableControls): Reading => {
  if (bypass.readWith) return bypass.readWith(ask, exchange, controls);
  const baseline = ask.all(bypass.baseline ?? []).flatMap((one) => answerOf(one) ?? []);
  return readWithEnd(ask, exchange, controls, { nothing: excusing(baseline, controls) });
};

/**
 * Reads an answer; a redirect is followed without credentials and read by its end, unless it opens
 * the operation by itself.
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
    missing: answerOf(controls.missing),
  });
};

/** The last redirect leads to a place where the chain has been. */
const isCircle = (exchange: Exchange, chain: readonly Exchange[]): boolean => {
  const next = nextHop(chain.at(-1) ?? exchange);
  return (
    next !== undefined &&
    [exchange, ...chain].some(({ probe }) => probe.origin === next.origin && probe.target === next.target)
  );
};

/**
 * Whether a redirect ends at a public resource. Everybody may read that, so it opens nothing, even
 * if it resembles the keyed answer.
 */
const isPublicPlace = (ask: Ask, step: Exchange, { publics, anonymous }: UsableControls): boolean => {
  const place = ({ probe }: Exchange): string => `${probe.origin}${splitTarget(probe.target)[0]}`;
  const open = publics.flatMap((one) => [one, ...follow(ask, one)]);
  return place(step) !== place(anonymous) && open.some((one) => place(one) === place(step));
};

/** The owner's record, or the answer that the key gets: what no other service has. */
export const showsOwners = ({ verdict, line }: Reading): boolean => verdict === 'granted' && (line === 1 || line === 5);

/** A comparison that itself carries a record of the owner excuses nothing. */
export const excusing = (answers: readonly Response[], { background }: UsableControls): readonly Response[] =>
  answers.filter((answer) => !readsAsRecord(answer, background));
