/**
 * Splits a text other than JSON into comparable pieces. A tolerant scanner that runs in linear
 * time, not a parser.
 */

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

const decodeEntities = (text: string): string =>
  text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi,
    (all, decimal?: string, hex?: string, name?: string) => {
      if (name) return entities[name.toLowerCase()] ?? all;
      const code = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
    },
  );

interface TextPieces {
  /** Text runs and attribute values in order. */
  readonly pieces: readonly string[];
  /** Possible scalars: the pieces, and what is delimited in them. */
  readonly scalars: readonly string[];
}

const maxPieces = 4_000;

/**
 * What stands in a line between quotation marks, brackets or separators, or behind a name: the
 * values of dumps, of serialised data and of logs. A stray quotation mark swaps what is inside and
 * outside of the others, so both are taken.
 */
const delimitedIn = (line: string): readonly string[] => {
  const quoted = ['"', "'"].flatMap((mark) => line.split(mark).filter(({ length }) => length <= 500));
  const start = line.slice(0, 2_000);
  const inner = start.split(/[,;\t|()[\]{}]|=>?|\s{2,}|: |\s(?=\w{1,40}[:=])/);
  return [
    ...quoted,
    ...start.split(/[()[\]{}]/),
    ...start.split(/[,;\t|]|\s{2,}|: /),
    start.replace(/^.*?(?:=>?|: )/, ''),
    ...inner,
    // `{ID:40001 Name:Leg day}`
    ...inner.map((field) => field.trim().replace(/^\w{1,40}:/, '')),
  ].map((value) => value.trim());
};

export const textPieces = (text: string, kind: 'html' | 'xml' | 'text'): TextPieces => {
  const runs = kind === 'text' ? text.split(/[\n\r]+/) : markup(text);
  const found: string[] = [];
  for (const run of runs) {
    const piece = run.trim();
    if (piece !== '') found.push(piece.slice(0, 10_000));
    if (found.length >= maxPieces) break;
  }
  const scalars = new Set<string>(found);
  for (const line of found.flatMap((piece) => piece.split(/[\n\r]+/))) {
    if (scalars.size >= maxPieces * 2) break;
    for (const value of delimitedIn(line)) if (value.length >= 4) scalars.add(value);
  }
  return { pieces: found, scalars: [...scalars] };
};

/** Text between tags, and attribute values. Scripts count as text; comments are skipped. */
const markup = (text: string): string[] => {
  const runs: string[] = [];
  let at = 0;
  while (at < text.length && runs.length < maxPieces) {
    const open = text.indexOf('<', at);
    if (open < 0) {
      runs.push(decodeEntities(text.slice(at)));
      break;
    }
    if (open > at) runs.push(decodeEntities(text.slice(at, open)));
    if (text.startsWith('<!--', open)) {
      const end = text.indexOf('-->', open + 4);
      at = end < 0 ? text.length : end + 3;
      continue;
    }
    const close = text.indexOf('>', open);
    if (close < 0) break;
    const tag = text.slice(open, Math.min(close, open + 4_000));
    for (const [, double, single, bare] of tag.matchAll(/=(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g)) {
      const value = double ?? single ?? bare;
      if (value) runs.push(decodeEntities(value));
    }
    at = close + 1;
  }
  return runs;
};
