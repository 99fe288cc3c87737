import { WireFailure } from './failure.js';
import { fieldOf, listOf } from './header-fields.js';

/** Status line and header section of a response. */
export interface ResponseHead {
  readonly status: number;
  /** `1.0` or `1.1`; `2.0` for HTTP/2. */
  readonly httpVersion: string;
  /** Names and values in turn, as received, one character per byte. */
  readonly rawHeaders: readonly string[];
  /**
   * Names and values of other metadata: the reason phrase, the fields of interim responses,
   * trailers. Absent if there is none.
   */
  readonly aside?: readonly string[];
}

/** How the end of a body is found (RFC 9112, section 6.3). */
type Framing = { readonly length: number } | 'chunked' | 'until-close' | 'none';

/** A complete head, and what follows from it. */
export interface ReadHead {
  readonly head: ResponseHead;
  readonly framing: Framing;
  /** The server keeps the connection open. */
  readonly persists: boolean;
}

export const notHttp = (what: string): WireFailure => new WireFailure('not-http', `the answer is not HTTP (${what})`);

/** @throws WireFailure as soon as the first line cannot be a status line */
export const checkBeginning = (line: string): void => {
  const expected = 'HTTP/1.';
  const length = Math.min(line.length, expected.length);
  if (line !== '\r' && line.slice(0, length) !== expected.slice(0, length))
    throw notHttp('no status line of HTTP/1.0 or HTTP/1.1');
};

/** Maximum number of 1xx responses before the final one. */
export const maxInformational = 32;

export const tooManyInformational = (): WireFailure =>
  new WireFailure('not-http', `more than ${maxInformational} informational answers and no final one`);

/** Trims only SP and HTAB (RFC 9110, section 5.6.3). */
export const trimmed = (text: string): string => {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text, from)) from += 1;
  while (to > from && isBlank(text, to - 1)) to -= 1;
  return text.slice(from, to);
};

const isBlank = (text: string, at: number): boolean => text[at] === ' ' || text[at] === '\t';

const isLength = /^\d{1,15}$/;

export const isInterim = (status: number): boolean => status >= 100 && status < 200;

/**
 * The framing of a response to any method but HEAD.
 * @throws WireFailure for contradictory lengths, which leave the end of the response unknown
 */
const framingOf = ({ status, rawHeaders }: ResponseHead): Framing => {
  if (isInterim(status) || status === 204 || status === 304) return 'none';
  const hasLength = fieldOf(rawHeaders, 'content-length') !== undefined;
  const codings = listOf(rawHeaders, 'transfer-encoding');
  if (codings !== '') {
    if (hasLength) throw notHttp('Content-Length beside Transfer-Encoding');
    return /(?:^|,)[\t ]*chunked$/i.test(codings) ? 'chunked' : 'until-close';
  }
  if (!hasLength) return 'until-close';
  // Equal repeated lengths are valid (RFC 9110, section 8.6).
  const lengths = listOf(rawHeaders, 'content-length');
  const [length = '', ...others] = lengths.includes(',') ? new Set(lengths.split(',').map(trimmed)) : [lengths];
  if (others.length > 0 || !isLength.test(length)) throw notHttp('Content-Length is no length');
  return { length: Number(length) };
};

/**
 * Whether the server keeps the connection open (RFC 9112, section 9.3). After 101 (Switching
 * Protocols) it no longer speaks HTTP/1.1.
 */
const persists = ({ status, httpVersion, rawHeaders }: ResponseHead): boolean => {
  if (status === 101) return false;
  const options = listOf(rawHeaders, 'connection');
  return !closing.test(options) && (httpVersion !== '1.0' || keepingAlive.test(options));
};

const closing = /(?:^|,)[\t ]*close[\t ]*(?:,|$)/i;
const keepingAlive = /(?:^|,)[\t ]*keep-alive[\t ]*(?:,|$)/i;

/** @throws WireFailure for contradictory lengths */
export const readHead = (method: string, head: ResponseHead): ReadHead => ({
  head,
  framing: method === 'HEAD' ? 'none' : framingOf(head),
  persists: persists(head),
});

const emptyLine = Buffer.from('\r\n\r\n');

/** Cache size; the cache is cleared when it is exceeded. */
const mostHeads = 256;
/** Maximum number of bytes of a cached head. */
const longestHead = 4_096;

/**
 * Cache of parsed heads by their bytes. A server repeats few heads, and parsing one costs more than
 * the rest of a response. Answers to HEAD have another framing, and are not cached.
 */
const heads = new Map<string, ReadHead>();

export const knownHeads = {
  /** The cache key: the bytes up to the first empty line; `''` if that is missing or too late. */
  nameOf: (bytes: Buffer, headerCap: number): string => {
    const end = bytes.indexOf(emptyLine) + emptyLine.length;
    const isKept = end >= emptyLine.length && end <= Math.min(longestHead, headerCap);
    return isKept ? bytes.toString('latin1', 0, end) : '';
  },
  get: (name: string): ReadHead | undefined => heads.get(name),
  set: (name: string, read: ReadHead): void => {
    if (heads.size >= mostHeads) heads.clear();
    heads.set(name, read);
  },
};
