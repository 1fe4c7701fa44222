import { z } from 'zod';
import { YES_OR_NO } from './fields.ts';

const TOOLS = 'must contain names of tools, each with `true` or `false`';

/** The list of tools is not known here; the names are checked elsewhere. */
export const Tools = z.record(z.string().regex(/^[a-z][a-z\d_]{0,63}$/), z.boolean(YES_OR_NO), {
  error: ({ code }) => (code === 'invalid_key' ? 'is not the name of a tool' : TOOLS),
});
