import type { CommitDone, CommitRequest } from '../contracts/git.ts';
import { TellModel } from '../lib/errors.ts';
import { isWorkflow } from './files/path-policy.ts';
import type { Considered } from './files/recorded-changes.ts';
import type { GitClient } from './git/client.ts';
import type { Credentials } from './git/credentials.ts';
import type { PublishingFor } from './git/publish/publish.ts';
import { publishOnNewest, type NewestBase } from './git/publish/publish-on-newest.ts';
import { unresolvedWords } from './merging.ts';

const COMMIT_MS = 120_000;

export interface CommitOptions {
  readonly credentials: Credentials;
  /** The branch to push to, without `refs/heads/`; called at each push. */
  readonly branch: () => string;
  /** How commits get to GitHub; they are pushed if omitted. */
  readonly publishing?: PublishingFor | undefined;
  /** The digest of the change of workflow files that an administrator approved; asked at each commit. */
  readonly approvedWorkflows?: (() => Promise<string | undefined>) | undefined;
  /** Asked if the server takes a commit only with the workflow files that the base branch has now. */
  readonly newestBase?: NewestBase | undefined;
}

export async function commitAndPublish(
  client: GitClient,
  { credentials, branch, publishing, approvedWorkflows, newestBase }: CommitOptions,
  { at, unlessUnresolved, ...asked }: CommitRequest & Considered,
): Promise<CommitDone | undefined> {
  const approved = await approvedWorkflows?.();
  const request = { ...asked, only: asked.only, at: at.getTime(), approved };
  const made = await client.call('commit', request, COMMIT_MS);
  if (made === undefined) return undefined;
  if ('unresolved' in made) {
    if (unlessUnresolved === true) return undefined;
    throw new TellModel(unresolvedWords(made.unresolved));
  }
  const access = made.files.some(({ path }) => isWorkflow(path)) ? 'workflows' : 'write';
  const parts = { client, credentials, branch: branch(), access } as const;
  const published = await client.publishing(() =>
    publishOnNewest({ ...parts, publishing: publishing?.(access) }, newestBase),
  );
  const { caughtUp } = published;
  const isNewMerge = made.merges !== undefined && caughtUp?.isMoved === true;
  return { ...made, ...published, ...(isNewMerge ? { merges: caughtUp.onto } : {}) };
}
