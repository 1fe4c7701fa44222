import { sanitise } from '../lib/sanitise.ts';
import type { Git } from '../tools/ports.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { RunContext } from './run-context.ts';

/** A commit goes to GitHub too: it notifies nobody, closes nothing and holds no secret. */
export const publicGit = (
  { redact }: Pick<RunContext, 'redact'>,
  { git }: Pick<Workspace, 'git'>,
): Git => ({
  commit: ({ message, at }) => git.commit({ message: redact(sanitise(redact(message))), at }),
});
