/** Characters that mean the same encoded and not (RFC 3986, section 2.3). An encoded slash is no slash. */
const unreserved = /^[A-Za-z0-9\-._~]$/;

const decoded = (path: string): string =>
  path.replace(/%([0-9A-Fa-f]{2})/g, (encoded, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return unreserved.test(character) ? character : encoded;
  });

/** What is left of a path when everything is taken out in which two spellings of one path may differ. */
const bare = (path: string): string =>
  // Dot segments go last: `%2e%2e` is one as well. The parser takes them out (RFC 3986, section 5.2.4).
  new URL(`https://origin.invalid${decoded(path)}`).pathname
    .toLowerCase()
    .split('/')
    .filter((segment) => segment !== '')
    .join('/');

/**
 * Whether two paths are spellings of one: equal after the normalisation of RFC 3986 (section 6.2.2), but for the case of their letters
 * and for slashes that are doubled or stand at the end. A proxy or a framework sends a client from one to the other; it leads nowhere else.
 */
export const isSamePath = (path: string, other: string): boolean => bare(path) === bare(other);
