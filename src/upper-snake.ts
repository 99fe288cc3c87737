/**
 * A name as part of a setting or placeholder: `tokenAuth` → `TOKEN_AUTH`, `HTTPBearer` →
 * `HTTP_BEARER`. A single capital letter is not split off: `OAuth2` → `OAUTH2`.
 */
export const upperSnake = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]{2,})([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toUpperCase();

/**
 * Whether two settings differ only in underscores: word boundaries in scheme names are ambiguous,
 * so `API_KEY_TOKENAUTH` equals `API_KEY_TOKEN_AUTH`.
 */
export const isSameSetting = (a: string, b: string): boolean => a.replaceAll('_', '') === b.replaceAll('_', '');

/** `BASE_URL` → `baseUrl` */
export const camelCase = (name: string): string =>
  name.toLowerCase().replace(/_(.)/g, (_whole, letter: string) => letter.toUpperCase());
