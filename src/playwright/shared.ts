/** A value that the first process of a run chooses and its workers inherit. */
export const shared = (variable: string, make: () => string): string => {
  const value = process.env[variable] || make();
  process.env[variable] = value;
  return value;
};
