import { z } from 'zod';

export const SETTINGS = 'has to hold settings, one `name: value` on each line';
export const YES_OR_NO = 'has to be `true` or `false`';

export const whole = (max: number) => {
  const error = `has to be a whole number from 1 to ${max}`;
  return z.int(error).min(1, error).max(max, error).optional();
};

export const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.enum(names, `has to be one of ${names.map((name) => `\`${name}\``).join(', ')}`);
