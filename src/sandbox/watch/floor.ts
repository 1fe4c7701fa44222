const FLOOR_BYTES = 256 * 1024 * 1024;
const FLOOR_PART = 0.02;

/**
 * What a command must leave of the machine's memory and disk: 256 MiB, or 2 % of the total if that is less.
 */
export const floorOf = (totalBytes: number): number =>
  Math.min(FLOOR_BYTES, totalBytes * FLOOR_PART);
