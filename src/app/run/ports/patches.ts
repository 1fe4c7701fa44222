// A change of a fork's branch, for people to apply: in a comment, or on a branch if it does not fit there.
import type { Patch } from '../../../contracts/effect.ts';
import type { Forge } from '../../../contracts/forge.ts';
import type { FileDiff, Git } from '../../../contracts/git.ts';
import { TellModel } from '../../../lib/errors.ts';
import { withoutInvisible } from '../../../lib/text/invisible.ts';
import { branchOf } from '../../../session/github-names.ts';
import { patchText } from '../../../tools/git/diffs.ts';
import type { Patches } from '../../../tools/define-tool.ts';
import { isWorkflow } from '../../../workspace/files/path-policy.ts';
import type { TrackedSession } from '../../service/journal-tracker.ts';
import type { TextRedactor } from '../../../lib/text/redact.ts';

/** Characters. A comment may have 65,536, and has more to say than this. */
const LONGEST_PATCH = 30_000;

interface PatchScope extends TextRedactor {
  readonly tracker: TrackedSession;
  readonly forge: Pick<Forge, 'branchChange'>;
  /** Its commits go to a branch of ours. */
  readonly git: Pick<Git, 'commit'>;
  readonly workspace: { readonly git: Pick<Git, 'changes' | 'diff'> };
}

export const patchesFor = (parts: PatchScope): Patches => ({
  offer: async ({ summary, message, at }) => {
    const { session } = parts.tracker;
    const { head: base = '', changedSincePatch } = session.work;
    const changes = changedSincePatch ? await parts.workspace.git.changes() : [];
    // Without what commits leave out.
    const files = changes.filter(({ madeByCommand }) => madeByCommand === undefined);
    if (files.length === 0) return undefined;
    const patch: Patch = { type: 'patch', base, summary, files };
    const text = inComment(await parts.workspace.git.diff(''));
    if (text !== undefined) return { ...patch, ...redacted(text, parts) };
    const branch = branchOf(session);
    const { files: theirs } = await parts.forge.branchChange();
    // A branch here runs the workflows that it has, with the secrets of this repository: never those of a stranger.
    const named = theirs.flatMap(({ path, from = '' }) => [path, from]);
    if (theirs.length >= MOST_FILES || named.some(isWorkflow)) throw new TellModel(TOO_LARGE);
    const done = await parts.git.commit({ message, at, skipsChecks: true });
    if (done === undefined) return undefined;
    const more = done.caughtUp === undefined ? {} : { hasNewWorkflows: true as const };
    return { ...patch, branch, ...more };
  },
});

function redacted(text: string, { redact }: TextRedactor): Pick<Patch, 'text' | 'isRedacted'> {
  const safe = redact(text);
  return safe === text ? { text } : { text: safe, isRedacted: true };
}

/** A comment may lose control characters and those that nobody sees, and what is not UTF-8 was lost already. */
function inComment(files: readonly FileDiff[]): string | undefined {
  const text = patchText(files);
  if (text === undefined || text.length > LONGEST_PATCH) return undefined;
  const isWhole = withoutInvisible(text) === text && !/[^\P{Cc}\n\t]|\uFFFD/u.test(text);
  return isWhole ? text : undefined;
}

/** As many as GitHub names of those that differ. */
const MOST_FILES = 300;

const TOO_LARGE = `People get the change as a comment, and it does not fit: it has more than ${LONGEST_PATCH} characters, or something that is not plain text. It cannot be on a branch of this repository either, because the pull request changes workflow files, or very many files. Make it smaller, or finish with the outcome cannot.`;
