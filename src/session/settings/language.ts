import { z } from 'zod';

const LANGUAGE = 'must be the name of a language, such as "German" or "pt-BR"';
const MAX_NAME = 40;

/** Only for the model: the service's own texts are English. */
export const Language = z
  .string(LANGUAGE)
  .trim()
  .max(MAX_NAME, LANGUAGE)
  .refine((name) => /^[\p{L}\p{M}\d][\p{L}\p{M}\d ()-]+$/u.test(name), LANGUAGE)
  .optional()
  .describe('Language the agent writes to people in; defaults to the language of the issue');
