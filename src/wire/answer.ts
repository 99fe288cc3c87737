import { decodeContent } from './content-coding.js';
import { bodyFacts, type Salt } from './facts.js';
import { fieldOf, keptFields, listOf } from './fields.js';
import type { RawAnswer } from './http1.js';
import type { KeyRing } from './keyring.js';
import type { Response } from './types.js';

/** Characters of a body that are kept as text. */
const longestText = 65_536;

export interface ReadOptions {
  readonly keys: KeyRing;
  readonly salt: Salt;
  /** Bytes after decoding. */
  readonly bodyCap: number;
  /** Request target as sent. */
  readonly target: string;
}

const decodedOnce = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** What we sent and a server may echo: the target, its path and its last segments, as sent and decoded. */
export const echoesOf = (target: string): string[] => {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split('?', 1)[0] ?? '';
  const query = target.slice(target.indexOf('?') + 1);
  const segments = path.split('/').filter((segment) => segment !== '');
  const sent = [target, path, ...segments.slice(-1), ...(target.includes('?') ? [query] : [])];
  return [...new Set([...sent, ...sent.map(decodedOnce), ...sent.map((text) => decodedOnce(decodedOnce(text)))])];
};

/** An answer, decoded and redacted: nothing of it leaves the wire in any other form. */
export const readAnswer = async (answer: RawAnswer, options: ReadOptions): Promise<Response> => {
  const { keys, salt, bodyCap, target } = options;
  const codings = listOf(answer.rawHeaders, 'content-encoding');
  const content =
    codings === '' ? { bytes: answer.body, truncated: false } : await decodeContent(answer.body, codings, bodyCap);
  const { facts, text } = bodyFacts({
    bytes: content.bytes,
    contentType: fieldOf(answer.rawHeaders, 'content-type'),
    truncated: answer.truncated || content.truncated,
    echoes: echoesOf(target),
    salt,
    redact: keys.redact,
  });
  const note = 'note' in content ? content.note : undefined;
  return {
    status: answer.status,
    httpVersion: answer.httpVersion,
    headers: keptFields(answer.rawHeaders, keys),
    facts,
    text: text === null ? null : text.slice(0, longestText),
    ...(note === undefined ? {} : { note: keys.redact(note) }),
  };
};
