import { memoizePerObject } from '../../collections.js';
import type { Contract } from '../../contract/model.js';
import type { Exchange, Response } from '../../wire/types.js';
import { readWithEnd, withoutRecords } from '../bypass/bypass.js';
import { blockedIfOpen } from '../bypass/judge-bypasses.js';
import { readByHead, readHeadOperation } from '../bypass/other-methods.js';
import { answerOf, answersOf, header, isSuccess } from '../oracle/answers.js';
import { withoutSiblings } from '../oracle/background.js';
import { readResponse } from '../oracle/reading.js';
import type { Reading } from '../oracle/table.js';
import { type UsableControls, usableFor } from '../oracle/usable-controls.js';
import type { Ask, Deployment, Judgement, KeyHolder, OperationSubject } from '../rule.js';
import { holdsOne, type IdentityView, identityViewOf } from './identity-views.js';

/** Reads what one identity gets by comparing it with what another one gets. */

/** An operation that opens to somebody, whose answers others are compared with. */
export interface OpenedSubject {
  readonly subject: OperationSubject;
  readonly controls: UsableControls;
}

/**
 * Reads the answer that one identity gets, with the controls of another one to which the operation
 * opens.
 * @param nothing answers that the first identity gets at missing paths
 */
export const readBeside = (
  ask: Ask,
  exchange: Exchange,
  controls: UsableControls,
  nothing: readonly Exchange[],
): Reading => {
  if (exchange.probe.method === 'HEAD') return readHeadOperation(ask, exchange, controls);
  const options = { nothing: withoutRecords(answersOf(nothing), controls) };
  const reading = readWithEnd(ask, exchange, controls, options);
  // A service may refuse a missing key by status and a missing role in a body.
  const other = readWithEnd(ask, exchange, { ...controls, background: withoutSiblings(controls.background) }, options);
  const clearer = reading.verdict === 'granted' || other.verdict !== 'refused' ? reading : other;
  const isEmptyPage = clearer.verdict === 'granted' && (clearer.line === 0 || clearer.line === 9);
  return isEmptyPage ? { ...clearer, verdict: 'unclear', seen: 'an empty page' } : clearer;
};

/** The size that a HEAD states beside the status of a GET. */
const sizeIn = (head: Response | undefined, get: Response | undefined): string | undefined =>
  head !== undefined && head.status === get?.status ? (header(head, 'content-length') ?? '') : undefined;

/**
 * Reads a HEAD with one key, by the HEAD of another identity to which the operation opens.
 * @param refused the answer to GET with the same key
 */
export const readHeadBeside = (
  ask: Ask,
  exchange: Exchange,
  refused: Exchange,
  { subject, controls }: OpenedSubject,
): Reading => {
  const get = answerOf(refused);
  const size = sizeIn(answerOf(exchange), get);
  const asGet: Reading = { verdict: 'refused', line: 5, seen: 'the fields of what GET is refused with' };
  if (size === String(get?.shape.size)) return asGet;
  const reading = readByHead(subject)(ask, exchange, controls);
  // GET is refused in a body, and HEAD says nothing of its size.
  return reading.verdict === 'unclear' && size === '' && isSuccess(get) ? asGet : reading;
};

/** Whether a 2xx answer carries a row or record that a list gave to an identity. */
export const carriesRowOf = (exchange: Exchange, { background }: UsableControls): boolean => {
  const answer: Response | undefined = answerOf(exchange);
  return isSuccess(answer) && readResponse(answer, background).line === 1;
};

/**
 * Reads an unclear answer as granted if it carries a row of a list: several rows tell better than
 * one item which values are of a row.
 * @param lists called only for an unclear answer, since reading them may send requests
 * @param whose `its own list`
 */
export const grantedIfListed = (
  reading: Reading,
  exchange: Exchange,
  lists: () => readonly UsableControls[],
  whose: string,
): Reading =>
  reading.verdict === 'unclear' && lists().some((list) => carriesRowOf(exchange, list))
    ? { ...reading, verdict: 'granted', seen: `${answerOf(exchange)?.status}, a row of ${whose}` }
    : reading;

/** How many operations are tried until one opens. */
const mostTried = 6;

/** Operations to try: those whose scopes it holds, then those that state none. */
const candidates = memoizePerObject((identity: KeyHolder) =>
  memoizePerObject((deployment: Deployment) =>
    memoizePerObject((contract: Contract): readonly IdentityView[] => {
      const views = contract.operations.flatMap((operation) => {
        if (operation.access !== 'protected') return [];
        const view = identityViewOf({ contract, deployment, operation }, identity);
        return view && !view.isForeign ? [{ view, holds: holdsOne(operation, identity) }] : [];
      });
      return [...views.filter(({ holds }) => holds === true), ...views.filter(({ holds }) => holds === undefined)]
        .slice(0, mostTried)
        .map(({ view }) => view);
    }),
  ),
);

/** Whether an identity's key opens anything. If not, its refusals show nothing. */
export const opensAnything = (ask: Ask, { contract, deployment }: OperationSubject, identity: KeyHolder): boolean =>
  candidates(identity)(deployment)(contract).some(({ subject }) => usableFor(ask, subject) !== undefined);

/**
 * Blocks a judgement if the operation opens without a key or to a random one, since that explains
 * what identities get.
 */
export const unlessOpenToAll = (ask: Ask, subject: OperationSubject, judgement: Judgement): Judgement => {
  const controls = judgement.outcome === 'failed' ? usableFor(ask, subject) : undefined;
  if (!controls) return judgement;
  const so = 'what identities get shows nothing more';
  const open =
    blockedIfOpen(ask, subject, controls, { by: 'anonymous', so }) ??
    blockedIfOpen(ask, subject, controls, { by: 'random', so });
  return open ? { ...open, asked: judgement.asked ?? [] } : judgement;
};
