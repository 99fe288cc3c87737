import type { RunSummary } from './run-summary.js';

/** `2026-05-04 09:12`, in UTC; with seconds where asked for. */
export const moment = (iso: string, seconds = false): string => iso.slice(0, seconds ? 19 : 16).replace('T', ' ');

const repeated = (labels: readonly string[]): ReadonlySet<string> =>
  new Set(labels.filter((label, at) => labels.indexOf(label) !== at));

/** Names of runs: of the target, with the run's time and a number as far as they are the same. */
export const labelsOf = (runs: readonly Pick<RunSummary, 'target' | 'startedAt'>[]): readonly string[] => {
  const names = runs.map(({ target }) => target.name);
  const sameName = repeated(names);
  const timed = (seconds: boolean): readonly string[] =>
    runs.map(({ startedAt }, at) => {
      const name = names[at] ?? '';
      return sameName.has(name) ? `${name}, ${moment(startedAt, seconds)}` : name;
    });
  const short = timed(false);
  const labels = repeated(short).size === 0 ? short : timed(true);
  const sameLabel = repeated(labels);
  return labels.map((label, at) => (sameLabel.has(label) ? `${label} (${at + 1})` : label));
};
