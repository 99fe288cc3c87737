import type { Exchange, Probe, Response } from '../../wire/types.js';
import { counted } from '../../words.js';
import { type ReadWith, readWithEnd } from '../bypass/bypass.js';
import { tricksIn } from '../bypass/bypass-rule.js';
import { blockedIfOpen, isJudged, usableOrBlocked } from '../bypass/judge-bypasses.js';
import { keyLost, readStill } from '../bypass/lost-access.js';
import { opensNowAndThen } from '../bypass/opens-now-and-then.js';
import { readHeadOperation } from '../bypass/other-methods.js';
import { answerOf, answersOf, isSuccess } from '../oracle/answers.js';
import { after, anonymousControls, controlRequests, healthRead } from '../oracle/control-requests.js';
import { isAsKeyed } from '../oracle/keyed.js';
import type { ReadExchange } from '../oracle/reading.js';
import { isOfOneForm, isSame } from '../oracle/same.js';
import type { Reading } from '../oracle/table.js';
import type { UsableControls } from '../oracle/usable-controls.js';
import type { Ask, Judgement, OperationSubject, Procedure, RuleWords, SeenFact, Slice } from '../rule.js';
import { chosenBy } from '../support/bundles.js';
import {
  because,
  becauseOf,
  blockedBy,
  excluded,
  inconclusive,
  lenient,
  listed,
  onCheck,
  passed,
} from '../support/judgement.js';
import { oncePerSlice } from '../support/once-per-judgement.js';
import { onKeyedConnection, requestWithoutKey } from '../support/requests.js';
import { canSendKey } from '../support/subjects.js';
import { type KeyPlacement, otherPlacements } from './key-placements.js';

/**
 * AUTH-1, AUTH-2: the whole key in another place or format. The client has the key, so accepting it
 * is lenient and never failed.
 *
 * Some differences are no other format: the case of an HTTP scheme (RFC 9110, section 11.1), the
 * number of spaces after it (section 11.4), and white space around a field value (section 5.5).
 */
export const acceptsNone = (placementsOf: PlacementsOf) => ({
  battery: { tricks: tricksIn(placementsOf) },
  procedure: noneIsTaken(placementsOf),
});

type PlacementsOf = (subject: OperationSubject) => readonly KeyPlacement[];

const noneIsTaken =
  (placementsOf: PlacementsOf) =>
  (rule: RuleWords): Procedure<OperationSubject> => {
    const chosen = (subject: OperationSubject, slice: Slice | undefined): readonly KeyPlacement[] =>
      chosenBy(placementsOf(subject), slice);
    const chosenOnce = oncePerSlice((subject, _ask, slice) => chosen(subject, slice));
    return {
      probes: (subject, slice) =>
        canSendKey(subject)
          ? [
              ...controlRequests(subject),
              healthRead(subject, rule, slice),
              ...chosen(subject, slice).map(({ probe }) => probe('valid')),
            ]
          : anonymousControls(subject),
      judge: (ask, subject, slice) => {
        const good = usableOrBlocked(ask, subject);
        if (isJudged(good)) return good;
        const placements = chosenOnce(ask, subject, slice);
        const open = blockedIfOpen(ask, subject, good, {
          by: 'anonymous',
          so: 'it cannot be seen which forms of one it takes',
        });
        if (open) return open;
        if (placements.length === 0) return excluded('No other form fits the documented scheme.');
        const sent = ask.all(placements.map(({ probe }) => probe('valid')));
        const health = readStill(ask, healthRead(subject, rule, slice), good, sent);
        const tried = placements.map((placement): Tried => {
          const exchange = ask(placement.probe('valid'));
          const readWith = subject.operation.method === 'HEAD' ? readHeadOperation : readAnyPlacement(placement);
          return { placement, exchange, reading: readWith(ask, exchange, good) };
        });
        // A cache, a session or a connection may have opened the operation meanwhile.
        const opening = requestWithoutKey(subject, {
          name: 'without a key, after reads with it',
          occasion: after(rule),
        });
        const isOpenToRandom = isGrantedBeside(ask, good)(good.random);
        const openings = [
          [opening],
          onKeyedConnection(subject, 'none'),
          ...(isOpenToRandom ? [] : [onKeyedConnection(subject, 'random')]),
        ];
        const byChance = takenByChance(ask, subject, good, placements);
        if (byChance)
          return blockedBy(
            onCheck('refuses-worthless-keys', subject.operation.id),
            because('opens-now-and-then'),
            'It opens without any key now and then, so it cannot be seen which forms of one it takes.',
            byChance.exchanges,
            { comparedWith: good.all },
          );
        return { ...judgeTried(ask, rule, tried, { good, health, openings }), comparedWith: [...good.all, health] };
      },
    };
  };

interface Tried extends ReadExchange {
  readonly placement: KeyPlacement;
}

/** What the answers to placements are compared with. */
interface Beside {
  readonly good: UsableControls;
  readonly health: Exchange;
  /** Series of requests of which the last one has no right key. */
  readonly openings: readonly (readonly Probe[])[];
}

/** The judgement if the operation opens without the right key. A placement shows nothing then. */
const opensToOthers = (ask: Ask, taken: readonly Tried[], { good, openings }: Beside): Judgement | undefined => {
  const { operation } = good.anonymous.probe;
  const isGranted = isGrantedBeside(ask, good);
  const open = lastOfEach(ask, openings).filter(isGranted);
  if (open.length > 0)
    return blockedBy(
      onCheck('refuses-leftovers', operation),
      because('opens-by-now'),
      'After the reads with the key it opens without the right key, so it cannot be seen which forms of one it takes.',
      open,
    );
  if (!isGranted(good.random)) return undefined;
  const random = ask.all(taken.map(({ placement }) => randomKeyAs(placement)));
  // A placement in which a random key opens the operation too is no leniency.
  return random.every(isGranted)
    ? blockedBy(
        onCheck('refuses-worthless-keys', operation),
        because('opens-by-bypass'),
        'A random key opens it, also in each other form in which the right one does, so it cannot be seen which forms of a key it takes.',
        [good.random, ...random],
      )
    : undefined;
};

const judgeTried = (ask: Ask, rule: RuleWords, tried: readonly Tried[], beside: Beside): Judgement => {
  const { good, health } = beside;
  const granted = tried.filter(({ reading }) => reading.verdict === 'granted');
  // What a document could name comes first: Bearer says more than another case of the right word.
  const isNameable = ({ placement }: Tried): boolean => placement.documentedAs !== undefined;
  const taken = [...granted.filter(isNameable), ...granted.filter((one) => !isNameable(one))];
  const ways = taken.map(({ placement }) => placement.words);
  const others = taken.length > 0 ? opensToOthers(ask, taken, beside) : undefined;
  if (others) return others;
  const facts = [factOf(rule, taken)];
  if (taken.length > 0)
    return lenient(
      becauseOf(because('takes-other-shapes', ...ways), ways),
      `It also takes ${listed(ways, 4)}.`,
      taken.map(({ exchange }) => exchange),
      { facts, openedBy: ways },
    );
  const lost = keyLost({ controls: good, health }, tried);
  if (lost) return lost;
  const unclear = tried.filter(({ exchange, reading }) => isUnclear(exchange, reading.verdict, good));
  const cause = because('unclear-answer', tried.length, unclear.length);
  if (unclear.length > 0 && readWithEnd(ask, good.anonymous, good).verdict === 'unclear')
    return blockedBy(
      onCheck('refuses-missing-key', good.anonymous.probe.operation),
      cause,
      'It is not clear whether it opens without any key, so it cannot be seen which forms of one it takes.',
      [good.anonymous],
    );
  if (unclear.length > 0)
    return inconclusive(
      cause,
      `Of ${counted(tried.length, 'other form')}, ${unclear.length} got an answer that cannot be told from what the key opens.`,
      unclear.map(({ exchange }) => exchange),
    );
  return passed(
    tried.length === 1 ? 'The one other form is not taken.' : `None of ${tried.length} other forms is taken.`,
    tried.map(({ exchange }) => exchange),
    { facts },
  );
};

/** Sends each series, and gives the answers to their last requests. */
const lastOfEach = (ask: Ask, series: readonly (readonly Probe[])[]): readonly Exchange[] => {
  ask.inSeries(...series);
  return ask.all(series.flatMap((probes) => probes.slice(-1)));
};

const isGrantedBeside =
  (ask: Ask, controls: UsableControls) =>
  (exchange: Exchange): boolean =>
    readWithEnd(ask, exchange, controls).verdict === 'granted';

/** The placements in which the key opens the operation. */
export const takenOf = (
  ask: Ask,
  placements: readonly KeyPlacement[],
  controls: UsableControls,
): readonly KeyPlacement[] => {
  const isGranted = isGrantedBeside(ask, controls);
  ask.all(placements.map(({ probe }) => probe('valid')));
  return placements.filter(({ probe }) => isGranted(ask(probe('valid'))));
};

/**
 * The judgement if a placement opens the operation only sometimes, and requests without a key do
 * too: a server that checks no key accepts any placement.
 */
export const takenByChance = (
  ask: Ask,
  subject: OperationSubject,
  controls: UsableControls,
  placements: readonly KeyPlacement[],
): Judgement | undefined => {
  if (subject.operation.method === 'HEAD') return undefined;
  // A new connection may lead to another server. Two are enough: more refusals could mean that the
  // key has ended.
  const again = takenOf(ask, placements, controls)
    .slice(0, 2)
    .map(({ probe }): Probe => ({ ...probe('valid', 2), connection: 'fresh' }));
  return ask.all(again).every(isGrantedBeside(ask, controls))
    ? undefined
    : opensNowAndThen({ ask, subject, controls }, { comparedWith: controls.all });
};

/** Whether a success may be what the key opens. */
const isUnclear = (exchange: Exchange, verdict: Reading['verdict'], good: UsableControls): boolean => {
  const answer = answerOf(exchange);
  if (!isSuccess(answer)) return false;
  return verdict === 'unclear' || (verdict === 'refused' && mayBeAnotherRead(answer, good));
};

const factOf = (rule: RuleWords, taken: readonly Tried[]): SeenFact => {
  const words = taken.map(({ placement }) => placement.words);
  return {
    gap: 'GAP-PLACEMENTS',
    fact: words.length === 0 ? 'No other form of the key is taken.' : `It also takes ${listed(words, 4)}.`,
    exchanges: taken.slice(0, 1).map(({ exchange }) => exchange),
    id: rule.id,
    value: [...words].sort(),
    reads: 1,
  };
};

/** A random key in a placement. Rules that ask for it share the request. */
export const randomKeyAs = ({ words, probe }: KeyPlacement): Probe => ({
  ...probe('random'),
  name: `a random key as ${words}`,
});

/**
 * Whether an answer that reads as refused may be another variant of a keyed answer that changes
 * between reads. It is not if it resembles the answer to a request without the right key.
 */
const mayBeAnotherRead = (answer: Response, controls: UsableControls): boolean => {
  const { first, second, anonymous, random, missing, base } = controls;
  if (isSame(first, second) || answer.shape.kind !== first.shape.kind) return false;
  return !answersOf([anonymous, random, missing, base]).some(
    (other) => isSame(other, answer) || (isSuccess(other) && isOfOneForm(other.shape, answer.shape)),
  );
};

/**
 * Reads the answer to a placement. An unclear 2xx that equals the keyed answer is granted if a
 * random key in the same placement gets another answer. A 2xx that may be a further variant of the
 * keyed answer is granted if that random key is refused by status.
 */
const readAnyPlacement =
  ({ probe }: KeyPlacement): ReadWith =>
  (ask, exchange, controls) => {
    const reading = readWithEnd(ask, exchange, controls);
    const answer = answerOf(exchange);
    const { first } = controls;
    // An answer without a body shares nothing with the keyed one, but may equal it.
    const equalsKeyed = (one: Response): boolean => isAsKeyed(controls, one) || isSame(first, one);
    if (reading.verdict === 'granted' || !isSuccess(answer)) return reading;
    const isEqual = reading.verdict === 'unclear' && equalsKeyed(answer);
    if (!isEqual && !(isOfOneForm(first.shape, answer.shape) && mayBeAnotherRead(answer, controls))) return reading;
    const other = answerOf(ask(probe('random')));
    return other && !(isEqual ? equalsKeyed(other) : isSuccess(other)) ? { ...reading, verdict: 'granted' } : reading;
  };

/** The other placements that a clause is about. */
export const placementsOf =
  (clause: KeyPlacement['clause']) =>
  (subject: OperationSubject): readonly KeyPlacement[] =>
    otherPlacements(subject).filter((placement) => placement.clause === clause && placement.isDocumented !== true);
