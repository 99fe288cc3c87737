import { isPlainName } from '../wire/shape-builder.js';

/**
 * Keeps array indices and plain member names. Any other name may be data, such as an e-mail address
 * or an id used as a member name, and becomes `*`. So does the last name before `#`, which is the
 * value itself.
 */
export const maskedPointer = (pointer: string): string => {
  const [, path = '', suffix = ''] = /^(.*?)(#|@\d+)?$/s.exec(pointer) ?? [];
  const parts = path.split('/');
  const masked = parts.map((part, at) => {
    if (suffix === '#' && at === parts.length - 1) return '*';
    return part === '' || /^\d{1,6}$/.test(part) || isPlainName(part) ? part : '*';
  });
  return `${masked.join('/')}${suffix}`;
};
