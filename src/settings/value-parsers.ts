import { isIP } from 'node:net';
import { isObject, orUndefined } from '../collections.js';
import { urlIn } from '../urls.js';
import { timeLeft, toTheSecond } from '../words.js';

/** A parsed value, or what is wrong with it. `shown` replaces a text that may contain a secret. */
export type Parsed<T> =
  | { readonly value: T; readonly wrong?: never }
  | { readonly wrong: string; readonly hint?: string; readonly shown?: string; readonly value?: never };

/** PEM texts of CA_FILE, CLIENT_CERT_FILE and CLIENT_KEY_FILE. */
export interface Pem {
  readonly ca?: string | undefined;
  readonly clientCert?: { readonly cert: string; readonly key: string } | undefined;
}

export interface BaseUrl {
  /** `scheme://host[:port]`, lower-case. */
  readonly origin: string;
  /** Without a trailing slash: `''` or `/sub/path`. */
  readonly basePath: string;
}

/**
 * Masks user, password and query of a URL for messages. The URL is invalid, so a slash or # before
 * its last @ may be part of a password.
 */
const maskUrlSecrets = (text: string): string =>
  text.replace(/^(https?:\/*)?.*@/is, '$1…@').replace(/([?#]).*$/s, '$1…');

const whitespace = /\s/;

const parseBase = (text: string, scheme: 'https' | 'http'): Parsed<BaseUrl> => {
  const shown = maskUrlSecrets(text);
  const wrong = (message: string, hint?: string): Parsed<BaseUrl> => ({
    wrong: message,
    shown,
    ...(hint ? { hint } : {}),
  });
  if (whitespace.test(text)) return wrong('it has whitespace in it.');
  if (text.includes('\\')) return wrong('it has a backslash in it.');
  const given = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (!given) {
    const rest = text.replace(/^https?:\/*/i, '').replace(/^\/+/, '');
    const isHost = rest !== '' && !rest.includes('://');
    return wrong('it is no full URL.', isHost ? `did you mean ${scheme}://${maskUrlSecrets(rest)} ?` : undefined);
  }
  if (given !== scheme) {
    if (scheme === 'http') return wrong(`it must start with http://: it names the plain-HTTP side.`);
    if (given === 'http')
      return wrong(
        'the API must be reached over HTTPS only (clause HTTPS-2), so the base URL must start with https://.',
        'to say where plain HTTP is answered, so that its refusal is tested, set HTTP_BASE_URL',
      );
    return wrong(`it starts with ${given}://; the API must be reached over HTTPS only (clause HTTPS-2).`);
  }
  const url = urlIn(text);
  if (!url)
    return wrong(
      'it is no valid URL.',
      'look at the host name, the port (1 to 65535) and the brackets of an IPv6 address',
    );
  if (url.username || url.password || /^[^/?#]*@/.test(text.slice(text.indexOf('//') + 2)))
    return wrong('it has a user or password in it.', 'the key goes into API_KEY');
  if (text.includes('?')) return wrong('it has a query in it.', 'leave out everything from the question mark on');
  if (text.includes('#')) return wrong('it has a fragment in it.', 'leave out everything from the # on');
  if (url.port === '0') return wrong('port 0 cannot be reached.');
  return { value: { origin: url.origin, basePath: url.pathname.replace(/\/+$/, '') } };
};

/** Parses the base URL: https only (HTTPS-2), perhaps with a path. */
export const parseHttpsBase = (text: string): Parsed<BaseUrl> => parseBase(text, 'https');

/** The base URL as text, without a trailing slash. */
export const parseBaseText = (text: string, scheme: 'http' | 'https'): Parsed<string> => {
  const form = parseBase(text, scheme);
  return form.wrong === undefined ? { value: form.value.origin + form.value.basePath } : form;
};

/**
 * @param otherwise what is wrong where the text does not fit `form`
 * @param textOf the text that is used
 */
const parseWebUrl = (text: string, form: RegExp, otherwise: string, textOf: (url: URL) => string): Parsed<string> => {
  const shown = maskUrlSecrets(text);
  if (!form.test(text)) return { wrong: otherwise, shown };
  const url = urlIn(text);
  if (!url) return { wrong: 'it is no valid URL.', shown };
  if (url.username || url.password)
    return { wrong: 'it has a user or password in it.', shown, hint: 'they go into settings of their own, if at all' };
  return { value: textOf(url) };
};

/** A document on the web: https only. Its query is taken, and never shown. */
export const parseDocumentUrl = (text: string): Parsed<string> => {
  const otherwise = 'a document is fetched over HTTPS only; download it, or name an https URL.';
  return parseWebUrl(text, /^https:/i, otherwise, ({ href }) => href.replace(/#.*$/s, ''));
};

/** Parses the URL of a token endpoint (RFC 6749 section 3.2): https, and no fragment. */
export const parseTokenUrl = (text: string): Parsed<string> => {
  const otherwise = 'secrets are sent over HTTPS only, so it must start with https://, and has no fragment.';
  return parseWebUrl(text, /^https:\/\/[^#]*$/i, otherwise, ({ href }) => href);
};

/** Parses the URL of the plain-HTTP side, without a trailing slash, or `none`. */
export const parseHttpBase = (text: string): Parsed<string> =>
  text.toLowerCase() === 'none' ? { value: 'none' } : parseBaseText(text, 'http');

export const parsePageUrl = (text: string): Parsed<string> =>
  parseWebUrl(text, /^https?:\/\/\S*$/i, 'it is no http or https URL, or has whitespace in it.', () => text);

const isPercentEncoded = (text: string): boolean => orUndefined(() => decodeURIComponent(text)) !== undefined;

/** Parses the URL of a proxy; `host:port` means http, as usual. */
export const parseProxyUrl = (text: string): Parsed<string> => {
  const full = text.includes('://') ? text : `http://${text}`;
  const url = urlIn(full);
  if (whitespace.test(text) || !url) return { wrong: 'it is no URL.' };
  if (full !== text && !/:\d+\/?$/.test(text)) return { wrong: 'it is neither a URL nor host:port.' };
  const { protocol, username, password } = url;
  if (protocol !== 'http:' && protocol !== 'https:') return { wrong: `a ${protocol}// proxy is not supported.` };
  if (![username, password].every(isPercentEncoded))
    return {
      wrong: 'its user or password has a % that begins no percent-encoded byte.',
      hint: 'write % itself as %25',
    };
  return { value: full };
};

/** Parses a path to append to the base URL, sent byte for byte. */
export const parseResourcePath = (text: string): Parsed<string> => {
  if (/^[a-z]+:\/\//i.test(text))
    return {
      wrong: 'it is a whole URL.',
      hint: 'give the path alone: it is appended to BASE_URL',
      shown: maskUrlSecrets(text),
    };
  if (!text.startsWith('/')) return { wrong: 'it does not start with a slash.', hint: `did you mean /${text} ?` };
  if (/[?#]/.test(text)) return { wrong: 'it has a query or a fragment in it.' };
  if (/[^\x21-\x7e]/.test(text))
    return {
      wrong: 'it has whitespace, a control or a non-ASCII character in it.',
      hint: 'write such characters percent-encoded',
    };
  return { value: text };
};

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Parses a rate, `20/s`, to the milliseconds from one request to the next. */
export const parseRate = (text: string): Parsed<number> => {
  const [, number = '', unit = ''] = /^([0-9]{1,9})\/([smh])$/.exec(text) ?? [];
  const per = unitMs[unit];
  if (per === undefined) return { wrong: 'it is no rate.', hint: 'write 20/s, 600/m or 5000/h' };
  return Number(number) === 0 ? { wrong: 'nothing could be sent.' } : { value: per / Number(number) };
};

export interface ResolveEntry {
  readonly host: string;
  readonly port: number;
  readonly address: string;
}

/**
 * Parses `host:port:address`, like curl's `--resolve`; an IPv6 address with or without brackets.
 */
export const parseResolveEntry = (text: string): Parsed<ResolveEntry> => {
  const [, host = '', port = '', rest = ''] = /^(\[[^\]]+\]|[^:[\]]+):(\d{1,5}):(.+)$/.exec(text) ?? [];
  const address = rest.replace(/^\[(.*)\]$/, '$1');
  if (!host || Number(port) < 1 || Number(port) > 65_535) return { wrong: `"${text}" is not host:port:address.` };
  if (!isIP(address)) return { wrong: `"${address}" is no IP address.` };
  return { value: { host: host.toLowerCase(), port: Number(port), address } };
};

/** Parses entries of RESOLVE that are known to be valid. */
export const parseResolveEntries = (texts: readonly string[] | undefined): readonly ResolveEntry[] =>
  (texts ?? []).flatMap((text) => parseResolveEntry(text).value ?? []);

/**
 * Parses a key: visible ASCII without spaces (RFC 9110 section 5.5 allows more, but not in `Token
 * <key>`). The message says where the problem is, never what the key is.
 */
export const parseKey = (text: string): Parsed<string> => {
  const at = text.search(/[^\x21-\x7e]/);
  if (at >= 0) {
    const character = text.charCodeAt(at);
    const kind =
      character === 0x20
        ? 'a space'
        : character < 0x20 || character === 0x7f
          ? 'a control character'
          : 'a non-ASCII character';
    const scheme = /^(Token|Bearer|Basic|ApiKey)\s/i.exec(text)?.[1];
    const newline = character === 0x0a || character === 0x0d;
    return {
      wrong: `it has ${kind} at position ${at + 1} of ${text.length}.`,
      ...(scheme
        ? { hint: `give the key alone, without the word ${scheme} in front` }
        : newline
          ? { hint: 'a key is one line; one newline at its end is taken off' }
          : at === 0 || at === text.length - 1
            ? { hint: 'it was probably copied along; remove it' }
            : {}),
    };
  }
  if (/^(?:<.*>|\$?\{.*\})$/.test(text)) return { wrong: 'it is a placeholder in brackets, not a key.' };
  return { value: text };
};

/**
 * When a key ends by its own word: the `exp` of a JSON Web Token (RFC 7519 section 4.1.4), which is
 * read and not verified. `undefined` for other keys.
 */
export const keyEnds = (key: string): Date | undefined => {
  const [, payload, signature, ...rest] = key.split('.');
  if (!payload || signature === undefined || rest.length > 0) return undefined;
  const claims = orUndefined((): unknown => JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
  const exp = isObject(claims) ? claims.exp : undefined;
  // The largest time that a Date holds (ECMA-262, section 21.4.1.1).
  return typeof exp === 'number' && Math.abs(exp) <= 8.64e12 ? new Date(exp * 1000) : undefined;
};

/** Beside the estimate, which a slow service exceeds. */
const margin = 2;

/**
 * A sentence on a key that has ended, or ends before a run of about `seconds` is over.
 * `undefined` for a key that lasts, and for one that does not say.
 */
export const keyEndWarning = (key: string, seconds: number, now = Date.now()): string | undefined => {
  const end = keyEnds(key);
  if (end === undefined || end.getTime() > now + seconds * margin * 1000) return undefined;
  const at = toTheSecond(end);
  if (end.getTime() <= now) return `the token ended at ${at} (its exp)`;
  const left = Math.round((end.getTime() - now) / 1000);
  return `the token ends at ${at} (its exp), in ${timeLeft(left)}, which may be before the run does`;
};
