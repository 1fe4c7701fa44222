import { TellPerson } from '../../lib/errors.ts';
import { commitEffect } from '../../tools/git/commit.ts';
import type { Git } from '../../contracts/git.ts';
import { isAgentEntry } from './conversation.ts';
import type { RunContext } from '../service/service.ts';

const MESSAGE = `Keep unfinished work

The run ended before its work was finished; this is what it had changed and not committed.`;

/** Saves on the branch what a run changed and, ending before its time, did not commit. */
export async function keepWork(
  { tracker, log }: Pick<RunContext, 'tracker' | 'log'>,
  git: Git,
  end: { readonly kind: string },
): Promise<void> {
  if (end.kind === 'asked' || tracker.session.finish !== undefined) return;
  const lastStep = tracker.entries.findLast(isAgentEntry);
  const run = tracker.session.run?.number;
  if (lastStep === undefined || run === undefined) return;
  try {
    // The time of the last step, so that a repeat after a crash is the same commit.
    const committed = await git.commit({ message: MESSAGE, at: new Date(lastStep.at) });
    if (committed === undefined) return;
    await tracker.append({ type: 'work_kept', run, effects: [commitEffect(committed, MESSAGE)] });
  } catch (error) {
    if (!(error instanceof TellPerson)) throw error;
    // How the run ended matters more to people; the changes stay stored for the next one.
    log.warn({ err: error, session: tracker.id }, 'unfinished work could not be pushed');
  }
}
