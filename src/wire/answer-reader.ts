import { createHash } from 'node:crypto';
import { memoize, memoizePerObject, orUndefined, withTexts } from '../collections.js';
import { percentDecoded } from '../urls.js';
import type { Salt } from './body-shape.js';
import { decodeContent } from './content-coding.js';
import { type DescribedBody, describeBody, keptBody } from './describe-body.js';
import { createFieldDescriber } from './field-facts.js';
import { asBytes, fieldOf, keptFields, listOf } from './header-fields.js';
import type { RawAnswer } from './http1.js';
import type { KeyRing } from './keyring.js';
import { isDistinctiveEcho } from './scalars.js';
import type { BodyInspection, Probe, Response } from './types.js';

/**
 * Parts of the request that a server may echo: the target, its path and its segments, as sent and
 * decoded.
 */
export const echoesOf = (target: string): string[] => {
  const relative = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const [path = ''] = relative.split('?', 1);
  const echoes = new Set([target, path]);
  // A segment may hold an id among other parts: `things(7)`, `7:archive`.
  for (const segment of path.split('/'))
    for (const part of [segment, ...segment.split(separators)]) if (part !== '') echoes.add(part);
  if (target.includes('?')) echoes.add(target.slice(target.indexOf('?') + 1));
  return target.includes('%') ? [...new Set([...echoes].flatMap(decodings))] : [...echoes];
};

const separators = /[():;,='"]/;

/** The text, decoded once, and decoded twice. */
const decodings = (text: string): readonly string[] => {
  const once = percentDecoded(text);
  return once === text ? [text] : [text, once, percentDecoded(once)];
};

/** In other charsets, echoes have other bytes. */
const isUtf8 = (contentType: string | undefined): boolean => !/charset=(?!"?utf-?8)/i.test(contentType ?? '');

/** Shorter parts of a request target are ignored wherever the target matters. */
const shortestEcho = 3;

/** Parts of a request target that a server may repeat. */
interface Echoes {
  readonly all: readonly string[];
  /** Those that are not too short, in lower case, one character per byte. */
  readonly inBytes: readonly string[];
}

const echoesIn = memoize((target: string): Echoes => {
  const all = echoesOf(target).filter((echo) => echo.length >= shortestEcho);
  return { all, inBytes: all.map((echo) => asBytes(echo).toLowerCase()) };
});

/** Describes bodies, and caches the descriptions, since a run gets few distinct bodies. */
const createBodyReader = ({ keys, salt, accounts }: Omit<AnswerReaderOptions, 'bodyCap'>) => {
  const known = createBodyCache();
  return (
    bytes: Buffer,
    contentType: string | undefined,
    { truncated, broken }: { readonly truncated: boolean; readonly broken: boolean },
    { all: echoes, inBytes }: Echoes,
  ): DescribedBody => {
    const take = (): DescribedBody =>
      describeBody({
        bytes,
        contentType,
        truncated,
        broken,
        echoes,
        accounts,
        salt,
        isPartOfKey: (text) => keys.holds(text),
        redact: (text) => keys.redact(text),
      });
    if (!isUtf8(contentType)) return take();
    const { lower, described } = known(bytes);
    // The description depends on the target only by the echoes in the body.
    const repeated = echoes.filter((_, index) => lower.includes(inBytes[index] ?? ''));
    const name = [contentType, truncated, broken, ...repeated].join('\n');
    const before = described.get(name);
    const { version } = keys;
    if (before?.version === version) return before.value;
    const { value } = before ?? {};
    // The cached text may contain a secret that was learned later.
    const isSafe = (text: string | undefined): boolean =>
      text === undefined || keys.isStillSafe(text, before?.version ?? 0);
    const body = value && isSafe(value.text) ? value : take();
    if (!before && described.size >= maxDescriptions) described.clear();
    described.set(name, { value: body, version });
    return body;
  };
};

/** A response as an inspector sees it. */
export interface InspectedAnswer {
  readonly status: number;
  /** Lower-case type/subtype, `''` without one. */
  readonly mediaType: string;
  /** With parameters, as received. */
  readonly contentType: string;
  /** False where the body was truncated or does not match its Content-Encoding. */
  readonly whole: boolean;
  /** Returns the whole text, unredacted. It must not be stored. */
  readonly text: () => string;
}

/** Results by operation id. */
type Inspection = Readonly<Record<string, BodyInspection>>;

/** Checks a response against the document; `undefined` where there is nothing to check. */
export type Inspect = (probe: Probe, answer: InspectedAnswer) => Promise<Inspection | undefined> | undefined;

/** Pointers and messages may hold values of the body. */
const redacted = (inspected: Inspection, keys: KeyRing): Inspection =>
  withTexts(inspected, (text, name) => (name === 'verdict' ? text : keys.redact(text)));

const decoderOf = (contentType: string | undefined): TextDecoder =>
  orUndefined(() => new TextDecoder(/charset="?([\w-]+)/i.exec(contentType ?? '')?.[1])) ?? new TextDecoder('utf-8');

interface AnswerReaderOptions {
  readonly keys: KeyRing;
  readonly salt: Salt;
  /** Maximum number of bytes after decoding. */
  readonly bodyCap: number;
  /** How rows name accounts. */
  readonly accounts?: readonly string[];
}

/** The body of an answer, and the context of its request. */
interface Content {
  /** The decoded body. */
  readonly bytes: Buffer;
  readonly note: string | undefined;
  /** The request carried no whole key. */
  readonly carriesNoKey: boolean;
}

/** Values read from a header section. Memoized, since few distinct sections exist. */
const readHeaders = memoizePerObject((raw: readonly string[]) => ({
  codings: listOf(raw, 'content-encoding'),
  contentType: fieldOf(raw, 'content-type'),
  text: raw.join('\n'),
}));

/**
 * Cache limits: number of header sections per body and of responses per section, and characters of
 * their fields.
 */
const maxCachedResponses = 16;
const maxCachedHeader = 4_096;

/**
 * Decodes and redacts responses, which leave the wire in no other way. Identical responses are the
 * same object, except that those to requests with and without a key are distinct.
 */
export class AnswerReader {
  readonly #keys: KeyRing;
  readonly #bodyCap: number;
  readonly #readBody: ReturnType<typeof createBodyReader>;
  readonly #fieldsIn: ReturnType<typeof createFieldDescriber>;
  /** The responses with a body, by header section and by everything else. */
  readonly #known = memoizePerObject((_: DescribedBody) => new Map<string, Map<string, Cached<Response>>>());

  constructor({ keys, salt, bodyCap, accounts = [] }: AnswerReaderOptions) {
    this.#keys = keys;
    this.#bodyCap = bodyCap;
    this.#readBody = createBodyReader({ keys, salt, accounts });
    this.#fieldsIn = createFieldDescriber(keys, salt);
  }

  /**
   * @param target as sent
   * @param carriesNoKey the request carried no whole key
   */
  async read(
    answer: RawAnswer,
    target: string,
    carriesNoKey: boolean,
    inspect?: (answer: InspectedAnswer) => ReturnType<Inspect>,
  ): Promise<Response> {
    const { codings, contentType } = readHeaders(answer.rawHeaders);
    const content =
      codings === ''
        ? { bytes: answer.body, truncated: false }
        : await decodeContent(answer.body, codings, this.#bodyCap);
    const cut = { truncated: answer.truncated || content.truncated, broken: answer.broken === true };
    const sent = echoesIn(target);
    const body = this.#readBody(content.bytes, contentType, cut, sent);
    const note = 'note' in content ? content.note : undefined;
    const response = this.#remember(answer, body, { bytes: content.bytes, note, carriesNoKey }, sent);
    const inspection = inspect?.({
      status: answer.status,
      mediaType: body.shape.mediaType,
      contentType: contentType ?? '',
      whole: !body.shape.truncated && answer.broken !== true && note === undefined,
      text: () => decoderOf(contentType).decode(content.bytes),
    });
    // Avoids an `await` for the many answers that are not checked.
    const inspected = inspection && (await inspection);
    return inspected === undefined ? response : { ...response, documented: redacted(inspected, this.#keys) };
  }

  #responseOf(answer: RawAnswer, body: DescribedBody, { bytes, note, carriesNoKey }: Content, sent: Echoes): Response {
    const { status, httpVersion, rawHeaders, aside = [] } = answer;
    const texts = [...rawHeaders, ...aside];
    const fields = this.#fieldsIn(texts, sent.all.filter(isDistinctiveEcho));
    const givesKey = carriesNoKey && this.#keys.isGivenIn({ body: bytes, redacted: body.text, texts });
    return {
      status,
      httpVersion,
      headers: keptFields(rawHeaders, this.#keys),
      ...keptBody(body),
      ...(fields.length === 0 ? {} : { fields }),
      ...(givesKey ? { givesKey } : {}),
      ...(note === undefined ? {} : { note: this.#keys.redact(note) }),
    };
  }

  #remember(answer: RawAnswer, body: DescribedBody, content: Content, sent: Echoes): Response {
    const { status, httpVersion, rawHeaders, aside = [] } = answer;
    const { text } = readHeaders(rawHeaders);
    const ofBody = this.#known(body);
    const alike = ofBody.get(text) ?? new Map<string, Cached<Response>>();
    const rest = [status, httpVersion, content.carriesNoKey, content.note, ...aside].join('\n');
    const before = alike.get(rest);
    if (before?.version === this.#keys.version) return before.value;
    const value = this.#responseOf(answer, body, content, sent);
    if (text.length + rest.length > maxCachedHeader) return value;
    if (alike.size >= maxCachedResponses) alike.clear();
    if (ofBody.size >= maxCachedResponses) ofBody.clear();
    ofBody.set(text, alike);
    alike.set(rest, { value, version: this.#keys.version });
    return value;
  }
}

/** Recognises bodies that were received before, since a run gets few distinct ones. */

/** A redacted value, and the version of the key ring that redacted it. */
interface Cached<T> {
  readonly value: T;
  readonly version: number;
}

/** Cache limits: bytes of all small bodies and of one, and half the number of large ones. */
const maxSmallBytes = 524_288;
const maxSmallBody = 65_536;
const maxLargeBodies = 2;

/** Maximum number of descriptions of one body. */
const maxDescriptions = 16;

/** A body of which descriptions are cached. */
interface KnownBody {
  /** In lower case, one character per byte. */
  readonly lower: string;
  /** By what else a description depends on. */
  readonly described: Map<string, Cached<DescribedBody>>;
}

/**
 * Finds a body that was received before. A large one is found by its digest: comparing it would
 * take as much memory again.
 */
const createBodyCache = (): ((bytes: Buffer) => KnownBody) => {
  let cachedBytes = 0;
  const small = memoize((text: string): KnownBody => {
    cachedBytes += text.length;
    return { lower: text.toLowerCase(), described: new Map() };
  }, Number.POSITIVE_INFINITY);
  const large = memoize((_digest: string): KnownBody['described'] => new Map(), maxLargeBodies);
  return (bytes) => {
    const text = bytes.toString('latin1');
    if (bytes.length > maxSmallBody)
      return { lower: text.toLowerCase(), described: large(createHash('sha256').update(bytes).digest('base64')) };
    if (cachedBytes > maxSmallBytes) {
      small.forget();
      cachedBytes = 0;
    }
    return small(text);
  };
};
