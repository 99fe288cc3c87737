/**
 * Parses a URL, alone or relative to `base`; `undefined` where the text is none. `URL.canParse` of
 * Node.js 20 says no to hosts with letters outside of ASCII once it is optimised.
 */
export const urlIn = (text: string, base?: string | URL): URL | undefined => {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
};

export const isUrl = (text: string, base?: string | URL): boolean => urlIn(text, base) !== undefined;
