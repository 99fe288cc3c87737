/** What the processes of a Playwright run know of it without reading a setting. */

/** Playwright tells reporters of a list (`--list`) as of a run; nothing is judged, and nothing may be written. */
export const isListing = process.argv.includes('--list');

/** A value that the first process of a run chooses and its workers inherit. */
export const shared = (variable: string, make: () => string): string => {
  const value = process.env[variable] || make();
  process.env[variable] = value;
  return value;
};
