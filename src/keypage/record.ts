import type { Opens } from './input.js';

/** What a walk through the key page saw: enough to judge it, without a key or a password in it. */
export interface KeyPageRecord {
  readonly asked: { readonly generate: boolean; readonly emptyText: boolean };
  /** Why the walk could not go on, as a sentence. */
  readonly trouble?: string;
  /** The page before anything was pressed. */
  readonly before?: {
    /** Of the first shown text that opens the operation. */
    readonly key?: string;
    /** How many texts stand where a key would and are refused. */
    readonly refused: number;
    /** How many of them were no longer there after the action. */
    readonly replaced: number;
    /** The API gave no usable answer about one of them. */
    readonly unknown: boolean;
    /** Texts that could be the message; the same after a reload. */
    readonly statements: readonly string[];
    /** Whether KEY_PAGE_EMPTY_TEXT is shown. */
    readonly emptyText: boolean;
  };
  readonly action?: {
    readonly name?: string;
    readonly pressed: boolean;
    /** The name alone says that it makes a key, or the user named it. */
    readonly certain: boolean;
    /** Why it was not found, or what went wrong when it was pressed. */
    readonly trouble?: string;
    /** What was agreed to on the way: texts of dialogs, names of controls. */
    readonly steps: readonly string[];
    /** The request that made the key, as far as it can be told: `POST /user/api-key`. */
    readonly request?: string;
    /** Status of the page that came, or of the request where none came. */
    readonly status?: number;
  };
  /** The page after the action. */
  readonly after?: {
    /** Label of a key that was not shown before and opens the operation. */
    readonly made?: string;
    /** How many new texts stand where a key would, also after a reload, and are refused. */
    readonly refused: number;
    readonly unknown: boolean;
    /** New texts that the page showed right after the action, for a person to read. */
    readonly said: readonly string[];
    /** The page loaded again. */
    readonly reloaded?: {
      /** It is the one from before the action. */
      readonly unchanged: boolean;
      /** Texts that could be the message. */
      readonly statements: readonly string[];
      readonly emptyText: boolean;
    };
  };
  /** The current key on the page loaded again, and in a new log-in. */
  readonly reloaded?: Again;
  readonly loggedInAgain?: Again;
  /** What the API says to the key from before, after another one was made. */
  readonly oldKey?: Opens;
  /** Facts for GAP-KEY-LIFE, sentences. */
  readonly facts: readonly string[];
  /** What the page tried to send where it may not go. */
  readonly stopped?: {
    readonly sentences: readonly string[];
    /** The page could tell: what it showed afterwards may be due to it. */
    readonly felt: boolean;
  };
  readonly screenshot?: string;
}

export interface Again {
  /** `unsteady`: absent at first, shown after another reload. */
  readonly shows: 'shown' | 'hidden' | 'absent' | 'unsteady' | 'unseen';
  /** Another text that looks like a key stands there instead, and what the API says to it. */
  readonly instead?: Opens;
  /** Why it could not be seen. */
  readonly trouble?: string;
}
