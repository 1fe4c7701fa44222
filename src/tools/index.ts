import type { Call } from '../contracts/model.ts';
import type { NamedTool, Tool } from '../contracts/tool.ts';
import { askQuestion } from './flow/ask-question.ts';
import type { Offer } from './choose-tools.ts';
import { commit } from './git/commit.ts';
import { createPullRequest } from './flow/publish-work.ts';
import { deleteFile } from './files/delete-file.ts';
import { editFile } from './files/edit-file.ts';
import { findFiles } from './search/find-files.ts';
import { finishFeature } from './flow/finish-feature.ts';
import { finish, finishingCall } from './flow/finish.ts';
import { gitAdd } from './git/git-add.ts';
import { gitBranch } from './git/git-branch.ts';
import { gitDiff } from './git/git-diff.ts';
import { gitLog } from './git/git-log.ts';
import { gitStatus } from './git/git-status.ts';
import { githubCreateComment } from './github/github-create-comment.ts';
import { githubGetIssue } from './github/github-get-issue.ts';
import { githubListIssues } from './github/github-list-issues.ts';
import { grepSearch } from './search/grep-search.ts';
import { listDirectory } from './files/list-directory.ts';
import { bind, type Ports, type ToolDefinition } from './define-tool.ts';
import { remember } from './memory/remember.ts';
import { readSkill } from './skills/read-skill.ts';
import { searchMemory } from './memory/search-memory.ts';
import { readFileTool } from './files/read-file.ts';
import { retrieveContextFiles } from './search/retrieve-context-files.ts';
import { searchCodebase } from './search/search-codebase.ts';
import { runShellCommand } from './shell/run-shell-command.ts';
import { runTests } from './shell/run-tests.ts';
import { submitReview } from './github/submit-review.ts';
import { replyTool } from './github/reply.ts';
import { submitForReview } from './flow/submit-for-review.ts';
import { concludingProposal, proposeSubIssues } from './flow/propose-sub-issues.ts';
import { renameFile } from './files/rename-file.ts';
import { renameFiles } from './files/rename-files.ts';
import { updatePlan } from './flow/update-plan.ts';
import { writeFile } from './files/write-file.ts';

/** A tool with the heading that the documents list it under, and whether a run has it. */
export interface DocumentedTool extends ToolDefinition {
  readonly area: string;
  readonly offer: Offer;
}

/** In the order in which the model sees them. A new tool is one file and one line here. */
const LIST: readonly (readonly [area: string, offer: Offer, tool: ToolDefinition])[] = [
  ['files', 'default', listDirectory],
  ['files', 'on request', findFiles],
  ['files', 'default', grepSearch],
  ['files', 'default', searchCodebase],
  ['files', 'default', readFileTool],
  ['files', 'on request', retrieveContextFiles],
  ['files', 'default', editFile],
  ['files', 'default', writeFile],
  ['files', 'without a shell', renameFile],
  ['files', 'on request', renameFiles],
  ['files', 'without a shell', deleteFile],
  ['shell', 'default', runShellCommand],
  ['shell', 'default', runTests],
  ['files', 'with skills', readSkill],
  ['flow', 'always', updatePlan],
  ['flow', 'to split', proposeSubIssues],
  ['git', 'on request', gitStatus],
  ['git', 'on request', gitDiff],
  ['git', 'on request', gitLog],
  ['git', 'on request', gitAdd],
  ['git', 'on request', gitBranch],
  ['git', 'always', commit],
  ['GitHub', 'default', createPullRequest],
  ['GitHub', 'default', submitReview],
  ['GitHub', 'default', replyTool],
  ['GitHub', 'on request', githubGetIssue],
  ['GitHub', 'on request', githubListIssues],
  ['GitHub', 'on request', githubCreateComment],
  ['memory', 'on request', searchMemory],
  ['memory', 'on request', remember],
  ['flow', 'always', askQuestion],
  ['flow', 'on request', finishFeature],
  ['flow', 'on request', submitForReview],
  ['flow', 'always', finish],
];

export const TOOLS: readonly DocumentedTool[] = LIST.map(([area, offer, tool]) => ({
  ...tool,
  area,
  offer,
}));

/** All tools, with the ports of one run. */
export const bindTools = (ports: Ports): readonly Tool[] => TOOLS.map((tool) => bind(tool, ports));

/** How a run with these tools ends for a model that ended it with a text. */
export const concludeWith = (tools: readonly NamedTool[]): ((words: string) => Call) =>
  tools.some(({ name }) => name === proposeSubIssues.name) ? concludingProposal : finishingCall;
