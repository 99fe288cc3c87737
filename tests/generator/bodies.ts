import { type Model, recordOf, rowsOf, type Tree } from './data.js';
import { type Context, type Envelope, envelopeOf } from './envelopes.js';
import { type Format, isFlat, isObject, mediaTypes, written } from './formats.js';
import { languages, namesIn } from './languages.js';
import { type Random, randomOf, uuidOf } from './random.js';
import type { Answer } from './refusals.js';
import type { Spec } from './spec.js';

/**
 * Rows of public resources: everybody's, the owner's own, both, none, some of many, with a mark that
 * is filled or null, or what stands in their place.
 */
export type PublicRows =
  | 'everybody'
  | 'owner'
  | 'both'
  | 'nobody'
  | 'some'
  | 'marked'
  | 'unmarked'
  | 'nullRows'
  | 'maskedRows'
  | 'notice';

/** What a service has, and how it puts it in a body. */
export interface Bodies {
  readonly context: Context;
  readonly envelope: Envelope;
  readonly single: boolean;
  /** The rows of the key's owner. */
  readonly own: readonly Tree[];
  /** Rows of somebody; of a service of one record that one. */
  readonly rowsFor: (owner: number, length: number) => readonly Tree[];
  /** Adds what differs from exchange to exchange. */
  readonly decorated: (tree: Tree, moment: Random) => Tree;
  readonly treeOf: (rows: readonly Tree[], total: number, moment: Random, format?: Format) => Tree;
  readonly give: (rows: readonly Tree[], total: number, moment: Random, format: Format, status?: number) => Answer;
  /** A tree that is no data: without columns. */
  readonly say: (tree: Tree, format: Format, status?: number) => Answer;
  readonly publicAnswer: (moment: Random, index: number, which?: PublicRows) => Answer;
  readonly nullTree: (moment: Random) => Tree;
  readonly masked: (tree: Tree) => Tree;
}

const masked = (tree: Tree): Tree => {
  if (Array.isArray(tree)) return tree.map(masked);
  if (isObject(tree)) return Object.fromEntries(Object.entries(tree).map(([name, value]) => [name, masked(value)]));
  return typeof tree === 'string' ? '***' : typeof tree === 'number' ? 0 : tree;
};

const emptied = (row: Tree): Tree => {
  if (Array.isArray(row)) return row.map(() => null);
  return isObject(row) ? Object.fromEntries(Object.keys(row).map((name) => [name, null])) : null;
};

const constants = { apiVersion: '2.14.0', build: '2024-01-05T10:00:00Z', commit: '9f2c1d7e4b8a' } as const;

export const bodiesOf = (spec: Spec): Bodies => {
  const random = randomOf(`${spec.seed} data`);
  const language = languages[spec.language];
  const nameOf = namesIn(language);
  const model: Model = { kind: spec.kind, language, nameOf };
  const envelope = envelopeOf(spec.envelope);
  const single = envelope.single === true;
  const has = (volatile: Spec['volatility'][number]): boolean => spec.volatility.includes(volatile);
  const context: Context = {
    nameOf,
    random: random.fork('envelope'),
    total: spec.total,
    words: spec.words,
    instead: spec.instead,
  };

  const rowsFor = (owner: number, length: number): readonly Tree[] => {
    const its = random.fork(`owner ${owner}`);
    return single ? [recordOf(model, its, owner)] : rowsOf(model, its, length, owner);
  };
  const own = rowsFor(0, spec.rows);
  const [like = {}] = rowsOf(model, random.fork('columns'), 1);
  const columns = Object.keys(like);

  const offers = Array.from({ length: 20 }, (_, at) => ({
    id: 7_001 + at * 13,
    title: `Offer ${at + 1}`,
    price: 1_999 + at * 111,
  }));
  const decorated = (tree: Tree, moment: Random): Tree => {
    // Nothing stands among the names of a map.
    if (!isObject(tree) || spec.envelope === 'map') return tree;
    return {
      ...tree,
      ...(has('requestId') ? { requestId: uuidOf(moment) } : {}),
      ...(has('time') ? { serverTime: new Date(Date.now() + moment.int(0, 900)).toISOString() } : {}),
      ...(has('counter') ? { requests: moment.int(1_000, 9_000_000) } : {}),
      ...(has('took') ? { took: moment.int(1, 90) } : {}),
      ...(has('constants') ? constants : {}),
      ...(spec.offers ? { offers: moment.shuffled(offers).slice(0, 5) } : {}),
      ...(has('tip') ? { tip: `${moment.pick(language.sentences)}. ${moment.pick(language.sentences)}` } : {}),
      ...(has('meta') ? { info: { node: `web-${moment.int(1, 8)}`, trace: uuidOf(moment) } } : {}),
    };
  };

  const isSigned = spec.signsRows && has('constants') && spec.format === 'json';
  const moved = (rows: readonly Tree[], moment: Random): readonly Tree[] => {
    const now = rows.map((row) =>
      isObject(row)
        ? {
            ...row,
            ...(isSigned ? constants : {}),
            ...(has('moving') ? { [nameOf('views')]: moment.int(100, 99_999) } : {}),
          }
        : row,
    );
    return has('shuffle') && !single ? moment.shuffled(now) : now;
  };

  const treeOf: Bodies['treeOf'] = (rows, total, moment, format = 'json') =>
    isFlat(format) ? moved(rows, moment) : decorated(envelope.wrap(moved(rows, moment), { ...context, total }), moment);

  const say: Bodies['say'] = (tree, format, status = 200) => ({
    status,
    contentType: mediaTypes[format],
    body: written(tree, format, columns),
  });

  const publicModel: Model = { ...model, kind: spec.publicKind === 'same' ? spec.kind : 'twoColumns' };
  const publicRows = rowsOf(publicModel, random.fork('public'), 3, 9);
  const ownEntries = rowsOf(publicModel, random.fork('own entries'), 2, 8);

  const manyRows = rowsOf(publicModel, random.fork('many public'), 9, 9);

  const publicAnswer: Bodies['publicAnswer'] = (moment, index, which = 'everybody') => {
    const everybodys = index === 0 ? publicRows : publicRows.slice(1);
    const marked = (mark: (at: number) => Tree): readonly Tree[] =>
      everybodys.map((row, at) => ({ ...row, [nameOf('active')]: mark(at) }));
    const choices: Readonly<Record<PublicRows, () => readonly Tree[]>> = {
      everybody: () => everybodys,
      owner: () => ownEntries,
      both: () => [...everybodys, ...ownEntries],
      nobody: () => [],
      some: () => moment.shuffled(manyRows).slice(0, 3),
      marked: () => marked((at) => at % 2 === 0),
      unmarked: () => marked(() => null),
      nullRows: () => everybodys.map(emptied),
      maskedRows: () => everybodys.map(masked),
      notice: () => [{ code: 40_101, message: spec.words }],
    };
    const rows = choices[which]();
    const around = single ? envelopeOf('named') : envelope;
    const tree = decorated(around.wrap(rows, { ...context, total: rows.length }), moment);
    return say(isFlat(spec.format) ? rows : tree, spec.format);
  };

  /** Null in the place of every list, or of the record. */
  const withNull = (tree: Tree): Tree => {
    if (!isObject(tree) || spec.envelope === 'record') return null;
    const isRows = (value: Tree): boolean =>
      Array.isArray(value) || (isObject(value) && (single || spec.envelope === 'map' || spec.envelope === 'days'));
    return Object.fromEntries(
      Object.entries(tree).map(([name, value]) => [
        name,
        isRows(value) ? null : isObject(value) ? withNull(value) : value,
      ]),
    );
  };

  return {
    context,
    envelope,
    single,
    own,
    rowsFor,
    decorated,
    treeOf,
    give: (rows, total, moment, format, status) => say(treeOf(rows, total, moment, format), format, status),
    say,
    publicAnswer,
    nullTree: (moment) => decorated(withNull(envelope.wrap(own, context)), moment),
    masked,
  };
};
