import { type Kind, kinds, ordinaryKinds } from './data.js';
import { type EnvelopeName, envelopeOf, envelopes, ordinaryEnvelopes } from './envelopes.js';
import { type Format, type StateForm, stateForms } from './formats.js';
import type { LanguageName } from './languages.js';
import { isWithholding, laterAccess, type PublicAccess } from './public-access.js';
import { type Random, randomOf } from './random.js';
import { type MissingName, missingNames, oddRefusals, ordinaryRefusals, type RefusalName } from './refusals.js';

/** What a service is made of, as plain data: a seed and a number give the same one again. */

/** Ways to ask without the key. */
const doors = [
  'plain',
  'random',
  'half',
  'nullKey',
  'emptyKey',
  'slashes',
  'suffix',
  'csvForm',
  'htmlForm',
  'rewrite',
  'forwarded',
  'semicolon',
  'upperCase',
  'encoded',
  'callback',
  'xmlForm',
  'remoteUser',
  'browser',
] as const;
export type Door = (typeof doors)[number];

/** What is open: every way, every way with some key, or one way alone. */
export type Opening = 'everything' | 'anyKey' | Door;

/** What comes out where a service opens. */
const payloads = [
  'full',
  'others',
  'part',
  'emptyPage',
  'besideError',
  'inRefusal',
  'projection',
  'otherFormat',
  'state',
  'othersState',
  'othersString',
  'broken',
  'oneOther',
  'masked',
  'plainNull',
  'script',
  'links',
  'names',
  'otherInRefusal',
  'othersInRefusal',
  'fields',
] as const;
export type Payload = (typeof payloads)[number];

/** What is added to bodies; `constants` stay the same. */
const volatiles = ['requestId', 'time', 'counter', 'took', 'tip', 'meta', 'constants', 'shuffle', 'moving'] as const;
export type Volatile = (typeof volatiles)[number];

export interface Fault {
  readonly opening: Opening;
  readonly payload: Payload;
  readonly status: number;
  /** Opens on some requests only. */
  readonly flaky: boolean;
}

export interface Layer {
  readonly opening: Opening;
  readonly refusal: RefusalName;
  /** It says what this would, in its own words. */
  readonly says?: Payload | undefined;
  /** In front of this operation alone, not of the others. */
  readonly alone?: true;
  /** On some requests only. */
  readonly flaky?: boolean;
  /** In place of the status that refusals of this kind have. */
  readonly status?: number;
}

export interface Spec {
  readonly seed: string;
  readonly language: LanguageName;
  readonly envelope: EnvelopeName;
  readonly kind: Kind;
  readonly rows: number;
  readonly total: number;
  readonly format: Format;
  readonly volatility: readonly Volatile[];
  /** Offers stand in bodies, others each time. */
  readonly offers: boolean;
  /** Refusals carry what is volatile too. */
  readonly decoratesRefusals: boolean;
  /** Rows repeat the constants of the API. */
  readonly signsRows: boolean;
  readonly words: string;
  readonly instead: 'gone' | 'empty' | 'null';
  readonly refusal: RefusalName;
  /** Layers that refuse one kind of request in their own way, the outermost first. */
  readonly layers: readonly Layer[];
  readonly missing: MissingName;
  readonly base: 'root' | 'missing' | 'docs' | 'status' | 'shell';
  readonly publics: number;
  /** The public resource has rows like those of the protected one. */
  readonly publicKind: 'same' | 'other';
  readonly others: number;
  readonly oddPaths: 'asRefused' | 'asMissing' | 'redirect' | 'closed';
  /** Other formats are given on request. */
  readonly negotiates: boolean;
  /** The key is refused like none. */
  readonly expired: boolean;
  /** The key opens the first reads, and is refused like none later on. */
  readonly rotates: boolean;
  /** With `?callback=` everything comes as a script with status 200. */
  readonly scripts: boolean;
  readonly charset: 'utf-8' | 'utf-16le' | 'utf-16be';
  /** How a page carries the state of its app. */
  readonly stateForm: StateForm;
  /** Answers have fields of many kinds, and those to the key name its owner's first row there. */
  readonly richFields: boolean;
  /** What the public resources do with the key; absent: it is not asked. */
  readonly publicAccess?: PublicAccess;
  readonly fault?: Fault;
}

const rowsFor = (random: Random): number =>
  random.weighted([
    [8, 0],
    [12, 1],
    [18, 2],
    [26, 3],
    [20, random.int(4, 9)],
    [5, 12],
    [1, 60],
  ]);

/** `isOfRows`: a row is in the answer as one. */
const faultFor = (random: Random, single: boolean, rows: number, isOfRows: boolean): Fault => {
  const payload = random.weighted<Payload>([
    [8, 'full'],
    ...(single || rows === 0
      ? ([[2, 'oneOther']] as const)
      : ([
          [5, 'others'],
          [4, 'part'],
          [4, 'emptyPage'],
          [2, 'besideError'],
          [3, 'projection'],
          ...(isOfRows
            ? ([
                [2, 'inRefusal'],
                [3, 'otherFormat'],
              ] as const)
            : []),
          [2, 'broken'],
          [2, 'oneOther'],
          [1, 'plainNull'],
        ] as const)),
    [1, 'masked'],
    ...(single ? ([[2, 'inRefusal']] as const) : []),
    [2, 'state'],
    [1, 'othersState'],
    ...(isOfRows ? ([[1, 'othersString']] as const) : []),
    [1, 'script'],
  ]);
  const opening = random.weighted<Opening>([
    [6, 'everything'],
    [3, 'plain'],
    [4, 'anyKey'],
    [1, 'random'],
    [1, 'half'],
    [1, 'nullKey'],
    [1, 'emptyKey'],
    [2, 'slashes'],
    [2, 'suffix'],
    [2, 'csvForm'],
    [1, 'htmlForm'],
    [2, 'rewrite'],
    [1, 'forwarded'],
    [1, 'semicolon'],
    [1, 'upperCase'],
    [1, 'encoded'],
    [1, 'callback'],
    [1, 'xmlForm'],
    [1, 'remoteUser'],
    [1, 'browser'],
  ]);
  const status =
    ['full', 'others', 'part', 'inRefusal', 'othersString'].includes(payload) && random.chance(0.2)
      ? random.pick([401, 403, 404, 500])
      : payload === 'inRefusal'
        ? random.pick([200, 400, 401, 403])
        : 200;
  return { opening, payload, status, flaky: random.chance(0.06) };
};

const refusalFor = (random: Random, isOrdinary: boolean): RefusalName =>
  random.weighted(isOrdinary ? ordinaryRefusals : [...ordinaryRefusals, ...oddRefusals]);

/** A key that is refused by now is as good as a random one. */
const isOfKeys = (opening: Opening): boolean =>
  ['everything', 'plain', 'anyKey', 'random', 'half', 'nullKey', 'emptyKey'].includes(opening);

/** What was thought of later, drawn for itself: the rest of a service stays as it was. */
const moreFor = (
  random: Random,
  isAsBefore: boolean,
): { readonly stateForm: StateForm; readonly kind?: Kind; readonly refusal?: RefusalName } => {
  const stateForm = random.pick(stateForms);
  if (isAsBefore || !random.chance(0.12)) return { stateForm };
  if (random.chance(0.3)) return { stateForm, refusal: random.pick(['emptyWithLogin', 'hours']) };
  const refusal = random.pick<RefusalName | 'asBefore'>(['asBefore', 'catalogue', 'catalogueStatus']);
  return { stateForm, kind: 'catalogued', ...(refusal === 'asBefore' ? {} : { refusal }) };
};

/** What was thought of later still. */
const latestFor = (
  random: Random,
  isAsBefore: boolean,
): { readonly envelope?: EnvelopeName; readonly payload?: Payload; readonly status: number } => {
  const status = random.pick([200, 401]);
  if (isAsBefore || !random.chance(0.12)) return { status };
  return random.chance(0.5) ? { status, envelope: 'batch' } : { status, payload: random.pick(['links', 'names']) };
};

/** Gyms that one row names, and a row or two of somebody else's in a refusal. */
const lastFor = (
  random: Random,
  isAsBefore: boolean,
  isFaulty: boolean,
): Partial<Pick<Spec, 'kind' | 'refusal'>> & { readonly payload?: Payload } => {
  if (isAsBefore || !random.chance(0.08)) return {};
  if (isFaulty) return { kind: 'rich', payload: random.pick(['otherInRefusal', 'othersInRefusal']) };
  return { kind: 'atGyms', refusal: random.pick(['gymStatus', 'gymsStatus', 'gyms']) };
};

/** A row in the fields of a refusal. */
const inFields: ReturnType<typeof lastFor> = { kind: 'rich', payload: 'fields' };

/** The record of somebody else in a refusal. */
const otherRecord: ReturnType<typeof lastFor> = { kind: 'rich', payload: 'otherInRefusal' };

const firstKinds = kinds.filter((kind) => kind !== 'catalogued' && kind !== 'atGyms');
const firstEnvelopes = (Object.keys(envelopes) as EnvelopeName[]).filter((name) => name !== 'batch');

type RefusalWords = (language: LanguageName) => readonly string[];

/** The service of a number. */
export const specOf = (seed: string, index: number, refusalWords: RefusalWords): Spec => {
  const spec = drawn(seed, index, refusalWords);
  const { format, envelope, fault, expired, rotates } = spec;
  const publicAccess = laterAccess({
    ...spec,
    isOfRows: format === 'json' && envelope !== 'columns' && envelope !== 'days',
    isDecided: fault !== undefined || expired || rotates,
  });
  return publicAccess ? { ...spec, publicAccess } : spec;
};

const drawn = (seed: string, index: number, refusalWords: RefusalWords): Spec => {
  const name = `${seed} ${index}`;
  const random = randomOf(name);
  const isOrdinary = random.chance(0.45);
  const language = random.weighted<LanguageName>([
    [6, 'english'],
    [2, 'german'],
    [1, 'spanish'],
    [1, 'japanese'],
    [1, 'russian'],
    [2, 'errorLike'],
    [1, 'short'],
  ]);
  const envelope = random.pick(isOrdinary ? ordinaryEnvelopes : firstEnvelopes);
  const single = envelopeOf(envelope).single === true;
  const isOfRows = envelope !== 'columns' && envelope !== 'days';
  const least = isOrdinary ? 2 : envelope === 'news' || !isOfRows ? 1 : 0;
  const rows = Math.max(least, rowsFor(random));
  const fault = random.chance(0.42) ? faultFor(random, single, rows, isOfRows) : undefined;
  const refusal = refusalFor(random, isOrdinary);
  const publics = random.int(0, 2);
  const publicAccess =
    publics > 0 && random.chance(0.4)
      ? random.weighted<NonNullable<Spec['publicAccess']>>([
          [3, 'ignoresKey'],
          [2, 'moreWithKey'],
          ...(isOrdinary ? [] : ([[1, 'ownWithKey']] as const)),
          ...(fault || !isOrdinaryRefusal(refusal) ? [] : ([[2, 'needsKey']] as const)),
        ])
      : undefined;
  const picked = random.pick(isOrdinary ? ordinaryKinds : firstKinds);
  // Of columns side by side a list of objects is one by itself.
  const isAsBefore = isOrdinary || publicAccess === 'needsKey' || envelope === 'columns';
  const more = moreFor(randomOf(`${name} more`), isAsBefore);
  const isPlain = isAsBefore || single || !isOfRows || rows === 0;
  const latest = latestFor(randomOf(`${name} latest`), isPlain);
  const last = lastFor(randomOf(`${name} last`), isPlain || latest.payload !== undefined, fault !== undefined);
  const ofRecord = single && fault && randomOf(`${name} record`).chance(0.12) ? otherRecord : {};
  const isFree = fault && !isPlain && !latest.payload && !last.payload;
  const ofFields = isFree && randomOf(`${name} in fields`).chance(0.1) ? inFields : {};
  const special = last.payload ?? ofRecord.payload ?? ofFields.payload;
  const payload = latest.payload ?? special;
  const status = special ? 401 : latest.status;
  return {
    seed: name,
    language,
    envelope: latest.envelope ?? envelope,
    // Identifiers are told in links and as names.
    kind: fault && latest.payload ? 'uuids' : (last.kind ?? ofRecord.kind ?? ofFields.kind ?? more.kind ?? picked),
    rows: single ? 1 : rows,
    total: rows > 0 && random.chance(0.25) ? rows + random.int(1, 90) : rows,
    format:
      isOrdinary || !isOfRows
        ? 'json'
        : random.weighted<Format>([
            [16, 'json'],
            [1, 'ndjson'],
            [2, 'xml'],
            [2, 'csv'],
            [1, 'html'],
            [1, 'text'],
          ]),
    volatility: volatiles.filter(() => random.chance(0.12)),
    offers: !isOrdinary && randomOf(`${name} offers`).chance(0.08),
    decoratesRefusals: random.chance(0.6),
    signsRows: randomOf(`${name} signed`).chance(0.3),
    words: random.pick(refusalWords(language)),
    instead: random.pick(['gone', 'gone', 'empty', 'null']),
    refusal: last.refusal ?? more.refusal ?? refusal,
    stateForm: more.stateForm,
    richFields: randomOf(`${name} rich fields`).chance(0.12),
    layers: random.chance(0.2)
      ? [{ opening: random.pick<Opening>(['anyKey', ...doors]), refusal: refusalFor(random, isOrdinary) }]
      : [],
    missing: random.weighted(missingNames),
    base: random.pick(['root', 'missing', 'docs', 'status', 'shell']),
    publics,
    ...(publicAccess ? { publicAccess } : {}),
    publicKind: random.chance(0.5) ? 'same' : 'other',
    others: random.int(0, 4),
    oddPaths: random.weighted([
      [5, 'asRefused'],
      [4, 'asMissing'],
      [2, 'redirect'],
      [1, 'closed'],
    ]),
    negotiates: random.chance(0.3) && isOfRows,
    expired: fault === undefined && random.chance(0.02),
    rotates: (!fault || !isOfKeys(fault.opening)) && random.chance(0.03),
    scripts: random.chance(0.15),
    charset: isOrdinary
      ? 'utf-8'
      : random.weighted([
          [20, 'utf-8'],
          [1, 'utf-16le'],
          [1, 'utf-16be'],
        ]),
    ...(fault ? { fault: payload ? { ...fault, payload, status } : fault } : {}),
  };
};

const isOrdinaryRefusal = (name: RefusalName): boolean => ordinaryRefusals.some(([, ordinary]) => ordinary === name);

/** Rows of ordinary shape, refused in an ordinary way. */
export const isOrdinary = (spec: Spec): boolean =>
  spec.format === 'json' &&
  spec.rows >= 2 &&
  ordinaryEnvelopes.includes(spec.envelope) &&
  ordinaryKinds.includes(spec.kind) &&
  isOrdinaryRefusal(spec.refusal) &&
  spec.layers.every(({ refusal }) => isOrdinaryRefusal(refusal)) &&
  !isWithholding(spec.publicAccess) &&
  !spec.rotates &&
  !spec.expired;
