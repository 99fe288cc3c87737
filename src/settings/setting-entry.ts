/** A setting. Its flag is the name in lower case with dashes (`BASE_URL` → `--base-url`). */
export interface SettingEntry {
  readonly name: string;
  readonly kind:
    | 'text'
    | 'boolean'
    | 'integer'
    | 'choice'
    | 'file'
    | 'document'
    | 'files'
    | 'folder'
    | 'url'
    | 'path'
    | 'rate'
    | 'list';
  /** The default; a setting without one is unset. */
  readonly default?: string | number | boolean;
  /** A word that an integer may be instead. */
  readonly orWord?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly choices?: readonly string[];
  /** The allowed values, for error messages and `.env.example`. */
  readonly allowed: string;
  readonly doc: string;
  /** Never accepted as a flag, never printed. */
  readonly secret?: true;
  /** Only in the environment and `.env`. */
  readonly flag?: false;
  /** The setting affects judgements, so `results.json` records it. */
  readonly judged?: true;
  /** Other names that people use, for "did you mean". */
  readonly alsoCalled?: readonly string[];
  /** Heading in `.env.example`. */
  readonly group:
    | 'Target'
    | 'Keys that are fetched'
    | 'Contract'
    | 'Network'
    | 'What is judged'
    | 'Key page'
    | 'Reports';
  /** The value in `.env.example`, where the default is not a good example. */
  readonly example?: string;
}

const allowedByKind = {
  boolean: 'true, false, 1, 0, yes or no',
  path: 'a path that starts with a slash, without query, fragment or whitespace',
  text: 'any text on one line',
  url: 'an http or https URL',
} as const;

type Written = Omit<SettingEntry, 'name' | 'group' | 'kind' | 'allowed'>;

/** A row of a settings table. Name, group, and defaults of the kind are added by `settingsOf`. */
type SettingRow =
  | (Written & { readonly kind: keyof typeof allowedByKind; readonly allowed?: string })
  | (Written & { readonly kind: 'choice'; readonly choices: readonly string[]; readonly allowed?: string })
  | (Written & { readonly kind: SettingEntry['kind']; readonly allowed: string });

/** Members that tell the type of a setting's value. */
type TypeMember = 'kind' | 'default' | 'orWord' | 'choices';

type EntryOf<Name, Row> = Omit<SettingEntry, 'name' | TypeMember> & {
  readonly [Member in keyof Row & TypeMember]: Row[Member];
} & { readonly name: Name };

const isOfKind = (kind: string): kind is keyof typeof allowedByKind => Object.hasOwn(allowedByKind, kind);

const allowedOf = ({ kind, choices = [] }: SettingRow): string =>
  isOfKind(kind) ? allowedByKind[kind] : choices.join(', ').replace(/, ([^,]*)$/, ' or $1');

/** The settings of one group, by name. A boolean is false by default. */
export const settingsOf = <const Rows extends Readonly<Record<string, SettingRow>>>(
  group: SettingEntry['group'],
  rows: Rows,
) =>
  Object.entries(rows).map(([name, row]) => ({
    name,
    group,
    allowed: allowedOf(row),
    ...(row.kind === 'boolean' ? { default: false } : {}),
    ...row,
    // Entries keep the literal types of their rows, which `Object.entries` forgets.
  })) as unknown as readonly { [Name in keyof Rows]: EntryOf<Name, Rows[Name]> }[keyof Rows][];
