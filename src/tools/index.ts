import type { Tool } from '../agent/tool.ts';
import type { Effect } from '../session/entry.ts';
import { askQuestion } from './ask-question.ts';
import type { Offer } from './choose-tools.ts';
import { commit } from './commit.ts';
import { createPullRequest } from './create-pull-request.ts';
import { deleteFile } from './delete-file.ts';
import { editFile } from './edit-file.ts';
import { findFiles } from './find-files.ts';
import { finishFeature } from './finish-feature.ts';
import { finish } from './finish.ts';
import { gitAdd } from './git-add.ts';
import { gitBranch } from './git-branch.ts';
import { gitDiff } from './git-diff.ts';
import { gitLog } from './git-log.ts';
import { gitStatus } from './git-status.ts';
import { githubCreateComment } from './github-create-comment.ts';
import { githubGetIssue } from './github-get-issue.ts';
import { githubListIssues } from './github-list-issues.ts';
import { grepSearch } from './grep-search.ts';
import { listDirectory } from './list-directory.ts';
import type { Ports } from './ports.ts';
import { readFile } from './read-file.ts';
import { retrieveContextFiles } from './retrieve-context-files.ts';
import { searchCodebase } from './search-codebase.ts';
import { submitForReview } from './submit-for-review.ts';
import { renameFile } from './rename-file.ts';
import { renameFiles } from './rename-files.ts';
import { updatePlan } from './update-plan.ts';
import { writeFile } from './write-file.ts';

type Make = (ports: Ports) => Tool<Effect>;

/**
 * The tools, in the order in which the model is told of them, each with the heading that the documents
 * list it under. A new tool is one file and one line.
 */
const TOOLS: readonly (readonly [area: string, offer: Offer, make: Make])[] = [
  ['files', 'default', listDirectory],
  ['files', 'on request', findFiles],
  ['files', 'default', grepSearch],
  ['files', 'default', searchCodebase],
  ['files', 'default', readFile],
  ['files', 'on request', retrieveContextFiles],
  ['files', 'default', editFile],
  ['files', 'default', writeFile],
  ['files', 'default', renameFile],
  ['files', 'on request', renameFiles],
  ['files', 'default', deleteFile],
  ['flow', 'always', updatePlan],
  ['git', 'on request', gitStatus],
  ['git', 'on request', gitDiff],
  ['git', 'on request', gitLog],
  ['git', 'on request', gitAdd],
  ['git', 'on request', gitBranch],
  ['git', 'always', commit],
  ['GitHub', 'default', createPullRequest],
  ['GitHub', 'on request', githubGetIssue],
  ['GitHub', 'on request', githubListIssues],
  ['GitHub', 'on request', githubCreateComment],
  ['flow', 'always', askQuestion],
  ['flow', 'on request', finishFeature],
  ['flow', 'on request', submitForReview],
  ['flow', 'always', finish],
];

export const makeTools = (ports: Ports): Tool<Effect>[] => TOOLS.map(([, , make]) => make(ports));

/** What a tool says of itself, with its place in the registry. */
export interface ListedTool extends Omit<Tool<Effect>, 'run'> {
  readonly area: string;
  readonly offer: Offer;
}

/** For what they say of themselves alone: there is nothing that they could be run on. */
export const listTools = (): readonly ListedTool[] =>
  TOOLS.map(([area, offer, make]) => ({ ...make({} as Ports), area, offer }));
