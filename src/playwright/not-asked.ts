/** What checks of the key page say where it is not judged. */
export const notAsked = 'The key page was not asked for; KEY_PAGE_URL names it.';
