/** Normalisations that a router applies to a path and an access check in front of it may not. */

export const mergeSlashes = (path: string): string => path.replace(/\/{2,}/g, '/');

export const decodeLetters = (path: string): string =>
  path.replace(/%(?:[46][1-9a-f]|[57][0-9a])/gi, (code) => decodeURIComponent(code));

export const ignoreCase = (path: string): string => path.toLowerCase();

export const addLastSlash = (path: string): string => (path.endsWith('/') ? path : `${path}/`);
