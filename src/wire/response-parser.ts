import { WireFailure } from './failure.js';
import { fieldOf, listOf, outsideFieldValue, token } from './header-fields.js';

/** Status line and header section of a response. */
export interface ResponseHead {
  readonly status: number;
  /** `1.1` */
  readonly httpVersion: string;
  /** Names and values in turn, as received, one character a byte. */
  readonly rawHeaders: readonly string[];
}

export interface ParserLimits {
  /** Maximum bytes of a header section, a trailer section, and a chunk-size line, each. */
  readonly headerCap: number;
  /** Maximum bytes of a body; the rest is not read. */
  readonly bodyCap: number;
}

/** How the end of a body is found (RFC 9112, section 6.3). */
type Framing = { readonly length: number } | 'chunked' | 'until-close' | 'none';

/** What the parser expects next. */
type ParserState =
  | 'status-line'
  | 'field'
  | 'length'
  | 'until-close'
  | 'chunk-size'
  | 'chunk'
  | 'chunk-end'
  | 'trailer';

/** Body bytes; everything else is read by lines. */
const bodyStates: ReadonlySet<ParserState> = new Set<ParserState>(['length', 'chunk', 'until-close']);

/** Maximum number of 1xx responses before the final one. */
const maxInformational = 32;

const notHttp = (what: string): WireFailure => new WireFailure('not-http', `the answer is not HTTP (${what})`);

/** Trims SP and HTAB alone (RFC 9110, section 5.6.3). */
const trimmed = (text: string): string => {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text, from)) from += 1;
  while (to > from && isBlank(text, to - 1)) to -= 1;
  return text.slice(from, to);
};

const isBlank = (text: string, at: number): boolean => text[at] === ' ' || text[at] === '\t';

/** Other versions have other framing (RFC 9112, section 2.3). */
const statusLine = /^HTTP\/(1\.[01]) (\d{3})(?: [^\r]*)?$/;
const chunkSize = /^([0-9A-Fa-f]{1,12})[\t ]*(?:;.*)?$/;

const isLength = /^\d{1,15}$/;

const isInterim = (status: number): boolean => status >= 100 && status < 200;

/** @throws WireFailure for contradictory lengths: the end of the response is unknown */
const framingOf = (method: string, { status, rawHeaders }: ResponseHead): Framing => {
  if (method === 'HEAD' || isInterim(status) || status === 204 || status === 304) return 'none';
  const hasLength = fieldOf(rawHeaders, 'content-length') !== undefined;
  const codings = listOf(rawHeaders, 'transfer-encoding');
  if (codings !== '') {
    if (hasLength) throw notHttp('Content-Length beside Transfer-Encoding');
    return /(?:^|,)[\t ]*chunked$/i.test(codings) ? 'chunked' : 'until-close';
  }
  if (!hasLength) return 'until-close';
  // Repeated equal lengths are one (RFC 9110, section 8.6).
  const lengths = listOf(rawHeaders, 'content-length');
  const [length = '', ...others] = lengths.includes(',') ? new Set(lengths.split(',').map(trimmed)) : [lengths];
  if (others.length > 0 || !isLength.test(length)) throw notHttp('Content-Length is no length');
  return { length: Number(length) };
};

/** Whether the server keeps the connection open (RFC 9112, section 9.3). */
const persists = ({ httpVersion, rawHeaders }: ResponseHead): boolean => {
  const options = listOf(rawHeaders, 'connection');
  return !closing.test(options) && (httpVersion !== '1.0' || keepingAlive.test(options));
};

const closing = /(?:^|,)[\t ]*close[\t ]*(?:,|$)/i;
const keepingAlive = /(?:^|,)[\t ]*keep-alive[\t ]*(?:,|$)/i;

/**
 * Incremental parser of one response (RFC 9112). Skips 1xx responses. Accepts lines that end with
 * LF (section 2.2) and folded fields (section 5.2); everything else is strict.
 */
export class ResponseParser {
  readonly #method: string;
  readonly #limits: ParserLimits;
  #awaited: ParserState = 'status-line';
  /** The incomplete last line, one character a byte. */
  #line = '';
  /** Bytes of the current section so far. */
  #section = 0;
  #informational = 0;
  #status = 0;
  #httpVersion = '';
  #rawHeaders: string[] = [];
  #head: ResponseHead | undefined;
  /** Bytes left of the body or chunk. */
  #left = 0;
  readonly #body: Buffer[] = [];
  #size = 0;
  #complete = false;
  #truncated = false;
  #reusable = false;

  constructor(method: string, limits: ParserLimits) {
    this.#method = method;
    this.#limits = limits;
  }

  /** The head of the final response, once complete. */
  get head(): ResponseHead | undefined {
    return this.#head;
  }

  /** The response is complete, or the body reached its cap. */
  get complete(): boolean {
    return this.#complete;
  }

  /** The body was longer than the cap. */
  get truncated(): boolean {
    return this.#truncated;
  }

  /** The connection can be reused. */
  get reusable(): boolean {
    return this.#reusable;
  }

  body(): Buffer {
    const [first] = this.#body;
    const whole = first && this.#body.length === 1 ? first : Buffer.concat(this.#body);
    return this.#truncated ? whole.subarray(0, this.#limits.bodyCap) : whole;
  }

  /** @throws WireFailure for bytes that are no HTTP */
  push(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length && !this.#complete)
      at += bodyStates.has(this.#awaited) ? this.#takeBody(bytes, at) : this.#takeLines(bytes, at);
    // Extra bytes would be read as the next response.
    if (at < bytes.length) this.#reusable = false;
  }

  /**
   * The server has closed its side.
   * @throws WireFailure where the response is incomplete
   */
  end(): void {
    if (this.#complete) return;
    if (this.#awaited !== 'until-close')
      throw new WireFailure('reset', 'the connection was closed before a full answer');
    this.#finish(false);
  }

  #finish(reusable: boolean): void {
    this.#complete = true;
    this.#reusable = reusable && this.#head !== undefined && persists(this.#head);
  }

  /** @returns the number of bytes consumed */
  #takeBody(bytes: Buffer, at: number): number {
    const bounded = this.#awaited !== 'until-close';
    const taken = bounded ? Math.min(this.#left, bytes.length - at) : bytes.length - at;
    this.#body.push(taken === bytes.length ? bytes : bytes.subarray(at, at + taken));
    this.#size += taken;
    if (this.#size > this.#limits.bodyCap) {
      this.#truncated = true;
      this.#finish(false);
      return taken;
    }
    if (!bounded) return taken;
    this.#left -= taken;
    if (this.#left > 0) return taken;
    if (this.#awaited === 'length') this.#finish(true);
    else this.#awaited = 'chunk-end';
    return taken;
  }

  /** Reads lines until body bytes are next. Returns the number of bytes consumed. */
  #takeLines(bytes: Buffer, from: number): number {
    // Reads no more than the cap allows.
    const text = bytes.toString('latin1', from, Math.min(bytes.length, from + this.#limits.headerCap + 1));
    let at = 0;
    while (at < text.length && !this.#complete && !bodyStates.has(this.#awaited)) {
      const end = text.indexOf('\n', at);
      const stop = end < 0 ? text.length : end + 1;
      this.#section += stop - at;
      if (this.#section > this.#limits.headerCap)
        throw new WireFailure('too-large', `the header section is over the cap of ${this.#limits.headerCap} bytes`);
      const piece = this.#line + text.slice(at, end < 0 ? stop : end);
      at = stop;
      if (end < 0) {
        this.#line = piece;
        if (this.#awaited === 'status-line') checkBeginning(piece);
      } else {
        this.#line = '';
        this.#takeLine(piece.endsWith('\r') ? piece.slice(0, -1) : piece);
      }
    }
    return at;
  }

  #takeLine(line: string): void {
    switch (this.#awaited) {
      case 'status-line':
        this.#takeStatus(line);
        break;
      case 'field':
        if (line === '') this.#takeHead();
        else this.#takeField(line);
        break;
      case 'chunk-size':
        this.#takeChunkSize(line);
        break;
      case 'chunk-end':
        if (line !== '') throw notHttp('a chunk is longer than its size');
        this.#awaited = 'chunk-size';
        break;
      default:
        if (line === '') this.#finish(true);
    }
  }

  #takeStatus(line: string): void {
    // Leading empty lines are skipped, as servers do (RFC 9112, section 2.2).
    if (line === '') return;
    const [, httpVersion = '', status = ''] = statusLine.exec(line) ?? [];
    if (status === '') throw notHttp('no status line of HTTP/1.0 or HTTP/1.1');
    this.#httpVersion = httpVersion;
    this.#status = Number(status);
    this.#rawHeaders = [];
    this.#awaited = 'field';
  }

  #takeField(line: string): void {
    if (outsideFieldValue.test(line)) throw notHttp('a control character in a header field');
    if (line.startsWith(' ') || line.startsWith('\t')) {
      const before = this.#rawHeaders.pop();
      if (before === undefined) throw notHttp('white space before the first header field');
      this.#rawHeaders.push(trimmed(`${before} ${trimmed(line)}`));
      return;
    }
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon));
    if (!token.test(name)) throw notHttp('a header field without a name');
    this.#rawHeaders.push(name, trimmed(line.slice(colon + 1)));
  }

  #takeHead(): void {
    const head: ResponseHead = {
      status: this.#status,
      httpVersion: this.#httpVersion,
      rawHeaders: this.#rawHeaders,
    };
    this.#section = 0;
    if (isInterim(head.status) && head.status !== 101) {
      this.#informational += 1;
      if (this.#informational > maxInformational)
        throw new WireFailure('not-http', `more than ${maxInformational} informational answers and no final one`);
      this.#awaited = 'status-line';
      return;
    }
    this.#head = head;
    const framing = framingOf(this.#method, head);
    if (framing === 'none') this.#finish(head.status !== 101);
    else if (framing === 'chunked') this.#awaited = 'chunk-size';
    else if (framing === 'until-close') this.#awaited = 'until-close';
    else if (framing.length === 0) this.#finish(true);
    else {
      this.#awaited = 'length';
      this.#left = framing.length;
    }
  }

  #takeChunkSize(line: string): void {
    const [, digits] = chunkSize.exec(line) ?? [];
    if (digits === undefined) throw notHttp('a chunk without a size');
    this.#section = 0;
    this.#left = Number.parseInt(digits, 16);
    this.#awaited = this.#left === 0 ? 'trailer' : 'chunk';
  }
}

/** @throws WireFailure as soon as the first line cannot be a status line */
const checkBeginning = (line: string): void => {
  const expected = 'HTTP/1.';
  const length = Math.min(line.length, expected.length);
  if (line !== '\r' && line.slice(0, length) !== expected.slice(0, length))
    throw notHttp('no status line of HTTP/1.0 or HTTP/1.1');
};
