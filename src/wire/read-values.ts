import { literally } from '../names.js';
import type { HeaderPair, Probe, Response } from './types.js';

/**
 * Placeholders as written, and as URL parsers encode them: `<ID_1>`, `<ID_1_OF_MEMBER>`, and
 * `<ID_1:upper>` for the value in upper case.
 */
const placeholders = /(?:<|%3C)(ID_(?:\d+(?:_\d+)?(?:_OF_[A-Z0-9_]+)?|OF_[A-Z0-9_]+))(:upper|%3Aupper)?(?:>|%3E)/gi;

/** Texts that the value of a field may be (RFC 9110, section 5.5), and that are no placeholder. */
const isLine = /^(?! )[^\p{Cc}<]+(?<! )$/u;

/**
 * Values that were read from answers and are sent in URLs and fields. They are data of the key's
 * owner, so probes and everything that is stored contain placeholders (`<ID_1>`).
 */
export const createReadValues = () => {
  const values = new Map<string, string>();
  const patterns = new Map<string, RegExp>();
  const patternOf = (name: string, value: string, host: string): RegExp => {
    const known = patterns.get(`${name} ${host}`);
    if (known) return known;
    const spellings = [...new Set([value, encodeURIComponent(value)])].map(literally).join('|');
    const pattern = new RegExp(
      `(?<![\\p{L}\\p{N}])(?:(${literally(host)}(?::\\d+)?)|${spellings})(?![\\p{L}\\p{N}])`,
      'giu',
    );
    patterns.set(`${name} ${host}`, pattern);
    return pattern;
  };
  return {
    learn: (placeholder: string, value: string): void => void values.set(placeholder.slice(1, -1), value),
    /**
     * Replaces placeholders by values.
     * @param isOwn whether the request goes to the target over TLS; any other request gets a text
     * that names nothing
     * @param isField whether it is the value of a field: one that is a value alone is sent as it is
     */
    fill: (template: string, isOwn: boolean, isField = false): string =>
      values.size === 0 || !template.includes('ID_')
        ? template
        : template.replace(placeholders, (whole, name: string, upper?: string) => {
            const value = values.get(name.toUpperCase());
            if (value === undefined) return whole;
            if (!isOwn) return 'withheld';
            const cased = upper === undefined ? value : value.toUpperCase();
            return isField && whole === template && isLine.test(cased) ? cased : encodeURIComponent(cased);
          }),
    /**
     * Replaces the values of a request by their placeholders in its response, but leaves its host
     * as it is: `1` is no part of `https://127.0.0.1/`, which a redirect names.
     */
    mask: (
      response: Response,
      { target, origin, headers: fields }: Pick<Probe, 'target' | 'origin' | 'headers'>,
    ): Response => {
      if (values.size === 0) return response;
      const text = [target, ...fields.map(([, value]) => value)].join(' ');
      if (!text.includes('ID_')) return response;
      const { hostname } = new URL(origin);
      const names = new Set(Array.from(text.matchAll(placeholders), ([, name = '']) => name.toUpperCase()));
      const sent = [...names].flatMap((name) => {
        const value = values.get(name);
        return value === undefined ? [] : [{ mark: `<${name}>`, pattern: patternOf(name, value, hostname) }];
      });
      if (sent.length === 0) return response;
      const masked = (text: string): string =>
        sent.reduce((rest, { mark, pattern }) => rest.replace(pattern, (_, host?: string) => host ?? mark), text);
      const headers = response.headers.map(([name, value]): HeaderPair => [name, masked(value)]);
      const changed = headers.some(([, value], index) => value !== response.headers[index]?.[1]);
      const body = response.body === undefined ? undefined : masked(response.body);
      return changed || body !== response.body
        ? { ...response, ...(changed ? { headers } : {}), ...(body === undefined ? {} : { body }) }
        : response;
    },
  };
};

export type ReadValues = ReturnType<typeof createReadValues>;
