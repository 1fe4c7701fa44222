import { z } from 'zod';

/** The longest text of a check run. */
export const MAX_TEXT = 65_535;

/** An annotation, as the API names its fields. */
export const Annotation = z.object({
  path: z.string(),
  start_line: z.int(),
  end_line: z.int(),
  start_column: z.int().optional(),
  end_column: z.int().optional(),
  annotation_level: z.enum(['notice', 'warning', 'failure']),
  message: z.string().max(MAX_TEXT),
  title: z.string().max(255).optional(),
  raw_details: z.string().max(MAX_TEXT).optional(),
});
export type Annotation = z.infer<typeof Annotation>;
