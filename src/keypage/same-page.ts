/** Whether two URLs have one origin and one path. */
export const samePage = (one: string, other: string): boolean => {
  const [a, b] = [new URL(one), new URL(other)];
  return a.origin === b.origin && a.pathname === b.pathname;
};
