import type { Wording } from '../rules/key-page/no-key-message.js';
import { plainWords } from '../words.js';
import { keyLikeIn, withoutKeys } from './key-candidates.js';
import type { Piece } from './read-page.js';
import type { Visit } from './visit.js';

const keyNames = '(api|access|personal|current|active)? ?(key|token|schlussel|api-schlussel|cle|clave|llave|jeton)s?';

const saysNone: readonly RegExp[] = [
  new RegExp(`\\bno (\\w+ )?(\\w+ )?${keyNames}\\b`),
  /\b(not|never|n't|haven't|hasn't|don't)\b.*\b(have|created?|generated?|made|got|exists?|set up)\b/,
  new RegExp(`\\b${keyNames}\\b.*\\b(does not|doesn't|not yet|has not|hasn't|not been)\\b`),
  /\bwithout an? (api )?(key|token)\b|^(none|nothing)\b|\bnone( yet)?\.?$|\bnot (yet )?(created|generated|set)\b/,
  /\bkeine?[nrs]? \S*(schlussel|key|token)|\bnoch (kein|nicht)/,
  /\baucune? \S*(cle|token|jeton)|\bpas (encore )?(de |d')/,
  /\bning(un|una)\b|\bno (hay|existe|tienes?|has)\b|\b(todavia|aun) no\b/,
];

/** The languages of `saysNone`. */
const knownLanguages = /^(en|de|fr|es)\b/i;

/** Whether the page declares a language in which `saysNoKey` knows the message. */
export const isInKnownLanguage = async ({ page }: Visit): Promise<boolean> =>
  knownLanguages.test(await page.evaluate(() => document.documentElement.lang));

const aboutNeed = /\b(need(ed|s)?|requir(e|es|ed)|necessary|optional|benotigt|notig|share)\b/;

export const sentencesOf = (text: string): string[] => text.split(/(?<=[.!?])\s+/);

/** Whether a sentence of a text says, in so many words, that no key exists. */
export const saysNoKey = (text: string): boolean =>
  text.length <= 300 &&
  sentencesOf(text)
    .map(plainWords)
    .some((words) => !aboutNeed.test(words) && saysNone.some((way) => way.test(words)));

const isExample = (text: string): boolean => /\bcurl\b|authorization["']?\s*:|\btoken \S{8,}|https?:\/\//i.test(text);

/** Digits are levelled, so that a clock is the same text a moment later. */
const levelled = (text: string): string => withoutKeys(text).replace(/\s+/g, ' ').replace(/\d+/g, '#').trim();

/** One word that no person writes: `YOUR_API_KEY`, `1234567890abcde...`. */
const isToken = (text: string): boolean => /^\S+$/.test(text.trim()) && /[\d_<>*•.]/.test(text.trim().slice(0, -1));

const hasWords = (text: string): boolean => /\p{L}{2}|[\p{Lo}\p{Lm}]/u.test(text);

/** Could be the message: not the name of a control, no example, no key. */
const couldSpeak = ({ text, role }: Piece): boolean =>
  role !== 'attribute' &&
  role !== 'control' &&
  keyLikeIn(text).length === 0 &&
  !isExample(text) &&
  text.length <= 600 &&
  hasWords(text) &&
  !(role === 'code' && isToken(text));

/** Headings, labels, code and what stands beside the page count only where they say it in words. */
const speaks = (piece: Piece): boolean =>
  couldSpeak(piece) && ((piece.role === 'text' && !piece.aside) || saysNoKey(piece.text));

/** The visible texts of a page that could be the message. */
export const statementsOf = (pieces: readonly Piece[]): string[] => [
  ...new Set(pieces.filter((piece) => piece.visible && speaks(piece)).map(({ text }) => levelled(text))),
];

/** A text with a zero count, such as "0 keys", which keeps its zero. A time of day has no count. */
const withZero = (text: string): string | undefined =>
  /(?<![\d:.,/-])0(?![\d:.,/-])/.test(withoutKeys(text))
    ? withoutKeys(text)
        .replace(/\d+/g, (digits) => (Number(digits) === 0 ? '0' : '#'))
        .replace(/\s+/g, ' ')
    : undefined;

const bare = (text: string): string => levelled(text).replaceAll('<key>', '').replace(/\s+/g, ' ').trim();

export const wordingOf = (pieces: readonly Piece[]): Wording => {
  const statements = statementsOf(pieces);
  const visible = pieces.filter((piece) => piece.visible);
  // "No key yet: generate one" is the name of a control, and tells as much as a text does.
  const named = visible
    .filter(({ role, text }) => role === 'control' && saysNoKey(text))
    .map(({ text }) => levelled(text));
  const shown = new Set([
    ...named,
    ...visible.flatMap((piece) => {
      if (piece.role === 'attribute' || piece.role === 'control') return [];
      const zero = withZero(piece.text);
      return [levelled(piece.text), bare(piece.text), ...(zero === undefined ? [] : [zero])];
    }),
  ]);
  const others = visible
    .filter(couldSpeak)
    .flatMap((piece) => [levelled(piece.text), withZero(piece.text) ?? []].flat());
  const unseen = pieces.filter((piece) => !piece.visible && couldSpeak(piece)).map(({ text }) => levelled(text));
  const hidden = [...new Set(unseen)].filter((text) => !shown.has(text));
  return {
    statements,
    others: [...new Set([...others, ...named])].filter((text) => !statements.includes(text)),
    hidden,
    shown: [...shown],
    saysNone: [...statements, ...hidden].filter(saysNoKey),
  };
};

/**
 * Whether the page shows a text, ignoring blanks and case. `hidden`: it is there, but not visible.
 * With `passing`, texts that were shown for a moment count too.
 */
export const showsText = (
  pieces: readonly Piece[],
  wanted: string,
  passing: boolean,
): 'shown' | 'hidden' | 'absent' => {
  const holds = (some: readonly Piece[]): boolean =>
    plainWords(some.map(({ text }) => text).join(' ')).includes(plainWords(wanted));
  const texts = pieces.filter(({ role }) => role !== 'attribute');
  return holds(texts.filter((piece) => piece.visible || (passing && piece.passing)))
    ? 'shown'
    : holds(texts)
      ? 'hidden'
      : 'absent';
};
