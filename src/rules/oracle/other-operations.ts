import { groupBy, memoizePerObject } from '../../collections.js';
import type { Contract, Operation } from '../../contract/model.js';
import type { ScalarShape } from '../../wire/body-shape.js';
import type { Probe, Response } from '../../wire/types.js';
import type { Ask, OperationSubject } from '../rule.js';
import { canSendKey, isAskedWithKey, subjectFor } from '../support/subjects.js';
import { withoutSlash } from '../support/targets.js';
import { answerOf, answersOf, isSuccess } from './answers.js';
import { digestsIn } from './contents.js';
import { anonymousControls, keyedControls, publicReads } from './control-requests.js';
import { candidatesOf, isAsKeyed, type Keyed, keyedOf } from './keyed.js';
import { isSame } from './same.js';
import { steadyRowsOf } from './steady-lists.js';
import { isTable } from './tables.js';
import { isBooleanOrNull, isFormatted, type Row } from './view.js';

/**
 * What other operations show. Siblings have the same method and take the same key in the same
 * place, so they are likely to share a guard.
 */

export interface OtherOperations {
  /** Three or more siblings refuse a missing key by status, and none in a 2xx body. */
  readonly refusesByStatus: () => boolean;
  /**
   * The key is valid: it got a table at one operation, the same in two reads, and a random key did
   * not.
   */
  readonly takesTheKey: () => boolean;
  /** Keyed answers of other operations where a random key gets the same. */
  readonly openToAnyKey: () => readonly Response[];
  /**
   * A sibling refuses a missing key by status, and gives any key values that nothing else has. So
   * an answer that any key gets is no refusal at other operations either.
   */
  readonly givesAnyKeyData: () => boolean;
  /**
   * The key got data at a list operation that this one belongs to (`/things` for `/things/{id}`),
   * and one of its rows is this record.
   */
  readonly listsIt: (record: Row) => boolean;
}

/** Operations are asked in batches, until enough of them refuse by status. */
const siblingsAtATime = 8;
const enoughSiblings = 3;

/** Maximum number of siblings that are asked, without those that are open to everybody. */
const mostSiblings = 48;

/** A document may describe one key by several schemes, such as a bearer token and OAuth 2.0. */
const schemeOf = ({ method, security }: Operation): string =>
  JSON.stringify([
    method,
    security.map(({ name, setting, guessed, in: place, field, prefix }) =>
      guessed ? name : [setting, place, field, prefix],
    ),
  ]);

/** Grouped once for each contract, since a contract may have thousands of operations. */
const byScheme = memoizePerObject(({ operations }: Contract) => groupBy(operations.filter(isAskedWithKey), schemeOf));

const siblingsOf = ({ contract, operation }: OperationSubject): readonly Operation[] =>
  (byScheme(contract).get(schemeOf(operation)) ?? [])
    .slice(0, mostSiblings + 1)
    .filter(({ id }) => id !== operation.id)
    .slice(0, mostSiblings);

interface OpenedOperation {
  readonly anonymous: Response | undefined;
  readonly random: Response | undefined;
  readonly keyed: Keyed;
  /** What missing paths and the base path get. */
  readonly nothing: readonly Response[];
}

/** The operations where the key gets success, unlike at a missing path. */
const openedOf = (ask: Ask, operations: readonly OperationSubject[]): readonly OpenedOperation[] => {
  // All of them at once, before each is looked at.
  ask.all(
    operations.flatMap((operation): readonly Probe[] => [...anonymousControls(operation), ...keyedControls(operation)]),
  );
  return operations.flatMap((operation) => {
    const [anonymous, missing, base, otherMissing, random] = ask.all(anonymousControls(operation)).map(answerOf);
    const [first, second, keyedMissing] = ask.all(keyedControls(operation)).map(answerOf);
    const isOpened = isSuccess(first) && isSuccess(second) && missing && !isSame(first, missing);
    const nothing = [missing, base, otherMissing, keyedMissing].filter((answer) => answer !== undefined);
    return isOpened ? [{ anonymous, random, keyed: keyedOf(first, second), nothing }] : [];
  });
};

const withUsableKeys = (subject: OperationSubject, operations: readonly Operation[]): readonly OperationSubject[] =>
  subject.deployment.isPart ? [] : operations.map((operation) => subjectFor(subject, operation)).filter(canSendKey);

/** Siblings that the key opens. A batch of them is asked when it is needed. */
const openedSiblings = function* (ask: Ask, subject: OperationSubject): Generator<readonly OpenedOperation[]> {
  const siblings = withUsableKeys(subject, siblingsOf(subject));
  for (let at = 0; at < siblings.length; at += siblingsAtATime)
    yield openedOf(ask, siblings.slice(at, at + siblingsAtATime));
};

export const refusesByStatus = (ask: Ask, subject: OperationSubject): boolean => {
  let shown = 0;
  for (const opened of openedSiblings(ask, subject)) {
    for (const { anonymous, random, keyed } of opened) {
      const isIn = (answer: Response | undefined): boolean => isSuccess(answer) && !isAsKeyed(keyed, answer);
      if (isIn(anonymous) || isIn(random)) return false;
      if (anonymous && !isSuccess(anonymous) && !isSuccess(random)) shown += 1;
    }
    if (shown >= enoughSiblings) return true;
  }
  return false;
};

export const takesTheKey = (ask: Ask, subject: OperationSubject): boolean =>
  openedOf(ask, withUsableKeys(subject, siblingsOf(subject).slice(0, siblingsAtATime))).some(
    ({ random, keyed }) => random !== undefined && isTable([...steadyRowsOf(keyed)]) && !isAsKeyed(keyed, random),
  );

export const openToAnyKey = (ask: Ask, others: readonly OperationSubject[]): readonly Response[] =>
  openedOf(ask, others).flatMap(({ random, keyed }) => (random && isAsKeyed(keyed, random) ? [keyed.first] : []));

/**
 * Whether one keyed row has two or more formatted values that none of the other answers has. One is
 * not enough: it may be an error code or a request id.
 */
export const hasValuesOfItsOwn = (keyed: Keyed, others: readonly Response[]): boolean => {
  const elsewhere = others.map(({ shape }) => digestsIn(shape));
  const isOwn = (scalar: ScalarShape): boolean =>
    isFormatted(scalar) && !elsewhere.some((there) => there.has(scalar.digest));
  // Two reads of a list that changes may share a row by chance.
  return candidatesOf(keyed).some((row, index) => {
    const record = keyed.rows[index];
    return (record === undefined || steadyRowsOf(keyed).has(record)) && [...row.values()].filter(isOwn).length >= 2;
  });
};

const isOpenToAnyKeyAlone = ({ anonymous, random, keyed }: OpenedOperation): boolean =>
  anonymous !== undefined && !isSuccess(anonymous) && isSuccess(random) && isAsKeyed(keyed, random);

export const givesAnyKeyData = (ask: Ask, subject: OperationSubject): boolean => {
  const publics = answersOf(ask.all(publicReads(subject)));
  const own = openedOf(ask, [subject]);
  for (const opened of openedSiblings(ask, subject)) {
    const open = opened.filter(isOpenToAnyKeyAlone);
    const hasOwn = (one: OpenedOperation): boolean =>
      hasValuesOfItsOwn(one.keyed, [
        ...(one.anonymous ? [one.anonymous] : []),
        ...one.nothing,
        ...publics,
        ...[...own, ...open].flatMap((other) => (other === one ? [] : [other.keyed.first])),
      ]);
    if (open.some(hasOwn)) return true;
  }
  return false;
};

/** `/things` of `/things/{id}`, and of `/things({id})`, as OData writes it. */
const parentOf = (path: string): string => withoutSlash(path).replace(/(?:\([^/()]+\)|\/[^/]*(?<!\)))$/, '');

/** Whether one operation lists what the other one reads: `/things` and `/things/{id}`. */
export const isOfOneResource = ({ path }: Operation, other: Operation | undefined): boolean => {
  const isItemOf = (item: string, list: string): boolean =>
    /\}\)?\/?$/.test(item) && parentOf(item) === withoutSlash(list);
  return other !== undefined && (isItemOf(path, other.path) || isItemOf(other.path, path));
};

/** Protected reads by path. Grouped once for each contract, since it may have thousands of them. */
const readsByPath = memoizePerObject(({ operations }: Contract) =>
  groupBy(
    operations.filter((operation) => isAskedWithKey(operation) && operation.method === 'GET'),
    ({ path }) => withoutSlash(path),
  ),
);

/**
 * Protected reads at the path one segment shorter, where the operation's items are listed, and
 * those that its id was read from (`/things` for `/thing/{id}`).
 */
const listsOf = ({ contract, operation }: OperationSubject): readonly Operation[] => {
  const sources = new Set(Object.values(operation.readFrom ?? {}).map((source) => source.operation));
  const reads = readsByPath(contract);
  return [
    ...(reads.get(parentOf(operation.path)) ?? []),
    ...[...reads.values()].flat().filter(({ id, path }) => sources.has(id) && path !== parentOf(operation.path)),
  ];
};

/** Whether a record shares two or more telling values with a row, so that it is this row. */
const isRow = (record: Row, candidates: ReadonlyMap<string, unknown>): boolean =>
  record.all.filter(({ telling, digest }) => telling && candidates.has(digest)).length >= 2;

/**
 * Whether a record has all names and values of a row. Two of the values have to tell it from other
 * rows: its id, which was sent, and another one. In the record, that id may be part of a link.
 */
const holdsRow = (record: Row, row: Row, rows: readonly Row[]): boolean => {
  const values = [...row.cells].filter(([, cell]) => !isBooleanOrNull(cell));
  const apart = values.filter(([path, { digest }]) =>
    rows.some(({ cells }) => cells.has(path) && cells.get(path)?.digest !== digest),
  );
  const isThere = (path: string, digest: string): boolean => {
    const its = record.cells.get(path);
    return its?.digest === digest || its?.link === true;
  };
  return values.length >= 3 && apart.length >= 2 && [...row.cells].every(([path, cell]) => isThere(path, cell.digest));
};

export const listsIt = (ask: Ask, subject: OperationSubject, record: Row): boolean =>
  openedOf(ask, withUsableKeys(subject, listsOf(subject))).some(({ anonymous, keyed }) => {
    // Rows are data also without formatted values, if they are refused by status without the key.
    const isData = isTable(keyed.rows) || (keyed.rows.length > 0 && anonymous && !isSuccess(anonymous));
    if (keyed.first.shape.kind === 'html' || !isData) return false;
    return (
      candidatesOf(keyed).some((candidates) => isRow(record, candidates)) ||
      keyed.rows.some((row) => holdsRow(record, row, keyed.rows))
    );
  });
