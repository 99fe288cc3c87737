/** Choices that a seed makes again: the same seed gives the same service. */
export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number;
  chance(share: number): boolean;
  pick<T>(all: readonly T[]): T;
  /** By weight. */
  weighted<T>(all: readonly (readonly [weight: number, value: T])[]): T;
  shuffled<T>(all: readonly T[]): T[];
  /** A random one of its own: what it gives does not depend on how often this one was asked. */
  fork(label: string): Random;
}

const hashOf = (text: string): number => {
  let hash = 2_166_136_261;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 16_777_619) >>> 0;
  return hash;
};

/** Mulberry32. */
export const randomOf = (seed: string): Random => {
  let state = hashOf(seed);
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  const pick = <T>(all: readonly T[]): T => {
    const [first] = all;
    if (first === undefined) throw new RangeError('there is nothing to pick from');
    return all[int(0, all.length - 1)] ?? first;
  };
  return {
    next,
    int,
    chance: (share) => next() < share,
    pick,
    weighted: (all) => {
      let left = next() * all.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, value] of all) {
        left -= weight;
        if (left < 0) return value;
      }
      return pick(all)[1];
    },
    shuffled: (all) =>
      all
        .map((value) => ({ value, at: next() }))
        .sort((a, b) => a.at - b.at)
        .map(({ value }) => value),
    fork: (label) => randomOf(`${seed} ${label}`),
  };
};

export const hexOf = (random: Random, length: number): string =>
  Array.from({ length }, () => random.int(0, 15).toString(16)).join('');

export const uuidOf = (random: Random): string =>
  `${hexOf(random, 8)}-${hexOf(random, 4)}-4${hexOf(random, 3)}-a${hexOf(random, 3)}-${hexOf(random, 12)}`;
