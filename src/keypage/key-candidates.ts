import { groupBy } from '../collections.js';
import { plainWords } from '../words.js';
import { drawnText, type Piece } from './read-page.js';

export interface Candidate {
  readonly value: string;
  readonly visible: boolean;
  /** Higher is likelier. */
  readonly score: number;
  /** Written in groups, as fingerprints are too. */
  readonly grouped?: true;
}

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const keyWords = /key|token|schlussel|cle\b|clave|llave|chiave|chave|sleutel|secret|authorization/;

const isPlaceholder = (value: string): boolean =>
  /0123456789|1234567890?|abcdefgh|x{5,}|your|example|placeholder|change-?me|insert/i.test(value) ||
  new Set(value.toLowerCase()).size < 6;

const looksRandom = (value: string): boolean => {
  if (uuid.test(value)) return true;
  if (/^\d+$/.test(value)) return value.length >= 20;
  const mixed = value
    .split(/[^A-Za-z0-9]+/)
    .some((run) => run.length >= 8 && /\d/.test(run) && /[A-Za-z]/.test(run) && !/^[A-Za-z]+\d{1,4}$/.test(run));
  const letters = /^[A-Za-z]{20,}$/.test(value) && /[a-z][A-Z]/.test(value) && /[A-Z]{2}|[A-Z][a-z][A-Z]/.test(value);
  return mixed || letters;
};

/** Looks like a random token68 credential (RFC 9110), and no placeholder. May have `|` and `:`. */
export const isKeyLike = (value: string): boolean =>
  value.length >= 12 &&
  value.length <= 512 &&
  /^[A-Za-z0-9._~+/|:-]+=*$/.test(value) &&
  !/^https?:|\/\/|^\/|^\d{4}-\d\d-\d\d|\.(js|css|png|svg|html?|json)$/i.test(value) &&
  looksRandom(value) &&
  !isPlaceholder(value);

/** The key-like parts of a text, longest first. Shortened ones (`1234abcd...`) do not count. */
export const keyLikeIn = (text: string): string[] => {
  const found: string[] = [];
  for (const match of text.matchAll(/[A-Za-z0-9._~+/|:-]+=*/g)) {
    const [run] = match;
    const rest = text.slice(match.index + run.length);
    if (/\.\.\.?$/.test(run) || /^(…|\*|•)/.test(rest) || /[•*…]$/.test(text.slice(0, match.index))) continue;
    const whole = run.replace(/^[.:/|-]+|[.:/|]+$/g, '');
    const parts = [whole, whole.split(':').at(-1) ?? '', whole.split('|').at(-1) ?? ''];
    found.push(...parts.filter((part, index) => parts.indexOf(part) === index && isKeyLike(part)));
  }
  return found;
};

const ungrouped = (text: string): string => text.replace(/[^A-Za-z0-9]/g, '');

/** Texts in groups of one length, as keys are written for people to copy: `9944 b091 99c6 2bcf`. */
const groupedIn = (text: string): string[] => {
  const parts = [...text.matchAll(/[A-Za-z0-9]+/g)];
  const found: string[] = [];
  for (let first = 0, next: number; first < parts.length; first = next) {
    const start = parts[first]?.index ?? 0;
    const length = parts[first]?.[0].length ?? 0;
    next = first + 1;
    let end = start + length;
    for (let part = parts[next]; part?.[0].length === length && part.index - end <= 3; part = parts[next]) {
      end = part.index + length;
      next += 1;
    }
    const run = text.slice(start, end);
    // Two groups alone may be any two words.
    if ((next - first > 2 || (next - first > 1 && length >= 12)) && isKeyLike(ungrouped(run))) found.push(run);
  }
  return found;
};

/** Keys that a text may hold in lines. The first line may have a label before it. */
const brokenIn = (text: string): string[] => {
  const found: string[] = [];
  let key = '';
  for (const line of text.split('\n').map((each) => each.trim())) {
    const goesOnHere = key !== '' && /^[A-Za-z0-9._~+/|:=-]+$/.test(line);
    if (goesOnHere) found.push(`${key}${line}`);
    key = goesOnHere ? `${key}${line}` : (line.split(/\s+/).at(-1) ?? '');
  }
  return found.filter(isKeyLike);
};

/** Keys that a text may hold in groups: with the signs that stand between, and without them. */
const keysInGroups = (text: string): string[] =>
  groupedIn(text).flatMap((run) => {
    const signed = run.replace(/\s+/g, '').replace(/\p{Pd}/gu, '-');
    return /[^\w~+/|:.-]/.test(signed) ? [ungrouped(run)] : [...new Set([signed, ungrouped(run)])];
  });

/** Whether a text holds a key, also one that is written in groups. */
export const holdsKey = (text: string, key: string): boolean =>
  text.includes(key) ||
  brokenIn(text).some((lines) => lines.includes(key)) ||
  groupedIn(text).some((run) => ungrouped(run).includes(ungrouped(key)));

/** Whether a piece may go on with the groups of a key that began with another. */
const goesOn = (first: Piece, { text, role, visible }: Piece): boolean =>
  visible === first.visible && (/^[^\p{L}\p{N}]$/u.test(text) || (role === first.role && /^[A-Za-z0-9]+$/.test(text)));

/** Joins the groups of a key that stand in elements of their own. */
export const joinGroups = (pieces: readonly Piece[]): Piece[] => {
  const joined: Piece[] = [];
  let run: Piece[] = [];
  const isUnseen = ({ role }: Piece): boolean => role === 'attribute';
  const endRun = (): void => {
    const groups = run.filter((piece) => !isUnseen(piece));
    const [first] = groups;
    const text = groups.map((piece) => piece.text).join(' ');
    if (first && groups.length > 1 && groupedIn(text).length > 0)
      joined.push(...run.filter(isUnseen), { ...first, text });
    else joined.push(...run);
    run = [];
  };
  for (const piece of pieces) {
    const first = run.find((one) => !isUnseen(one)) ?? piece;
    if (!isUnseen(piece) && !goesOn(first, piece)) endRun();
    run.push(piece);
  }
  endRun();
  return joined;
};

export const withoutKeys = (text: string): string => {
  let shown = text;
  for (const value of [...keyLikeIn(text), ...groupedIn(text)]) shown = shown.replaceAll(value, '<key>');
  return shown;
};

const scoreOf = (value: string, piece: Piece, earlier: readonly string[]): number => {
  const context = earlier.join(' ').slice(-120);
  const label = earlier.at(-1) ?? '';
  const before = plainWords(piece.text.split(value)[0] ?? '').slice(-60);
  let score = 0;
  if (value.length >= 20) score += 2;
  if (/^[\da-f]+$/i.test(value) && [32, 40, 64].includes(value.length)) score += 2;
  if (uuid.test(value)) score -= 2;
  if (/(token|bearer)\s*$/.test(before)) score += 3;
  if (keyWords.test(before)) score += 2;
  else if (keyWords.test(context)) score += 1;
  if (/refresh|csrf|session/.test(`${label} ${before}`)) score -= 4;
  if (piece.role === 'code' || piece.role === 'field') score += 1;
  if (piece.visible) score += 2;
  if (piece.aside) score -= 2;
  return score;
};

/** Each candidate once, likeliest first. */
export const mergeCandidates = (candidates: readonly Candidate[]): Candidate[] =>
  [...groupBy(candidates, ({ value }) => value)]
    .map(([value, same]) => ({
      value,
      visible: same.some(({ visible }) => visible),
      score: Math.max(...same.map(({ score }) => score)),
      ...(same.every(({ grouped }) => grouped) ? { grouped: true as const } : {}),
    }))
    .sort((one, other) => other.score - one.score);

/** The key-like texts of a page, likeliest first, each once. */
export const candidatesOf = (pieces: readonly Piece[]): Candidate[] =>
  mergeCandidates(
    pieces.flatMap((piece, index) => {
      const earlier = pieces.slice(Math.max(0, index - 2), index).map(({ text }) => plainWords(withoutKeys(text)));
      const drawn = drawnText(piece);
      return [...new Set([piece.text, drawn])].flatMap((text) => {
        const shown = { ...piece, text, visible: piece.visible && text === drawn };
        const broken = brokenIn(text);
        const parts = [...broken, ...groupedIn(text)];
        const candidate = (value: string): Candidate => ({
          value,
          visible: shown.visible,
          score: scoreOf(value, shown, earlier),
        });
        const isPart = (value: string): boolean => parts.some((part) => part !== value && part.includes(value));
        const alone = keyLikeIn(text).filter((value) => !isPart(value));
        const others = new Set([...broken, ...keysInGroups(text), ...keyLikeIn(text).filter(isPart)]);
        return [
          ...alone.map(candidate),
          ...[...others].map((value) => ({ ...candidate(value), grouped: true as const })),
        ];
      });
    }),
  );
