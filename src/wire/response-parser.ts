import { token } from '../names.js';
import { brokenOff, WireFailure } from './failure.js';
import { outsideFieldValue } from './header-fields.js';
import {
  checkBeginning,
  isInterim,
  knownHeads,
  maxInformational,
  notHttp,
  type ReadHead,
  type ResponseHead,
  readHead,
  tooManyInformational,
  trimmed,
} from './response-head.js';

export interface ParserLimits {
  /** Maximum number of bytes of header section, trailer section and chunk-size line, each. */
  readonly headerCap: number;
  /** Maximum number of bytes of a body; the rest is not read. */
  readonly bodyCap: number;
}

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

/** States that read body bytes; the others read lines. */
const bodyStates: ReadonlySet<ParserState> = new Set<ParserState>(['length', 'chunk', 'until-close']);

/** Other versions have another framing (RFC 9112, section 2.3). */
const statusLine = /^HTTP\/(1\.[01]) (\d{3})(?: ([^\r]*))?$/;
const chunkSize = /^([0-9A-Fa-f]{1,12})[\t ]*(?:;.*)?$/;

/**
 * Incremental parser of one response (RFC 9112). Skips 1xx responses. Accepts lines that end with
 * LF (section 2.2) and folded fields (section 5.2), and is strict otherwise.
 */
export class ResponseParser {
  readonly #method: string;
  readonly #limits: ParserLimits;
  #state: ParserState = 'status-line';
  /** The incomplete last line, one character per byte. */
  #line = '';
  /** Number of bytes of the current section so far. */
  #section = 0;
  /** The bytes of the head, if they arrived in one piece; key of the cache of heads. */
  #first = '';
  #informational = 0;
  #status = 0;
  #httpVersion = '';
  #reason = '';
  #rawHeaders: string[] = [];
  /** Fields of interim responses and trailers. */
  readonly #others: string[] = [];
  #head: ReadHead | undefined;
  /** Remaining bytes of the body or chunk. */
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

  /** The head of the final response, once it is complete. */
  get head(): ResponseHead | undefined {
    return this.#head?.head;
  }

  /** See `ResponseHead`. Includes trailers, so it is complete only after the body. */
  get aside(): readonly string[] {
    return [...(this.#head?.head.aside ?? []), ...this.#others];
  }

  /** Whether the response is complete, or the body reached its cap. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Whether the body was longer than the cap, or was cut. */
  get truncated(): boolean {
    return this.#truncated;
  }

  /** Whether the connection can be reused. */
  get reusable(): boolean {
    return this.#reusable;
  }

  body(): Buffer {
    const [first] = this.#body;
    const whole = first && this.#body.length === 1 ? first : Buffer.concat(this.#body);
    return this.#truncated ? whole.subarray(0, this.#limits.bodyCap) : whole;
  }

  /** @throws WireFailure for bytes that are not HTTP */
  push(bytes: Buffer): void {
    let at = this.#takeKnownHead(bytes);
    while (at < bytes.length && !this.#complete)
      at += bodyStates.has(this.#state) ? this.#takeBody(bytes, at) : this.#takeLines(bytes, at);
    // Extra bytes would be read as the next response.
    if (at < bytes.length) this.#reusable = false;
  }

  /**
   * Handles the end of the server's data.
   * @throws WireFailure if the response is incomplete
   */
  end(): void {
    if (this.#complete) return;
    if (this.#state !== 'until-close') throw brokenOff();
    this.#finish(false);
  }

  /**
   * Ends a body that may go on for ever: one without a length, of which a part has arrived that the
   * server holds for whole.
   * @returns whether it is one
   */
  cut(): boolean {
    const isBetweenParts = this.#state === 'until-close' || (this.#state === 'chunk-size' && this.#line === '');
    if (this.#size === 0 || !isBetweenParts) return false;
    this.#truncated = true;
    this.#finish(false);
    return true;
  }

  #finish(reusable: boolean): void {
    this.#complete = true;
    this.#reusable = reusable && this.#head?.persists === true;
  }

  /** @returns the number of bytes consumed */
  #takeBody(bytes: Buffer, at: number): number {
    const bounded = this.#state !== 'until-close';
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
    if (this.#state === 'length') this.#finish(true);
    else this.#state = 'chunk-end';
    return taken;
  }

  /** @returns the number of bytes consumed; 0 if the head is not cached */
  #takeKnownHead(bytes: Buffer): number {
    const isStart = this.#state === 'status-line' && this.#section === 0 && this.#informational === 0;
    if (!isStart || this.#method === 'HEAD') return 0;
    this.#first = knownHeads.nameOf(bytes, this.#limits.headerCap);
    const known = knownHeads.get(this.#first);
    if (!known) return 0;
    this.#begin(known);
    return this.#first.length;
  }

  /**
   * Reads lines until body bytes follow.
   * @returns the number of bytes consumed
   */
  #takeLines(bytes: Buffer, from: number): number {
    // Decodes no more than the cap allows.
    const text = bytes.toString('latin1', from, Math.min(bytes.length, from + this.#limits.headerCap + 1));
    let at = 0;
    while (at < text.length && !this.#complete && !bodyStates.has(this.#state)) {
      const end = text.indexOf('\n', at);
      const stop = end < 0 ? text.length : end + 1;
      this.#section += stop - at;
      if (this.#section > this.#limits.headerCap)
        throw new WireFailure('too-large', `the header section is over the cap of ${this.#limits.headerCap} bytes`);
      const piece = this.#line + text.slice(at, end < 0 ? stop : end);
      at = stop;
      if (end < 0) {
        this.#line = piece;
        if (this.#state === 'status-line') checkBeginning(piece);
      } else {
        this.#line = '';
        this.#takeLine(piece.endsWith('\r') ? piece.slice(0, -1) : piece);
      }
    }
    return at;
  }

  #takeLine(line: string): void {
    switch (this.#state) {
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
        this.#state = 'chunk-size';
        break;
      default:
        if (line === '') this.#finish(true);
        else this.#takeTrailer(line);
    }
  }

  #takeStatus(line: string): void {
    // Leading empty lines are skipped, as RFC 9112, section 2.2, recommends for servers.
    if (line === '') return;
    const [, httpVersion = '', status = '', reason = ''] = statusLine.exec(line) ?? [];
    if (status === '') throw notHttp('no status line of HTTP/1.0 or HTTP/1.1');
    this.#httpVersion = httpVersion;
    this.#status = Number(status);
    this.#reason = reason;
    this.#rawHeaders = [];
    this.#state = 'field';
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

  /** Lines without a field name are ignored. */
  #takeTrailer(line: string): void {
    const colon = line.indexOf(':');
    if (colon > 0) this.#others.push(line.slice(0, colon), trimmed(line.slice(colon + 1)));
  }

  #takeHead(): void {
    const head: ResponseHead = {
      status: this.#status,
      httpVersion: this.#httpVersion,
      rawHeaders: this.#rawHeaders,
      ...(this.#reason === '' ? {} : { aside: ['reason phrase', this.#reason] }),
    };
    const length = this.#section;
    this.#section = 0;
    if (isInterim(head.status) && head.status !== 101) {
      this.#informational += 1;
      this.#others.push(...this.#rawHeaders);
      if (this.#informational > maxInformational) throw tooManyInformational();
      this.#state = 'status-line';
      return;
    }
    const read = readHead(this.#method, head);
    if (length === this.#first.length && this.#informational === 0) knownHeads.set(this.#first, read);
    this.#begin(read);
  }

  #begin(read: ReadHead): void {
    this.#head = read;
    const { framing } = read;
    if (framing === 'none') this.#finish(read.head.status !== 101);
    else if (framing === 'chunked') this.#state = 'chunk-size';
    else if (framing === 'until-close') this.#state = 'until-close';
    else if (framing.length === 0) this.#finish(true);
    else {
      this.#state = 'length';
      this.#left = framing.length;
    }
  }

  #takeChunkSize(line: string): void {
    const [, digits] = chunkSize.exec(line) ?? [];
    if (digits === undefined) throw notHttp('a chunk without a size');
    this.#section = 0;
    this.#left = Number.parseInt(digits, 16);
    this.#state = this.#left === 0 ? 'trailer' : 'chunk';
  }
}
