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
}

/** The number of words, also in languages that are written without spaces. */
const wordsIn = (text: string): number =>
  [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)].filter(({ isWordLike }) => isWordLike)
    .length;

/**
 * The message among the texts that only the page without a key shows: one that says expressly that
 * there is no key. Where no text says so and its language is not known, it is the one that stands in
 * the place of the key. A text of one or two words has to say it expressly.
 */
export const messageAmong = (
  gone: readonly string[],
  { statements, saysNone }: Pick<Wording, 'statements' | 'saysNone'>,
  {
    inPlace = [],
    inKnownLanguage = false,
  }: { readonly inPlace?: readonly string[]; readonly inKnownLanguage?: boolean },
): string | undefined =>
  inKnownLanguage || statements.some((text) => saysNone.includes(text))
    ? gone.find((text) => saysNone.includes(text))
    : gone.find((text) => inPlace.includes(text) && wordsIn(text) >= 3);
