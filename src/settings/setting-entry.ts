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
  /** It affects judgements, so `results.json` records it. */
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

/** The allowed values of a boolean. */
export const yesOrNo = 'true, false, 1, 0, yes or no';
