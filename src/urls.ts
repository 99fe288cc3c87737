/**
 * Whether a text is a URL, alone or relative to `base`. `URL.canParse` of Node.js 20 says no to
 * hosts with letters outside of ASCII once it is optimised.
 */
export const isUrl = (text: string, base?: string | URL): boolean => {
  try {
    new URL(text, base);
    return true;
  } catch {
    return false;
  }
};
