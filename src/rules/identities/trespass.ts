import type { Exchange, Probe } from '../../wire/types.js';
import { typesOnRequest } from '../bypass/documented-options.js';
import { headRequest } from '../bypass/other-methods.js';
import { answerOf, isSuccess } from '../oracle/answers.js';
import type { ReadExchange } from '../oracle/reading.js';
import { isSame } from '../oracle/same.js';
import type { Reading } from '../oracle/table.js';
import { type UsableControls, usableFor } from '../oracle/usable-controls.js';
import type { Row } from '../oracle/view.js';
import type { Ask, OperationSubject } from '../rule.js';
import { missingOf, requestFor } from '../support/requests.js';
import { type AccountClaim, claimsTogether, fewest, isRefusedFor, namesIn, naming } from './account-claims.js';
import {
  type IdSource,
  idIn,
  idSourceOf,
  isOfAccount,
  isOnlyOwners,
  isPeersToo,
  madeUp,
  mayBeShared,
} from './id-source.js';
import { carriesRowOf, grantedIfListed, opensAnything, readBeside, readHeadBeside } from './identity-readings.js';
import { askedBy } from './identity-views.js';
import { recordAndRows, rowsOrRecord } from './owned-rows.js';
import type { Trespass } from './peers.js';

/** Asks with the key of a peer for what belongs to another identity. */

/**
 * The documented request with the owner's values, and one to a path that does not exist.
 * @param asked the operation as the peer asks for it
 */
export const trespassRequests = (
  asked: OperationSubject,
  { owner, peer }: Trespass,
): { readonly plain: Probe; readonly missing: Probe } => {
  const name = `what is of ${owner.identity.name}, with the key of ${peer.name}`;
  const plain = requestFor(asked, { name, credential: 'valid' });
  return { plain, missing: missingOf(asked, { ...plain, name: 'a path that does not exist, with the key' }) };
};

/**
 * The owner's id below the peer's own values, where the path has several: a tenant of the peer and
 * an item of the owner.
 */
const belowPeers = (plain: Probe, { owner, peer }: Trespass, id: string): Probe | undefined => {
  const own = (peer.values ?? []).flatMap(({ of, placeholder }) => {
    const theirs = owner.identity.values?.find((value) => value.of === of)?.placeholder ?? of;
    return theirs === id ? [] : [[theirs, placeholder] as const];
  });
  const fill = (text: string): string =>
    own.reduce((filled, [theirs, placeholder]) => filled.replaceAll(theirs, placeholder), text);
  const target = fill(plain.target);
  const headers = plain.headers.map(([field, value]) => [field, fill(value)] as const);
  const isSame = target === plain.target && headers.every(([, value], at) => value === plain.headers[at]?.[1]);
  return isSame ? undefined : { ...plain, name: `${plain.name}, below what is of ${peer.name}`, target, headers };
};

/** One request with the key of a peer, and how its answer is read. */
interface PeerRead extends ReadExchange {
  readonly how: string;
}

export interface TrespassResult {
  readonly trespass: Trespass;
  readonly outcome:
    | 'kept'
    | 'opened'
    | 'an-own-item'
    | 'unclear'
    | 'opened-once'
    | 'owner-refused'
    | 'key-opens-nothing'
    | 'in-both-lists'
    | 'perhaps-in-both';
  readonly reads: readonly PeerRead[];
  readonly note?: string;
}

/** The requests of one trespass, and what their answers are compared with. */
interface Trial {
  readonly ask: Ask;
  readonly trespass: Trespass;
  /** The operation as the peer asks for it. */
  readonly asked: OperationSubject;
  /** What the owner gets. */
  readonly controls: UsableControls;
  readonly source: IdSource | undefined;
  readonly plain: Probe;
  /** What the peer gets at a path that does not exist, and for an id that names nothing. */
  readonly nothing: readonly Exchange[];
}

const trialOf = (ask: Ask, trespass: Trespass): Trial | undefined => {
  const { owner, peer } = trespass;
  const asked = askedBy(owner, peer);
  const controls = usableFor(ask, owner.subject);
  if (!controls || !asked) return undefined;
  const source = idSourceOf(ask, trespass);
  const { plain, missing } = trespassRequests(asked, trespass);
  const named = source && withId(plain, source, madeUp(idIn(source), asked, owner.identity));
  const noId = named && { ...named, name: `an id that names nothing, with the key of ${peer.name}` };
  return { ask, trespass, asked, controls, source, plain, nothing: ask.all(noId ? [missing, noId] : [missing]) };
};

/** The same request with another id in place of the owner's. */
const withId = (plain: Probe, { placeholder }: IdSource, id: string): Probe => ({
  ...plain,
  target: plain.target.replaceAll(placeholder, id),
});

const read = ({ ask, trespass, controls, source, nothing }: Trial, probe: Probe, how = ''): PeerRead => {
  const exchange = ask(probe);
  const beside = readBeside(ask, exchange, controls, nothing);
  // An answer without rows or values gives nothing of the owner's, whose own has some.
  const reading: Reading = beside.isEmpty ? { ...beside, verdict: 'refused' } : beside;
  const lists = (): readonly UsableControls[] => (source ? [source.list] : []);
  const whose = `the list of ${trespass.owner.identity.name}`;
  return { how, exchange, reading: grantedIfListed(reading, exchange, lists, whose) };
};

const readHead = ({ ask, trespass: { owner }, asked, controls, plain }: Trial, round: number): PeerRead => {
  const exchange = ask({ ...headRequest(asked, `${plain.name}, by HEAD`, 'valid'), round });
  const reading = readHeadBeside(ask, exchange, ask(plain), { subject: owner.subject, controls });
  return { how: ' by HEAD', exchange, reading };
};

const isGranted = ({ reading }: PeerRead): boolean => reading.verdict === 'granted';

/** Reads with the id in upper case, unless it is a number or names an account. */
const readUpperCase = (trial: Trial): readonly PeerRead[] => {
  const { source, plain } = trial;
  const id = source && idIn(source);
  if (!id || id.form === 'number') return [];
  const upper = withId(plain, source, source.placeholder.replace('>', ':upper>'));
  return [read(trial, { ...upper, name: `${plain.name}, the id in upper case` }, ' by its id in upper case')];
};

/** Whether a row is the owner's, and not the peer's; `undefined` if it cannot be decided. */
const isOwners = ({ trespass: { owner, peer }, source }: Trial, row: Row): boolean | undefined =>
  source?.belongs(row, owner.identity, peer);

/**
 * A row that is the owner's, or that its account alone gives, or that is the peer's, or else the
 * first one.
 */
const itemIn = (trial: Trial, { exchange }: PeerRead): Row | undefined => {
  const answer = answerOf(exchange);
  const all = answer ? recordAndRows(answer) : [];
  return (
    all.find((row) => isOwners(trial, row) === true) ??
    all.find((row) => trial.source && isOfAccount(trial.source, row)) ??
    all.find((row) => isOwners(trial, row) === false) ??
    (answer && rowsOrRecord(answer)[0])
  );
};

/**
 * Reads below the peer's own values that are no refusals. Ids may be counted below each value, so a
 * success that is unclear may be an item of the peer, unless it names the owner or has an id that
 * is no count and that the peer's list lacks.
 */
const readBelowPeers = (trial: Trial): readonly PeerRead[] => {
  const { trespass, source, plain } = trial;
  const below = source && belowPeers(plain, trespass, source.placeholder);
  if (!below || isPeersToo(source)) return [];
  const how = ' below its own';
  const isUnmistakable = isOnlyOwners(source) && idIn(source)?.telling === true;
  return [read(trial, below, how), ...readNamed(trial, below, how)].filter((given) => {
    const { verdict } = given.reading;
    if (verdict !== 'unclear') return verdict === 'granted';
    if (!isSuccess(answerOf(given.exchange)) || isUnmistakable) return true;
    const item = itemIn(trial, given);
    return item !== undefined && isOwners(trial, item) === true;
  });
};

/** Reads by requests that also name the owner; by the fewest claims where that opens it. */
const readNamed = (trial: Trial, plain: Probe, how = ''): readonly PeerRead[] => {
  const { ask, trespass, asked } = trial;
  const { identity } = trespass.owner;
  const readWith = (claims: readonly AccountClaim[]): PeerRead =>
    read(trial, naming(plain, identity, claims), `${how} if the request ${namesIn(identity, claims)}`);
  const opens = (claims: readonly AccountClaim[]): boolean => isGranted(readWith(claims));
  const isRefused = (claims: readonly AccountClaim[]): boolean =>
    !opens(claims) && isRefusedFor(readWith(claims).exchange, ask(plain));
  return claimsTogether(asked, identity, isRefused).map((claims) =>
    readWith(opens(claims) ? fewest(claims, opens) : claims),
  );
};

/**
 * Reads in other documented formats that open it: an export may have a handler of its own. A
 * refusal in another format is compared with nothing.
 */
const readFormats = (trial: Trial): readonly PeerRead[] =>
  typesOnRequest(trial.asked.operation)
    .map((type) => {
      const { plain } = trial;
      const headers = [...plain.headers, ['Accept', type] as const];
      return read(trial, { ...plain, name: `${plain.name}, as ${type}`, headers }, ` as ${type}`);
    })
    .filter(isGranted);

const readOtherwise = (trial: Trial): readonly PeerRead[] => [
  ...readUpperCase(trial),
  ...readFormats(trial),
  ...readBelowPeers(trial),
  ...(trial.asked.operation.method === 'GET' ? [readHead(trial, 1)] : []),
  ...readNamed(trial, trial.plain),
];

/** What it means that the peer gets an item. */
const outcomeOf = ({ trespass, controls, source }: Trial, item: Row | undefined): TrespassResult['outcome'] => {
  const doubt = mayBeShared(source, trespass, controls, item);
  return doubt === 'no' ? 'opened' : doubt;
};

/** The outcome if the peer may get an item of its own: ids may be counted for each account. */
const peersOwn = (trial: Trial, first: PeerRead): TrespassResult['outcome'] | undefined => {
  const { source } = trial;
  if (!source?.peersList || !carriesRowOf(first.exchange, source.peersList)) return undefined;
  const item = itemIn(trial, first);
  if (item && (isOnlyOwners(source) || isOfAccount(source, item) || isOwners(trial, item) === true)) return undefined;
  return outcomeOf(trial, item) === 'in-both-lists' ? 'in-both-lists' : 'an-own-item';
};

/** What reads that opened show, after a second try. */
const openedTwice = (trial: Trial, opened: readonly PeerRead[], decisive: PeerRead): TrespassResult['outcome'] => {
  const again = opened.map(({ exchange: { probe }, how }) =>
    probe.method === 'HEAD' ? readHead(trial, 2) : read(trial, { ...probe, round: 2 }, how),
  );
  return again.some(isGranted) ? outcomeOf(trial, itemIn(trial, decisive)) : 'opened-once';
};

/** A note if the refusal tells that the id exists. */
const noteOf = ({ nothing }: Trial, first: PeerRead): { readonly note?: string } => {
  const [, unknown] = nothing.map(answerOf);
  const answer = answerOf(first.exchange);
  if (!answer || !unknown || isSame(answer, unknown)) return {};
  return {
    note: `It is refused otherwise (${answer.status}) than an id that names nothing (${unknown.status}), which tells that it exists.`,
  };
};

export const tryTrespass = (ask: Ask, trespass: Trespass): TrespassResult => {
  const trial = trialOf(ask, trespass);
  if (!trial) return { trespass, outcome: 'owner-refused', reads: [] };
  const first = read(trial, trial.plain);
  const isRefused = first.reading.verdict === 'refused';
  const own = isRefused ? undefined : peersOwn(trial, first);
  if (own) return { trespass, outcome: own, reads: [first] };
  const reads = [first, ...(isRefused ? readOtherwise(trial) : [])];
  const opened = reads.filter(isGranted);
  const [decisive] = opened;
  if (decisive) return { trespass, outcome: openedTwice(trial, opened, decisive), reads: opened };
  const unclear = reads.filter(({ reading }) => reading.verdict === 'unclear');
  if (unclear.length > 0) return { trespass, outcome: 'unclear', reads: unclear };
  if (!trial.source?.peersList && !opensAnything(ask, trespass.owner.subject, trespass.peer))
    return { trespass, outcome: 'key-opens-nothing', reads };
  return { trespass, outcome: 'kept', reads, ...noteOf(trial, first) };
};
