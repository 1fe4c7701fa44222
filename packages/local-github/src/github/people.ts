// What people do by hand. It has the same checks and events as the REST routes.
import { assign, unassign } from './actions/assignees.ts';
import { renameBranch } from './actions/base-branch.ts';
import { changeRef } from './actions/refs.ts';
import { checkContext, findCheck, requestAction, suiteOf } from './actions/checks.ts';
import { addComment, deleteComment, findComment } from './actions/comments.ts';
import { committer } from './actions/committer.ts';
import { editAnyComment } from './actions/edits.ts';
import { changeIssue, findIssue, openIssue } from './actions/issues.ts';
import type { IssueChange, NewIssue } from './actions/issues.ts';
import { setIssueField, setIssueType } from './actions/issue-types.ts';
import { addSubIssue, orderSubIssue, removeSubIssue } from './actions/sub-issues.ts';
import { addLabels, removeLabel } from './actions/labels.ts';
import { announceMoves, findPull, mergePull, openPull, setDraft } from './actions/pulls.ts';
import type { NewPull } from './actions/pulls.ts';
import { react } from './actions/reactions.ts';
import { findReviewComment, threadOf, type NewRemark } from './actions/review-comments.ts';
import { addReviewComment, reply, setResolved } from './actions/review-threads.ts';
import {
  requestReviews,
  submitReview,
  withdrawReviewRequest,
  type NewReview,
} from './actions/reviews.ts';
import { commitSuggestion } from './actions/suggestions.ts';
import { headSha } from './git/pull.ts';
import { runAgain } from './actions/workflows.ts';
import type { FileChanges } from './git/repository.ts';
import { Keeper, type Thread } from './keeper.ts';
import type {
  Comment,
  Issue,
  PullRequest,
  ReactionContent,
  Repository,
  Review,
  ReviewComment,
} from './state.ts';

export type { Thread } from './keeper.ts';

const placedIssue = ({ repository, number }: Thread) => ({
  repository,
  issue: findIssue(repository, number),
});

export class Person extends Keeper {
  /** Uploads an image. Returns its address for Markdown. */
  attach(image: Uint8Array): string {
    return this.hub.world.url + this.hub.world.attachments.add(image);
  }

  openIssue(repository: Repository, issue: NewIssue): Issue {
    if ((issue.labels ?? []).length > 0) this.need(repository, 'triage');
    if (issue.type !== undefined) this.need(repository, 'write');
    return openIssue(this.hub, repository, this.user, issue);
  }

  label({ repository, number }: Thread, ...names: string[]): void {
    this.need(repository, 'triage');
    addLabels(this.hub, repository, this.user, findIssue(repository, number), names);
  }

  unlabel({ repository, number }: Thread, name: string): void {
    this.need(repository, 'triage');
    removeLabel(this.hub, repository, this.user, findIssue(repository, number), name);
  }

  /** `null` takes the type away. */
  setType({ repository, number }: Thread, type: string | null): void {
    this.need(repository, 'write');
    setIssueType(this.hub, repository, this.user, findIssue(repository, number), type);
  }

  setField({ repository, number }: Thread, name: string, value: string): void {
    this.need(repository, 'write');
    setIssueField(this.hub, findIssue(repository, number), name, value);
  }

  /** Adds issues to another one, in this order. */
  addSubIssues(parent: Thread, ...children: Thread[]): void {
    for (const child of children) {
      this.need(parent.repository, 'triage');
      const { id } = findIssue(child.repository, child.number);
      addSubIssue(this.hub, this.user, placedIssue(parent), { id, replacesParent: true });
    }
  }

  removeSubIssue(parent: Thread, child: Thread): void {
    this.need(parent.repository, 'triage');
    const { id } = findIssue(child.repository, child.number);
    removeSubIssue(this.hub, this.user, placedIssue(parent), id);
  }

  /** Moves a sub-issue before another one. */
  orderSubIssue(parent: Thread, child: Thread, before: Thread): void {
    this.need(parent.repository, 'triage');
    const { id } = findIssue(child.repository, child.number);
    const next = findIssue(before.repository, before.number).id;
    orderSubIssue(this.hub, placedIssue(parent), { id, before: next });
  }

  assign({ repository, number }: Thread, ...logins: string[]): void {
    this.need(repository, 'triage');
    const users = logins.flatMap((login) => this.hub.world.user(login) ?? []);
    assign(this.hub, repository, this.user, findIssue(repository, number), users);
  }

  unassign({ repository, number }: Thread, login: string): void {
    this.need(repository, 'triage');
    const user = this.hub.world.user(login);
    if (user === undefined) return;
    unassign(this.hub, repository, this.user, findIssue(repository, number), [user]);
  }

  comment({ repository, number }: Thread, body: string): Comment {
    const issue = findIssue(repository, number);
    return addComment(this.hub, repository, this.user, issue, { body });
  }

  editComment(repository: Repository, id: number, body: string): void {
    editAnyComment(this.hub, repository, this.user, id, body);
  }

  deleteComment(repository: Repository, id: number): void {
    deleteComment(this.hub, repository, this.user, findComment(repository, id));
  }

  react(on: Issue | Comment, content: ReactionContent): void {
    react(this.hub, this.user, on.reactions, content);
  }

  /** Edits, closes or reopens. */
  async change({ repository, number }: Thread, change: IssueChange): Promise<void> {
    await changeIssue(this.hub, repository, this.user, findIssue(repository, number), change);
  }

  close(thread: Thread): Promise<void> {
    return this.change(thread, { state: 'closed' });
  }

  reopen(thread: Thread): Promise<void> {
    return this.change(thread, { state: 'open' });
  }

  openPull(repository: Repository, pull: NewPull): Promise<PullRequest> {
    if (!pull.head.startsWith(`${this.user.login}:`)) this.need(repository, 'write');
    return this.hub.world.exclusively(repository, () =>
      openPull(this.hub, repository, this.user, pull),
    );
  }

  review({ repository, number }: Thread, review: NewReview): Promise<Review> {
    return submitReview(this.hub, repository, this.user, findPull(repository, number), review);
  }

  /** Only collaborators can be asked. */
  requestReview({ repository, number }: Thread, login: string): void {
    this.need(repository, 'triage');
    const people = [this.hub.world.user(login) ?? []].flat();
    const known = people.filter(({ login: name }) => repository.collaborators.has(name));
    requestReviews(this.hub, repository, this.user, findPull(repository, number), known);
  }

  withdrawReviewRequest({ repository, number }: Thread, login: string): void {
    this.need(repository, 'triage');
    const person = this.hub.world.user(login);
    const pull = findPull(repository, number);
    if (person !== undefined) withdrawReviewRequest(this.hub, repository, this.user, pull, person);
  }

  /** Comments on a line, outside of a review. */
  async remark({ repository, number }: Thread, remark: NewRemark): Promise<ReviewComment> {
    const pull = findPull(repository, number);
    const commitSha = await headSha(repository, pull);
    return addReviewComment(this.hub, repository, this.user, pull, { ...remark, commitSha });
  }

  replyTo(repository: Repository, commentId: number, body: string): Promise<ReviewComment> {
    const comment = findReviewComment(repository, commentId);
    const pull = findPull(repository, comment.pullNumber);
    return reply(this.hub, repository, this.user, pull, comment, body);
  }

  /** Resolves the thread of a review comment, or opens it again. */
  resolve(repository: Repository, commentId: number, resolved = true): void {
    const comment = findReviewComment(repository, commentId);
    const pull = findPull(repository, comment.pullNumber);
    // As rule `author-resolves-threads` says.
    if (pull.author.id !== this.user.id) this.need(repository, 'write');
    const thread = threadOf(repository, comment);
    setResolved(this.hub, repository, this.user, pull, thread, resolved);
  }

  /** Commits the suggestion in a review comment. Resolves with the SHA of the commit. */
  commitSuggestion(repository: Repository, commentId: number): Promise<string> {
    this.need(repository, 'write');
    const comment = findReviewComment(repository, commentId);
    const pull = findPull(repository, comment.pullNumber);
    return this.hub.world.exclusively(repository, () =>
      commitSuggestion(this.hub, repository, this.user, pull, comment),
    );
  }

  setDraft({ repository, number }: Thread, draft: boolean): void {
    this.need(repository, 'write');
    setDraft(this.hub, repository, this.user, findPull(repository, number), draft);
  }

  /** Resolves with the SHA of the merge commit. */
  merge({ repository, number }: Thread): Promise<string> {
    this.need(repository, 'write');
    return this.hub.world.exclusively(repository, () =>
      mergePull(this.hub, repository, this.user, findPull(repository, number), {}),
    );
  }

  /** Commits to a branch and pushes it. A new branch starts at the default branch. */
  push(
    repository: Repository,
    commit: { branch: string; files: FileChanges; message: string },
  ): Promise<string> {
    this.need(repository, 'write');
    return this.hub.world.exclusively(repository, async () => {
      const before = await repository.git.branches();
      const author = committer(this.user);
      const from = repository.defaultBranch;
      const sha = await repository.git.commitFiles({ ...commit, author, from });
      await announceMoves(this.hub, repository, this.user, before);
      return sha;
    });
  }

  /** With the button of the page; `git push` and the API delete one without retargeting pull requests. */
  deleteBranch(repository: Repository, branch: string): Promise<void> {
    this.need(repository, 'write');
    const change = { ref: `refs/heads/${branch}`, sha: undefined, force: true, isByPage: true };
    return changeRef(this.hub, repository, { user: this.user, mayWriteWorkflows: true }, change);
  }

  /** On its page. */
  renameBranch(repository: Repository, from: string, to: string): Promise<void> {
    this.need(repository, from === repository.defaultBranch ? 'admin' : 'write');
    return this.hub.world.exclusively(repository, () =>
      renameBranch(this.hub, repository, this.user, { from, to }),
    );
  }

  /** Uses a button of a check run. Its App gets `requested_action`. */
  async requestAction(repository: Repository, id: number, identifier: string): Promise<void> {
    this.need(repository, 'write');
    const run = findCheck(repository, id);
    const { headSha } = suiteOf(repository, run);
    const context = await checkContext(this.hub, repository, this.user, headSha);
    requestAction(context, run, identifier);
  }

  /** A job of Actions runs again; the App of any other check gets `rerequested`. */
  async rerunCheck(repository: Repository, id: number): Promise<void> {
    this.need(repository, 'write');
    await runAgain(this.hub, repository, this.user, findCheck(repository, id));
  }
}
