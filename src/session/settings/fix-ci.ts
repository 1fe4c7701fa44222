// What happens if the checks of a pull request fail.
import { oneOf } from './fields.ts';

export const FixCi = oneOf(['off', 'own', 'ask'])
  .default('ask')
  .describe(
    'If checks of its pull request fail: `ask` posts one comment, and a 👍 lets the agent fix them; `own` fixes them without asking; `off` does nothing',
  );

export const DEFAULT_CI_ROUNDS = 3;
