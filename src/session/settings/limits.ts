import { z } from 'zod';
import { SETTINGS, whole } from './fields.ts';

const MIN_DOLLARS = 0.01;
const MAX_DOLLARS = 10_000;
const DOLLARS = `has to be a number from ${MIN_DOLLARS} to ${MAX_DOLLARS}, in US dollars`;

export const Limits = z.strictObject(
  {
    turns: whole(500).describe('Model replies for one run'),
    minutes: whole(600).describe('Minutes of wall time for one run'),
    dollars: z
      .number(DOLLARS)
      .min(MIN_DOLLARS, DOLLARS)
      .max(MAX_DOLLARS, DOLLARS)
      .optional()
      .describe('US dollars that the model may cost for one run'),
  },
  SETTINGS,
);
