/**
 * Every server of the zoo is judged from its recording. Over sockets a third of them is, since each
 * takes half a second of two processors; `ZOO=all` judges each.
 * @param every one of so many
 */
export const sample = <T>(servers: readonly T[], every = 3): readonly T[] =>
  process.env.ZOO === 'all' ? servers : servers.filter((_, index) => index % every === 0);
