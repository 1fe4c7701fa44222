import type { Patch } from '../../contracts/effect.ts';
import { patchComment } from '../../session/texts/patch-comment.ts';
import type { Comment, View } from './publication.ts';

/** One for each patch, to the person who had requested the work then. */
export function patchComments({ entries, session, options }: View): Comment[] {
  const patches = entries.flatMap((entry) =>
    entry.type === 'call_finished'
      ? entry.effects.filter(isPatch).map((patch) => ({ patch, seq: entry.seq }))
      : [],
  );
  return patches.map(({ patch, seq }, index) => {
    const { requesters, requester } = session.requests;
    const to = (requesters.findLast(({ since }) => since <= seq)?.person ?? requester)?.login;
    const isReplaced = patches.slice(index + 1).some((later) => later.patch.base === patch.base);
    const { repositoryUrl } = options;
    const body = patchComment(patch, { to, repositoryUrl, isReplaced });
    return { key: `patch:${seq}`, body, ...(to === undefined ? {} : { mention: to }) };
  });
}

const isPatch = (effect: { readonly type: string }): effect is Patch => effect.type === 'patch';
