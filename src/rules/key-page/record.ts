import type { Exchange } from '../../wire/types.js';

/** How the API answers a key in `Authorization: Token <key>`. `unknown`: no usable answer. */
export type KeyPageOpens = 'granted' | 'refused' | 'unknown';

/** What a walk through the key page saw, without keys and passwords. It is all that is judged. */
export interface KeyPageRecord {
  readonly asked: { readonly generate: boolean; readonly emptyText: boolean };
  /** Why the walk ended early, as a sentence. */
  readonly trouble?: string;
  /** The page before any action. */
  readonly before?: KeyPageFound;
  readonly action?: {
    readonly name?: string;
    readonly pressed: boolean;
    /** The control's name clearly says that it makes a key, or the user named it. */
    readonly certain: boolean;
    /** Why it was not found, or what went wrong when it was pressed. */
    readonly trouble?: string;
    /**
     * It was pressed twice: the first press sent no request and changed nothing or moved to an
     * empty field, got a server error, or a form's content was refused.
     */
    readonly twice?: boolean;
    /** The server error, or refusal of a form's content, that the first of two presses got. */
    readonly firstStatus?: number;
    /** Fields of it were empty or filled in by the suite, which may be why it failed. */
    readonly blanks?: true;
    /**
     * The second press did nothing either. `asks`: it has such fields, or, also after a request of
     * the action, a form appeared that was not sent.
     */
    readonly idle?: 'certainly' | 'asks';
    /** Names of the controls that came with a press after which no key was seen. */
    readonly offers?: readonly string[];
    /** What was confirmed on the way: texts of dialogs, names of controls. */
    readonly steps: readonly string[];
    /** The request that probably made the key. */
    readonly request?: { readonly method: string; readonly path: string };
    /** Status of the new page, or of the request if there was none. */
    readonly status?: number;
  };
  /** The page after the action. */
  readonly after?: {
    /** Label of a new key that opens the operation. */
    readonly made?: string;
    /** Label of a new key that was used before the action, so the action did not make it. */
    readonly usedBefore?: string;
    /** How many new texts look like a key, also after a reload, and are refused. */
    readonly refused: number;
    readonly unknown: boolean;
    /** Why a user may see a key there that was not seen, as the end of a sentence. */
    readonly unseen?: string;
    /** New texts since the action, for a person to read. The latest comes last. */
    readonly said: readonly string[];
    /** The page after a reload. */
    readonly reloaded?: {
      /** The page is the same as before the action. */
      readonly unchanged: boolean;
    } & KeyPageTexts;
  };
  /** The page of an account with a key, to compare with that of an account without one. */
  readonly withKey?: KeyPageTexts;
  /** The page of the account that is said to have no key. Nothing is pressed there. */
  readonly withoutKey?: {
    readonly before?: KeyPageFound;
    /** Why the page was not seen, as a sentence. */
    readonly trouble?: string;
  };
  /** The current key after a reload, and after a new log-in. */
  readonly reloaded?: KeyPageAgain;
  readonly loggedInAgain?: KeyPageAgain;
  /** How the API answers the current key at the end, after the new log-in. */
  readonly stillOpens?: KeyPageOpens;
  /** How the API answers the previous key after a new one was made. */
  readonly oldKey?: KeyPageOpens;
  /** How the API answers the run's own key after the action, if it opened before. */
  readonly givenKey?: { readonly setting: string; readonly opens: KeyPageOpens };
  /** The request that shows that the previous key, or the run's own, has ended. */
  readonly endedKey?: Exchange;
  /** Facts for GAP-KEY-LIFE, as sentences. */
  readonly facts: readonly string[];
  /** Requests of the page that the suite stopped, since their destination was not allowed. */
  readonly stopped?: {
    readonly sentences: readonly string[];
    /** The page could notice it, so what it showed afterwards may be a consequence. */
    readonly felt: boolean;
  };
  /** The screenshot beside the reports. `withheld`: it might show a secret. */
  readonly picture?: { readonly name: string } | 'withheld';
}

/** What the page says at one time. If it was read twice, only what both have in common. */
export interface KeyPageTexts {
  readonly wording: KeyPageWording;
  /** As far as known, no part of the page was collapsed or could not be read. */
  readonly whole: boolean;
  /** Whether KEY_PAGE_EMPTY_TEXT is on the page. */
  readonly emptyText: 'shown' | 'hidden' | 'absent';
}

/** The page as an account finds it. */
export interface KeyPageFound extends KeyPageTexts {
  /** Label of the first visible text that opens the operation. */
  readonly key?: string;
  /** How many texts look like a key and are refused. */
  readonly refused: number;
  /** How many of these were gone after the action. */
  readonly replaced: number;
  /** The API gave no usable answer for one of them. */
  readonly unknown: boolean;
  /** A second view of the page, without any action, shows another key that opens the operation. */
  readonly unsteady?: boolean;
}

export interface KeyPageAgain {
  /** `unsteady`: absent at first, shown after another reload. */
  readonly shows: 'shown' | 'hidden' | 'absent' | 'unsteady' | 'unseen';
  /** Where the key is shown, the message is too, or a text that says that no key exists. */
  readonly besideMessage?: boolean;
  /** How the API answers another text that looks like a key, if there is one in its place. */
  readonly instead?: KeyPageOpens;
  /** Why it was not seen. */
  readonly trouble?: string;
}

/** A warning that the run's own key has ended, which has to be replaced before the next run. */
export const endedNote = ({ givenKey }: KeyPageRecord): string | undefined =>
  givenKey?.opens === 'refused'
    ? `THIS PRESS ENDED THE LIFE OF ${givenKey.setting}: it opened the API before and no longer does. Put the key that the page shows now into ${givenKey.setting}.`
    : undefined;

/** Texts of a page. Digits are normalised and keys removed. */
export interface KeyPageWording {
  /** Visible texts that could be the message. */
  readonly statements: readonly string[];
  /** Visible texts that are less likely the message: headings, labels, counts of zero. */
  readonly others: readonly string[];
  /** Texts in the page that are not visible. */
  readonly hidden: readonly string[];
  /** All visible texts except names of controls. Keys in them are removed. */
  readonly shown: readonly string[];
  /** Statements and hidden texts that say expressly that no key exists. */
  readonly saysNone: readonly string[];
  /** How many visible pictures have no text. */
  readonly pictures: number;
}
