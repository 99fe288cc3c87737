import { memoize } from '../../collections.js';
import type { Contract, Operation } from '../../contract/model.js';
import type { BodyFacts } from '../../wire/body-facts.js';
import type { Exchange, Probe, Response } from '../../wire/types.js';
import { oncePerJudgement } from '../once-per-judgement.js';
import { baseOf, canSendKey, missingOf, protectedRequests, requestFor } from '../requests.js';
import type { Ask, OperationRule, OperationSubject } from '../rule.js';
import { answerOf, closesEachTime, isSuccess } from './answers.js';
import { isDocumentedData } from './documented-data.js';
import type { Background } from './evidence.js';
import { carriesRecord, isTable, type Keyed, keyedOf } from './keyed.js';
import { isSame, sameFields, sharedWithKeyed, volatileIn } from './same.js';
import { digestsIn, fits, rowsIn, type View, viewIn } from './view.js';

/** What "granted" and "nothing there" look like on this server, for one protected operation. */
export interface Controls {
  readonly keyed: readonly [Exchange, Exchange];
  readonly anonymous: Exchange;
  /** With a random key of the same length and alphabet. */
  readonly random: Exchange;
  readonly missing: Exchange;
  /** Another missing path: what differs between the two is volatile. */
  readonly otherMissing: Exchange;
  /** The missing path with the key: a service that says the same to every request with a key has shown nothing. */
  readonly keyedMissing: Exchange;
  readonly base: Exchange;
  /** The document says that the keyed answer is data. */
  readonly documented: boolean;
  /** Reads of a few public operations: what everybody may see. */
  readonly publics: readonly Exchange[];
  /** Reads of a few other protected operations without a key. */
  readonly others: readonly Exchange[];
  readonly all: readonly Exchange[];
  /** What other operations behind the same gate showed: looked at only where it matters. */
  readonly elsewhere: Elsewhere;
}

export interface Elsewhere {
  /** At least three were opened by the key and refuse by status without one, and none was seen to refuse in a body. */
  readonly refusesByStatus: () => boolean;
  /** One gave the key rows that can word no refusal, and a random key something else: the key is a good one. */
  readonly takesTheKey: () => boolean;
}

/** Controls whose keyed reads opened the operation: others can be compared with them. */
export interface UsableControls extends Controls {
  readonly first: Response;
  readonly second: Response;
  readonly background: Background;
}

/** Why controls show nothing. */
export interface Unusable {
  readonly why:
    | 'no-answer'
    /** Not a success. */
    | 'status'
    /** The two keyed reads are of different forms. */
    | 'unsteady'
    /** A comparison got no answer. */
    | 'nothing-to-compare'
    /** The key got what a missing path or the base path got. */
    | 'like-nothing'
    /** The key got what no key or a random one got, in a body that may be a refusal. */
    | 'like-keyless';
  /** What tells one such finding from another: the status, or the control that the keyed read was compared with. */
  readonly values?: readonly string[];
  /** In words, as the end of a sentence. */
  readonly words: string;
}

export const isUsable = (controls: UsableControls | Unusable): controls is UsableControls => 'background' in controls;

const mostPublics = 3;

const firstPublic = memoize((contract: Contract): readonly Operation[] =>
  contract.operations.filter(({ access, method }) => access === 'public' && method === 'GET').slice(0, mostPublics),
);

export const publicOperations = ({ contract }: OperationSubject): readonly Operation[] => firstPublic(contract);

/** The probes of everything that is read without the key before it is sent; a random one where there is a key to imitate. */
export const anonymousControls = memoize((subject: OperationSubject): readonly Probe[] => {
  const missing = requestFor(subject, { name: 'a path that does not exist', credential: 'none' });
  return [
    requestFor(subject, { name: 'without a key', credential: 'none' }),
    missingOf(subject, missing),
    baseOf(subject, requestFor(subject, { name: 'the base path', credential: 'none' })),
    missingOf(subject, { ...missing, name: 'another path that does not exist' }, 'other'),
    ...(canSendKey(subject)
      ? [requestFor(subject, { name: 'a random key of the same length and alphabet', credential: 'random' })]
      : []),
  ];
});

const keyedReads = memoize((_subject: OperationSubject) => new Map<string, Probe>());

/** The documented read. `occasion` tells it from the same read at other times: what was sent for one rule is not read for another. */
export const keyedControl = (subject: OperationSubject, round: number, occasion?: string): Probe => {
  const reads = keyedReads(subject);
  const called = `${round} ${occasion ?? ''}`;
  const probe =
    reads.get(called) ??
    requestFor(subject, {
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

/** More reads with the key, for what was equal in the first ones by chance. */
export const laterReads = memoize((subject: OperationSubject): readonly Probe[] =>
  [1, 2, 3].map((round) => keyedControl(subject, round, 'to see what changes')),
);

/** Two reads with the key, and a path that does not exist with it. */
export const keyedControls = memoize((subject: OperationSubject): readonly Probe[] => [
  keyedControl(subject, 1),
  keyedControl(subject, 2),
  missingOf(subject, { ...keyedControl(subject, 1), name: 'a path that does not exist, with the key' }),
]);

const publicReads = memoize((subject: OperationSubject): readonly Probe[] =>
  publicOperations(subject).map((operation) =>
    requestFor({ ...subject, operation }, { name: `the public ${operation.id}`, credential: 'none' }),
  ),
);

/** Reads the controls, those without a key first. */
export const controlsOf = oncePerJudgement((subject: OperationSubject, ask): Controls => {
  const others = protectedRequests(subject).filter(({ operation }) => operation !== subject.operation.id);
  const anonymous = anonymousControls(subject);
  const open = ask.all([...anonymous, ...publicReads(subject), ...others]);
  const [without, missing, base, otherMissing, random] = open;
  const [first, second, keyedMissing] = ask.all(keyedControls(subject));
  if (!without || !missing || !base || !otherMissing || !random || !first || !second || !keyedMissing)
    throw new TypeError('ask.all returns an exchange for every probe');
  const [answer, repeated] = [first, second].map(answerOf);
  const nowhere = [missing, keyedMissing, base].flatMap((exchange) => answerOf(exchange) ?? []);
  const publics = open.slice(anonymous.length, anonymous.length + publicReads(subject).length);
  return {
    keyed: [first, second],
    anonymous: without,
    random,
    missing,
    otherMissing,
    keyedMissing,
    base,
    documented: answer !== undefined && repeated !== undefined && isDocumentedData(subject, answer, repeated, nowhere),
    publics,
    others: open.slice(anonymous.length + publics.length),
    all: [first, second, without, random, missing, otherMissing, keyedMissing, base],
    elsewhere: {
      refusesByStatus: () => refusesByStatus(ask, subject),
      takesTheKey: () => takesTheKey(ask, subject),
    },
  };
});

const responsesOf = (exchanges: readonly Exchange[]): readonly Response[] =>
  exchanges.flatMap((exchange) => answerOf(exchange) ?? []);

/** Operations of one gate that are looked at to see how it refuses. */
const mostSiblings = 8;
const enoughSiblings = 3;

const siblings = memoize(({ contract, operation }: OperationSubject): readonly Operation[] => {
  const gate = gateOf(operation);
  return contract.operations
    .filter((other) => other.access === 'protected' && other.id !== operation.id && gateOf(other) === gate)
    .slice(0, mostSiblings);
});

/** Operations of one method, one scheme and one path prefix. */
const gateOf = ({ method, security, path }: Operation): string =>
  JSON.stringify([method, security.map(({ name }) => name), path.split('/').slice(0, 3)]);

/** What was answered to a client without a key, at a missing path, to a random key, and twice to the key. */
type Shown = readonly [
  anonymous: Response | undefined,
  missing: Response | undefined,
  random: Response | undefined,
  first: Response | undefined,
  second: Response | undefined,
];

const siblingProbes = (sibling: OperationSubject): readonly Probe[] => {
  const [anonymous, missing, , , random] = anonymousControls(sibling);
  return [anonymous, missing, random, keyedControl(sibling, 1), keyedControl(sibling, 2)].filter(
    (probe) => probe !== undefined,
  );
};

const shownBy = (ask: Ask, operations: readonly OperationSubject[]): readonly Shown[] => {
  ask.all(operations.flatMap(siblingProbes));
  return operations.map((operation) => {
    const [anonymous, missing, random, first, second] = ask.all(siblingProbes(operation)).map(answerOf);
    return [anonymous, missing, random, first, second];
  });
};

const armedSiblings = (subject: OperationSubject): readonly OperationSubject[] =>
  subject.deployment.isPart
    ? []
    : siblings(subject)
        .map((operation) => ({ ...subject, operation }))
        .filter(canSendKey);

const refusesByStatus = (ask: Ask, subject: OperationSubject): boolean => {
  const others = armedSiblings(subject);
  if (others.length < enoughSiblings) return false;
  let shown = 0;
  for (const [anonymous, missing, random, first, second] of shownBy(ask, others)) {
    if (!anonymous || !missing || !first || !second || !isSuccess(first) || !isSuccess(second)) continue;
    if (isSame(first, missing)) continue;
    const isToldIn = (answer: Response | undefined): boolean =>
      answer !== undefined &&
      isSuccess(answer) &&
      sharedWithKeyed(first.facts, second.facts, answer.facts) === undefined;
    if (isToldIn(anonymous) || isToldIn(random)) return false;
    if (!isSuccess(anonymous) && (random === undefined || !isSuccess(random))) shown += 1;
  }
  return shown >= enoughSiblings;
};

const takesTheKey = (ask: Ask, subject: OperationSubject): boolean =>
  shownBy(ask, armedSiblings(subject)).some(([, missing, random, first, second]) => {
    if (!random || !first || !second || !isSuccess(first) || !isSuccess(second)) return false;
    if (missing && isSame(first, missing)) return false;
    return (
      isTable(keyedOf(first, second).rows) && sharedWithKeyed(first.facts, second.facts, random.facts) === undefined
    );
  });

const judged = new WeakMap<Exchange, { readonly controls: Controls; readonly result: UsableControls | Unusable }>();

const same = (a: Controls, b: Controls): boolean =>
  a.all.every((exchange, index) => exchange === b.all[index]) &&
  a.publics.every((exchange, index) => exchange === b.publics[index]) &&
  a.others.every((exchange, index) => exchange === b.others[index]);

/** The usable controls, or why they are not. Every rule of an operation asks. */
export const usable = (controls: Controls): UsableControls | Unusable => {
  const before = judged.get(controls.keyed[0]);
  if (before && same(before.controls, controls)) return before.result;
  const result = examine(controls);
  judged.set(controls.keyed[0], { controls, result });
  return result;
};

const examine = (controls: Controls): UsableControls | Unusable => {
  const [first, second] = controls.keyed.map(answerOf);
  if (!first || !second) return { why: 'no-answer', words: 'the read with the key got no answer' };
  for (const [answer, name] of [
    [first, 'read'],
    [second, 'second read'],
  ] as const)
    if (!isSuccess(answer))
      return {
        why: 'status',
        values: [String(answer.status)],
        words: `the ${name} with the key was answered with ${answer.status}`,
      };
  if (!isOfOneForm(first.facts, second.facts))
    return { why: 'unsteady', words: 'two reads with the key differ in media type or structure' };
  const places = [
    ['missing', 'a path that does not exist', controls.missing],
    ['keyed-missing', 'a path that does not exist, with the key', controls.keyedMissing],
    ['base', 'the base path', controls.base],
  ] as const;
  const volatile = volatileNothing(controls);
  for (const [place, name, exchange] of places) {
    const answer = answerOf(exchange);
    const values = [place];
    if (!answer && !closesEachTime(exchange))
      return { why: 'nothing-to-compare', values, words: `${name} got no answer, so there is nothing to compare with` };
    if (answer && isSame(first, answer, volatile))
      return { why: 'like-nothing', values, words: `the read with the key was answered like ${name}` };
  }
  const keyed = keyedOf(first, second);
  if (!showsTheKey(controls, keyed) && !controls.elsewhere.refusesByStatus() && !isOpenedByGoodKey(controls, keyed))
    return {
      why: 'like-keyless',
      words:
        'the read with the key was answered like one without a key or with a random one, in a body that may be a refusal',
    };
  return { ...controls, first, second, background: backgroundOf(controls, keyed, volatile) };
};

const volatileNothing = ({ missing, otherMissing }: Controls): ReadonlySet<string> => {
  const [first, second] = [missing, otherMissing].map(answerOf);
  return first ? volatileIn(first, second) : new Set();
};

const backgroundOf = (controls: Controls, keyed: Keyed, volatile: ReadonlySet<string>): Background => {
  const publics = responsesOf(controls.publics);
  const publicRows = publics.flatMap(({ facts }) => rowsIn(viewIn(facts)));
  const invented = responsesOf([controls.missing, controls.otherMissing]);
  const open = [...publics, ...invented].map(({ facts }) => digestsIn(facts));
  const isOpen = (digest: string): boolean => open.some((there) => there.has(digest));
  const anonymous = answerOf(controls.anonymous);
  // A comparison that itself carries a record of the owner excuses nothing.
  const excuses = ({ facts }: Response): boolean => !carriesRecord(keyed, facts, isOpen, publicRows);
  return {
    keyed,
    // What two invented paths give to nobody is nobody's.
    nothing: [...invented, ...responsesOf([controls.keyedMissing, controls.base]).filter(excuses)],
    volatile,
    publics,
    refusals: responsesOf(controls.others).filter((answer) => !isSuccess(answer)),
    anonymousRefused: anonymous !== undefined && !isSuccess(anonymous) && anonymous.status < 500,
    refusesByStatus: controls.elsewhere.refusesByStatus,
    missingDiffers: false,
    moving: changedOutside(keyed),
  };
};

/** Members outside rows that differ between the two keyed reads. */
const changedOutside = ({ first, second }: Keyed): ReadonlySet<string> => {
  const [one, two] = [viewIn(first.facts), viewIn(second.facts)];
  return new Set(
    [...(one?.outside ?? [])].flatMap(([path, { digest }]) =>
      two?.outside.get(path)?.digest === digest ? [] : [path],
    ),
  );
};

/** Both with a structure or both without, their lists at the same paths. */
export const isOfOneForm = (a: BodyFacts, b: BodyFacts): boolean => {
  if (a.kind !== b.kind || a.mediaType !== b.mediaType) return false;
  const [one, other] = [viewIn(a), viewIn(b)];
  if (a.kind === 'html' || (!one && !other)) return true;
  if (!one || !other) return false;
  if (one.lists.size > 0 || other.lists.size > 0)
    return one.lists.size === other.lists.size && [...one.lists.keys()].every((path) => other.lists.has(path));
  return (
    [...one.outside.keys()].some((path) => other.outside.has(path)) ||
    (one.outside.size === 0 && other.outside.size === 0)
  );
};

/** Whether the keyed answer shows that the key made a difference, or is data by itself. */
const showsTheKey = (controls: Controls, keyed: Keyed): boolean => {
  const [anonymous, random] = [controls.anonymous, controls.random].map(answerOf);
  if (anonymous === undefined || !isSuccess(anonymous)) {
    // A gate may refuse no key by status, and what is behind it a wrong one in a body: this key may be a wrong one too.
    const isAsRandom =
      random !== undefined &&
      isSuccess(random) &&
      sharedWithKeyed(keyed.first.facts, keyed.second.facts, random.facts) !== undefined;
    if (!isAsRandom || keyed.candidates.some((row) => [...row.values()].some(({ form }) => form !== undefined)))
      return true;
  }
  if (random === undefined || random.status !== keyed.first.status) return true;
  if (controls.documented) return true;
  // HEAD has no body: its fields stand for one, where they stay the same.
  if (controls.keyed[0].probe.method === 'HEAD')
    return (
      sameFields(keyed.first, undefined, keyed.second) === true &&
      sameFields(keyed.first, keyed.second, random) === false
    );
  if (isTable(keyed.rows)) return true;
  const paths = [...(keyed.view?.lists.keys() ?? [])];
  const rowsAt = (answer: Response): boolean =>
    paths.some((path) => isTable(viewIn(answer.facts)?.lists.get(path)?.rows ?? []));
  if ((anonymous && rowsAt(anonymous)) || rowsAt(random)) return true;
  if (isEmptyLikePublic(controls, keyed)) return true;
  // An empty list for the one and a filled one for the other are two answers.
  if (keyed.isHollow !== keyedOf(random, random).isHollow) return true;
  return isOfAnotherTree(keyed.first.facts, random.facts);
};

/** A key that is good elsewhere gets here what neither a random one nor none gets. */
const isOpenedByGoodKey = ({ anonymous, random, elsewhere }: Controls, { first, second }: Keyed): boolean =>
  responsesOf([anonymous, random]).every(
    ({ facts }) => sharedWithKeyed(first.facts, second.facts, facts) === undefined,
  ) && elsewhere.takesTheKey();

/** Another tree; of texts, fewer than half of the pieces shared. */
const isOfAnotherTree = (a: BodyFacts, b: BodyFacts): boolean => {
  if (a.kind !== b.kind) return true;
  if (a.shape && b.shape && a.kind !== 'html') return !fits(a.shape, b.shape) && !hasSameOutside(a, b);
  const there = new Set(b.pieces ?? []);
  const own = a.pieces ?? [];
  return own.length > 0 && own.filter((piece) => there.has(piece)).length * 2 < own.length;
};

/** A filled list and an empty one are of one tree. */
const hasSameOutside = (a: BodyFacts, b: BodyFacts): boolean => {
  const [one, other] = [viewIn(a), viewIn(b)];
  if (!one || !other) return false;
  const paths = (view: typeof one): string => [...view.outside.keys(), ...view.lists.keys()].sort().join('\n');
  return paths(one) === paths(other);
};

/** The account has no rows, and the answer is built as a public one whose count of rows is shown to be that. */
const isEmptyLikePublic = ({ publics }: Controls, { isHollow, view }: Keyed): boolean => {
  if (!isHollow || !view) return false;
  const own = [...view.outside.keys()].sort().join('\n');
  return responsesOf(publics).some(({ facts }) => {
    const there = viewIn(facts);
    if (!there || [...there.outside.keys()].sort().join('\n') !== own) return false;
    return [...there.outside].some(
      ([path, leaf]) =>
        [...there.lists.values()].some(({ length, count }) => length >= 2 && count === leaf.digest) &&
        (view.outside.get(path)?.type === 'number' || view.outside.get(path)?.type === 'text'),
    );
  });
};

/** The controls, less what later reads that the key opened show to change. */
export const settledBy = (reads: readonly Exchange[], controls: UsableControls): UsableControls => {
  const { first, background } = controls;
  const own = viewIn(first.facts);
  const later = reads
    .filter((one) => isHealthy(one, controls))
    .flatMap((one) => viewIn((answerOf(one) ?? first).facts) ?? []);
  const moving = [...(own?.outside ?? [])].flatMap(([path, { digest }]) => {
    const isAnother = (view: View): boolean => (view.outside.get(path)?.digest ?? digest) !== digest;
    return !background.moving.has(path) && later.some(isAnother) ? [path] : [];
  });
  return moving.length === 0
    ? controls
    : { ...controls, background: { ...background, moving: new Set([...background.moving, ...moving]) } };
};

/** The key still opens what it opened before: an answer of its form, with rows where there were some, and not the refusal. */
export const isHealthy = (health: Exchange, { first, second, anonymous, background }: UsableControls): boolean => {
  const answer = answerOf(health);
  if (answer === undefined || !isSuccess(answer) || !isOfOneForm(first.facts, answer.facts)) return false;
  if (sharedWithKeyed(first.facts, second.facts, answer.facts) !== undefined) return true;
  const refused = answerOf(anonymous);
  if (refused && isSuccess(refused) && isSame(answer, refused) && !isSame(first, refused)) return false;
  const { keyed } = background;
  const view = viewIn(answer.facts);
  if (keyed.view === undefined || first.facts.kind === 'html')
    return sharesPieces(first.facts, second.facts, answer.facts);
  if (keyed.rows.length > 0) return [...(view?.lists.values() ?? [])].some(({ length }) => length > 0);
  return (
    !keyed.isRecord || (first.facts.shape && answer.facts.shape ? fits(first.facts.shape, answer.facts.shape) : false)
  );
};

/** Half of what stays in both keyed texts, or all that is there of a text that is another one each time. */
const sharesPieces = (first: BodyFacts, second: BodyFacts, seen: BodyFacts): boolean => {
  const again = new Set(second.pieces);
  const stable = (first.pieces ?? []).filter((piece) => again.has(piece));
  const there = new Set(seen.pieces);
  return stable.filter((piece) => there.has(piece)).length * 2 >= stable.length;
};
