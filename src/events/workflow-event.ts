// The event that started a workflow of GitHub Actions, as the runner keeps it (rule `workflow-events` of docs/github-rules.md).
import { z } from 'zod';
import { CommentPayload, Common, Issue, parsePayload } from './payload.ts';

/** The words of an issue when work on it was requested. */
export interface IssueAtRequest {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  /** When, by GitHub's time. */
  readonly at: string;
}

const Event = z.object({
  repository: Common.shape.repository,
  issue: Issue.optional(),
  comment: CommentPayload.optional(),
});

/** `undefined` if the event is about no issue of this repository. @throws {InvalidPayload} */
export function issueOfEvent(payload: unknown, repositoryId: number): IssueAtRequest | undefined {
  const isAboutIssue = z.object({ issue: z.object({}) }).safeParse(payload).success;
  if (!isAboutIssue) return undefined;
  const { repository, issue, comment } = parsePayload(Event, payload);
  if (issue === undefined || repository.id !== repositoryId) return undefined;
  const { number, title, body } = issue;
  return { number, title, body: body ?? '', at: comment?.updated_at ?? issue.updated_at };
}
