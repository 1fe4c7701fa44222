// Commits a suggestion of a review comment, as the button on GitHub's page does.
import { MODES, writeBlob, writeTree } from '../git/objects.ts';
import { placementOf } from '../git/placing.ts';
import { pullFacts } from '../git/pull.ts';
import { GitHubError } from '../github-error.ts';
import type { Hub } from '../hub.ts';
import { partsOf } from '../markdown/suggestions.ts';
import type { PullRequest, Repository, ReviewComment, User } from '../state.ts';
import { writeSignedCommit } from './commits.ts';
import { committer } from './committer.ts';
import { announceMoves } from './pulls.ts';
import { threadOf } from './review-comments.ts';
import { setResolved } from './review-threads.ts';

/**
 * Commits the first suggestion of the comment to the head of the pull request, and resolves its thread. Resolves
 * with the SHA of the commit.
 */
export async function commitSuggestion(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: PullRequest,
  comment: ReviewComment,
): Promise<string> {
  const suggestion = partsOf(comment.body).find(({ kind }) => kind === 'suggestion');
  const thread = threadOf(repository, comment);
  const facts = await pullFacts(repository, issue);
  const { current } = await placementOf(repository, thread, facts);
  const isUsable =
    thread.side === 'RIGHT' && issue.state === 'open' && issue.pull.headRepositoryId === undefined;
  if (suggestion?.kind !== 'suggestion' || current?.line === undefined || !isUsable)
    throw new GitHubError('suggestion-applies', 422, 'This suggestion cannot be applied.');
  const { line, startLine = line } = current;
  const tree = await changedTree(repository, facts.headSha, thread.path, (lines) => [
    ...lines.slice(0, startLine - 1),
    fitting(suggestion.lines, lines[line - 1] ?? ''),
    ...lines.slice(line),
  ]);
  const before = await repository.git.branches();
  const sha = await writeSignedCommit(hub, repository, {
    tree,
    parents: [facts.headSha],
    author: committer(actor),
    message: `Update ${thread.path}\n${creditFor(comment.author, actor)}`,
  });
  await repository.git.setRef(`refs/heads/${issue.pull.head}`, sha);
  await announceMoves(hub, repository, actor, before);
  setResolved(hub, repository, actor, issue, thread, true);
  return sha;
}

/** The tree of a commit with other lines in one file, which keeps its mode. Each line has its line break. */
async function changedTree(
  { git }: Repository,
  commit: string,
  path: string,
  change: (lines: string[]) => string[],
): Promise<string> {
  const [entry] = (await git.entries(commit, path)).list;
  const mode = MODES.find((one) => one === entry?.mode);
  if (entry === undefined || mode === undefined)
    throw new GitHubError('suggestion-applies', 404, 'Not Found');
  // One character for each byte, so that a file in any encoding stays what it is.
  const text = (await git.blob(entry.sha)).toString('latin1');
  const lines = change(text.split(/(?<=\n)/));
  const sha = await writeBlob(git.directory, Buffer.from(lines.join(''), 'latin1'));
  return writeTree(git.directory, commit, [{ path, mode, sha }]);
}

/** New lines as bytes, with the line breaks of the last line that they replace. */
function fitting(lines: string, last: string): string {
  const bytes = Buffer.from(lines).toString('latin1');
  if (last.endsWith('\r\n')) return bytes.replaceAll(/\r?\n/g, '\r\n');
  return last.endsWith('\n') ? bytes : bytes.replace(/\n$/, '');
}

const creditFor = (author: User, actor: User): string => {
  const { name, email } = committer(author);
  return author.id === actor.id ? '' : `\nCo-authored-by: ${name} <${email}>\n`;
};
