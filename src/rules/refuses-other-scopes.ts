import { groupBy, wordsIn } from '../collections.js';
import type { Exchange, HeaderPair, Probe } from '../wire/types.js';
import { headRequest } from './bypass/other-methods.js';
import {
  grantedIfListed,
  type OpenedSubject,
  opensAnything,
  readBeside,
  readHeadBeside,
  unlessOpenToAll,
} from './identities/identity-readings.js';
import {
  holdsOne,
  type IdentityView,
  identityViewOf,
  partialViewOf,
  statedInWords,
} from './identities/identity-views.js';
import { protectedWithScopes } from './identities/peers.js';
import { keyedControl, keyedControls } from './oracle/control-requests.js';
import type { ReadExchange } from './oracle/reading.js';
import { type UsableControls, usableFor } from './oracle/usable-controls.js';
import { type Ask, type AskedBy, defineRule, type Judgement, type OperationSubject } from './rule.js';
import { because, becauseOf, blockedBy, failed, inconclusive, listed, onControl, passed } from './support/judgement.js';
import { operationIn } from './support/subjects.js';
import { splitTarget } from './support/targets.js';

/** An identity's own read, and the same at a path that does not exist. */
const ownAndMissing = ({ subject }: IdentityView, round = 1): readonly [read: Probe, missing: Probe] => {
  const [, , missing] = keyedControls(subject);
  return [keyedControl(subject, round), missing];
};

/** Fields in which clients and proxies name a role, a group or a scope. */
const claimFields = wordsIn(`
  X-Role X-Roles X-User-Role X-User-Roles X-Scope X-Scopes X-Authenticated-Scope
  X-Groups X-Forwarded-Groups X-Auth-Request-Groups Remote-Groups
`);

/** The identity's read, which says itself that it holds what the operation asks for. */
const readThatClaims = ({ subject, identity }: IdentityView, round: number): Probe => {
  const read = keyedControl(subject, round);
  const stated = subject.operation.requirements?.map((set) => set.flatMap(({ scopes }) => scopes)) ?? [];
  const claim = stated.find((scopes) => scopes.length > 0)?.join(',') ?? '';
  const [path, query] = splitTarget(read.target);
  const cookies = read.headers.some(([name]) => name.toLowerCase() === 'cookie') ? [] : (['Cookie'] as const);
  const asValue = encodeURIComponent(claim);
  return {
    ...read,
    name: `with the key of ${identity.name}, and fields that claim what it lacks`,
    target: `${path}${query === '' ? '?' : `${query}&`}role=${asValue}&roles=${asValue}&scope=${asValue}`,
    headers: [
      ...read.headers,
      ...claimFields.map((name): HeaderPair => [name, claim]),
      ...cookies.map((name): HeaderPair => [name, `role=${asValue}; roles=${asValue}; scope=${asValue}`]),
    ],
  };
};

/** AUTH-5: an operation does not open to an identity without the stated scopes or roles. */
export const refusesOtherScopes = defineRule({
  scope: 'operation',
  id: 'refuses-other-scopes',
  clauses: ['AUTH-5'],
  title: 'refuses identities without the stated scopes or roles',
  stage: 'placements',
  appliesTo: (subject) =>
    protectedWithScopes(
      subject,
      () => identitiesWithoutScopes(subject),
      'No identity whose scopes are known lacks those that it states.',
    ),
  probes: (subject) => identitiesWithoutScopes(subject).flatMap((view) => ownAndMissing(view)),
  judge: (ask, subject) => unlessOpenToAll(ask, subject, judgeStrangers(ask, subject)),
  explanation: {
    asks: 'An operation opens to an identity that holds one of the stated sets of scopes or roles, and to no other.',
    sends: [
      'The documented request with the key of each identity that holds none of the sets, with an id from its own lists where the path has one.',
      'The same at a path that does not exist, and by HEAD. With the extended probes also with fields, a query and cookies that name what the identity lacks (X-Role, X-Scope, X-Forwarded-Groups, ?role=).',
    ],
    judged: [
      'By the table of AUTH-3, beside what an identity gets to whom the operation opens. Granted, and granted again: failed.',
      'An empty page never fails it. An identity whose key opens nothing anywhere shows nothing.',
    ],
    causes: [
      'The key is checked, and nobody asks what it may do.',
      'The list has its guard, and the route of a single item, or HEAD, has none.',
      'One of several scopes is enough where all of them are needed.',
      'The role is read from a field that every client can send.',
    ],
    fixes: 'Ask for the scopes where the key is checked, for every route and method, and deny by default.',
  },
});

/** The views of identities that hold none of the stated sets of scopes. */
const identitiesWithoutScopes = (subject: OperationSubject): readonly IdentityView[] =>
  (subject.deployment.identities ?? []).flatMap((identity) =>
    holdsOne(subject.operation, identity) === false ? (partialViewOf(subject, identity) ?? []) : [],
  );

/** Names of identities without the scopes whose key is configured but missing. */
const strangersWithoutKey = ({ operation, deployment }: OperationSubject): readonly string[] =>
  (deployment.identities ?? []).flatMap((identity) => {
    const { name, keys = {} } = identity;
    const isThere = Object.values(keys).every((setting) => deployment.keys[setting] !== undefined);
    return isThere || holdsOne(operation, identity) !== false ? [] : [name];
  });

/** One request of an identity, and how its answer is read. */
interface IdentityRead extends ReadExchange {
  readonly view: IdentityView;
  readonly how: string;
  readonly way: ReadAs;
}

type ReadAs = (ask: Ask, view: IdentityView, opened: OpenedSubject, round: number) => IdentityRead;

/** The identity's own lists from which its ids were read. */
const ownLists = (ask: Ask, { subject, identity, isForeign }: IdentityView): readonly UsableControls[] =>
  Object.values(isForeign ? {} : (subject.operation.readFrom ?? {})).flatMap(({ operation }) => {
    const list = operationIn(subject.contract, operation);
    const view = list && identityViewOf({ ...subject, operation: list }, identity);
    return (view && usableFor(ask, view.subject)) ?? [];
  });

const readPlainly: ReadAs = (ask, view, { controls }, round) => {
  const [exchange, missing] = ask.all(ownAndMissing(view, round));
  const reading = readBeside(ask, exchange, controls, [missing]);
  const lists = (): readonly UsableControls[] => ownLists(ask, view);
  const listed = grantedIfListed(reading, exchange, lists, 'its own list');
  return { view, how: '', way: readPlainly, exchange, reading: listed };
};

const readHeadAs: ReadAs = (ask, view, { subject, controls }, round) => {
  const head = headRequest(view.subject, `HEAD with the key of ${view.identity.name}`, 'valid');
  const exchange = ask({ ...head, round });
  const reading = readHeadBeside(ask, exchange, ask(keyedControl(view.subject, 1)), { subject, controls });
  return { view, how: ' by HEAD', way: readHeadAs, exchange, reading };
};

const readClaiming: ReadAs = (ask, view, { controls }, round) => {
  const exchange = ask(readThatClaims(view, round));
  const reading = readBeside(ask, exchange, controls, ask.all(ownAndMissing(view)));
  return { view, how: ' with fields that claim scopes', way: readClaiming, exchange, reading };
};

/** The read of one identity, and other ways to read if it is refused. */
const requestsOf = (ask: Ask, view: IdentityView, opened: OpenedSubject): readonly IdentityRead[] => {
  const read = readPlainly(ask, view, opened, 1);
  const { operation, deployment } = opened.subject;
  if (operation.method !== 'GET' || read.reading.verdict !== 'refused') return [read];
  const ways = deployment.probes === 'extended' ? [readHeadAs, readClaiming] : [readHeadAs];
  return [read, ...ways.map((way) => way(ask, view, opened, 1))];
};

const seenIn = (reads: readonly IdentityRead[]): AskedBy['seen'] =>
  reads.some(({ reading }) => reading.verdict === 'granted')
    ? 'opens'
    : reads.every(({ reading }) => reading.verdict === 'refused')
      ? 'refuses'
      : 'unclear';

const judgeStrangers = (ask: Ask, subject: OperationSubject): Judgement => {
  const strangers = identitiesWithoutScopes(subject);
  const controls = usableFor(ask, subject);
  if (!controls)
    return blockedBy(
      onControl(subject.operation.id),
      because('control-unusable'),
      'It did not open to an identity that holds the stated scopes, so there is nothing to compare with.',
      [],
    );
  ask.all(strangers.flatMap((view) => ownAndMissing(view)));
  const opened = { subject, controls };
  const byView = strangers.map((view) => ({ view, reads: requestsOf(ask, view, opened) }));
  const asked = byView.map(({ view, reads }): AskedBy => ({ identity: view.identity.name, seen: seenIn(reads) }));
  const reads = byView.flatMap((one) => one.reads);
  const judgement = judgeOpened(ask, opened, reads) ?? judgeRefused(ask, subject, reads, asked);
  return { comparedWith: controls.all, asked, ...judgement };
};

const exchangesIn = (reads: readonly IdentityRead[]): readonly Exchange[] => reads.map(({ exchange }) => exchange);

/** The judgement if some answers were not refused. */
const judgeOpened = (ask: Ask, opened: OpenedSubject, reads: readonly IdentityRead[]): Judgement | undefined => {
  const first = reads.filter(({ reading }) => reading.verdict === 'granted');
  const second = first.map(({ view, way }) => way(ask, view, opened, 2));
  const proof = first.filter((_one, index) => second[index]?.reading.verdict === 'granted');
  const [decisive] = proof;
  if (decisive) {
    const { seen } = decisive.reading;
    const stated = statedInWords(opened.subject.operation);
    const byHow = [...groupBy(proof, ({ how }) => how)];
    const words = listed(byHow.map(([how, reads]) => `${listed(reads.map(({ view }) => view.identity.name))}${how}`));
    return failed(
      becauseOf(
        because('opens-to-other-scopes', words),
        byHow.map(([how]) => how),
      ),
      `It opens to ${words} (${seen}), and the document asks for ${stated}.`,
      exchangesIn(proof),
      { expected: `a refusal of whoever lacks ${stated}`, seen, opened: exchangesIn(proof) },
    );
  }
  const data = { opened: exchangesIn(reads.filter(({ reading }) => reading.verdict !== 'refused')) };
  const [wavering] = first;
  if (wavering)
    return inconclusive(
      because('changes-between-tries', wavering.view.identity.name),
      `It opened to ${wavering.view.identity.name} once (${wavering.reading.seen}), and not on a second try.`,
      exchangesIn(first),
      data,
    );
  const unclear = reads.filter(({ reading }) => reading.verdict === 'unclear');
  const [open] = unclear;
  return (
    open &&
    inconclusive(
      because('unclear-answer', open.view.identity.name, unclear.length, String(open.reading.line)),
      `What ${open.view.identity.name} gets${open.how} is neither granted nor refused: ${open.reading.seen}${unclear.length > 1 ? ` (and ${unclear.length - 1} more)` : ''}.`,
      exchangesIn(unclear),
      data,
    )
  );
};

const judgeRefused = (
  ask: Ask,
  subject: OperationSubject,
  reads: readonly IdentityRead[],
  asked: readonly AskedBy[],
): Judgement => {
  const exchanges = exchangesIn(reads);
  const views = [...new Set(reads.map(({ view }) => view))];
  // An identity without scopes is refused everywhere, so it need not open anything.
  const silent = views.find(
    ({ identity }) => (identity.scopes ?? []).length > 0 && !opensAnything(ask, subject, identity),
  );
  if (silent) {
    const { name } = silent.identity;
    return inconclusive(
      because('identity-opens-nothing', name),
      `The key of ${name} opens nothing that it was tried on, so its refusal says nothing of scopes: it may be wrong or have ended.`,
      exchanges,
      { asked: asked.map((one) => (one.identity === name ? { ...one, seen: 'unclear' } : one)) },
    );
  }
  const unheard = listed(strangersWithoutKey(subject));
  if (unheard !== '')
    return inconclusive(
      because('no-key', unheard),
      `${unheard} could not ask: a key that IDENTITIES names was not there.`,
      exchanges,
    );
  const foreign = listed(views.filter(({ isForeign }) => isForeign).map(({ identity }) => identity.name));
  const { chosen } = subject.operation;
  const notes = [
    ...(foreign === '' ? [] : [`${foreign}: asked for an id of another account, since no list gives one of its own.`]),
    ...(chosen ? [`All were asked for one value of ${listed(chosen)}: if it is of an account, that may be why.`] : []),
  ];
  const refusals = views.map((view) => reads.find((one) => one.view === view)).flatMap((one) => one ?? []);
  return passed(
    `Refused to ${listed(refusals.map(({ view, reading }) => `${view.identity.name} (${reading.seen})`))}.`,
    exchanges,
    notes.length > 0 ? { note: notes.join(' ') } : {},
  );
};
