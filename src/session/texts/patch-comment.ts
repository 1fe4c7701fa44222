// A change of a fork's branch, as people are given it.
import type { Patch } from '../../contracts/effect.ts';
import { quotation, sections, code, codeBlock, mention, type Body } from './markdown.ts';
import { NO_SUMMARY } from './work-done.ts';
import { plural, shortSha } from './format.ts';

export interface PatchWords {
  /** Logins of those who are told: whoever asked, and the author of the pull request. */
  readonly to: readonly string[];
  /** Where people see the repository. */
  readonly repositoryUrl: string | undefined;
  /** There is a newer one for the same commit, which has all of this. */
  readonly isReplaced: boolean;
}

const MAX_SUMMARY = 15_000;
/** No line of a diff is this. */
const END = 'END_OF_PATCH';

export const patchComment = (patch: Patch, words: PatchWords): Body =>
  sections(
    `${words.to.map((login) => `${mention(login)} `).join('')}I can't push to a fork, so here is a patch for ${code(shortSha(patch.base))}:`,
    words.isReplaced ? '**There is a newer patch below, which has all of this one.**' : '',
    patch.summary === '' ? NO_SUMMARY : quotation(patch.summary, MAX_SUMMARY),
    patch.text === undefined ? onBranch(patch, words) : inComment(patch, patch.text),
  );

const HOW = 'Run this at the root of a clone, with the head of this pull request checked out:';

const inComment = ({ files, isRedacted }: Patch, text: string): Body =>
  sections(
    isRedacted === true
      ? '⚠️ Something in it looked like a secret and was taken out, so git may not apply it.'
      : '',
    `<details><summary>Patch (${plural(files.length, 'file')}) with <code>git apply</code></summary>`,
    HOW,
    { code: `git apply <<'${END}'\n${text}${END}`, language: 'diff' },
    '</details>',
  );

/** Takes out of the change what the commit has besides: the workflow files of the base branch. */
const WITHOUT_WORKFLOWS = ' && git restore --source=HEAD --staged --worktree -- .github/workflows';

function onBranch(
  { base, branch = '', files, hasNewWorkflows }: Patch,
  { repositoryUrl }: PatchWords,
): Body {
  const url = repositoryUrl ?? 'origin';
  const compared = `${url}/compare/${base}...${branch}`;
  const where =
    repositoryUrl === undefined ? code(branch) : `[${code(branch)}](${encodeURI(compared)})`;
  const from = repositoryUrl === undefined ? url : `${url}.git`;
  return sections(
    `Patch (${plural(files.length, 'file')}) on the branch ${where}, because it is too large for a comment or has more than plain text. ${HOW}`,
    codeBlock(
      `git fetch '${from}' ${branch} && git cherry-pick --no-commit FETCH_HEAD${hasNewWorkflows === true ? WITHOUT_WORKFLOWS : ''}`,
      'sh',
    ),
    'Delete the branch once you have it. No workflows run on it, because it has code of a fork.',
  );
}
