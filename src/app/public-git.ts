import { sanitise } from '../lib/sanitise.ts';
import { withTrailers } from '../session/trailers.ts';
import type { Git } from '../tools/git-port.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { RunContext } from './run-context.ts';

/**
 * A commit goes to GitHub too: it notifies nobody, closes nothing and holds no secret. `trailers`: its
 * last lines, which say who asked for the work.
 */
export const publicGit = (
  { redact }: Pick<RunContext, 'redact'>,
  { git }: Pick<Workspace, 'git'>,
  trailers: readonly string[],
): Git => ({
  changes: () => git.changes(),
  diff: (path) => git.diff(path),
  commit: ({ message, at, only }) =>
    git.commit({ message: withTrailers(redact(sanitise(redact(message))), trailers), at, only }),
});
