import { z } from 'zod';

const MAX_SECONDS = 300;

/** A whole number from 1 to 300; a longer time is taken for the longest. */
export const seconds = () =>
  z.preprocess((value) => {
    const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
    return typeof number === 'number' && number > MAX_SECONDS ? MAX_SECONDS : number;
  }, z.int().min(1).max(MAX_SECONDS));
