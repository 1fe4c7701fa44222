import { z } from 'zod';

const LANGUAGE = 'has to be the name of a language, such as "German" or "pt-BR"';
const MAX_NAME = 40;

/** Told to the model, and used for nothing else: what the service itself says stays English. */
export const Language = z
  .string(LANGUAGE)
  .trim()
  .max(MAX_NAME, LANGUAGE)
  .refine((name) => /^[\p{L}\p{M}\d][\p{L}\p{M}\d ()-]+$/u.test(name), LANGUAGE)
  .optional()
  .describe('The language that the agent writes to people in; else that of the issue');
