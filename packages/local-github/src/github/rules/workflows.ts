// Which workflow files an App without the permission for them may bring to a ref.
import { git } from '../git/git.ts';
import type { Repository } from '../state.ts';
import type { Caller, Move, Objects } from './changes.ts';

const WORKFLOWS = '.github/workflows';

type WorkflowFiles = ReadonlyMap<string, string>;

/** The files below `.github/workflows` of a commit: object ids by path. */
async function workflowsOf(
  { git: { directory } }: Repository,
  commit: string,
  environment: Objects = {},
): Promise<WorkflowFiles> {
  const args = ['ls-tree', '-r', '-z', commit, '--', WORKFLOWS];
  const text = await git(directory, args, { environment });
  return new Map(
    text.split('\0').flatMap((entry) => {
      const [facts = '', path] = entry.split('\t');
      return path === undefined ? [] : [[path, facts.split(' ')[2] ?? ''] as const];
    }),
  );
}

/**
 * The workflow file that an App without the permission for it may not bring to a ref; `undefined`: none. Contents count, whoever
 * made the commits (rule `workflow-files`), and any branch (rule `workflow-files-of-any-branch`); a file that is deleted
 * does not (rule `workflow-file-deleted`).
 */
export async function forbiddenWorkflow(
  repository: Repository,
  { mayWriteWorkflows }: Caller,
  { ref, before, after }: Move,
  objects: Objects = {},
): Promise<string | undefined> {
  if (mayWriteWorkflows || after === undefined) return undefined;
  const now = await workflowsOf(repository, after, objects);
  if (now.size === 0) return undefined;
  const was = before === undefined ? new Map() : await workflowsOf(repository, before, objects);
  const brought = [...now].filter(([path, oid]) => was.get(path) !== oid);
  if (brought.length === 0) return undefined;
  const branches = [...(await repository.git.branches())];
  const tips = branches.filter(([name]) => `refs/heads/${name}` !== ref).map(([, tip]) => tip);
  const others = await Promise.all([...new Set(tips)].map((tip) => workflowsOf(repository, tip)));
  return brought.find(([path, oid]) => others.every((other) => other.get(path) !== oid))?.[0];
}

export const refusedWorkflow = (path: string): string =>
  `refusing to allow a GitHub App to create or update workflow \`${path}\` without \`workflows\` permission`;
