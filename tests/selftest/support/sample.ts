/**
 * Some of a large table, so that CI ends in time: each row takes a second or two of two processors.
 * `ZOO=all` takes every row.
 * @param every takes one of so many, the first among them
 */
export const sample = <T>(rows: readonly T[], every: number): readonly T[] =>
  process.env.ZOO === 'all' ? rows : rows.filter((_, index) => index % every === 0);
