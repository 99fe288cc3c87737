import { orUndefined } from './collections.js';
/**
 * Parses a URL, alone or relative to `base`; `undefined` where the text is none. `URL.canParse` of
 * Node.js 20 says no to hosts with letters outside of ASCII once it is optimised.
 */
export const urlIn = (text: string, base?: string | URL): URL | undefined => orUndefined(() => new URL(text, base));

export const isUrl = (text: string, base?: string | URL): boolean => urlIn(text, base) !== undefined;

/** Percent-decoded, once; as it is where it cannot be decoded. */
export const percentDecoded = (text: string): string => orUndefined(() => decodeURIComponent(text)) ?? text;
