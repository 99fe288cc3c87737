import { plainWords } from '../../words.js';
import { createPhrases } from '../reading/log-in-phrases.js';

const { isLogIn, saysLogIn, saysElse } = createPhrases({ plain: plainWords });

/** `/users/sign_in.php` → `users`, `sign in` */
const stepsOf = (path: string): string[] =>
  path.split('/').map((step) => step.replace(/\.\w+$/, '').replace(/[_.-]+/g, ' '));

/**
 * Whether the address of a page or its title names a log-in, and neither names anything else. An
 * address inside the query is that of another page.
 */
export const namesLogIn = (address: string, title: string): boolean => {
  const { pathname, hash, searchParams } = new URL(address);
  const steps = stepsOf(`${pathname}/${hash.slice(1).replace(/\?.*/, '')}`);
  const asked = [...searchParams.values()].filter((value) => !value.includes('/'));
  if ([...steps, ...asked, title].some(saysElse)) return false;
  return steps.some(isLogIn) || title.split(/[|—–·•:»]| - /).some(saysLogIn);
};
