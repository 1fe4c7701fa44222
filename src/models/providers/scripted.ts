import { z } from 'zod';
import type { Provider } from '../provider.ts';

/** Always offered, and no setting of the operator: it costs nothing and plays one script. */
export const PROOF_MODEL = 'scripted:proof';

/** The model of `issuewright prove`, inside of this process. It is in no list of providers: it can do nothing else. */
export const scripted: Provider = {
  name: 'scripted',
  variables: z.object({}),
  secrets: () => [],
  isFree: () => true,
  destination: () => 'a script on this machine',
  open: async () => {
    const { scriptedAdapter } = await import('../scripted/scripted-adapter.ts');
    return scriptedAdapter;
  },
};
