import type { Patch } from '../../contracts/effect.ts';
import { patchKey } from '../../session/github-names.ts';
import { patchComment } from '../../session/texts/patch-comment.ts';
import type { CommentToPublish, View } from './publication.ts';

/** One for each patch, to the person who had requested the work then, and to the author, who applies it. */
export function patchComments({ entries, session, options }: View): CommentToPublish[] {
  const patches = entries.flatMap((entry) =>
    entry.type === 'call_finished'
      ? entry.effects.filter(isPatch).map((patch) => ({ patch, seq: entry.seq }))
      : [],
  );
  return patches.map(({ patch, seq }, index) => {
    const { requesters, requester } = session.requests;
    const asker = requesters.findLast(({ since }) => since <= seq)?.person ?? requester;
    const author = session.thread.adopted?.author;
    const logins = [asker?.login ?? '', author ?? ''].filter(isPerson);
    const to = [...new Map(logins.map((login) => [login.toLowerCase(), login])).values()];
    const isReplaced = patches.slice(index + 1).some((later) => later.patch.base === patch.base);
    const { repositoryUrl } = options;
    const body = patchComment(patch, { to, repositoryUrl, isReplaced });
    return { key: patchKey(seq), body, mention: to };
  });
}

const isPerson = (login: string): boolean => login !== '' && !login.endsWith('[bot]');

const isPatch = (effect: { readonly type: string }): effect is Patch => effect.type === 'patch';
