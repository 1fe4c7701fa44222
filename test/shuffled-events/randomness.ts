/** Random numbers that are the same for the same seed. */
export interface Randomness {
  /** An integer from 0 up to, but not including, `below`. */
  below(below: number): number;
}

/** Mulberry32: small, and the same everywhere. */
export function randomnessOf(seed: number): Randomness {
  let state = seed;
  return {
    below: (below) => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
    },
  };
}

export const oneIn = (random: Randomness, count: number): boolean => random.below(count) === 0;

export function oneOf<T>(random: Randomness, all: readonly T[]): T {
  const chosen = all[random.below(all.length)];
  if (chosen === undefined) throw new Error('there is nothing to choose from');
  return chosen;
}
