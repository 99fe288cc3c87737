/** The message of the key page that no key exists yet. */

/** Texts of a page. Digits are normalised and keys removed. */
export interface Wording {
  /** Visible texts that could be the message. */
  readonly statements: readonly string[];
  /**
   * Visible texts that are less likely the message: headings, labels, code, text outside the main
   * content, counts of zero.
   */
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
