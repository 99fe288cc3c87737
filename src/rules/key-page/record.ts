import type { Exchange } from '../../wire/types.js';
import type { Wording } from './no-key-message.js';

/** What the API says to a key in `Authorization: Token <key>`. `unknown`: no usable answer. */
export type Opens = 'granted' | 'refused' | 'unknown';

/** What a walk through the key page saw: everything that is judged, without keys or passwords. */
export interface KeyPageRecord {
  readonly asked: { readonly generate: boolean; readonly emptyText: boolean };
  /** Why the walk could not go on, as a sentence. */
  readonly trouble?: string;
  /** The page before anything was pressed. */
  readonly before?: PageAsFound;
  readonly action?: {
    readonly name?: string;
    readonly pressed: boolean;
    /** The name alone says that it makes a key, or the user named it. */
    readonly certain: boolean;
    /** Why it was not found, or what went wrong when it was pressed. */
    readonly trouble?: string;
    /**
     * It was pressed twice: the first press sent no request and changed nothing on the page, or the
     * server answered it with an error.
     */
    readonly twice?: boolean;
    /** The server's error to the first press, of two. */
    readonly firstStatus?: number;
    /**
     * The second press did nothing either. `asks`: there are empty fields beside it, or a form came
     * that was not sent.
     */
    readonly idle?: 'certainly' | 'asks';
    /** What was agreed to on the way: texts of dialogs, names of controls. */
    readonly steps: readonly string[];
    /** The request that made the key, as far as it can be told. */
    readonly request?: { readonly method: string; readonly path: string };
    /** Status of the page that came, or of the request where none came. */
    readonly status?: number;
  };
  /** The page after the action. */
  readonly after?: {
    /** Label of a key that was not shown before and opens the operation. */
    readonly made?: string;
    /** Label of a key that appeared and was used before the action: it was not made by it. */
    readonly usedBefore?: string;
    /** How many new texts stand where a key would, also after a reload, and are refused. */
    readonly refused: number;
    readonly unknown: boolean;
    /** New texts that the page showed right after the action, for a person to read. */
    readonly said: readonly string[];
    /** The page loaded again. */
    readonly reloaded?: {
      /** It is the one from before the action. */
      readonly unchanged: boolean;
    } & Said;
  };
  /** The page of an account with a key, for comparison with one of an account without. */
  readonly withKey?: Said;
  /** The page of the account that was named as one without a key. Nothing is pressed there. */
  readonly withoutKey?: {
    readonly before?: PageAsFound;
    /** Statements that stand where the other account's key stands. */
    readonly inPlace?: readonly string[];
    /** Why it could not be seen, as a sentence. */
    readonly trouble?: string;
  };
  /** The current key on the page loaded again, and in a new log-in. */
  readonly reloaded?: Again;
  readonly loggedInAgain?: Again;
  /** What the API says to the key from before, after another one was made. */
  readonly oldKey?: Opens;
  /**
   * What the API answers to the run's own key after the action; absent where that key did not open
   * the API before.
   */
  readonly givenKey?: { readonly setting: string; readonly opens: Opens };
  /**
   * The request with the key from before, or with the run's own, by which it was seen to have
   * ended.
   */
  readonly endedKey?: Exchange;
  /** Facts for GAP-KEY-LIFE, sentences. */
  readonly facts: readonly string[];
  /** What the page tried to send where it may not go. */
  readonly stopped?: {
    readonly sentences: readonly string[];
    /** The page could tell: what it showed afterwards may be due to it. */
    readonly felt: boolean;
  };
  /** The picture that was kept beside the reports, or that none was kept for its secrets. */
  readonly picture?: { readonly name: string } | 'withheld';
}

/** What the page says at one time; the same in two looks, where there were two. */
export interface Said {
  readonly wording: Wording;
  /** Nothing stayed folded away, as far as it is known. */
  readonly whole: boolean;
  /** KEY_PAGE_EMPTY_TEXT, where it was given. */
  readonly emptyText: 'shown' | 'hidden' | 'absent';
}

/** The page as an account finds it. */
export interface PageAsFound extends Said {
  /** Of the first shown text that opens the operation. */
  readonly key?: string;
  /** How many texts stand where a key would and are refused. */
  readonly refused: number;
  /** How many of them were no longer there after the action. */
  readonly replaced: number;
  /** The API gave no usable answer about one of them. */
  readonly unknown: boolean;
  /** Another view of the page, with nothing pressed, shows another key that opens the operation. */
  readonly unsteady?: boolean;
}

export interface Again {
  /** `unsteady`: absent at first, shown after another reload. */
  readonly shows: 'shown' | 'hidden' | 'absent' | 'unsteady' | 'unseen';
  /** Another text that looks like a key stands there instead, and what the API says to it. */
  readonly instead?: Opens;
  /** Why it could not be seen. */
  readonly trouble?: string;
}

/** What somebody has to know before the next run. */
export const endedNote = ({ givenKey }: KeyPageRecord): string | undefined =>
  givenKey?.opens === 'refused'
    ? `THIS PRESS ENDED THE LIFE OF ${givenKey.setting}: it opened the API before and no longer does. Put the key that the page shows now into ${givenKey.setting}.`
    : undefined;
