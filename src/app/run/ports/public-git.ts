import { plainText } from '../../../github/text/safe.ts';
import { withTrailers } from '../../../session/trailers.ts';
import type { Git } from '../../../contracts/git.ts';
import type { PathSettings } from '../../../workspace/files/repository-paths.ts';
import type { Workspace } from '../../../workspace/workspace.ts';
import { withoutClosed } from './closed-diffs.ts';
import type { Service } from '../../service/service.ts';

/**
 * A commit goes to GitHub too: it notifies nobody, closes nothing and holds no secret. Its last lines
 * say who asked for the work. What the settings close is not in a diff.
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
