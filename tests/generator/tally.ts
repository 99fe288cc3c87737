import { setImmediate } from 'node:timers/promises';
import { type Judged, judgeNumber, shown } from './judged.js';

/** Judges services one after the other, and counts. */

export interface Tally {
  readonly seed: string;
  services: number;
  conforming: number;
  accused: number;
  /** Of these conforming services rows of ordinary shape are refused in an ordinary way. */
  ordinary: number;
  ordinaryUnclear: number;
  conformingUnclear: number;
  faulty: number;
  passed: number;
  faultyUnclear: number;
  undecidable: number;
  undecidableUnclear: number;
  /** Every accusation of a conforming service, and every pass of one that is visibly faulty. */
  readonly wrong: Judged[];
}

const mostKept = 20;

export const tallyOf = async (seed: string, goOn: (services: number) => boolean): Promise<Tally> => {
  const tally: Tally = {
    seed,
    services: 0,
    conforming: 0,
    accused: 0,
    ordinary: 0,
    ordinaryUnclear: 0,
    conformingUnclear: 0,
    faulty: 0,
    passed: 0,
    faultyUnclear: 0,
    undecidable: 0,
    undecidableUnclear: 0,
    wrong: [],
  };
  while (goOn(tally.services)) {
    const judged = judgeNumber(seed, tally.services);
    tally.services += 1;
    count(tally, judged);
    if (isWrong(judged) && tally.wrong.length < mostKept) tally.wrong.push(judged);
    // A process that is always busy would not see that the runner has ended.
    if (tally.services % 100 === 0) await setImmediate();
  }
  return tally;
};

const isWrong = ({ label, found }: Judged): boolean =>
  (label === 'conforming' && found === 'accused') || (label === 'faulty' && found === 'passed');

const count = (tally: Tally, { label, found, ordinary }: Judged): void => {
  tally[label] += 1;
  const isUnclear = found === 'unclear';
  if (label === 'conforming') {
    if (found === 'accused') tally.accused += 1;
    if (isUnclear) tally.conformingUnclear += 1;
    if (ordinary) tally.ordinary += 1;
    if (ordinary && isUnclear) tally.ordinaryUnclear += 1;
  } else if (label === 'faulty') {
    if (found === 'passed') tally.passed += 1;
    if (isUnclear) tally.faultyUnclear += 1;
  } else if (isUnclear) tally.undecidableUnclear += 1;
};

const share = (part: number, whole: number): string =>
  `${part} of ${whole}${whole > 0 ? ` (${((100 * part) / whole).toFixed(2)} %)` : ''}`;

/** The counts, and what was judged wrong. */
export const told = (tally: Tally): string =>
  [
    `${tally.services} services of seed ${tally.seed}`,
    `conforming accused: ${share(tally.accused, tally.conforming)}`,
    `faulty and visible passed: ${share(tally.passed, tally.faulty)}`,
    `ordinary conforming unclear: ${share(tally.ordinaryUnclear, tally.ordinary)}`,
    `all conforming unclear: ${share(tally.conformingUnclear, tally.conforming)}`,
    `faulty and visible unclear: ${share(tally.faultyUnclear, tally.faulty)}`,
    `undecidable: ${share(tally.undecidable, tally.services)}, of these unclear: ${share(tally.undecidableUnclear, tally.undecidable)}`,
    ...tally.wrong.map(shown),
  ].join('\n');
