import { type Concept, type Language, type NameOf, namesIn } from './languages.js';
import { hexOf, type Random, uuidOf } from './random.js';

/** Rows that belong to somebody. */

export type Tree = unknown;
export type Row = Readonly<Record<string, Tree>>;

/** How a value of a column is made. `at`: the number of the row; `owner`: whose rows they are. */
type Column = (random: Random, at: number, language: Language, owner: number) => Tree;

export const dayOf = (random: Random): string =>
  `20${random.int(19, 24)}-${String(random.int(1, 12)).padStart(2, '0')}-${String(random.int(1, 28)).padStart(2, '0')}`;

const moment = (random: Random): string =>
  `${dayOf(random)}T${String(random.int(0, 23)).padStart(2, '0')}:${String(random.int(0, 59)).padStart(2, '0')}:${String(random.int(0, 59)).padStart(2, '0')}Z`;

const email = (random: Random): string =>
  `${random.pick(['anna', 'bob', 'chris', 'dora'])}${random.int(1, 9_999)}@example.${random.pick(['com', 'org', 'net'])}`;

const largeId: Column = (random, at, _language, owner) => 40_000 + owner * 1_000 + at * 7 + random.int(0, 6);
const smallId: Column = (_random, at) => at + 1;
const uuid: Column = (random) => uuidOf(random);
const word: Column = (random, _at, { words }) => random.pick(words);
const sentence: Column = (random, _at, { sentences }) => `${random.pick(sentences)}. ${random.pick(sentences)}`;
const weight: Column = (random) => random.int(80, 2_400) / 20;
const small: Column = (random) => random.int(0, 12);
const flag: Column = (random) => random.chance(0.5);
const maybe =
  (column: Column): Column =>
  (random, ...rest) =>
    random.chance(0.4) ? null : column(random, ...rest);

export const kinds = [
  'rich',
  'uuids',
  'nested',
  'small',
  'words',
  'metrics',
  'sparse',
  'twoColumns',
  'objectIds',
  'linked',
  'catalogued',
  'atGyms',
] as const;
export type Kind = (typeof kinds)[number];

type Columns = readonly (readonly [Concept, Column])[];

/** What everybody may see, and rows of owners refer to: exercises, plans, gyms. */
export const catalogueOf = (language: Language): readonly Row[] => {
  const nameOf = namesIn(language);
  return language.words.slice(0, 6).map((name, at) => ({
    [nameOf('id')]: 7_001 + at * 13,
    [nameOf('name')]: name,
    [nameOf('created')]: `2018-0${at + 1}-1${at}`,
  }));
};

const columnsOf: Readonly<Record<Kind, Columns>> = {
  rich: [
    ['id', largeId],
    ['name', word],
    ['date', dayOf],
    ['weight', weight],
    ['note', sentence],
    ['active', flag],
  ],
  uuids: [
    ['id', uuid],
    ['name', word],
    ['created', moment],
  ],
  nested: [
    ['id', largeId],
    ['date', dayOf],
    [
      'owner',
      (random, at, language) => ({ [namesIn(language)('id')]: at + 3, [namesIn(language)('email')]: email(random) }),
    ],
    ['tags', (random, _at, { words }) => random.shuffled(words).slice(0, random.int(0, 3))],
    [
      'sets',
      (random, _at, language) =>
        Array.from({ length: random.int(0, 3) }, () => ({
          [namesIn(language)('count')]: random.int(1, 12),
          [namesIn(language)('weight')]: random.int(10, 200),
        })),
    ],
  ],
  small: [
    ['id', smallId],
    ['count', small],
    ['weight', small],
    ['active', flag],
  ],
  words: [
    ['name', word],
    ['note', sentence],
    ['kind', word],
  ],
  metrics: [
    ['date', dayOf],
    ['weight', weight],
    ['price', (random) => random.int(100, 99_999) / 100],
  ],
  sparse: [
    ['id', largeId],
    ['name', maybe(word)],
    ['note', maybe(sentence)],
    ['date', maybe(dayOf)],
    ['email', maybe(email)],
  ],
  twoColumns: [
    ['id', largeId],
    ['name', word],
  ],
  objectIds: [
    ['id', (random) => hexOf(random, 24)],
    ['name', sentence],
    ['count', small],
    ['created', moment],
  ],
  linked: [
    ['url', (_random, at, _language, owner) => `https://api.example/api/v2/workout/${owner * 100 + at + 1}/`],
    ['name', word],
    ['date', dayOf],
    ['count', small],
  ],
  atGyms: [
    ['id', largeId],
    ['date', dayOf],
    ['created', moment],
    ['note', sentence],
    ['kind', (_random, at, { words }) => `${words[at % words.length]} ${at + 1}`],
    ['code', (_random, at) => 52_000 + at * 37],
  ],
  catalogued: [
    ['id', largeId],
    ['date', dayOf],
    ['weight', weight],
    ['items', (random, _at, language) => random.pick(catalogueOf(language))],
  ],
};

/** Kinds of rows as most services have them. */
export const ordinaryKinds: readonly Kind[] = ['rich', 'uuids', 'nested', 'objectIds', 'metrics'];

/** Kinds of which one row may be what a service says of itself: words, or limits. */
export const plainKinds: readonly Kind[] = ['words', 'small'];

/** Kinds whose values can all stand in a refusal. */
export const wordyKinds: readonly Kind[] = ['words'];

export interface Model {
  readonly kind: Kind;
  readonly language: Language;
  readonly nameOf: NameOf;
}

/** `owner` 0 holds the key; others are other accounts. */
export const rowsOf = (model: Model, random: Random, length: number, owner = 0): readonly Row[] =>
  Array.from({ length }, (_, at) =>
    Object.fromEntries(
      columnsOf[model.kind].map(([concept, column]) => [
        model.nameOf(concept),
        column(random, at, model.language, owner),
      ]),
    ),
  );

/** Members of what a row of `atGyms` only names: a gym has them for everybody. */
export const gymMembers = ['kind', 'code'] as const satisfies readonly Concept[];

/** What a map of rows is keyed by. */
export const keyOf = (random: Random, at: number): string =>
  random.weighted([
    [2, `item${at + 1}`],
    [1, dayOf(random)],
    [1, String(4_000 + at)],
  ]);

/** One account: what a body without lists holds. */
export const recordOf = (model: Model, random: Random, owner = 0): Row => {
  const { nameOf, language } = model;
  return {
    ...rowsOf(model, random, 1, owner)[0],
    ...(model.kind === 'words' || model.kind === 'small'
      ? {}
      : { [nameOf('email')]: email(random), [nameOf('kind')]: random.pick(language.words) }),
  };
};
