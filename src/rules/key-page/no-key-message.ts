/** The message of a page that no key exists yet. */

/** What a page says, in texts whose digits are levelled and from which keys are taken out. */
export interface Wording {
  /** Visible texts that could be the message. */
  readonly statements: readonly string[];
  /**
   * Visible texts that are less likely the message: headings, labels, code, text beside the page,
   * counts of zero.
   */
  readonly others: readonly string[];
  /** Texts that are there, and not to be seen. */
  readonly hidden: readonly string[];
  /** All visible texts but names of controls, those with a key without it. */
  readonly shown: readonly string[];
  /** Of the statements and the hidden texts those that say in so many words that no key exists. */
  readonly saysNone: readonly string[];
}

/** Words, also of languages that are written without blanks. */
const wordsIn = (text: string): number =>
  [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)].filter(({ isWordLike }) => isWordLike)
    .length;

/**
 * The likeliest message among the texts that went away when a key was made. One or two words count
 * only where the page was read as saying with them that there is no key.
 */
export const messageAmong = (gone: readonly string[], { saysNone }: Pick<Wording, 'saysNone'>): string | undefined =>
  gone.find((text) => saysNone.includes(text)) ?? gone.find((text) => wordsIn(text) >= 3);
