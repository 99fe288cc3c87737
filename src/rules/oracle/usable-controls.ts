import { lazy } from '../../collections.js';
import type { BodyShape } from '../../wire/body-shape.js';
import type { Exchange, Response } from '../../wire/types.js';
import type { Ask, OperationSubject } from '../rule.js';
import { canSendKey } from '../support/subjects.js';
import { answerOf, answersOf, closesEachTime, isSuccess, isUnanswered } from './answers.js';
import { type Background, openIn } from './background.js';
import { rowsByList, withoutFields } from './contents.js';
import { type Controls, controlsOf } from './controls.js';
import { asRecord, changingOf, isAsKeyed, type Keyed, keyedOf, sharesPieces } from './keyed.js';
import { hasValuesOfItsOwn } from './other-operations.js';
import { carriesRecord } from './records.js';
import { isOfOneForm, isSame, isSameRow, sameFields, volatileIn } from './same.js';
import { steadyListsOf } from './steady-lists.js';
import { isTable } from './tables.js';
import { fits, type Row, viewIn } from './view.js';

/** Controls whose keyed reads opened the operation, to compare other answers with. */
export interface UsableControls extends Controls {
  readonly first: Response;
  readonly second: Response;
  readonly background: Background;
}

/** Why other answers cannot be compared with the controls. */
export interface Unusable {
  readonly why:
    | 'no-answer'
    /** Not a success. */
    | 'status'
    /** The two keyed reads differ in media type or structure. */
    | 'unsteady'
    /** A control request got no answer. */
    | 'nothing-to-compare'
    /** The key got the same answer as a missing path or the base path. */
    | 'like-nothing'
    /** The key got the same as no key or a random one, in a body that may be a refusal. */
    | 'like-keyless';
  /** Distinguishes findings of one kind: the status, the error code, or the name of the control. */
  readonly values?: readonly string[];
  /** In words, as the end of a sentence. */
  readonly words: string;
}

export const isUsable = (controls: UsableControls | Unusable): controls is UsableControls => 'background' in controls;

const known = new WeakMap<Exchange, { readonly controls: Controls; readonly result: UsableControls | Unusable }>();

const haveSameExchanges = (a: Controls, b: Controls): boolean =>
  a.all.every((exchange, index) => exchange === b.all[index]) &&
  a.publics.every((exchange, index) => exchange === b.publics[index]) &&
  a.refusals.every((exchange, index) => exchange === b.refusals[index]);

/** The usable controls, or why they are unusable. Cached, since every rule of an operation asks. */
export const usable = (controls: Controls): UsableControls | Unusable => {
  const before = known.get(controls.keyed[0]);
  if (before && haveSameExchanges(before.controls, controls)) return before.result;
  const result = examine(controls);
  known.set(controls.keyed[0], { controls, result });
  return result;
};

/** The controls of an operation; `undefined` where the key may not be sent or opens nothing. */
export const usableFor = (ask: Ask, subject: OperationSubject): UsableControls | undefined => {
  const controls = canSendKey(subject) ? usable(controlsOf(ask, subject)) : undefined;
  return controls && isUsable(controls) ? controls : undefined;
};

const examine = (controls: Controls): UsableControls | Unusable => {
  const [first, second] = controls.keyed.map(answerOf);
  if (!first || !second) return silentRead(controls);
  const volatile = volatileIn(answerOf(controls.missing), answerOf(controls.otherMissing));
  const unusable = notOpened(first, second) ?? likeNothing(controls, first, volatile);
  if (unusable) return unusable;
  const keyed = keyedWith(controls, first, second);
  if (
    showsTheKey(controls, keyed) ||
    controls.elsewhere.refusesByStatus() ||
    isOpenedByGoodKey(controls, keyed) ||
    isListed(controls, keyed)
  )
    return { ...controls, first, second, background: backgroundOf(controls, keyed, volatile) };
  return {
    why: 'like-keyless',
    words:
      'the read with the key was answered like one without a key or with a random one, in a body that may be a refusal',
  };
};

/** Why two reads with the key show no opened operation. */
const notOpened = (first: Response, second: Response): Unusable | undefined => {
  const status = (name: string, answer: Response): Unusable => ({
    why: 'status',
    values: [String(answer.status)],
    words: `the ${name} with the key was answered with ${answer.status}`,
  });
  if (!isSuccess(first)) return status('read', first);
  if (!isSuccess(second)) return status('second read', second);
  return isOfOneForm(first.shape, second.shape)
    ? undefined
    : { why: 'unsteady', words: 'two reads with the key differ in media type or structure' };
};

/** Why a read with the key cannot be told from a request where nothing is. */
const likeNothing = (controls: Controls, first: Response, volatile: ReadonlySet<string>): Unusable | undefined => {
  const places = [
    ['missing', 'a path that does not exist', controls.missing],
    ['keyed-missing', 'a path that does not exist, with the key', controls.keyedMissing],
    ['base', 'the base path', controls.base],
  ] as const;
  for (const [place, name, exchange] of places) {
    const answer = answerOf(exchange);
    const values = [place];
    if (!answer && !closesEachTime(exchange))
      return { why: 'nothing-to-compare', values, words: `${name} got no answer, so there is nothing to compare with` };
    if (isSame(first, answer, volatile))
      return { why: 'like-nothing', values, words: `the read with the key was answered like ${name}` };
  }
  return undefined;
};

/** What the key gets. A row of a list is a record, also if the lists in it are empty. */
const keyedWith = (controls: Controls, first: Response, second: Response): Keyed => {
  const keyed = keyedOf(first, second);
  const { view, isEmpty } = keyed;
  const isPage = view !== undefined && isEmpty && view.outside.size > 0;
  return isPage && isListed(controls, keyed) ? asRecord(keyed) : keyed;
};

const silentRead = ({ keyed }: Controls): Unusable => {
  const error = keyed.find((exchange) => !answerOf(exchange))?.attempts.at(-1)?.error;
  return {
    why: 'no-answer',
    ...(error && { values: [error.code] }),
    words: `the read with the key got no answer${error ? ` (${error.code}: ${error.message})` : ''}`,
  };
};

const backgroundOf = (controls: Controls, keyed: Keyed, volatile: ReadonlySet<string>): Background => {
  const publics = answersOf(controls.publics);
  const invented = answersOf([controls.missing, controls.otherMissing]);
  const open = openIn(invented, publics);
  const anonymous = answerOf(controls.anonymous);
  // A control answer that carries a record of the owner must not count as opening nothing.
  const excuses = ({ shape }: Response): boolean => !carriesRecord({ keyed, moving: changingOf(keyed) }, shape, open);
  return {
    keyed,
    // Made-up paths without a key cannot give the owner's data. Fields of an answer to the key may
    // name its owner.
    nothing: [
      ...invented,
      ...answersOf([controls.keyedMissing]).map(withoutFields).filter(excuses),
      ...answersOf([controls.base]).filter(excuses),
    ],
    volatile,
    publics,
    // Other protected operations gave these to a client without a key, so they are not the owner's
    // data. If they are data, those operations are open themselves.
    refusals: answersOf(controls.refusals),
    anonymousRefused: anonymous !== undefined && !isSuccess(anonymous) && anonymous.status < 500,
    refusesByStatus: controls.elsewhere.refusesByStatus,
    isListed: lazy(() => isListed(controls, keyed)),
    missingDiffers: () => false,
    variesInForm: controls.variesInForm,
    moving: changingOf(keyed),
  };
};

/** Whether the keyed answer shows that the key made a difference, or that it is data. */
const showsTheKey = (controls: Controls, keyed: Keyed): boolean => {
  const [anonymous, random] = [controls.anonymous, controls.random].map(answerOf);
  const isRandomHeard = !isUnanswered(controls.random);
  if (!isSuccess(anonymous) && !isUnanswered(controls.anonymous)) {
    // A guard may refuse a missing key by status, and the service behind it a wrong key in a body.
    // So the given key may be wrong if a random key gets the same.
    const isAsRandom = !isRandomHeard || (isSuccess(random) && isAnyRead(keyed, random));
    const others = [...answersOf([controls.anonymous]), ...elsewhereIn(controls), ...controls.elsewhere.openToAnyKey()];
    if (!isAsRandom || hasValuesOfItsOwn(keyed, others) || controls.elsewhere.givesAnyKeyData()) return true;
  }
  if (controls.isDocumentedData) return true;
  if (isRandomHeard && random?.status !== keyed.first.status) return true;
  const compared = isRandomHeard ? random : undefined;
  // HEAD has no body, so its header fields are compared, if they are equal in both keyed reads.
  if (controls.keyed[0].probe.method === 'HEAD')
    return (
      compared !== undefined &&
      sameFields(keyed.first, undefined, keyed.second) === true &&
      sameFields(keyed.first, keyed.second, compared) === false
    );
  if (hasTableOfItsOwn(controls, keyed)) return true;
  if (compared === undefined) return false;
  // One answer is empty and the other one is not, so the key made a difference.
  return keyed.isEmpty !== keyedOf(compared, compared).isEmpty || isOfAnotherTree(keyed, compared.shape);
};

/**
 * Whether an answer has a table at the place of a keyed list, with rows that neither missing paths
 * nor public operations give, and that no random key gets at another operation.
 */
const hasTableOfItsOwn = (controls: Controls, keyed: Keyed): boolean => {
  // An HTML page may have a table of opening hours.
  if (keyed.first.shape.kind === 'html') return false;
  const known = lazy(() => elsewhereIn(controls).flatMap(({ shape }) => rowsByList(shape).flat()));
  const isOwnTable = (rows: readonly Row[]): boolean =>
    isTable(rows) && isTable(rows.filter(({ shape }) => !known().some((row) => isSameRow(row.shape, shape))));
  // A table that changes may be a choice of offers, which anybody may get beside a refusal.
  const paths = [...steadyListsOf(keyed).keys()];
  const hasTable = ({ shape }: Response): boolean =>
    paths.some((path) => isOwnTable(viewIn(shape)?.lists.get(path)?.rows ?? []));
  return (
    [keyed.first, ...answersOf([controls.anonymous, controls.random])].some(hasTable) &&
    !controls.elsewhere.openToAnyKey().some((answer) => isAsKeyed(keyed, answer))
  );
};

/**
 * Whether an answer equals the keyed reads, or has their structure if these differ from each other.
 */
const isAnyRead = (keyed: Keyed, seen: Response): boolean =>
  isAsKeyed(keyed, seen) || (!isAsKeyed(keyed, keyed.second) && !isOfAnotherTree(keyed, seen.shape));

/** Whether a body has another structure than the keyed answer or, as a text, other pieces. */
const isOfAnotherTree = (keyed: Keyed, seen: BodyShape): boolean => {
  const own = keyed.first.shape;
  if (own.kind !== seen.kind) return true;
  if (!own.shape || !seen.shape || own.kind === 'html') return !sharesPieces(keyed, seen);
  // One word and a list of words in the same place may both be refusals.
  return !fits(own.shape, seen.shape) && pathsIn(own) !== pathsIn(seen);
};

const pathsIn = (body: BodyShape): string => {
  const view = viewIn(body);
  return [...(view?.outside.keys() ?? []), ...(view?.lists.keys() ?? [])].sort().join('\n');
};

/** The answers of missing paths, the base path and public operations. */
const elsewhereIn = ({ missing, otherMissing, keyedMissing, base, publics }: Controls): readonly Response[] =>
  answersOf([missing, otherMissing, keyedMissing, base, ...publics]);

/** The key is valid elsewhere, and here neither a random key nor none gets the same. */
const isOpenedByGoodKey = ({ anonymous, random, elsewhere }: Controls, keyed: Keyed): boolean =>
  ![anonymous, random].some(isUnanswered) &&
  answersOf([anonymous, random]).every((answer) => !isAsKeyed(keyed, answer)) &&
  elsewhere.takesTheKey();

/** The record is also a row of the list operation above, so it is no refusal. */
const isListed = ({ elsewhere }: Controls, { first, second }: Keyed): boolean =>
  [first, second].every(({ shape }) => {
    const view = shape.kind === 'html' ? undefined : viewIn(shape);
    return view !== undefined && elsewhere.listsIt(view.record);
  });
