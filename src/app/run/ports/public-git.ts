import { mergeNotTested } from '../../../agent/prompts/notices.ts';
import { plainText } from '../../../github/text/safe.ts';
import type { GitHubRepository } from '../../../github/repository.ts';
import { TellModel } from '../../../lib/errors.ts';
import { mergeVerdict } from '../../../session/merging.ts';
import { suggesters } from '../../../session/parts/session-reviews.ts';
import { testedWords } from '../../../session/texts/merges.ts';
import { coAuthor, withTrailers } from '../../../session/trailers.ts';
import type { CommitRequest, FileDiff, Git } from '../../../contracts/git.ts';
import { PathRules, type PathSettings } from '../../../workspace/files/repository-paths.ts';
import type { Workspace } from '../../../workspace/workspace.ts';
import { changesNothing } from '../plan/offered-tools.ts';
import type { TrackedSession } from '../../service/journal-tracker.ts';
import type { TextRedactor } from '../../../lib/text/redact.ts';

interface CommitScope extends TextRedactor {
  readonly tracker: TrackedSession;
  readonly github: Pick<GitHubRepository, 'gitUrl'>;
}

/**
 * Commits go to GitHub: their messages must notify no one, close nothing and contain no secret. The last lines
 * name who suggested lines of it, and the person who requested the work. Diffs leave out files that the settings close.
 * While people do not let us push, nothing is committed.
 */
export const publicGit = (
  { redact, tracker, github }: CommitScope,
  { git }: Pick<Workspace, 'git'>,
  { trailers, paths }: { readonly trailers: readonly string[]; readonly paths: PathSettings },
): Git => {
  const allTrailers = () => {
    const { hostname } = new URL(github.gitUrl);
    const authors = suggesters(tracker.session.reviews).map((one) => coAuthor(one, hostname));
    return [...new Set([...authors, ...trailers])];
  };
  const own: Git = {
    ...git,
    diff: async (path) => withoutClosed(paths)(await git.diff(path)),
    workflowChange: async () => {
      const change = await git.workflowChange();
      return change && { ...change, files: withoutClosed(paths)(change.files) };
    },
    commit: ({ message, ...request }) => {
      const words = plainText(message, { redact });
      const ordered = request.skipsChecks === true ? `${words}\n\n[skip ci]` : words;
      return git.commit({ ...request, message: withTrailers(ordered, allTrailers()) });
    },
  };
  return changesNothing(tracker.session)
    ? { ...own, commit: nothing, recover: nothing }
    : onlyTestedMerges(own, tracker);
};

const nothing = (): Promise<undefined> => Promise.resolve(undefined);

/** Git that commits a merge that the tests failed with only once they pass, or fail as they did before the merge. */
const onlyTestedMerges = (git: Git, tracker: TrackedSession): Git => ({
  ...git,
  commit: async (request) => {
    const verdict = mergeVerdict(tracker.session);
    if (verdict === undefined || verdict === 'passed') return git.commit(request);
    if (verdict === 'failed_before') return git.commit(withWords(request, tracker));
    if (request.unlessUnresolved === true) return undefined;
    throw new TellModel(mergeNotTested(verdict));
  },
});

function withWords(request: CommitRequest, { session }: TrackedSession): CommitRequest {
  const command = session.work.tests.at(-1)?.command ?? '';
  const words = testedWords({ kind: 'failed_before', command });
  return { ...request, message: `${request.message}\n\n${words}` };
}

/** What the repository's settings close is not read in the history or in a diff either. */
export function withoutClosed(
  paths: PathSettings,
): (files: readonly FileDiff[]) => readonly FileDiff[] {
  const rules = new PathRules(paths);
  const isClosed = ({ path, from = path }: FileDiff): boolean =>
    rules.isClosed(path.split('/')) || rules.isClosed(from.split('/'));
  const bare = ({ hunks: _hunks, ...file }: FileDiff): FileDiff => ({ ...file, why: 'closed' });
  return (files) => files.map((file) => (isClosed(file) ? bare(file) : file));
}
