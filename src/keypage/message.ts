import { keyLikeIn, plainWords, withoutKeys } from './candidates.js';
import type { Piece } from './read-page.js';

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

const isExample = (text: string): boolean => /\bcurl\b|authorization:|\btoken \S{8,}|https?:\/\//i.test(text);

/**
 * The visible texts of a page that could be the message: not names of controls, not examples, no keys. Headings and labels
 * count only where they say it in words. Digits are levelled, so that a clock is the same text a moment later.
 */
export const statementsOf = (pieces: readonly Piece[]): string[] => {
  const statements = pieces.flatMap(({ text, role, visible, aside }) => {
    if (!visible || role === 'attribute' || role === 'control' || role === 'code') return [];
    if (keyLikeIn(text).length > 0 || isExample(text) || text.length > 600 || !/\p{L}{2}/u.test(text)) return [];
    if ((role === 'heading' || role === 'field' || aside) && !saysNoKey(text)) return [];
    return [withoutKeys(text).replace(/\s+/g, ' ').replace(/\d+/g, '#').trim()];
  });
  return [...new Set(statements)];
};

/** Whether the page shows a given text, blanks and case aside. */
export const showsText = (pieces: readonly Piece[], wanted: string): boolean => {
  const all = plainWords(
    pieces
      .filter(({ visible, role }) => visible && role !== 'attribute')
      .map(({ text }) => text)
      .join(' '),
  );
  return all.includes(plainWords(wanted));
};

/** Of the texts that went away when a key was made, the one that is likeliest the message. One or two words that say nothing are none. */
export const messageAmong = (gone: readonly string[]): string | undefined =>
  gone.find(saysNoKey) ?? gone.find((text) => text.split(' ').length >= 3);
