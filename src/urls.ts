import { orUndefined } from './collections.js';

/**
 * Parses a URL, alone or relative to `base`; `undefined` if the text is not a URL. Does not use
 * `URL.canParse`, which in optimised code of Node.js 20 rejects hosts with non-ASCII letters.
 */
export const urlIn = (text: string, base?: string | URL): URL | undefined => orUndefined(() => new URL(text, base));

export const isUrl = (text: string): boolean => urlIn(text) !== undefined;

export const isWithoutTls = (url: string): boolean => /^http:/i.test(url);

/** Appends parameters to the query of a request target. */
export const withQuery = (target: string, parameters: readonly string[]): string =>
  parameters.length === 0 ? target : `${target}${target.includes('?') ? '&' : '?'}${parameters.join('&')}`;

/** Takes parameters out of the query of a request target. */
export const withoutQuery = (target: string, names: readonly string[]): string => {
  const [path = '', query] = target.split(/\?(.*)/s);
  const left = query?.split('&').filter((text) => !names.includes(percentDecoded(text.replace(/=.*$/s, ''))));
  return left ? withQuery(path, left) : target;
};

/** Percent-decodes a text once; returns it unchanged if that fails. */
export const percentDecoded = (text: string): string =>
  text.includes('%') ? (orUndefined(() => decodeURIComponent(text)) ?? text) : text;

/** The segments of a path that are not empty. */
export const pathSegments = (path: string): readonly string[] => path.split('/').filter((segment) => segment !== '');
