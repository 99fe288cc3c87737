/**
 * Characters that mean the same encoded and unencoded (RFC 3986, section 2.3). A slash is not among
 * them.
 */
const unreserved = /^[A-Za-z0-9\-._~]$/;

const decoded = (path: string): string =>
  path.replace(/%([0-9A-Fa-f]{2})/g, (encoded, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return unreserved.test(character) ? character : encoded;
  });

/** A path without everything in which two spellings of one path may differ. */
const bare = (path: string): string =>
  // Dot segments are removed last, since `%2e%2e` is one as well. The URL parser removes them (RFC
  // 3986, section 5.2.4).
  new URL(`https://origin.invalid${decoded(path)}`).pathname
    .toLowerCase()
    .split('/')
    .filter((segment) => segment !== '')
    .join('/');

/**
 * Whether two paths are spellings of one: equal after the normalisation of RFC 3986 (section
 * 6.2.2), apart from the case of letters and from doubled or trailing slashes. Proxies and
 * frameworks redirect from one to the other.
 */
export const isSamePath = (path: string, other: string): boolean => bare(path) === bare(other);
