/**
 * The prefix of the key that a security scheme's description names. OpenAPI has no field for it, so
 * generators write prose: `with required prefix "Token"`, `Enter 'Bearer' [space] and then your
 * token`, `Authorization: Bearer {token}`.
 */

const patterns: readonly RegExp[] = [
  /\b[Pp]refix\w*\W{1,4}(?:(?:the|your) \w+ |it )?(?:(?:with|by|of|is) )?(?:the (?:word|string) )?(?:["'`*“‘]+([A-Za-z][\w-]*)|([A-Z][\w-]*))/,
  /["'`*“‘]([A-Za-z][\w-]*) ?["'`*”’]+,? (?:\[space\]|prefix|followed by)/,
  /\b(Bearer|Token|ApiKey|Api-Key|JWT) ?[<{[](?=[^>}\]]*(?:[Tt]oken|TOKEN|[Kk]ey|KEY|[Jj]wt|JWT))/,
];

/** True for `do not add the prefix "Bearer"`. */
const isDenied = (before: string): boolean =>
  /\b(?:no|not|never|without|omit|remove)\b|n['’]t\b/i.test(before.split(/[.!?;]\s/).at(-1) ?? '');

/** The prefix that `description` names, without its separator; `undefined` where it names none. */
export const describedPrefix = (description: string): string | undefined => {
  for (const pattern of patterns) {
    const found = pattern.exec(description);
    const word = found?.[1] ?? found?.[2];
    if (found && word !== undefined && word.toLowerCase() !== 'authorization')
      return isDenied(description.slice(0, found.index)) ? undefined : word;
  }
  return undefined;
};
