/**
 * A name as a part of a setting or placeholder: `tokenAuth` → `TOKEN_AUTH`, `HTTPBearer` →
 * `HTTP_BEARER`. One letter is no abbreviation: `OAuth2` → `OAUTH2`.
 */
export const upperSnake = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]{2,})([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toUpperCase();

/**
 * Word boundaries in names of schemes are not known: `API_KEY_TOKENAUTH` is `API_KEY_TOKEN_AUTH`.
 */
export const isSameSetting = (a: string, b: string): boolean => a.replaceAll('_', '') === b.replaceAll('_', '');

/** `BASE_URL` → `baseUrl` */
export const camelCase = (name: string): string =>
  name.toLowerCase().replace(/_(.)/g, (_whole, letter: string) => letter.toUpperCase());
