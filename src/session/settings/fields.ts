import { z } from 'zod';

export const SETTINGS = 'must contain settings, one `name: value` per line';
export const YES_OR_NO = 'must be `true` or `false`';

export const whole = (max: number) => {
  const error = `must be a whole number from 1 to ${max}`;
  return z.int(error).min(1, error).max(max, error).optional();
};

export const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.enum(names, `must be one of ${names.map((name) => `\`${name}\``).join(', ')}`);
