// Pushes to a branch that pull requests of ours go to. One may bring conflicts: their sessions look.
import { z } from 'zod';
import { parsePayload } from '../../events/payload.ts';
import type { WebhookHandler } from '../../github/app.ts';
import type { Store } from '../../store/store.ts';

export const PUSH = 'push';

const BRANCHES = 'refs/heads/';

const Payload = z.object({
  ref: z.string().max(1_000),
  repository: z.object({ id: z.int().positive() }),
});

interface PushParts {
  readonly store: Pick<Store, 'wakeForBase'>;
}

/** It makes no request: the sessions that it wakes do, one each. Safe to repeat. */
export const pushHandler = ({ store }: PushParts): WebhookHandler => ({
  name: PUSH,
  handle: async ({ payload }, log) => {
    const { ref, repository } = parsePayload(Payload, payload);
    const branch = ref.slice(BRANCHES.length);
    if (!ref.startsWith(BRANCHES)) return 'Ignored: no pull request goes to a tag.';
    const woken = await store.wakeForBase(repository.id, branch);
    if (woken > 0) log.info({ branch, woken }, 'base branch moved');
    return `Accepted: ${woken} waiting pull requests are looked at for conflicts.`;
  },
});
