import { plainWords } from '../words.js';

/** What the texts of a page say, in the languages that are known here. */

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
