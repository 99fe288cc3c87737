import { memoize, memoizePerObject } from '../collections.js';
import { percentDecoded } from '../urls.js';
import { decodeContent } from './content-coding.js';
import { type DescribedBody, describeBody, keptBody, segmentsOf } from './describe-body.js';
import { createFieldDescriber } from './describe-fields.js';
import type { Salt } from './digest.js';
import { asBytes, fieldOf, keptFields, listOf } from './header-fields.js';
import type { RawAnswer } from './http1.js';
import type { KeyRing } from './keyring.js';
import { isDistinctive, isDistinctiveEcho } from './scalars.js';
import type { BodyInspection, Probe, Response } from './types.js';

/**
 * Parts of the request that a server may echo: the target, its path and its segments, as sent and
 * decoded.
 */
export const echoesOf = (target: string): string[] => {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split('?', 1)[0] ?? '';
  const query = target.slice(target.indexOf('?') + 1);
  const segments = path.split('/').filter((segment) => segment !== '');
  const sent = [target, path, ...segments, ...(target.includes('?') ? [query] : [])];
  if (!target.includes('%')) return [...new Set(sent)];
  const decoded = sent.map(percentDecoded);
  return [...new Set([...sent, ...decoded, ...decoded.map(percentDecoded)])];
};

/** A redacted value, and the version of the key ring that redacted it. */
interface Cached<T> {
  readonly value: T;
  readonly version: number;
}

/** Cache limits: number of bodies, number of descriptions per body, and size of a body in bytes. */
const maxCachedBodies = 256;
const maxCachedDescriptions = 16;
const maxCachedBytes = 65_536;

/** In other charsets, echoes have other bytes. */
const isUtf8 = (contentType: string | undefined): boolean => !/charset=(?!"?utf-?8)/i.test(contentType ?? '');

/** Parts of a request target that a server may repeat. */
interface Echoes {
  readonly all: readonly string[];
  /** Those that are unlikely to be in a text by chance. */
  readonly distinctive: readonly string[];
  /** `distinctive` as bytes, one character per byte. */
  readonly inBytes: readonly string[];
  /** Words of the path, in lower case. */
  readonly segments: readonly string[];
}

const echoesIn = memoize((target: string): Echoes => {
  const all = echoesOf(target);
  const distinctive = all.filter(isDistinctiveEcho);
  return {
    all,
    distinctive,
    inBytes: distinctive.map(asBytes),
    segments: [...segmentsOf(all), ...all.filter(isDistinctive).map((echo) => echo.toLowerCase())],
  };
});

/** Describes bodies, and caches the descriptions, since a run gets few distinct bodies. */
const createBodyReader = (keys: KeyRing, salt: Salt) => {
  const known = memoize(
    (text: string) => ({ lower: text.toLowerCase(), described: new Map<string, Cached<DescribedBody>>() }),
    maxCachedBodies,
  );
  return (
    bytes: Buffer,
    contentType: string | undefined,
    { truncated, broken }: { readonly truncated: boolean; readonly broken: boolean },
    { all: echoes, inBytes, segments }: Echoes,
  ): DescribedBody => {
    const take = (): DescribedBody =>
      describeBody({
        bytes,
        contentType,
        truncated,
        broken,
        echoes,
        salt,
        isPartOfKey: keys.holds,
        redact: keys.redact,
      });
    if (truncated || broken || bytes.length > maxCachedBytes || !isUtf8(contentType)) return take();
    const text = bytes.toString('latin1');
    const { lower, described } = known(text);
    // The description depends on the target only by the echoes in the body.
    const repeated = [
      ...inBytes.filter((echo) => text.includes(echo)),
      ...segments.filter((segment) => lower.includes(segment)),
    ];
    const name = `${contentType}\n${repeated.join('\n')}`;
    const before = described.get(name);
    const { version } = keys;
    if (before?.version === version) return before.value;
    const { value } = before ?? {};
    // The cached text may contain a secret that was learned later.
    const body = value && (value.text === undefined || keys.redact(value.text) === value.text) ? value : take();
    if (!before && described.size >= maxCachedDescriptions) described.clear();
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

/** Checks a response against the document; `undefined` where there is nothing to check. */
export type Inspect = (
  probe: Probe,
  answer: InspectedAnswer,
) => Promise<Readonly<Record<string, BodyInspection>> | undefined> | undefined;

const redacted = (
  inspected: Readonly<Record<string, BodyInspection>>,
  keys: KeyRing,
): Readonly<Record<string, BodyInspection>> =>
  Object.fromEntries(
    Object.entries(inspected).map(([operation, { verdict, ...texts }]) => [
      operation,
      { verdict, ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, keys.redact(text)])) },
    ]),
  );

const decoderOf = (contentType: string | undefined): TextDecoder => {
  try {
    return new TextDecoder(/charset="?([\w-]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8');
  } catch {
    return new TextDecoder('utf-8');
  }
};

export interface ReadOptions {
  readonly keys: KeyRing;
  readonly salt: Salt;
  /** Maximum number of bytes after decoding. */
  readonly bodyCap: number;
}

/** The body of an answer, and the context of its request. */
interface Content {
  /** The decoded body. */
  readonly bytes: Buffer;
  readonly note: string | undefined;
  /** The request carried nothing made of a key. */
  readonly isKeyless: boolean;
}

/** Values read from a header section. Memoized, since few distinct sections exist. */
const readHeaders = memoizePerObject((raw: readonly string[]) => ({
  codings: listOf(raw, 'content-encoding'),
  contentType: fieldOf(raw, 'content-type'),
  text: raw.join('\n'),
}));

/** Cache limits: number of responses per body, and characters of their fields. */
const maxCachedResponses = 16;
const maxCachedHeader = 4_096;

/**
 * Decodes and redacts responses, which leave the wire in no other way. Identical responses are the
 * same object, except that those to requests with and without a key are distinct.
 */
export const createAnswerReader = ({ keys, salt, bodyCap }: ReadOptions) => {
  const readBody = createBodyReader(keys, salt);
  const fieldsIn = createFieldDescriber(keys, salt);
  const known = new WeakMap<DescribedBody, Map<string, Cached<Response>>>();

  const responseOf = (
    answer: RawAnswer,
    body: DescribedBody,
    { bytes, note, isKeyless }: Content,
    sent: Echoes,
  ): Response => {
    const { status, httpVersion, rawHeaders, aside = [] } = answer;
    const texts = [...rawHeaders, ...aside];
    const fields = fieldsIn(texts, sent.distinctive);
    const givesKey = isKeyless && keys.isGivenIn({ body: bytes, redacted: body.text, texts });
    return {
      status,
      httpVersion,
      headers: keptFields(rawHeaders, keys),
      ...keptBody(body),
      ...(fields.length === 0 ? {} : { fields }),
      ...(givesKey ? { givesKey } : {}),
      ...(note === undefined ? {} : { note: keys.redact(note) }),
    };
  };

  const remember = (answer: RawAnswer, body: DescribedBody, content: Content, sent: Echoes): Response => {
    const { status, httpVersion, rawHeaders, aside = [] } = answer;
    const sections = `${readHeaders(rawHeaders).text}\n\n${aside.join('\n')}`;
    const name = `${status} ${httpVersion} ${content.isKeyless}\n${content.note}\n${sections}`;
    const alike = known.get(body) ?? new Map<string, Cached<Response>>();
    known.set(body, alike);
    const before = alike.get(name);
    if (before?.version === keys.version) return before.value;
    const value = responseOf(answer, body, content, sent);
    if (name.length > maxCachedHeader) return value;
    if (alike.size >= maxCachedResponses) alike.clear();
    alike.set(name, { value, version: keys.version });
    return value;
  };

  /**
   * @param target as sent
   * @param isKeyless the request carried nothing made of a key
   */
  return async (
    answer: RawAnswer,
    target: string,
    isKeyless: boolean,
    inspect?: (answer: InspectedAnswer) => ReturnType<Inspect>,
  ): Promise<Response> => {
    const { codings, contentType } = readHeaders(answer.rawHeaders);
    const content =
      codings === '' ? { bytes: answer.body, truncated: false } : await decodeContent(answer.body, codings, bodyCap);
    const cut = { truncated: answer.truncated || content.truncated, broken: answer.broken === true };
    const sent = echoesIn(target);
    const body = readBody(content.bytes, contentType, cut, sent);
    const note = 'note' in content ? content.note : undefined;
    const response = remember(answer, body, { bytes: content.bytes, note, isKeyless }, sent);
    const inspection = inspect?.({
      status: answer.status,
      mediaType: body.shape.mediaType,
      contentType: contentType ?? '',
      whole: !body.shape.truncated && answer.broken !== true && note === undefined,
      text: () => decoderOf(contentType).decode(content.bytes),
    });
    // Avoids an `await` for the many answers that are not checked.
    const inspected = inspection && (await inspection);
    return inspected === undefined ? response : { ...response, documented: redacted(inspected, keys) };
  };
};

export type AnswerReader = ReturnType<typeof createAnswerReader>;
