import { z } from 'zod';
import { SETTINGS, whole } from './fields.ts';

const MIN_DOLLARS = 0.01;
const MAX_DOLLARS = 10_000;
const DOLLARS = `must be a number from ${MIN_DOLLARS} to ${MAX_DOLLARS}, in US dollars`;

export const Limits = z.strictObject(
  {
    turns: whole(500).describe('Model replies per run'),
    minutes: whole(600).describe('Minutes of wall time per run'),
    dollars: z
      .number(DOLLARS)
      .min(MIN_DOLLARS, DOLLARS)
      .max(MAX_DOLLARS, DOLLARS)
      .optional()
      .describe('US dollars of model cost per run'),
  },
  SETTINGS,
);
