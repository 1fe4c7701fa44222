import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import { lfsRemark } from './commit.ts';
import { listChanges } from './changed-files.ts';
import type { FoundChange, WorkspaceChange } from '../../contracts/git.ts';

const schema = z.object({});

export const gitStatus = defineTool({
  name: 'git_status',
  aliases: [],
  description:
    'Lists the changes since the last commit, and which of them the next commit includes.',
  arguments: schema,
  safety: 'safe',
  changesNothing: () => true,
  example: {},
  rendering: { arguments: {}, output: 'plain' },
  title: () => 'Check uncommitted changes',
  run: async (_args, { git, work }: Needs<'git' | 'work'>) => {
    const changes = await git.changes();
    const goes = work.goesTo() === 'pull_request' ? 'for a pull request to' : 'which began at';
    const where = `On branch ${work.branch()}, ${goes} ${work.baseBranch()}`;
    const listed = split(changes, work.stagedPaths());
    const inLfs = lfsRemark(await git.inLfs());
    const clean = listed.length > 0 ? [] : ['nothing to commit, working tree clean'];
    return { output: [where, ...listed, ...clean, ...inLfs].join('\n') };
  },
});

function split(
  changes: readonly WorkspaceChange[],
  staged: readonly string[] | undefined,
): string[] {
  const wanted = staged && new Set(staged);
  const isTaken = ({ path, madeByCommand }: WorkspaceChange): boolean =>
    wanted?.has(path) ?? madeByCommand === undefined;
  const taken = changes.filter(isTaken);
  const rest = changes.filter((change) => !isTaken(change));
  const left = rest.filter(({ madeByCommand }) => madeByCommand === undefined);
  const made = rest.filter(({ madeByCommand }) => madeByCommand);
  return [
    ...section('Changes to be committed:', taken),
    ...section('Changes left out of the next commit:', left),
    ...section('Left out until a call names them, because only commands made them:', made),
  ];
}

const section = (heading: string, changes: readonly FoundChange[]): string[] =>
  changes.length === 0 ? [] : [heading, ...listChanges(changes)];
