// What came of a session by hand: the diff, or a JSON object, and the exit code.
import type { Folder } from '../../contracts/intent.ts';
import { escapeUnseen } from '../../lib/text/invisible.ts';
import type { Session } from '../../session/session.ts';
import type { FolderRepository } from '../../workspace/git/folder/folder.ts';
import type { Terminal } from '../command.ts';
import type { Progress } from './progress.ts';

interface Ended {
  readonly session: Session;
  readonly folder: Folder;
  readonly repository: FolderRepository;
  readonly progress: Progress;
  readonly isStopped: boolean;
  readonly isJson: boolean;
  readonly print: (text: string) => void;
  readonly terminal: Terminal;
}

type Outcome = 'done' | 'nothing_to_do' | 'cannot' | 'failed' | 'limit' | 'unanswered' | 'stopped';

const EXIT_CODES: Readonly<Record<Outcome, number>> = {
  done: 0,
  nothing_to_do: 0,
  cannot: 1,
  failed: 1,
  unanswered: 3,
  limit: 4,
  stopped: 130,
};

function outcomeOf({ session: { run }, isStopped }: Ended): Outcome {
  const { end, finish } = run ?? {};
  if (end?.kind === 'finished' || end?.kind === 'answered') return finish?.outcome ?? 'done';
  if (isStopped || end?.kind === 'stopped') return 'stopped';
  if (end?.kind === 'asked') return 'unanswered';
  return end?.kind === 'limit' ? 'limit' : 'failed';
}

const WORDS: Readonly<Record<Outcome, string>> = {
  done: 'Done.',
  nothing_to_do: 'There was nothing to do.',
  cannot: 'The agent could not do it.',
  failed: 'Failed.',
  limit: 'A limit was reached.',
  unanswered:
    'The agent asks something, and nobody answered. Run it in a terminal, or with --yes to take the answers that it proposes.',
  stopped: 'Stopped.',
};

/** Resolves with the exit code. */
export async function report(ended: Ended): Promise<number> {
  const { session, folder, repository, progress, isJson, print, terminal } = ended;
  const outcome = outcomeOf(ended);
  const { run, work, spending, waiting } = session;
  const last = work.commits.at(-1);
  const diff = last === undefined ? '' : await repository.patchSince(folder.commit, last.sha);
  const reason = run?.end !== undefined && 'reason' in run.end ? run.end.reason : undefined;
  const question = outcome === 'unanswered' ? waiting.question?.text : undefined;
  const summary = run?.finish?.summary;
  if (isJson) {
    const commits = work.commits.map(({ sha, message }) => ({ sha, message }));
    const branch = last === undefined ? null : folder.branch;
    const { dollars } = spending.cost;
    print(
      JSON.stringify(
        { outcome, branch, base: folder.base, commits, summary, reason, question, dollars, diff },
        null,
        2,
      ),
    );
  } else if (diff !== '')
    print((terminal.columns === undefined ? diff : escapeUnseen(diff)).trimEnd());
  const words = [WORDS[outcome], reason, question, summary].filter((part) => part !== undefined);
  progress.say(`\n${words.join('\n')}`);
  progress.say(
    last === undefined
      ? 'Nothing was committed.'
      : `${work.commits.length === 1 ? '1 commit' : `${work.commits.length} commits`} on ${folder.branch}. To take them over: git merge ${folder.branch}`,
  );
  progress.say(
    `Cost: $${spending.cost.dollars.toFixed(2)}${spending.cost.isPartial ? ' or more: not all prices are known' : ''}`,
  );
  return EXIT_CODES[outcome];
}
