import type { KeyPageWording } from '../../rules/key-page/record.js';
import { plainWords } from '../../words.js';
import { keyLikeIn, withoutKeys } from './key-candidates.js';
import { saysNoKey } from './no-key-words.js';
import type { Piece } from './read-page.js';

const isExample = (text: string): boolean => /\bcurl\b|authorization["']?\s*:|\btoken \S{8,}|https?:\/\//i.test(text);

/** Digits are replaced, so that a clock is the same text a moment later. */
const levelled = (text: string): string => withoutKeys(text).replace(/\s+/g, ' ').replace(/\d+/g, '#').trim();

/** One word that no person writes: `YOUR_API_KEY`, `1234567890abcde...`. */
const isToken = (text: string): boolean => /^\S+$/.test(text.trim()) && /[\d_<>*•.]/.test(text.trim().slice(0, -1));

const hasWords = (text: string): boolean => /\p{L}{2}|[\p{Lo}\p{Lm}]/u.test(text);

/** Whether a piece could be the message: it is not the name of a control, an example or a key. */
const couldSpeak = ({ text, role }: Piece): boolean =>
  role !== 'attribute' &&
  role !== 'control' &&
  keyLikeIn(text).length === 0 &&
  !isExample(text) &&
  text.length <= 600 &&
  hasWords(text) &&
  !(role === 'code' && isToken(text));

interface ReadPiece {
  readonly piece: Piece;
  /** The piece says that no key exists. */
  readonly denies: boolean;
}

/** The pieces of a page, each read together with the headings or the label right before it. */
const readPieces = (pieces: readonly Piece[]): ReadPiece[] => {
  let labels: string[] = [];
  let isOver = false;
  return pieces.map((piece) => {
    const { text, role, visible } = piece;
    const denies = couldSpeak(piece) && saysNoKey(text, labels.join(' '));
    if (visible && role !== 'attribute') {
      const isLabel = role === 'heading' || /[:：]\s*$/.test(text);
      if (isLabel && !denies) labels = isOver || role !== 'heading' ? [text] : [...labels, text];
      isOver = !isLabel || role !== 'heading';
    }
    return { piece, denies };
  });
};

/** Headings, labels, code, navigation and footers count only if they deny a key. */
const speaks = ({ piece, denies }: ReadPiece): boolean =>
  denies || (couldSpeak(piece) && piece.role === 'text' && !piece.aside);

const textsOf = (said: readonly ReadPiece[]): string[] => [...new Set(said.map(({ piece }) => levelled(piece.text)))];

const spokenIn = (pieces: readonly Piece[]): ReadPiece[] =>
  readPieces(pieces).filter((one) => one.piece.visible && speaks(one));

/** The visible texts of a page that could be the message. */
export const statementsOf = (pieces: readonly Piece[]): string[] => textsOf(spokenIn(pieces));

/** The visible texts that say expressly that no key exists. */
export const messagesIn = (pieces: readonly Piece[]): ReadonlySet<string> =>
  new Set(spokenIn(pieces).flatMap(({ piece, denies }) => (denies ? [piece.text] : [])));

export const showsMessage = (pieces: readonly Piece[]): boolean => messagesIn(pieces).size > 0;

/** A text with a zero count, such as "0 keys", which keeps its zero. A time of day has no count. */
const withZero = (text: string): string | undefined =>
  /(?<![\d:.,/-])0(?![\d:.,/-])/.test(withoutKeys(text))
    ? withoutKeys(text)
        .replace(/\d+/g, (digits) => (Number(digits) === 0 ? '0' : '#'))
        .replace(/\s+/g, ' ')
    : undefined;

const bare = (text: string): string => levelled(text).replaceAll('<key>', '').replace(/\s+/g, ' ').trim();

export const wordingOf = (pieces: readonly Piece[]): KeyPageWording => {
  const said = readPieces(pieces);
  const statements = textsOf(said.filter((one) => one.piece.visible && speaks(one)));
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
  const hidden = textsOf(said.filter(({ piece }) => !piece.visible && couldSpeak(piece))).filter(
    (text) => !shown.has(text),
  );
  const denying = new Set(textsOf(said.filter(({ denies }) => denies)));
  return {
    statements,
    others: [...new Set([...others, ...named])].filter((text) => !statements.includes(text)),
    hidden,
    shown: [...shown],
    saysNone: [...statements, ...hidden].filter((text) => denying.has(text)),
    pictures: pieces.filter(({ picture }) => picture).length,
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
