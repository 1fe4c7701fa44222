import { plainText } from '../../../github/text/safe.ts';
import { withTrailers } from '../../../session/trailers.ts';
import type { Git } from '../../../contracts/git.ts';
import type { PathSettings } from '../../../workspace/files/repository-paths.ts';
import type { Workspace } from '../../../workspace/workspace.ts';
import { withoutClosed } from './closed-diffs.ts';
import type { Service } from '../../service/service.ts';

/**
 * Commits go to GitHub: their messages must notify no one, close nothing and contain no secret. The last lines
 * name the person who requested the work. Diffs leave out files that the settings close.
 */
export const publicGit = (
  { redact }: Pick<Service, 'redact'>,
  { git }: Pick<Workspace, 'git'>,
  { trailers, paths }: { readonly trailers: readonly string[]; readonly paths: PathSettings },
): Git => ({
  changes: () => git.changes(),
  diff: async (path) => withoutClosed(paths)(await git.diff(path)),
  commit: ({ message, at, only }) =>
    git.commit({ message: withTrailers(plainText(message, { redact }), trailers), at, only }),
});
