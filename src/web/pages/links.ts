// Where a session page leads to.
import type { Session } from '../../session/session.ts';

export interface Links {
  readonly repository: string;
  readonly issue: string;
  /** What the model was sent before this reply or call, or is sent after this entry. */
  request(seq: number): string;
  commit(sha: string): string;
  /** Of a thread of review, by its number; `undefined` if it is not known where it is. */
  reviewThread(number: number): string | undefined;
}

export function linksOf(id: string, { thread, reviews }: Session, githubUrl: string): Links {
  const { owner, name } = thread.repository;
  const place = [owner, name].map(encodeURIComponent).join('/');
  const repository = `${githubUrl.replace(/(?<!\/)\/+$/, '')}/${place}`;
  const pull = thread.pullRequest?.number ?? thread.adopted?.number;
  return {
    repository,
    issue: `${repository}/issues/${thread.issue}`,
    request: (seq) => `/sessions/${id}/prompt/${seq}`,
    commit: (sha) => `${repository}/commit/${encodeURIComponent(sha)}`,
    reviewThread: (number) => {
      const root = reviews.threads.find((one) => one.number === number)?.root;
      if (root === undefined || pull === undefined) return undefined;
      return `${repository}/pull/${pull}#discussion_r${root}`;
    },
  };
}
