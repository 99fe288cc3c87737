import type { Exchange, Probe } from '../../wire/types.js';
import { answerOf } from '../oracle/answers.js';
import { keyedControl } from '../oracle/control-requests.js';
import type { Row } from '../oracle/view.js';
import type { Ask } from '../rule.js';
import { listed } from '../support/judgement.js';
import {
  type AccountClaim,
  accountClaims,
  claimsTogether,
  fewest,
  isRefusedFor,
  namesIn,
  naming,
} from './account-claims.js';
import { carriesRowOf } from './identity-readings.js';
import type { PairComparison, PeerSide } from './lists-of-peers.js';
import { bothWays, getsRow, hasWhole, type Ownership, ownershipIn, rowsInside, rowsOrRecord } from './owned-rows.js';
import type { PeerPair } from './peers.js';

/** Whether two peers get rows of each other by requests that name the other. */

/** The requests of two peers for an operation, each of which also names the other. */
export const requestsNamingPeers = (pair: PeerPair): readonly Probe[] =>
  bothWays(pair).flatMap(([{ subject }, { identity }]) =>
    accountClaims(subject, identity).map((claims) => naming(keyedControl(subject, 1), identity, claims)),
  );

/** Whose the rows are that a request gets because it names an account. */
type Whose = 'theirs' | 'perhaps' | 'none';

/**
 * Whose rows a request gets that names `of`. A list may repeat what was asked for, so they have to
 * be rows of the list of `of`; a record of an account may be public in part, so it has to be whole.
 */
const whoseRowsIn = (exchange: Exchange, from: PeerSide, of: PeerSide, isOf: Ownership): Whose => {
  const answer = answerOf(exchange);
  const { controls } = of;
  if (!answer || !carriesRowOf(exchange, controls)) return 'none';
  const known = rowsOrRecord(answer).filter((row) => getsRow(controls, row, undefined));
  const whole = controls.background.keyed.isRecord ? known.filter((row) => hasWhole(controls, row)) : known;
  if ([...whole, ...rowsInside(answer, controls)].some((row) => isOf(row, of.identity, from.identity) === true))
    return 'theirs';
  if (!carriesRowOf(from.controls.keyed[0], controls)) return 'perhaps';
  // Rows that both get otherwise too are no others.
  const isNew = (row: Row): boolean =>
    !getsRow(from.controls, row, undefined) && isOf(row, of.identity, from.identity) === undefined;
  return known.some(isNew) ? 'perhaps' : 'none';
};

/** What a request gets that names another account. */
interface NamedRows {
  readonly exchange: Exchange;
  readonly words: string;
  readonly taker: string;
  readonly whose: Whose;
}

/** Rows of `of` that `from` gets, twice, by a request that names it in the fewest places. */
const namedRows = (ask: Ask, from: PeerSide, of: PeerSide, isOf: Ownership): readonly NamedRows[] => {
  const { subject, identity } = from;
  const [plain] = from.controls.keyed;
  const requestWith = (claims: readonly AccountClaim[]): Probe => naming(keyedControl(subject, 1), of.identity, claims);
  const whoseBy = (probe: Probe): Whose => whoseRowsIn(ask(probe), from, of, isOf);
  const isRefused = (claims: readonly AccountClaim[]): boolean => isRefusedFor(ask(requestWith(claims)), plain);
  const tried = claimsTogether(subject, of.identity, isRefused).map((claims) => ({
    claims,
    whose: whoseBy(requestWith(claims)),
  }));
  const found = tried.find(({ whose }) => whose === 'theirs') ?? tried.find(({ whose }) => whose === 'perhaps');
  if (!found) return [];
  const { whose } = found;
  const claims = fewest(found.claims, (some) => whoseBy(requestWith(some)) === whose);
  const probe = requestWith(claims);
  if (whoseBy({ ...probe, round: 2 }) !== whose) return [];
  const rows = whose === 'theirs' ? 'rows' : 'what may be rows';
  const words = `${identity.name} gets ${rows} of ${of.identity.name} by a request that ${namesIn(of.identity, claims)}`;
  return [{ exchange: ask(probe), words, taker: identity.name, whose }];
};

/** What peers get that name each other, where their lists are apart otherwise. */
export const compareNamed = (ask: Ask, found: PairComparison, owner: string | undefined): PairComparison => {
  if (found.kind !== 'apart' && found.kind !== 'shared') return found;
  const isOf = ownershipIn(found.sides, owner);
  const all = bothWays(found.sides).flatMap(([from, of]) => namedRows(ask, from, of, isOf));
  const leaks = all.filter(({ whose }) => whose === 'theirs');
  const shown = leaks.length > 0 ? leaks : all;
  if (shown.length === 0) return found;
  return {
    kind: leaks.length > 0 ? 'leaked' : 'shared',
    sides: found.sides,
    words: listed(shown.map(({ words }) => words)),
    whose: 'public in part, or rows of an account. x-access-owner in the document says whose they are',
    takers: shown.map(({ taker }) => taker),
    shown: shown.map(({ exchange }) => exchange),
  };
};
