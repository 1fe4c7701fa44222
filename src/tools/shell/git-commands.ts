// What is said of git in commands.
import { programWords, readCommand, type CommandText } from './read-command.ts';

/** Git commands that need the repository, for commands that have none. */
const NEEDS_REPOSITORY = new Set(
  [
    'add am annotate archive bisect blame branch bundle checkout cherry cherry-pick clean commit config',
    'describe fetch format-patch gc grep log ls-files ls-tree merge mv notes pull push rebase reflog',
    'remote reset restore revert rev-list rev-parse rm shortlog show show-ref stash status submodule',
    'switch tag worktree',
  ].flatMap((names) => names.split(' ')),
);

/** What takes the place of git, by the tools of the run. */
const IN_PLACE_OF_GIT: readonly (readonly [tools: readonly string[], does: string])[] = [
  [['commit'], "commits all changes to this session's branch, its only one"],
  [['git_status', 'git_diff', 'git_log'], 'to see changes'],
  [['git_branch'], 'names the branch'],
];

/** Why a command cannot run that has no repository; `undefined`: git needs none in it. */
export function gitPointer(read: CommandText, tools: ReadonlySet<string>): string | undefined {
  for (const { subcommand, args } of gitCallsIn(read)) {
    const isOutside = args.includes('--no-index');
    if (NEEDS_REPOSITORY.has(subcommand) || (subcommand === 'diff' && !isOutside))
      return `\`git ${subcommand}\` cannot be used here. Commands have no git directory here.${pointerTo(tools)} To undo a change, edit or delete the file. Nothing of this command was run.`;
  }
  return undefined;
}

/** What git says in a command of what it does not do. */
const GIT_ONLY_READS = /^In a command, git can only read: /m;
/** A stash that is not taken back by the same command. */
const IS_STASHED = /^Saved working directory and index state /m;
const IS_TAKEN_BACK = /^Dropped .*stash@/m;
const MAKES_BRANCH = new Set(['-b', '-B', '-c', '-C', '--orphan']);
const MOVES_HEAD = new Set('checkout switch reset revert cherry-pick merge rebase'.split(' '));
const REACHES_REMOTE = new Set(['fetch', 'pull', 'push']);
const READS_HISTORY = new Set(
  'annotate bisect blame cherry describe format-patch log merge-base name-rev range-diff rev-list shortlog whatchanged'.split(
    ' ',
  ),
);

/** Whether git shows more of the history than the last commit. */
export const readsHistory = (text: string): boolean =>
  gitCallsIn(readCommand(text)).some(
    ({ subcommand, args }) =>
      READS_HISTORY.has(subcommand) || args.some((arg) => /[\w}][~^]|\.\./.test(arg)),
  );

/**
 * What is said of git in a command that ran: which tools do what it did not do, and that history is missing.
 * @param historyDepth how many commits of each line of history are there, if that is not all
 */
export function gitRemarks(
  text: string,
  output: string,
  {
    tools,
    historyDepth,
  }: { readonly tools: ReadonlySet<string>; readonly historyDepth: number | undefined },
): readonly string[] {
  const remarks: string[] = [];
  const calls = gitCallsIn(readCommand(text));
  const isMove = ({ subcommand, args }: GitCall): boolean =>
    MOVES_HEAD.has(subcommand) && !args.some((arg) => MAKES_BRANCH.has(arg));
  if (GIT_ONLY_READS.test(output))
    remarks.push(
      calls.some(isMove)
        ? 'Git changes no branch here, only files: `git restore --source=COMMIT PATH`. `git status` shows what this command did to them.'
        : `Git made no commit, branch or tag.${pointerTo(tools)}`,
    );
  else if (calls.some(({ subcommand }) => REACHES_REMOTE.has(subcommand)))
    remarks.push(`Git reaches no other repository here.${pointerTo(tools)}`);
  if (IS_STASHED.test(output) && !IS_TAKEN_BACK.test(output))
    remarks.push(
      'What was stashed is in no commit, and lost if the service restarts: bring it back with `git stash pop`.',
    );
  if (historyDepth !== undefined && readsHistory(text))
    remarks.push(
      historyDepth === 1
        ? 'Only the last commit is here: earlier history is missing, and `git blame` takes all lines for its own.'
        : `Only the last ${historyDepth} commits are here: earlier history is missing, and a line that \`git blame\` marks with ^ may be older.`,
    );
  return remarks;
}

interface GitCall {
  readonly subcommand: string;
  readonly args: readonly string[];
}

const gitCallsIn = (read: CommandText | undefined): readonly GitCall[] =>
  (read?.commands ?? []).flatMap(({ words }) => {
    const [program, ...args] = programWords(words);
    return program === 'git' ? [{ subcommand: subcommandOf(args), args }] : [];
  });

function pointerTo(tools: ReadonlySet<string>): string {
  const parts = IN_PLACE_OF_GIT.flatMap(([names, does]) => {
    const offered = names.filter((name) => tools.has(name));
    return offered.length === 0 ? [] : [`${offered.join(', ')} ${does}`];
  });
  return parts.length === 0 ? '' : ` Use these tools instead: ${parts.join('; ')}.`;
}

const TAKES_VALUE = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace']);

function subcommandOf(args: readonly string[]): string {
  const at = args.findIndex(
    (arg, index) => !arg.startsWith('-') && !TAKES_VALUE.has(args[index - 1] ?? ''),
  );
  return args[at] ?? '';
}
