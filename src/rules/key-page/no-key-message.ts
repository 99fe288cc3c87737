import { plainWords } from '../../words.js';

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
}

const key = '(api|access|personal|current|active)? ?(key|token|schlussel|api-schlussel|cle|clave|llave|jeton)s?';

/** Ways to say that no key exists yet. */
const saysNone: readonly RegExp[] = [
  new RegExp(`\\bno (\\w+ )?(\\w+ )?${key}\\b`),
  /\b(not|never|n't|haven't|hasn't|don't)\b.*\b(have|created?|generated?|made|got|exists?|set up)\b/,
  new RegExp(`\\b${key}\\b.*\\b(does not|doesn't|not yet|has not|hasn't|not been)\\b`),
  /\bwithout an? (api )?(key|token)\b|^(none|nothing)\b|\bnone( yet)?\.?$|\bnot (yet )?(created|generated|set)\b/,
  /\bkeine?[nrs]? \S*(schlussel|key|token)|\bnoch (kein|nicht)/,
  /\baucune? \S*(cle|token|jeton)|\bpas (encore )?(de |d')/,
  /\bning(un|una)\b|\bno (hay|existe|tienes?|has)\b|\b(todavia|aun) no\b/,
];

const aboutNeed = /\b(need(ed|s)?|requir(e|es|ed)|necessary|optional|benotigt|notig|share)\b/;

/** Whether a text says, in so many words, that no key exists. */
export const saysNoKey = (text: string): boolean => {
  const words = plainWords(text);
  return words.length <= 300 && !aboutNeed.test(words) && saysNone.some((way) => way.test(words));
};

/** Words, also of languages that are written without blanks. */
const wordsIn = (text: string): number =>
  [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)].filter(({ isWordLike }) => isWordLike)
    .length;

/**
 * The likeliest message among the texts that went away when a key was made. One or two words count
 * only if they say that there is no key.
 */
export const messageAmong = (gone: readonly string[]): string | undefined =>
  gone.find(saysNoKey) ?? gone.find((text) => wordsIn(text) >= 3);
