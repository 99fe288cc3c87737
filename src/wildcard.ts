/** The source of a regular expression that matches a text literally. */
export const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** A pattern in which `*` matches any characters. */
export const wildcard = (pattern: string, flags: 's' | 'is'): RegExp =>
  new RegExp(`^${pattern.split('*').map(literally).join('.*')}$`, flags);
