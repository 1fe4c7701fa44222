import type { Effect } from '../../contracts/effect.ts';
import type { FileDiff } from '../../contracts/git.ts';
import type { ToolResult } from '../../contracts/tool.ts';
import { escapeUnseen } from '../../lib/text/invisible.ts';
import type { Needs } from '../define-tool.ts';
import { diffText } from '../git/diff-text.ts';

/** What people can read in a comment. */
const MOST_CHARACTERS = 30_000;
const LONGEST_LINE = 1_000;

const ASKED =
  'Changes of workflow files are not pushed before an administrator approves them. People are asked for that. Their answer comes as a message.';
const NOT_SHOWN = `An administrator has to approve changes of workflow files, and these cannot be shown as a whole in a comment: they must be text, have at most ${MOST_CHARACTERS} characters as a diff, and no line of more than ${LONGEST_LINE}. Make the change smaller, or undo it.`;

/**
 * The result of a call that submits the work while a change of workflow files waits for an administrator: it ends the
 * run. `undefined`: nothing waits.
 */
export async function askForWorkflows(
  { git }: Needs<'git'>,
  effects: Effect[],
): Promise<Omit<ToolResult, 'effects'> | undefined> {
  const change = await git.workflowChange();
  if (change === undefined) return undefined;
  const { digest, files } = change;
  const diff = escapeUnseen(diffText(files, Infinity));
  // Nobody is asked to approve what is not shown.
  if (!isWhole(files, diff)) return { output: NOT_SHOWN, ok: false };
  const paths = files.map(({ path, status }) => ({
    path,
    status: status === 'renamed' ? ('added' as const) : status,
  }));
  effects.push({ type: 'workflow_change', digest, files: paths, diff });
  return { output: ASKED, halt: 'asked' };
}

const isWhole = (files: readonly FileDiff[], diff: string): boolean =>
  files.every(({ hunks }) => hunks !== undefined) &&
  diff.length <= MOST_CHARACTERS &&
  diff.split('\n').every((line) => line.length <= LONGEST_LINE);
