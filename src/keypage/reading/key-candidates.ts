import { groupBy } from '../../collections.js';
import { plainWords } from '../../words.js';
import { drawnText, type Piece } from './read-page.js';

export interface KeyCandidate {
  readonly value: string;
  readonly visible: boolean;
  /** Higher is likelier. */
  readonly score: number;
  /** Written in groups, as fingerprints are too. */
  readonly grouped?: true;
  /**
   * It is a part of something longer, or is named as something else. Its refusal shows nothing
   * about a key.
   */
  readonly doubtful?: true;
}

/** A candidate of this score or more is where a key would be. */
export const likelyKey = 6;

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const keyWords = /key|token|schlussel|cle\b|clave|llave|chiave|chave|sleutel|secret|authorization/;

const isMonotonous = (value: string): boolean => new Set(value.toLowerCase()).size < 6;

/**
 * Whether the kind of letter (capital, small, digit) changes as often as in random text: at three
 * of five letters, and in names of several words at one or two.
 */
const isScattered = (value: string): boolean => {
  const letters = value.replace(/[^A-Za-z0-9]/g, '');
  const changes = letters.match(/[A-Z](?=[a-z\d])|[a-z](?=[A-Z\d])|\d(?=[A-Za-z])/g) ?? [];
  const hasBothCases = letters !== letters.toUpperCase() && letters !== letters.toLowerCase();
  return letters.length >= 20 && hasBothCases && changes.length >= letters.length * 0.4;
};

const looksRandom = (value: string): boolean => {
  if (uuid.test(value)) return true;
  if (/^\d+$/.test(value)) return value.length >= 20;
  const mixed = value
    .split(/[^A-Za-z0-9]+/)
    .some((run) => run.length >= 8 && /\d/.test(run) && /[A-Za-z]/.test(run) && !/^[A-Za-z]+\d{1,4}$/.test(run));
  return mixed || isScattered(value);
};

/** Whether a text contains parts of examples, and too little else for a random key. */
const isPlaceholder = (value: string): boolean => {
  const rest = value.replace(/0123456789|1234567890?|abcdefgh|x{5,}|your|example|placeholder|change-?me|insert/gi, '');
  return isMonotonous(value) || (rest !== value && (rest.length < 20 || isMonotonous(rest) || !looksRandom(rest)));
};

/** Length of the shortest and the longest key that is recognised. Servers take fields of 8 KB. */
export const shortestKey = 12;
export const longestKey = 8_000;

/** Looks like a random token68 credential (RFC 9110), and no placeholder. May have `|` and `:`. */
export const isKeyLike = (value: string): boolean =>
  value.length >= shortestKey &&
  value.length <= longestKey &&
  /^[A-Za-z0-9._~+/|:-]+=*$/.test(value) &&
  !/^https?:|:\/\/|^\/|^\d{4}-\d\d-\d\d[\d:.+TZ-]*$|\.(js|css|png|svg|html?|json)$/i.test(value) &&
  looksRandom(value) &&
  !isPlaceholder(value);

/** A character that joins a text to something else: `mara@…`, `…&page=2`. */
const joins = /[!#$%&*?@\\^]/;

interface KeyLike {
  readonly value: string;
  readonly doubtful: boolean;
}

/**
 * The key-like parts of a text: each run of characters, also without the punctuation around it.
 * Shortened ones (`1234abcd...`) do not count.
 */
const keyLikeParts = (text: string): KeyLike[] => {
  const found: KeyLike[] = [];
  for (const match of text.matchAll(/[A-Za-z0-9._~+/|:-]+=*/g)) {
    const [run] = match;
    const [before, rest] = [text.slice(0, match.index), text.slice(match.index + run.length)];
    if (/\.\.\.?$/.test(run) || /^(…|\*|•)/.test(rest) || /[•*…]$/.test(before)) continue;
    const isPart = joins.test(before.slice(-1)) || joins.test(rest.slice(0, 1));
    const whole = run.replace(/^[.:/|-]+|[.:/|]+$/g, '');
    const parts = [whole, whole.split(':').at(-1) ?? '', whole.split('|').at(-1) ?? ''].filter(isKeyLike);
    found.push(
      ...[...new Set(parts)].map((value) => ({ value, doubtful: isPart || (value === whole && whole !== run) })),
    );
    if (whole !== run && isKeyLike(whole)) found.push({ value: run, doubtful: isPart });
  }
  return found;
};

/** The key-like parts of a text, without the signs around them first. */
export const keyLikeIn = (text: string): string[] => keyLikeParts(text).map(({ value }) => value);

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

/** Whether the label right before a value names something else: `Reference: …`. */
const isNamedOtherwise =
  (text: string, earlier: string) =>
  (value: string): boolean => {
    const label = plainWords(text.split(value)[0] ?? '') || earlier;
    return /\p{L}\W*:$/u.test(label) && !keyWords.test(label);
  };

/** Each candidate once, likeliest first. */
export const mergeCandidates = (candidates: readonly KeyCandidate[]): KeyCandidate[] =>
  [...groupBy(candidates, ({ value }) => value)]
    .map(([value, same]) => ({
      value,
      visible: same.some(({ visible }) => visible),
      score: Math.max(...same.map(({ score }) => score)),
      ...(same.every(({ grouped }) => grouped) ? { grouped: true as const } : {}),
      ...(same.every(({ doubtful }) => doubtful) ? { doubtful: true as const } : {}),
    }))
    .sort((one, other) => other.score - one.score);

/** The key-like texts of a page, likeliest first, each once. */
export const candidatesOf = (pieces: readonly Piece[]): KeyCandidate[] =>
  mergeCandidates(
    pieces.flatMap((piece, index) => {
      const earlier = pieces.slice(Math.max(0, index - 2), index).map(({ text }) => plainWords(withoutKeys(text)));
      const drawn = drawnText(piece);
      return [...new Set([piece.text, drawn])].flatMap((text) => {
        const shown = { ...piece, text, visible: piece.visible && text === drawn };
        const broken = brokenIn(text);
        const parts = [...broken, ...groupedIn(text)];
        const candidate = (value: string): KeyCandidate => ({
          value,
          visible: shown.visible,
          score: scoreOf(value, shown, earlier),
        });
        const isPart = (value: string): boolean => parts.some((part) => part !== value && part.includes(value));
        const isNamed = isNamedOtherwise(text, earlier.at(-1) ?? '');
        const found = keyLikeParts(text);
        const alone = found.filter(({ value }) => !isPart(value));
        const others = new Set([...broken, ...keysInGroups(text), ...keyLikeIn(text).filter(isPart)]);
        return [
          ...alone.map(({ value, doubtful }) => ({
            ...candidate(value),
            ...(doubtful || isNamed(value) ? { doubtful: true as const } : {}),
          })),
          ...[...others].map((value) => ({ ...candidate(value), grouped: true as const })),
        ];
      });
    }),
  );
