import { z } from 'zod';
import { YES_OR_NO } from './fields.ts';

const TOOLS = 'has to hold names of tools, each with `true` or `false`';

/** Which tools there are is not known here: the names are checked where it is. */
export const Tools = z.record(z.string().regex(/^[a-z][a-z\d_]{0,63}$/), z.boolean(YES_OR_NO), {
  error: ({ code }) => (code === 'invalid_key' ? 'is no name of a tool' : TOOLS),
});
